"""Channels: Pr[output | database] as a matrix, rows databases, columns outputs.

The transition matrix of the disclosure-limitation literature (Abowd & Vilhuber
2008): disclosure limitation reads its rows, differential privacy its columns
over neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import Exact, enclose, is_zero
from synthesizers.intervals import float_above, float_below
from synthesizers.neighbours import Neighbours, neighbour_pairs

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

UNIT_ROUNDOFF = 2.0**-53


SMALLEST = 2.0**-1020
"""A chance below it is enclosed in [0, `SMALLEST`], so that sums, quotients and products by a
factor of at least 1 of the ends of enclosures never leave the normal doubles."""


def gamma(operations: int) -> float:
    """γ_N = N·u/(1 - N·u), rounded up, with u = 2^-53 (Higham 2002, Lemma 3.1)."""
    product = operations * UNIT_ROUNDOFF
    return product / (1 - product) * (1 + 4 * UNIT_ROUNDOFF)


def scaled(factor: float, chances: FloatArray) -> FloatArray:
    """The products; 0 where the chance is 0, whatever the factor (infinity included)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(chances == 0, 0.0, factor * chances)


@dataclass(frozen=True, eq=False)
class Channel:
    """Enclosed chances of every output under every database.

    ``databases``: [D, cells] counts, distinct. ``outputs``: M distinct outputs.
    ``lower``, ``upper``: [D, M] doubles around the exact chances, both 0 exactly
    where the chance is 0. ``exact``: the chances themselves, [D, M], where they
    were computed. ``released``: "output" or "transcript".
    """

    domain: Domain
    neighbours: Neighbours
    databases: IntArray
    outputs: tuple[tuple[Any, ...], ...]
    lower: FloatArray
    upper: FloatArray
    exact: NDArray[np.object_] | None = None
    released: str = "output"

    def __post_init__(self) -> None:
        shape = (len(self.databases), len(self.outputs))
        if self.lower.shape != shape or self.upper.shape != shape:
            raise InputError(f"a channel of {shape[0]} databases and {shape[1]} outputs needs both")
        if 0 in shape:
            raise InputError("a channel needs at least one database and one output")
        if len(np.unique(self.databases, axis=0)) != shape[0]:
            raise InputError("a channel lists each database once; one is listed twice")
        if len(set(self.outputs)) != shape[1]:
            raise InputError("a channel lists each output once; one is listed twice")

    @classmethod
    def of_floats(
        cls,
        domain: Domain,
        neighbours: Neighbours,
        databases: IntArray,
        outputs: tuple[tuple[Any, ...], ...],
        chances: FloatArray,
        operations: int,
        released: str,
    ) -> Channel:
        """A channel of doubles with relative error at most γ_operations each.

        Guarantee
        ---------
        ``lower`` and ``upper`` enclose: an exact chance p and its double f
        satisfy |f - p| <= γ·p, so p lies in f/(1 ± γ), widened by the rounding
        of that division. A positive double below `SMALLEST` may have lost its
        digits to underflow: its chance is taken to lie in [0, 2·`SMALLEST`].
        Backed by ``tests/audit/test_channel.py``.
        """
        error = gamma(operations) + 4 * UNIT_ROUNDOFF
        # p >= f/(1+γ) >= f(1-γ) and p <= f/(1-γ) <= f(1+γ+2γ²).
        lower = chances * (1 - error - 2 * error * error)
        upper = chances * (1 + error + 2 * error * error)
        tiny = (chances > 0) & (chances < SMALLEST)
        lower[tiny], upper[tiny] = 0.0, 2 * SMALLEST
        return cls(domain, neighbours, databases, outputs, lower, upper, None, released)

    @classmethod
    def of_exact(
        cls,
        domain: Domain,
        neighbours: Neighbours,
        databases: IntArray,
        outputs: tuple[tuple[Any, ...], ...],
        chances: NDArray[np.object_],
        released: str,
    ) -> Channel:
        """A channel of exact chances."""
        lower = np.empty(chances.shape)
        upper = np.empty(chances.shape)
        for place, value in np.ndenumerate(chances):
            if is_zero(value):
                lower[place] = upper[place] = 0.0
                continue
            interval = enclose(value, 96)
            below, above = float_below(interval.lower), float_above(interval.upper)
            lower[place] = below if below >= SMALLEST else 0.0
            upper[place] = max(above, SMALLEST)
        return cls(domain, neighbours, databases, outputs, lower, upper, chances, released)

    @cached_property
    def pairs(self) -> IntArray:
        """The unordered pairs of neighbours among the databases, [pairs, 2] row numbers."""
        return neighbour_pairs(self.neighbours, self.databases)

    @cached_property
    def partners(self) -> tuple[IntArray, ...]:
        """For every database the row numbers of its neighbours."""
        both = np.concatenate([self.pairs, self.pairs[:, ::-1]])
        order = np.argsort(both[:, 0], kind="stable")
        ends = np.searchsorted(both[order, 0], np.arange(len(self.databases) + 1))
        column = both[order, 1]
        return tuple(column[a:b] for a, b in pairwise(ends.tolist()))

    @cached_property
    def positive(self) -> BoolArray:
        """Where a chance is certainly not 0, though it may lie below the doubles."""
        found = self.lower > 0
        if self.exact is not None:
            for row, column in np.argwhere(~found & (self.upper > 0)).tolist():
                found[row, column] = enclose(self.exact[row, column]).lower > 0
        return np.asarray(found)

    @property
    def centre(self) -> FloatArray:
        """Chances as plain doubles, for pictures and tables."""
        return np.asarray((self.lower + self.upper) / 2)

    def chance(self, database: int, output: int) -> Exact | None:
        """The exact chance of one entry, or None where it was not computed."""
        value: Exact | None = None if self.exact is None else self.exact[database, output]
        return value

    def counts(self, database: int) -> tuple[int, ...]:
        """The counts of a database by its row number."""
        return tuple(self.databases[database].tolist())
