"""The smallest μ of a channel: how far apart two normal laws are that are no harder to tell apart.

A channel is μ-Gaussian differentially private where its trade-off function is nowhere below
G_μ(α) = Φ(Φ⁻¹(1 - α) - μ), that of N(0, 1) against N(μ, 1) (Dong, Roth & Su 2022, Definition 2.6
and equation 6 in the numbering of arXiv:1905.02383).
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from audit.channels.columns import Columns
from audit.channels.measures.convex import Curve
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.extreme import Extreme, decide, witness_of
from audit.channels.measures.tradeoff import Tradeoff, tradeoff
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from synthesizers.errors import TooLargeError
from synthesizers.intervals import Interval
from synthesizers.normal import normal_quantile

BITS = 96
"""Relative precision of the quantiles."""

ZERO = Fraction(0)


def gdp(columns: Columns) -> Extreme:
    """The smallest μ such that the channel is μ-Gaussian differentially private.

    Infinite where some output is possible under a database and impossible under its neighbour.
    ``witness``: whoever holds it sees that no smaller μ than Φ⁻¹(first) - Φ⁻¹(second) will do, of
    its two probabilities; None where the lower end is 0.

    Guarantee
    ---------
    The exact value lies in ``enclosure``. G_μ is convex, so a piecewise-linear curve is above it
    where its breakpoints are: the upper end is the largest Φ⁻¹(1 - α) - Φ⁻¹(β) over the
    breakpoints of a curve certainly below the trade-off function, the lower end that of one test.
    Backed by the comparison with all sets of outputs in high precision in
    ``tests/audit/channels/measures/test_gdp.py``.
    """
    return smallest_mu(columns, tradeoff(columns))


def smallest_mu(columns: Columns, curves: Tradeoff) -> Extreme:
    """The smallest μ of a channel whose trade-off function is known already; as `gdp`."""
    if curves.lower[0][1] < 1:
        pure = epsilon(columns)
        if pure.enclosure.lower == math.inf:
            return Extreme(Enclosure.infinite(), None, pure.witness)
    upper = _ceiling(curves.lower)
    best = max(curves.upper, key=lambda point: _floor(point.alpha, point.beta))
    if best.test is None or _floor(best.alpha, best.beta) <= 0:
        return Extreme(Enclosure(ZERO, upper), None, None)
    # Rejected, hence likely under the alternative: a witness names that first.
    witness = witness_of(columns, best.test.alternative, best.test.null, best.test.outputs)
    likely, unlikely = witness.probabilities
    power, alpha = max(likely.lower, 1 - best.beta), min(unlikely.upper, best.alpha)
    known = Enclosure(power, likely.upper), Enclosure(unlikely.lower, alpha)
    lower = _floor(Fraction(alpha), 1 - Fraction(power))
    return Extreme(Enclosure(lower, upper), None, replace(witness, probabilities=known))


def _ceiling(curve: Curve) -> Fraction | float:
    """The smallest μ for which G_μ is nowhere above a symmetric convex curve, rounded up."""
    largest = ZERO
    for alpha, beta in curve:
        if alpha > beta or alpha + beta == 1:
            continue
        if alpha == 0:
            return math.inf
        try:
            largest = max(largest, _distance(alpha, beta).upper)
        except TooLargeError:
            return math.inf
    return largest


def _floor(alpha: Fraction, beta: Fraction) -> Fraction:
    """The smallest μ for which G_μ is not above the errors of a test, rounded down."""
    if alpha in (0, 1) or beta in (0, 1):
        return ZERO
    try:
        return _distance(alpha, beta).lower
    except TooLargeError:
        return ZERO


def _distance(alpha: Fraction, beta: Fraction) -> Interval:
    """The μ whose G_μ goes through (α, β); raises TooLargeError far in the tails."""
    return normal_quantile(1 - alpha, BITS) - normal_quantile(beta, BITS)


def decide_gdp(columns: Columns, limit: Fraction) -> tuple[Decision, Extreme]:
    """Whether the channel is ``limit``-Gaussian differentially private, with its smallest μ."""
    extreme = gdp(columns)
    return decide(extreme, limit, limit), extreme
