"""Attackers: each learns from runs with known coins a score that tells the two databases apart."""

from __future__ import annotations

from typing import Protocol

from audit.auditors.attack.learning import learning
from audit.auditors.attack.learning.counting_attackers import (
    BinAttacker,
    CellAttacker,
    OneColumnAttacker,
    WeightedBinAttacker,
)
from audit.auditors.attack.learning.learning import Cost
from audit.auditors.attack.learning.model_attackers import (
    LinearAttacker,
    NetworkAttacker,
    TreeAttacker,
)
from audit.auditors.attack.learning.quick_attackers import ChoiceAttacker, MarginalAttacker
from audit.auditors.attack.scores.rules import Score
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs


class Attacker(Protocol):
    """Something that learns a score."""

    @property
    def name(self) -> str:
        """What a report calls it."""
        ...

    @property
    def cost(self) -> Cost:
        """How long it takes."""
        ...

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A score learned from runs, the same for the same runs; None where it has none."""
        ...


PORTFOLIO: tuple[Attacker, ...] = (
    OneColumnAttacker("one column", learning.values),
    CellAttacker("cells", learning.values),
    BinAttacker("bins", learning.direct),
    MarginalAttacker(),
    ChoiceAttacker(),
    WeightedBinAttacker("bits", learning.bits),
    WeightedBinAttacker("weighted bins", learning.values),
    LinearAttacker("linear", learning.values),
    NetworkAttacker("network", learning.values),
    TreeAttacker("trees", learning.values),
    TreeAttacker("trees on bits", learning.bits),
)
"""All attackers, the cheap ones first."""
