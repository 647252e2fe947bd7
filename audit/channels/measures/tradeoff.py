"""The trade-off function of a channel: the least type II error at every type I error.

Whoever wants to tell a database P from its neighbour Q rejects P on some outputs A, and errs with
the probabilities α = P(A) and β = 1 - Q(A). T(P, Q)(α) is the least β, over tests that may toss
coins; by the lemma of Neyman and Pearson it is the convex curve through the sets of outputs with
the largest ratios Q/P. The channel's trade-off function is the largest convex function below the
curves of all ordered pairs of neighbours (Dong, Roth & Su 2022, Definitions 2.1 and 2.3 in the
numbering of arXiv:1905.02383).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.columns import Columns
from audit.channels.measures.convex import (
    Curve,
    Hull,
    IntArray,
    Numbers,
    Point,
    height,
    highest,
    hull_of,
)
from audit.channels.measures.ends import Ends
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.extreme import are_short
from audit.statements.decimals import Enclosure, Extended
from synthesizers.errors import InputError
from synthesizers.intervals import MAX_POWER, exp_interval

MAX_FRACTIONS = 20_000
"""The most chances of pairs that are compared as fractions (a second
where they are rational, five where they are known by intervals)."""

CHUNK = 1 << 20
"""Chances of pairs that are sorted at once."""

GUESS = np.iinfo(np.int64).max
"""The label of a test that does not look at the output."""

ZERO, ONE, TWO = map(Fraction, range(3))


@dataclass(frozen=True, slots=True)
class Rejection:
    """Two databases by their row numbers, and the outputs on which ``null`` is rejected."""

    null: int
    alternative: int
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """Errors that some test certainly does not exceed; ``test`` None at the ends (0, 1), (1, 0)."""

    alpha: Fraction
    beta: Fraction
    test: Rejection | None


@dataclass(frozen=True, slots=True)
class Tradeoff:
    """The trade-off function f of a channel, between two convex piecewise-linear curves.

    ``lower``: breakpoints (α, β) from α = 0 to α = 1 of a curve that f is nowhere below.
    ``upper``: breakpoints of a curve that f is nowhere above, each with a test that attains it.
    They are one curve, f itself, where the chances are fractions and few enough
    (`MAX_FRACTIONS`). Both are symmetric about α = β, as neighbours come in both orders.
    """

    lower: Curve
    upper: tuple[Breakpoint, ...]

    def at(self, alpha: Fraction) -> Enclosure:
        """f(α), the least type II error at type I error ``alpha``; raises InputError off [0, 1]."""
        if not 0 <= alpha <= 1:
            raise InputError("a type I error is a probability between 0 and 1")
        above = tuple((point.alpha, point.beta) for point in self.upper)
        return Enclosure(height(self.lower, alpha), height(above, alpha))


@dataclass(frozen=True)
class _Chances:
    """Rows of a channel by both ends, as doubles or as fractions.

    ``rows``: those of a list of numbers, [rows, outputs]. ``roundoff``: the relative error of one
    operation on them, 0 for fractions. ``known``: both ends are one.
    """

    rows: Callable[[list[int]], Ends]
    outputs: int
    roundoff: Fraction
    known: bool

    @classmethod
    def of(cls, columns: Columns) -> _Chances:
        """Fractions where the channel is exact and small, doubles otherwise."""
        outputs, exact = len(columns.outputs), columns.exact
        many = len(columns.pairs) * outputs > MAX_FRACTIONS
        if exact is None or many or not are_short(exact):
            unit = Fraction(UNIT_ROUNDOFF)
            return cls(lambda rows: Ends(*columns.rows(rows)), outputs, unit, known=False)
        ends = Ends.of_exact(exact)
        known = bool(np.all(ends.low == ends.high))
        return cls(lambda rows: Ends(ends.low[rows], ends.high[rows]), outputs, ZERO, known)

    @property
    def slack(self) -> Fraction:
        """The relative error of a sum over outputs, taken in the order of rounded ratios."""
        return (self.outputs + 16) * self.roundoff

    def hull(self, x: list[Fraction], y: list[Fraction]) -> Hull:
        """The hull of what holds for every channel, the errors of guessing."""
        kind = np.float64 if self.roundoff else np.object_
        labels = np.full(len(x), GUESS)
        return Hull(np.array(x, kind), np.array(y, kind), labels, self.roundoff, self.slack)


def tradeoff(columns: Columns) -> Tradeoff:
    """The trade-off function of a channel; without neighbours, that of guessing: 1 - α.

    Guarantee
    ---------
    f lies between ``lower`` and ``upper``. From below: for every test, α and β are at least the
    sums of lower ends over the outputs where it errs, and 1 - β and 1 - α at most those of upper
    ends where it does not. So f is nowhere below the curve of Neyman and Pearson of the lower
    ends, nor below that of lower ends for α and upper ends for 1 - β, nor below the mirror image
    of the latter, nor below the trade-off of (ε, 0) at the smallest ε. A ratio rounded by a
    relative u changes the order of outputs to that of measures which differ by a relative u; sums
    of M outputs are off by γ_M. From above: each breakpoint is a set of outputs with its own
    enclosed errors. Backed by the comparison with all sets of outputs in fractions in
    ``tests/audit/channels/measures/test_tradeoff.py``.
    """
    chances = _Chances.of(columns)
    stretch = 1 - chances.slack
    hulls = [_errors(chances, columns.pairs)]
    by_errors = hulls[0].lower_curve(stretch)
    curves = [by_errors + _mirror(by_errors)]
    if not chances.known:
        hulls.append(_powers(chances, columns.pairs))
        by_power = tuple((alpha, 1 - power) for power, alpha in hulls[1].lower_curve(1 / stretch))
        curves += [by_power, _mirror(by_power)]
    lower = highest(curves)
    if lower[0][1] < 1:
        # What is known of ratios may say more than what is known of chances, next to 0.
        by_epsilon = _of_pure(epsilon(columns).enclosure.upper)
        lower = highest([lower, by_epsilon, _mirror(by_epsilon)])
    return Tradeoff(lower, _attained_hull(chances, columns.pairs, hulls))


def _mirror(curve: Curve) -> Curve:
    """The curve of the pairs in the other order: type I and type II errors change places."""
    return tuple((beta, alpha) for alpha, beta in reversed(curve))


def _of_pure(epsilon: Extended) -> Curve:
    """The line 1 - e^ε·α, which no trade-off function of an ε-DP channel goes below."""
    if isinstance(epsilon, float) or epsilon > MAX_POWER:
        return ()
    return (ZERO, ONE), (1 / exp_interval(epsilon).upper, ZERO)


def _errors(chances: _Chances, pairs: IntArray) -> Hull:
    """The hull of the errors (α, β) of all pairs, from lower ends.

    Labels number the pair, and the outputs rejected.
    """
    hull = chances.hull([ZERO, ONE, TWO], [ONE, ZERO, ZERO])
    for labels, p, q in _chunks(chances, pairs):
        alphas, ordered = _by_ratio(p.low, q.low)
        betas = _sums(ordered[:, ::-1])[:, ::-1]
        hull = hull.including(alphas.ravel(), betas.ravel(), labels)
    return hull


def _powers(chances: _Chances, pairs: IntArray) -> Hull:
    """The hull of (1 - β, α) of all pairs, from upper ends of 1 - β and lower ends of α.

    Labels as for `_errors`, the pairs in the other order after all those in this one.
    """
    hull = chances.hull([ZERO, ONE], [ZERO, ONE])
    other_order = len(pairs) * (chances.outputs + 1)
    for labels, left, right in _chunks(chances, pairs):
        for p, q, offset in ((left, right, 0), (right, left, other_order)):
            alphas, ordered = _by_ratio(p.low, q.high)
            powers = _sums(ordered)
            hull = hull.including(powers.ravel(), alphas.ravel(), labels + offset)
    return hull


def _chunks(chances: _Chances, pairs: IntArray) -> Iterator[tuple[IntArray, Ends, Ends]]:
    """Labels of some pairs with any number of outputs, and both ends of their two rows."""
    width = chances.outputs + 1
    size = max(1, CHUNK // width)
    for start in range(0, len(pairs), size):
        chunk = pairs[start : start + size]
        left, right = (chances.rows(chunk[:, side].tolist()) for side in (0, 1))
        yield start * width + np.arange(len(chunk) * width), left, right


def _by_ratio(p: Numbers, q: Numbers) -> tuple[Numbers, Numbers]:
    """Sums of P, and Q, over the outputs of each row by falling Q/P."""
    order = _order(p, q)
    return _sums(np.take_along_axis(p, order, axis=1)), np.take_along_axis(q, order, axis=1)


def _order(p: Numbers, q: Numbers) -> IntArray:
    """The outputs of each row by falling Q/P, those without Q last."""
    ratios = np.full(p.shape, math.inf, p.dtype)
    np.divide(p, q, out=ratios, where=np.asarray(q > 0, bool))
    return np.argsort(ratios, axis=1, kind="stable")


def _sums(chances: Numbers) -> Numbers:
    """The sums of the first 0, 1, 2, … of each row."""
    zeros = np.full((len(chances), 1), ZERO, chances.dtype)
    return np.concatenate([zeros, np.cumsum(chances, axis=1)], axis=1)


def _attained_hull(chances: _Chances, pairs: IntArray, hulls: list[Hull]) -> tuple[Breakpoint, ...]:
    """The hull of what the tests behind the vertices attain, in both orders of their pairs."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    tests: dict[Point, tuple[int, int, IntArray]] = {}
    for end, hull in enumerate(hulls):
        for label in set(hull.labels.tolist()) - {GUESS}:
            pair, size = divmod(label, chances.outputs + 1)
            null, alternative = both[pair].tolist()
            p, q = chances.rows([null]), chances.rows([alternative])
            order = _order(p.low, q.high if end else q.low)[0]
            rejected, kept = order[:size], order[size:]
            alpha = _error(p, rejected, kept, chances.roundoff)
            beta = _error(q, kept, rejected, chances.roundoff)
            tests[alpha, beta] = null, alternative, rejected
            tests[beta, alpha] = alternative, null, kept
    tests.pop((ZERO, ONE), None)
    tests.pop((ONE, ZERO), None)
    found = []
    for point in hull_of([(ZERO, ONE), *tests, (ONE, ZERO)]):
        test = tests.get(point)
        rejection = test and Rejection(test[0], test[1], tuple(test[2].tolist()))
        found.append(Breakpoint(*point, rejection))
    return tuple(found)


def _error(ends: Ends, wrong: IntArray, right: IntArray, roundoff: Fraction) -> Fraction:
    """The largest probability that a row gives to the outputs on which a test errs."""
    most, least = _total(ends.high[0, wrong]), _total(ends.low[0, right])
    return min(most * (1 + 2 * roundoff), 1 - least * (1 - 2 * roundoff))


def _total(chances: Numbers) -> Fraction:
    """A sum, to within the rounding of its result."""
    if chances.dtype == np.object_:
        return sum(chances.tolist(), ZERO)
    return Fraction(math.fsum(chances.tolist()))
