"""The rules: what the kernel may conclude from what. Each has its page in ``proofs/statements``."""

from __future__ import annotations

from proofs.rules import (
    adaptive,
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

SENSITIVITY = (stability, linear, scores, dependence, itemsets)
MECHANISMS = (noise, selection, tables, channels, subsampling, repetition)
STEPS = (composition, adaptive, structure, readings)

RULES: dict[str, Rule] = {
    own.name: own
    for file in (*SENSITIVITY, *MECHANISMS, *STEPS)
    for own in vars(file).values()
    if isinstance(own, Rule)
}
"""Every rule by its name."""
