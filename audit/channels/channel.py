"""Channels: Pr[output | database] as a matrix, rows databases, columns outputs.

The transition matrix of the disclosure-limitation literature (Abowd & Vilhuber
2008): disclosure limitation reads its rows, differential privacy its columns
over neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.channels.columns import Block, Powers
from synthesizers.domain import Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.exact import TABLE_ERROR, Exact, enclose, is_zero, mantissa_and_exponent
from synthesizers.intervals import float_above, float_below
from synthesizers.neighbours import Neighbours, neighbour_pairs

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

UNIT_ROUNDOFF = 2.0**-53


SMALLEST = 2.0**-1020
"""A chance below it is enclosed in [0, `SMALLEST`], so that sums, quotients and products by a
factor of at least 1 of the ends of enclosures never leave the normal doubles."""


BLOCK = 128
"""Columns that are looked at together (1 kB a row)."""


def gamma(operations: int) -> float:
    """γ_N = N·u/(1 - N·u), rounded up, with u = 2^-53 (Higham 2002, Lemma 3.1)."""
    product = operations * UNIT_ROUNDOFF
    return product / (1 - product) * (1 + 4 * UNIT_ROUNDOFF)


def scale(factor: float, chances: FloatArray) -> FloatArray:
    """The products; 0 where the chance is 0, whatever the factor (infinity included)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(chances == 0, 0.0, factor * chances)


def ends_of_powers(powers: Powers) -> tuple[FloatArray, FloatArray]:
    """Doubles around the chances; those below `SMALLEST` lie in [0, 2·`SMALLEST`]."""
    slack = powers.error * (1 + 2 * powers.error) + 4 * UNIT_ROUNDOFF
    with np.errstate(under="ignore"):
        chances = np.ldexp(powers.mantissa, powers.exponent)
    lower, upper = chances * (1 - slack), chances * (1 + slack)
    tiny = (powers.mantissa > 0) & (lower < SMALLEST)
    lower[tiny], upper[tiny] = 0.0, 2 * SMALLEST
    return lower, upper


def powers_of(chances: NDArray[np.object_]) -> Powers | None:
    """Exact chances as mantissas and exponents; None where one is known too vaguely for that."""
    mantissa, exponent = np.zeros(chances.shape), np.zeros(chances.shape, np.int32)
    try:
        for place, value in np.ndenumerate(chances):
            if not is_zero(value):
                mantissa[place], exponent[place] = mantissa_and_exponent(value)
    except TooLargeError:
        return None
    return Powers(mantissa, exponent, TABLE_ERROR * UNIT_ROUNDOFF)


@dataclass(frozen=True, eq=False)
class Channel:
    """Enclosed chances of every output under every database.

    ``databases``: [D, cells] counts, distinct. ``outputs``: M distinct outputs.
    ``lower``, ``upper``: [D, M] doubles around the exact chances, both 0 exactly
    where the chance is 0. ``exact``: the chances themselves, [D, M], where they
    were computed. ``released``: "output" or "transcript". ``powers``: the same
    chances, [D, M], where some lie below the doubles.
    """

    domain: Domain
    neighbours: Neighbours
    databases: IntArray
    outputs: tuple[tuple[Any, ...], ...]
    lower: FloatArray
    upper: FloatArray
    exact: NDArray[np.object_] | None = None
    released: str = "output"
    powers: Powers | None = None

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

        ``chances``: this array becomes ``lower``; one more of its size would be felt.

        Guarantee
        ---------
        ``lower`` and ``upper`` enclose: an exact chance p and its double f
        satisfy |f - p| <= γ·p, so p lies in f/(1 ± γ), widened by the rounding
        of that division. A positive double below `SMALLEST` may have lost its
        digits to underflow: its chance is taken to lie in [0, 2·`SMALLEST`].
        Backed by ``tests/audit/channels/test_channel.py``.
        """
        error = gamma(operations) + 4 * UNIT_ROUNDOFF
        # p >= f/(1+γ) >= f(1-γ) and p <= f/(1-γ) <= f(1+γ+2γ²).
        upper = chances * (1 + error + 2 * error * error)
        tiny = chances < SMALLEST
        tiny &= chances > 0
        lower = np.multiply(chances, 1 - error - 2 * error * error, out=chances)
        if tiny.any():
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
        powers = powers_of(chances) if ((lower == 0) & (upper > 0)).any() else None
        return cls(domain, neighbours, databases, outputs, lower, upper, chances, released, powers)

    @classmethod
    def of_powers(
        cls,
        domain: Domain,
        neighbours: Neighbours,
        databases: IntArray,
        outputs: tuple[tuple[Any, ...], ...],
        powers: Powers,
        released: str,
    ) -> Channel:
        """A channel of chances that may lie below the doubles.

        Guarantee
        ---------
        ``lower`` and ``upper`` enclose as in `of_floats`, and ``powers`` as it says. Backed by
        ``tests/audit/channels/test_channel.py``.
        """
        lower, upper = ends_of_powers(powers)
        return cls(domain, neighbours, databases, outputs, lower, upper, None, released, powers)

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

    def blocks(self) -> Iterator[Block]:
        """All columns, a few at a time (see `audit.channels.columns`)."""
        for start in range(0, len(self.outputs), BLOCK):
            part = np.s_[:, start : start + BLOCK]
            powers = self.powers
            if powers is not None:
                powers = Powers(powers.mantissa[part], powers.exponent[part], powers.error)
            yield Block(start, self.lower[part], self.upper[part], 0.0, powers)

    def rows(self, databases: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Enclosed chances of all outputs under some databases, two arrays [databases, M]."""
        return self.lower[list(databases)], self.upper[list(databases)]

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


def log_odds(channel: Channel) -> Iterator[tuple[int, int, list[float | None]]]:
    """ln(P[·|from]/P[·|to]) for every ordered pair of neighbours, as doubles; None for 0/0."""
    centre = channel.centre
    with np.errstate(divide="ignore"):
        logs = np.log(centre)
        if channel.powers is not None:
            # A chance below the doubles has no centre worth a logarithm.
            mantissa, exponent = channel.powers.mantissa, channel.powers.exponent
            logs = np.log(mantissa) + exponent * math.log(2)
    for source, targets in enumerate(channel.partners):
        for target in targets.tolist():
            both = (centre[source] == 0) & (centre[target] == 0)
            with np.errstate(invalid="ignore"):
                values = logs[source] - logs[target]
            yield (
                source,
                target,
                [
                    None if none else float(v)
                    for v, none in zip(values.tolist(), both.tolist(), strict=True)
                ],
            )
