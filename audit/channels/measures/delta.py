"""δ(ε) of a channel, the privacy profile: the largest Σ (P - e^ε·Q)₊ over neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF, scale
from audit.channels.columns import Block, Columns
from audit.channels.measures.epsilon import epsilon as smallest_epsilon
from audit.channels.measures.extreme import (
    MAX_EXACT_TERMS,
    Extreme,
    are_short,
    decide,
    witness_of,
)
from audit.channels.measures.impossible import impossible_mass
from audit.channels.measures.sweep import Chunk, group_pairs, orient, sweep
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from synthesizers.exact import Exact, add, compare, enclose, is_zero, subtract, times_exp
from synthesizers.intervals import exp_interval, float_above, float_below

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class HockeyStick:
    """Collects Σ (P - e^ε·Q)₊ of every pair of neighbours, both ways round.

    ``low``, ``high``: enclosures of the sums, [2, pairs], after `widen`.
    """

    def __init__(self, pairs: int, epsilon: Fraction) -> None:
        self.low = np.zeros((2, pairs))
        self.high = np.zeros((2, pairs))
        factor = exp_interval(epsilon, 96)
        self._factors = float_below(factor.lower), float_above(factor.upper)
        self._columns = 0
        self._error = 0.0

    def add(self, chunk: Chunk) -> None:
        """Take some pairs and columns into account."""
        self._error = max(self._error, chunk.error)
        # P within (1 ± e) and Q within (1 ± e): both factors go to e^ε, and 1 ± e remains.
        slack = 2 * chunk.error * (1 + 2 * chunk.error) + 4 * UNIT_ROUNDOFF
        least, most = self._factors[0] * (1 - slack), self._factors[1] * (1 + slack)
        low, high, part = chunk.low, chunk.high, chunk.pairs
        self.low[0, part] += _above(low.p, most, low.q)
        self.high[0, part] += _above(high.p, least, high.q)
        self.low[1, part] += _above(high.q, most, high.p)
        self.high[1, part] += _above(low.q, least, low.p)

    def finish_block(self, block: Block) -> None:
        """Count the columns: each adds a rounding to the sums."""
        self._columns += block.lower.shape[1]

    def merge(self, other: HockeyStick) -> None:
        """Add what another part of the channel gave; before either is widened."""
        self.low += other.low
        self.high += other.high
        self._columns += other._columns + 1
        self._error = max(self._error, other._error)

    def widen(self) -> None:
        """Count all rounding in the ends; once, at the end of the sweep."""
        slack = self._error * (1 + self._error) + (self._columns + 8) * UNIT_ROUNDOFF
        self.low *= 1 - slack
        self.high *= 1 + slack


def _above(p: FloatArray, factor: float, q: FloatArray) -> FloatArray:
    """Σ over columns of (P - factor·Q)₊."""
    # A factor beyond the doubles leaves P where Q is 0, and nothing elsewhere.
    excess = np.where(q == 0, p, 0.0) if math.isinf(factor) else p - factor * q
    np.maximum(excess, 0.0, out=excess)
    return np.asarray(excess.sum(axis=1))


def delta(columns: Columns, epsilon: Fraction) -> Extreme:
    """δ(ε): the largest Σ over outputs of (P - e^ε·Q)₊ over ordered neighbours.

    Guarantee
    ---------
    The exact value lies in ``enclosure``: products, differences and sums of
    doubles are widened by their own rounding (γ_M for M outputs). Backed by the
    comparison with all pairs in fractions in
    ``tests/audit/channels/measures/test_epsilon_and_delta.py``.
    """
    pairs, sums = _measure(columns, columns.pairs, epsilon)
    return largest_delta(columns, pairs, sums, epsilon)


def _measure(columns: Columns, among: IntArray, epsilon: Fraction) -> tuple[IntArray, HockeyStick]:
    """The sums of some pairs, in the order of the pairs returned."""
    pairs, groups = group_pairs(columns, among)
    sums = HockeyStick(len(pairs), epsilon)
    sweep(columns, pairs, groups, [sums])
    sums.widen()
    return pairs, sums


def rough_delta(columns: Columns, epsilon: Fraction) -> Extreme:
    """δ(ε) as closely as doubles tell it, for curves: exact chances are not compared.

    Guarantee
    ---------
    As for `delta`, but for a ``value``, which is never known.
    """
    pairs, sums = _measure(columns, columns.pairs, epsilon)
    if not len(pairs):
        return Extreme(Enclosure(Fraction(0), Fraction(0)), None, None)
    source, target = orient(pairs, *divmod(int(sums.low.argmax()), len(pairs)))
    certain, _ = _exceeding(columns, source, target, epsilon)
    event = np.flatnonzero(certain).tolist()
    return Extreme(_overall(sums), None, witness_of(columns, source, target, event))


def largest_delta(
    columns: Columns, pairs: IntArray, sums: HockeyStick, epsilon: Fraction
) -> Extreme:
    """δ(ε) of the sums that a sweep collected, decided exactly where possible."""
    if not len(pairs):
        return Extreme(Enclosure(Fraction(0), Fraction(0)), Fraction(0), None)
    source, target = orient(pairs, *divmod(int(sums.low.argmax()), len(pairs)))
    enclosure, value = _overall(sums), None
    near = np.argwhere(sums.high >= sums.low.max()).tolist()
    candidates = [orient(pairs, *place) for place in near]
    exact = _largest_sum(columns, candidates, epsilon)
    if exact is not None:
        value, (source, target) = exact
        ends = enclose(value)
        enclosure = Enclosure(max(ends.lower, Fraction(0)), max(ends.upper, Fraction(0)))
    event = _more_likely(columns, source, target, epsilon)
    return Extreme(enclosure, value, witness_of(columns, source, target, event))


def _overall(sums: HockeyStick) -> Enclosure:
    """The largest over pairs, from doubles alone."""
    low = float(sums.low.max(initial=0.0))
    high = min(float(sums.high.max(initial=0.0)), 1.0)
    return Enclosure(Fraction(low), Fraction(max(low, high)))


def _exceeding(
    columns: Columns, source: int, target: int, epsilon: Fraction
) -> tuple[BoolArray, BoolArray]:
    """The outputs whose P certainly, and those whose P possibly exceeds e^ε·Q, by doubles."""
    factor = exp_interval(epsilon, 96)
    lower, upper = columns.rows([source, target])
    above = scale(float_above(factor.upper) * (1 + 4 * UNIT_ROUNDOFF), upper[1])
    below = scale(float_below(factor.lower) * (1 - 4 * UNIT_ROUNDOFF), lower[1])
    return lower[0] > above, upper[0] > below


def _more_likely(columns: Columns, source: int, target: int, epsilon: Fraction) -> list[int]:
    """The outputs whose P certainly exceeds e^ε·Q: the event that attains δ."""
    certain, possible = _exceeding(columns, source, target, epsilon)
    if columns.exact is not None:
        for output in np.flatnonzero(possible & ~certain).tolist():
            limit = times_exp(columns.exact[target, output], epsilon)
            certain[output] = compare(columns.exact[source, output], limit) == 1
    return [int(output) for output in np.flatnonzero(certain)]


def _largest_sum(
    columns: Columns, pairs: Sequence[tuple[int, int]], epsilon: Fraction
) -> tuple[Exact, tuple[int, int]] | None:
    if columns.exact is None or len(pairs) * len(columns.outputs) > MAX_EXACT_TERMS:
        return None
    if not are_short([columns.exact[row] for row in {row for pair in pairs for row in pair}]):
        return None
    best: tuple[Exact, tuple[int, int]] | None = None
    for pair in pairs:
        total = hockey_stick(columns.exact[pair[0]], columns.exact[pair[1]], epsilon)
        order = 1 if total is None or best is None else compare(total, best[0])
        if total is None or order is None:
            return None
        if order > 0:
            best = total, pair
    return best


def hockey_stick(
    left: Sequence[Exact] | NDArray[np.object_],
    right: Sequence[Exact] | NDArray[np.object_],
    epsilon: Fraction,
) -> Exact | None:
    """Σ (P - e^ε·Q)₊ of two exact rows; None where a sign can't be decided."""
    total: Exact = Fraction(0)
    for p, q in zip(left, right, strict=True):
        if is_zero(p):
            continue
        scaled = times_exp(q, epsilon)
        order = compare(p, scaled)
        if order is None:
            return None
        if order > 0:
            total = add(total, subtract(p, scaled))
    return total


