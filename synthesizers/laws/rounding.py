"""Random rounding: every count goes to a multiple of a base, right on average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from synthesizers.errors import InputError
from synthesizers.laws.cell_laws import CellwiseLaw
from synthesizers.plain import require_count

MAX_BASE = 1000
"""The largest base of rounding (agencies use 3 and 5)."""


@dataclass(frozen=True, slots=True)
class RandomRounding(CellwiseLaw):
    """Every count becomes a multiple of the base, right on average (Nargundkar & Saveland 1972).

    With r the remainder of a count by ``base``, it goes up with chance r/base
    and else down (Fellegi 1975). A multiple, zero included, stays as it is.

    Guarantee
    ---------
    The expected released count is the true one, and the two lie less than
    ``base`` apart. No finite ε holds. Backed by
    ``tests/synthesizers/laws/test_rounding.py``.
    """

    base: int
    name = "random-rounding"

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", require_count(self.base, "base of a rounding"))
        if not 2 <= self.base <= MAX_BASE:
            raise InputError(
                f"the base of a rounding must be from 2 to {MAX_BASE}, found {self.base}"
            )

    def answers(self, count: int) -> Mapping[int, Fraction]:
        """The multiples of the base on either side, or the count itself."""
        rest = count % self.base
        if not rest:
            return {count: Fraction(1)}
        below, up = count - rest, Fraction(rest, self.base)
        return {below: 1 - up, below + self.base: up}
