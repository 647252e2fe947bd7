"""Cases: a refuting rule with the runs that it was learned from, and what parts of these tell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.learning.attackers import PORTFOLIO
from audit.auditors.attack.learning.behind import draw_veils
from audit.auditors.attack.learning.counting_attackers import CellAttacker
from audit.auditors.attack.learning.learning import Cost, values
from audit.auditors.attack.scores.rules import GuessingRule
from audit.auditors.attack.searching.promise import foresee, promises_refutation
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

TINY = 2
"""The most records of a table that is called tiny: a spread needs two, and so does a split."""

CLEAR = 10
"""Runs on one database that all show what no run on the other does, at least (by a fair coin one
such thing in a thousand would)."""

PLENTY = 10**6
"""Runs that a facet is asked to refute a claim with: what counts is whether it tells more than the
claim allows, not whether so few runs would show it."""

GOOD_PART = 0.75
"""The share of a floor that what lies behind its cause comes to, at most: two floors of the same
runs differ by a few hundredths, and by this share where low bits tell a tenth of the runs apart."""

QUICK = tuple(attacker for attacker in PORTFOLIO if attacker.cost is not Cost.HIGH)
"""Attackers that learn in a moment: what they miss has other names."""

CELLS = CellAttacker("cells", values)
"""What tells facets apart: each by its own counts."""


@dataclass(frozen=True, eq=False)
class Case:
    """A rule that refuted a claim, with the runs that it was learned from.

    ``rule``: None where each database gave one output. ``factor``: the floor over the claim, 0
    where that says nothing. ``aligned``: runs on the same databases with the records that they
    share in the same places, where such runs were made.
    """

    rule: GuessingRule | None
    runs: Runs
    pair: Pair
    aim: Aim
    factor: float = 0.0
    aligned: Runs | None = None

    @cached_property
    def sizes(self) -> tuple[int, int] | None:
        """The records of both databases; None where they are none."""
        both = self.pair.first, self.pair.second
        if not all(isinstance(database, list) for database in both):
            return None
        return len(both[0]), len(both[1])

    @property
    def tiny(self) -> bool:
        """Whether one of the databases holds hardly any record."""
        return self.sizes is not None and min(self.sizes) <= TINY

    def tells(self, facet: Sequence[str]) -> bool:
        """Whether a facet of each run alone would refute the claim."""
        outcomes = Outcomes.of_outputs(facet)
        if len(set(facet)) < 2:
            return False
        runs = Runs(outcomes, self.runs.coins)
        return promises_refutation(runs, self.pair, [CELLS], self.aim)

    @cached_property
    def tells_plainly(self) -> bool:
        """Whether the attackers of `tells_behind` would refute the claim by whole outcomes."""
        return promises_refutation(self.runs, self.pair, QUICK, self.aim)

    def tells_behind(self, cause: str) -> bool:
        """Whether anything would still refute the claim behind a known cause."""
        _, veiled = draw_veils(self.runs, self.pair, (cause,))
        return promises_refutation(veiled, self.pair, QUICK, self.aim)

    @cached_property
    def _floor(self) -> float:
        return foresee(self.runs, self.pair, QUICK, self.aim).floor

    def leaks_less_behind(self, cause: str) -> bool:
        """Whether a known cause makes a good part of the floor that the attackers would certify."""
        _, veiled = draw_veils(self.runs, self.pair, (cause,))
        behind = foresee(veiled, self.pair, QUICK, self.aim).floor
        return behind < GOOD_PART * self._floor

    def one_sided(self, marks: NDArray[np.bool_]) -> str:
        """On which database alone a mark was clearly seen, "A" or "B"; empty where on none."""
        on_b = int(np.count_nonzero(marks & self.runs.coins))
        on_a = int(np.count_nonzero(marks)) - on_b
        if min(on_a, on_b) or max(on_a, on_b) < CLEAR:
            return ""
        return "B" if on_b else "A"

    @cached_property
    def held(self) -> tuple[str, str]:
        """Both databases as text, for whether a label occurs in them."""
        pair = self.pair
        return json.dumps(pair.first, sort_keys=True), json.dumps(pair.second, sort_keys=True)
