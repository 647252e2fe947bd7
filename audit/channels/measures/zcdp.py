"""The smallest ρ of a channel: zero-concentrated differential privacy.

A channel is ρ-zCDP where D_α(P‖Q) <= ρ·α for all α > 1 and all ordered pairs of neighbours (Bun &
Steinke 2016, Definition 1.1): the smallest ρ is the supremum of D_α/α over both. At α -> 1 the
quotient tends to the divergence of Kullback and Leibler, which may be the supremum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.columns import Columns
from audit.channels.measures.exact_moments import neighbours_are_equal
from audit.channels.measures.extreme import Extreme, decide, witness_of
from audit.channels.measures.log_moments import Points, Rows, ceilings, join, points
from audit.channels.measures.renyi import MAX_ORDER, ZERO, Divergences, largest_term
from audit.channels.measures.sweep import group_pairs, sweep
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from synthesizers.errors import InputError
from synthesizers.intervals import float_below

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

WIDTH = Fraction(1, 10**9)
"""The default width of the enclosure, relative to ρ where that exceeds `SMALL`."""

SMALL = 1e-3
"""Below it the width is absolute, that of ρ = `SMALL`."""

BATCH = 256
"""Pairs that are searched at once."""

FAR = 16.0
"""The last order that is looked at where a loss may be infinite."""

MAX_WORK = 4_000_000_000
"""The most points of curves, each counted as its outputs and `POINT` more, before the search ends
with a wider enclosure (some minutes)."""

SHOWN = Fraction(1, 10**8)
"""The width of an enclosure that is printed as a single number."""

SHOWN_WORK = MAX_WORK // 40
"""The same as `MAX_WORK`, of what decides nothing any more (some seconds)."""

POINT = 1000
"""What a point costs beside its terms, as if so many more."""

_SLACK = 16 * UNIT_ROUNDOFF
"""More than the rounding of a few operations."""


@dataclass(frozen=True)
class SmallestRho:
    """The smallest ρ, with the order near which it is attained.

    ``order``: that of the lower end; 1 for the limit at 1, None where ρ is 0 or infinite.
    ``extreme.witness``: the pair, with the one output that adds most to the divergence of that
    order. It shows the pair; the divergence is a sum over all outputs.
    """

    extreme: Extreme
    order: Fraction | None


@dataclass(frozen=True, slots=True)
class _Found:
    """A certain floor of ρ: the pair of rows and the α - 1 that attain it."""

    rho: float
    rows: tuple[int, int]
    beta: float


@dataclass(frozen=True, slots=True)
class _Goal:
    """When the search ends: within ``width``, once ρ <= ``limit`` is decided, or after ``work``."""

    width: float
    limit: float | None = None
    work: int | None = None

    def near(self, rho: FloatArray) -> FloatArray:
        """The largest ceilings that are narrow enough above floors of ρ."""
        return rho + self.width * np.maximum(rho, SMALL)

    def enough(self, floor: float) -> float:
        """The largest ceiling that needs no further work, given a floor of ρ."""
        near = float(self.near(np.array(floor)))
        if self.limit is None:
            return near
        return math.inf if floor > self.limit else max(near, self.limit)


def zcdp(columns: Columns, width: Fraction = WIDTH) -> SmallestRho:
    """The smallest ρ such that the channel is ρ-zCDP, enclosed within about ``width``.

    Infinite where ε is; 0 exactly where all neighbours have equal rows of exact chances. Wider
    where the chances themselves are not known well enough. Raises InputError for a width that is
    not positive.

    Guarantee
    ---------
    The exact value lies in ``extreme.enclosure``. Backed by the comparison with fine grids of
    orders in high precision in ``tests/audit/channels/measures/test_zcdp.py``.
    """
    return _smallest(columns, _Goal(_positive(width)))


def decide_zcdp(
    columns: Columns, limit: Fraction, width: Fraction = WIDTH
) -> tuple[Decision, Extreme]:
    """Whether the channel is ``limit``-zCDP; UNDECIDED where ρ is within ``width`` of it.

    The work ends with the decision, so that the enclosure of ρ may be wide.
    """
    extreme = _smallest(columns, _Goal(_positive(width), float_below(limit))).extreme
    return decide(extreme, limit, limit), extreme


def narrow_zcdp(columns: Columns, found: Extreme) -> Extreme:
    """What `decide_zcdp` found, with ρ enclosed as narrowly as it is printed.

    A decision ends the search where the enclosure may still be as wide as a factor of three.
    """
    low, high = found.enclosure.lower, found.enclosure.upper
    if isinstance(low, float) or high - low <= SHOWN * max(low, Fraction(SMALL)):
        return found
    again = _smallest(columns, _Goal(float(SHOWN), work=SHOWN_WORK)).extreme.enclosure
    return replace(found, enclosure=Enclosure(max(low, again.lower), min(high, again.upper)))


def _positive(width: Fraction) -> float:
    if width <= 0:
        raise InputError(f"the width of an enclosure is positive, found {float(width):.6g}")
    return float(width)


def _smallest(columns: Columns, goal: _Goal) -> SmallestRho:
    nothing = SmallestRho(Extreme(Enclosure(ZERO, ZERO), ZERO, None), None)
    pairs, groups = group_pairs(columns, columns.pairs)
    if not len(pairs):
        return nothing
    sums = Divergences(len(pairs), Fraction(1))
    sweep(columns, pairs, groups, [sums])
    if sums.alone is not None:
        place = sums.alone
        witness = witness_of(columns, place.source, place.target, [place.output])
        return SmallestRho(Extreme(Enclosure.infinite(), None, witness), None)
    ends = sums.ends()
    if not ends.low.any() and neighbours_are_equal(columns):
        return nothing
    ways = np.concatenate([pairs, pairs[:, ::-1]])
    best = int(ends.low.argmax())
    first = _Found(float(ends.low.max()), _pair(ways[best]), 0.0)
    found, high = _search(columns, ways, sums.loss, ends.high.reshape(-1), first, goal)
    order = 1 + Fraction(found.beta)
    witness = witness_of(columns, *found.rows, [largest_term(columns, *found.rows, order)])
    enclosure = Enclosure(Fraction(found.rho), math.inf if math.isinf(high) else Fraction(high))
    return SmallestRho(Extreme(enclosure, None, witness), order)


def _pair(rows: IntArray) -> tuple[int, int]:
    source, target = rows.tolist()
    return source, target


def _search(
    columns: Columns,
    ways: IntArray,
    losses: FloatArray,
    divergences: FloatArray,
    found: _Found,
    goal: _Goal,
) -> tuple[_Found, float]:
    """The largest D_α/α over ordered pairs: where it was found, and its ceiling.

    ``losses``: ceilings of the pairs' losses, [2, pairs]; ``divergences``: of order 1, the more
    promising the larger.
    """
    # D_α is at most ε and α·ε²/2, ε the largest loss either way (Bun & Steinke 2016).
    either = losses.max(axis=0)
    caps = np.minimum(losses, either * either / 2 * (1 + _SLACK)).reshape(-1)
    loss = losses.reshape(-1)
    order = np.argsort(-divergences, kind="stable")
    high, work = found.rho, MAX_WORK if goal.work is None else goal.work
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        unsettled = (caps[batch] > goal.enough(found.rho)) & (work > 0)
        high = max(high, float(caps[batch[~unsettled]].max(initial=0)))
        batch = batch[unsettled]
        if len(batch):
            result = _search_batch(
                columns, ways[batch], loss[batch], caps[batch], found, goal, work
            )
            found, work, high = result[0], result[2], max(high, result[1])
    return found, high


def _search_batch(
    columns: Columns,
    ways: IntArray,
    loss: FloatArray,
    caps: FloatArray,
    found: _Found,
    goal: _Goal,
    work: int,
) -> tuple[_Found, float, int]:
    """The same among some pairs, by halving stretches of orders; also the work left over.

    ``caps``: what D_α/α of a pair does not exceed at any order.
    """
    numbers, places = np.unique(ways, return_inverse=True)
    rows, places = Rows(*columns.rows(numbers.tolist())), places.reshape(ways.shape)

    def at(pair: IntArray, beta: FloatArray) -> Points:
        return points(rows, places[pair, 0], places[pair, 1], beta)

    pair = np.arange(len(ways))
    last = _last_orders(loss, found.rho)
    high = float((loss / last).max() * (1 + _SLACK))
    left, right = at(pair, np.zeros(len(pair))), at(pair, last - 1)
    found = _better(_better(found, ways[pair], left), ways[pair], right)
    while len(pair):
        ceiling = np.minimum(ceilings(left, right), caps[pair])
        ends = np.maximum(left.ratios()[1], right.ratios()[1])
        done = ceiling <= np.maximum(goal.enough(found.rho), goal.near(ends))
        done |= (right.beta - left.beta <= 2.0**-40 * right.beta) | (work <= 0)
        high = max(high, float(ceiling[done].max(initial=0)))
        pair, left, right = pair[~done], left.take(~done), right.take(~done)
        if not len(pair):
            break
        middle = at(pair, np.expm1((np.log1p(left.beta) + np.log1p(right.beta)) / 2))
        work -= len(pair) * (rows.lower.shape[1] + POINT)
        found = _better(found, ways[pair], middle)
        pair = np.concatenate([pair, pair])
        left, right = join([left, middle]), join([middle, right])
    return found, high, work


def _last_orders(loss: FloatArray, floor: float) -> FloatArray:
    """Orders beyond which D_α/α, at most ε/α, is below ``floor``, or as low as it is looked for."""
    with np.errstate(divide="ignore", over="ignore"):
        last = np.minimum(loss / floor * (1 + _SLACK), MAX_ORDER)
    return np.where(np.isinf(loss), FAR, np.maximum(last, 1 + 2.0**-4))


def _better(found: _Found, ways: IntArray, at: Points) -> _Found:
    """The floor, or a larger one among some points."""
    low = at.ratios()[0]
    best = int(low.argmax())
    if low[best] <= found.rho:
        return found
    return _Found(float(low[best]), _pair(ways[best]), float(at.beta[best]))