def decide_delta(columns: Columns, wanted: Fraction, limit: Fraction) -> tuple[Decision, Extreme]:
    """Whether δ(``wanted``) <= ``limit``, with that δ."""
    extreme = delta(columns, wanted)
    return decide(extreme, limit, limit), extreme


def epsilon_at(columns: Columns, limit: Fraction) -> Enclosure:
    """The smallest ε with δ(ε) <= ``limit``, by bisection of the certified profile.

    Guarantee
    ---------
    δ(ε) > limit is certified at every point below ``lower``, and δ(upper) <=
    limit: δ(ε) falls with ε. Backed by ``tests/audit/channels/measures/test_epsilon_and_delta.py``.
    """
    pure = smallest_epsilon(columns).enclosure
    if limit == 0:
        return pure
    if delta(columns, Fraction(0)).enclosure.upper <= limit:
        return Enclosure(Fraction(0), Fraction(0))
    if isinstance(pure.lower, float) and impossible_mass(columns).lower > limit:
        return Enclosure.infinite()
    open_pairs = columns.pairs
    low, high = Fraction(0), Fraction(1)
    top = Fraction(700) if isinstance(pure.upper, float) else pure.upper
    while True:
        above, open_pairs = _exceeds(columns, open_pairs, high, limit)
        if above is False:
            break
        if above:
            low = high
        if high >= top:
            return Enclosure(low, pure.upper)
        high = min(2 * high, top)
    for _ in range(50):
        middle = Fraction(float((low + high) / 2))
        above, open_pairs = _exceeds(columns, open_pairs, middle, limit)
        if above is None:
            break
        low, high = (middle, high) if above else (low, middle)
        if high - low <= Fraction(1, 10**13) * high:
            break
    return Enclosure(low, high)


def _exceeds(
    columns: Columns, among: IntArray, epsilon: Fraction, limit: Fraction
) -> tuple[bool | None, IntArray]:
    """Whether δ(ε) of some pairs is above ``limit`` (None: undecided), and the pairs left open.

    Where it is above, the pairs that are not stay so at every larger ε, and are left out.
    """
    pairs, sums = _measure(columns, among, epsilon)
    found = _overall(sums)
    if not (found.upper <= limit or found.lower > limit):
        found = largest_delta(columns, pairs, sums, epsilon).enclosure
    if found.lower > limit:
        return True, pairs[(sums.high > float_below(limit)).any(axis=0)]
    return (False if found.upper <= limit else None), pairs
