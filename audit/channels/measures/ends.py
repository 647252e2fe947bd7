"""Arrays of numbers known by both ends: rationals where they are few, doubles rounded outwards.

What one database's row, or one output's column, of a channel adds up to is a sum of chances
with non-negative weights; the same arithmetic gives it exactly and in doubles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.columns import Block, Columns
from audit.channels.measures.extreme import are_short
from audit.statements.decimals import Enclosure
from synthesizers.exact import Exact, enclose
from synthesizers.intervals import float_above, float_below

Array = NDArray[Any]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

MAX_RATIONALS = 60_000
"""The most entries, counted once for every use, that are added up as rationals (about a second)."""

ROUNDINGS = 4 * UNIT_ROUNDOFF
"""More than the relative error of two operations on doubles and of widening their result."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Numbers of at least 0, each in [low, high]; both ends are 0 where it is certainly 0.

    ``low``, ``high``: arrays of one shape, both of rationals or both of doubles.

    Guarantee
    ---------
    What an operation returns encloses its exact result for all numbers between the ends:
    rationals are exact, doubles are widened by the rounding of their own operations. Backed by
    the comparison with fractions in ``tests/audit/channels/measures/test_ends.py``.
    """

    low: Array
    high: Array

    @classmethod
    def of_exact(cls, chances: NDArray[np.object_]) -> Ends:
        """The ends of exact numbers as rationals."""
        low, high = np.empty(chances.shape, np.object_), np.empty(chances.shape, np.object_)
        value: Exact
        for place, value in np.ndenumerate(chances):
            interval = enclose(value)
            low[place], high[place] = max(interval.lower, Fraction(0)), interval.upper
        return cls(low, high)

    @classmethod
    def of_block(cls, block: Block) -> Ends:
        """Some columns of a channel as doubles."""
        if block.error == 0:
            return cls(block.lower, block.upper)
        low = _down(block.lower * (1 - block.error))
        return cls(low, _up(block.upper * (1 + block.error), block.upper == 0))

    @property
    def rational(self) -> bool:
        """Whether the ends are rationals."""
        return self.low.dtype == np.object_

    def __add__(self, other: Ends) -> Ends:
        nothing = (self.high == 0) & (other.high == 0)
        return Ends(_down(self.low + other.low), _up(self.high + other.high, nothing))

    @property
    def width(self) -> int:
        """How many columns a matrix has."""
        return int(self.low.shape[1])

    def column(self, place: int) -> Ends:
        """One column of a matrix, as a matrix."""
        return Ends(self.low[:, [place]], self.high[:, [place]])

    def where(self, mask: BoolArray) -> Ends:
        """The numbers that the mask picks; 0 elsewhere."""
        return Ends(np.where(mask, self.low, 0), np.where(mask, self.high, 0))

    def times(self, numbers: IntArray) -> Ends:
        """Products with whole numbers from 0 to 2^53, of the same shape."""
        factors = numbers.astype(self.low.dtype)
        return self._product(factors, factors)

    def weigh(self, law: Sequence[Fraction]) -> Ends:
        """Each row times its weight, which is at least 0."""
        low, high = np.empty(len(law), self.low.dtype), np.empty(len(law), self.low.dtype)
        low[:] = law if self.rational else [float_below(weight) for weight in law]
        high[:] = law if self.rational else [float_above(weight) for weight in law]
        shape = (len(law), *(1,) * (self.low.ndim - 1))
        return self._product(low.reshape(shape), high.reshape(shape))

    def _product(self, low: Array, high: Array) -> Ends:
        nothing = (self.high == 0) | (high == 0)
        return Ends(_down(self.low * low), _up(self.high * high, nothing))

    def total(self, axis: int) -> Ends:
        """The sums along an axis; of a row of numbers, a row of one.

        Doubles: relative error γ of as many terms, in any order (Higham 2002, chapter 4).
        """
        low, high = (np.atleast_1d(side.sum(axis=axis)) for side in (self.low, self.high))
        if self.rational:
            return Ends(low, high)
        slack = (self.low.shape[axis] + 8) * UNIT_ROUNDOFF
        return Ends(low * (1 - slack), high * (1 + slack))

    def peaks(self, axis: int) -> Ends:
        """The largest numbers along an axis."""
        return Ends(self.low.max(axis=axis), self.high.max(axis=axis))

    def at_most(self, limit: int) -> Ends:
        """The same numbers, where they are known to be no larger than that."""
        return Ends(np.minimum(self.low, limit), np.minimum(self.high, limit))

    def shares(self) -> Ends:
        """Each number of a matrix divided by the sum of its column; 0 where all of it are 0.

        x/(x + rest) rises with x and falls with the rest, so each end needs no more than the
        opposite end of the rest.
        """
        total = self.total(0)
        alone = (self.high > 0).sum(axis=0) - (self.high > 0) == 0
        rest_low = np.maximum(_down(total.low - self.low), 0)
        rest_high = _up(total.high - self.high, alone)
        low = _quotient(self.low, self.low + rest_high)
        high = _quotient(self.high, self.high + rest_low)
        certain = alone & (self.low > 0)
        low = np.where(certain, 1, np.maximum(_down(low), 0))
        return Ends(low, np.minimum(_up(high, self.high == 0), 1))

    def enclosure(self, *place: int) -> Enclosure:
        """One of the numbers."""
        return Enclosure(Fraction(self.low[place]), Fraction(self.high[place]))

    def average(self, law: Sequence[Fraction]) -> Enclosure:
        """The sum of numbers in a row, each times its weight."""
        return self.weigh(law).total(0).enclosure(0)

    def largest(self) -> tuple[Enclosure, tuple[int, ...]]:
        """The largest of the numbers, and where its lower end is attained (first of equals)."""
        place = np.unravel_index(int(np.argmax(self.low)), self.low.shape)
        ends = Enclosure(Fraction(self.low[place]), Fraction(self.high.max()))
        return ends, tuple(int(index) for index in place)

    def smallest(self) -> tuple[Enclosure, tuple[int, ...]]:
        """The smallest of the numbers, and where its upper end is attained (first of equals)."""
        place = np.unravel_index(int(np.argmin(self.high)), self.high.shape)
        ends = Enclosure(Fraction(self.low.min()), Fraction(self.high[place]))
        return ends, tuple(int(index) for index in place)


def _down(values: Array) -> Array:
    """Numbers of at least 0, lowered by the rounding of doubles."""
    if values.dtype == np.object_:
        return values
    return np.asarray(np.nextafter(values * (1 - ROUNDINGS), 0.0))


def _up(values: Array, nothing: BoolArray) -> Array:
    """Numbers of at least 0, raised by the rounding of doubles, but left at 0 where so marked."""
    if values.dtype == np.object_:
        return values
    return np.where(nothing, 0.0, np.nextafter(values * (1 + ROUNDINGS), np.inf))


def _quotient(above: Array, below: Array) -> Array:
    """Quotients; 0/0 is 0."""
    nothing = above == 0
    return np.where(nothing, 0, above) / np.where(nothing, 1, below)


def pieces(columns: Columns, uses: int = 1) -> Iterator[tuple[int, Ends]]:
    """The columns of a channel in order, some at a time: the first one's number, and both ends.

    Rationals, all at once, where the channel is exact and small; ``uses``: how often each entry
    enters a sum.
    """
    exact = columns.exact
    if exact is not None and exact.size * uses <= MAX_RATIONALS and are_short(exact):
        yield 0, Ends.of_exact(exact)
        return
    for block in columns.blocks():
        yield block.first, Ends.of_block(block)
