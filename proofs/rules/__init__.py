"""The rules: what the kernel may conclude from what. Each has its page in ``proofs/statements``."""

from __future__ import annotations

from proofs.rules import (
    allocation,
    channels,
    composition,
    conversions,
    dependence,
    itemsets,
    linear,
    noise,
    pairs,
    scores,
    selection,
    stability,
    structure,
    subsampling,
    tables,
)
from proofs.rules.rule import Rule

RULES: dict[str, Rule] = {
    **stability.RULES,
    **linear.RULES,
    **scores.RULES,
    **dependence.RULES,
    **itemsets.RULES,
    **noise.RULES,
    **selection.RULES,
    **tables.RULES,
    **channels.RULES,
    **conversions.RULES,
    **pairs.RULES,
    **composition.RULES,
    **subsampling.RULES,
    **allocation.RULES,
    **structure.RULES,
}
"""Every rule by its name."""
