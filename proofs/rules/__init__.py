"""The rules: what the kernel may conclude from what. Each has its page in ``proofs/statements``."""

from __future__ import annotations

from proofs.rules import (
    adaptive,
    allocation,
    channels,
    composition,
    dependence,
    itemsets,
    linear,
    noise,
    readings,
    repetition,
    scores,
    selection,
    stability,
    structure,
    subsampling,
    tables,
)
from proofs.rules.rule import Rule

RULES: dict[str, Rule] = {
    rule.name: rule
    for file in (
        stability,
        linear,
        scores,
        dependence,
        itemsets,
        noise,
        selection,
        tables,
        channels,
        subsampling,
        allocation,
        repetition,
        composition,
        adaptive,
        structure,
        readings,
    )
    for rule in file.RULES
}
"""Every rule by its name."""
