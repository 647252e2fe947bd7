"""What the scores of the NIST 2018 challenge share: scale, modes, and lists of the worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit.utility.comparison import ROUNDING
from audit.utility.compat.programs import NIST_2018
from audit.utility.metric import FIXED, Metric
from audit.utility.score import Score

PERFECT = 1e6
"""The best value of every score of the challenge (DPSyn experiences, section 5.1)."""


@dataclass(frozen=True, kw_only=True)
class Nist2018Score(Metric):
    """A score from 0 to a million, higher being better, with a mode that reproduces the program."""

    lowest, highest, direction = 0.0, PERFECT, "higher"
    modes = (FIXED, NIST_2018)

    @property
    def reproduces(self) -> bool:
        """Whether the program is reproduced, its order of operations included."""
        return self.mode == NIST_2018

    def scored(self, value: float, **fields: Any) -> Score:
        """A score; the range is widened to a value with which the program leaves its own.

        Negative wages can take the third score anywhere above a million. Where rounding takes the
        program past it by some units in the last place, the score is a million, and says what the
        program prints.
        """
        if not self.reproduces or self.lowest <= value <= self.highest:
            return super().scored(value, **fields)
        if PERFECT < value <= PERFECT * (1 + ROUNDING):
            printed = f"the program prints {value!r}: rounding takes its sum past the best value"
            return super().scored(PERFECT, **{**fields, "stated": (*fields["stated"], printed)})
        lowest, highest = min(self.lowest, value), max(self.highest, value)
        return Score(self.name, value, lowest, highest, self.direction, self.mode, **fields)
