"""Privacy measures of a channel: smallest ε, δ(ε), probabilistic DP.

Every measure is an enclosure of the exact value. Doubles find the candidates;
where the channel has exact chances, the candidates are compared exactly, so
that equality is decided as an equality.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.channel import UNIT_ROUNDOFF, Channel, scaled
from audit.decimals import Enclosure
from audit.evidence import Decision, Witness
from synthesizers.exact import (
    Exact,
    ExpRational,
    add,
    compare,
    divide,
    enclose,
    is_zero,
    log_enclosure,
    subtract,
    times_exp,
)
from synthesizers.intervals import Interval, exp_interval, float_above, float_below, log_interval

FloatArray = NDArray[np.float64]

MAX_EXACT_TERMS = 60_000
"""The most candidate entries that are compared exactly (a choice of this project)."""


@dataclass(frozen=True)
class Extreme:
    """A largest value over all pairs of neighbours.

    ``enclosure``: of the measure. ``value``: the exact number that decides, where
    known: for ε the largest ratio e^ε, for δ the largest δ itself. ``witness``:
    a pair and an event that attain the lower end; None without neighbours.
    """

    enclosure: Enclosure
    value: Exact | None
    witness: Witness | None


def epsilon(channel: Channel) -> Extreme:
    """The smallest ε such that the channel is ε-differentially private, in nats.

    Abowd & Vilhuber 2008, equation (3): the largest |ln ratio| over neighbours
    and outputs. Infinite where a zero stands beside a non-zero.

    Guarantee
    ---------
    The exact value lies in ``enclosure``; ``value`` is the exact e^ε. Backed by
    the comparison with all pairs in fractions in ``tests/audit/test_measures.py``.
    """
    floor, ceiling, best = 1.0, 1.0, None
    tops: list[tuple[int, int, float]] = []
    for source, target, low, high in _ratios(channel):
        top = int(np.argmax(low))
        if math.isinf(low[top]):
            witness = _witness(channel, source, target, [top])
            return Extreme(Enclosure.infinite(), None, witness)
        if best is None or low[top] > floor:
            floor, best = max(floor, float(low[top])), (source, target, top)
        high_top = float(high.max())
        ceiling = max(ceiling, high_top)
        tops.append((source, target, high_top))
    if best is None:
        return Extreme(Enclosure(Fraction(0), Fraction(0)), Fraction(1), None)
    exact = _largest_ratio(channel, [(s, t) for s, t, top in tops if top >= floor], floor)
    if exact is not None:
        ratio, place = exact
        ends = log_enclosure(ratio)
        lower = max(ends.lower, Fraction(0))
        enclosure = Enclosure(lower, max(ends.upper, lower))
        return Extreme(enclosure, ratio, _witness(channel, place[0], place[1], [place[2]]))
    upper = math.inf if math.isinf(ceiling) else log_interval(Fraction(ceiling), 96).upper
    lower = max(log_interval(Fraction(floor), 96).lower, Fraction(0))
    witness = _witness(channel, best[0], best[1], [best[2]])
    return Extreme(Enclosure(lower, upper), None, witness)


def _ratios(channel: Channel) -> Iterator[tuple[int, int, FloatArray, FloatArray]]:
    """Enclosed ratios P/Q of every ordered pair of neighbours, [outputs]; 0/0 gives 0."""
    down, up = 1 - 2 * UNIT_ROUNDOFF, 1 + 2 * UNIT_ROUNDOFF
    for source, targets in enumerate(channel.partners):
        for target in targets.tolist():
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                low = channel.lower[source] / channel.upper[target] * down
                high = channel.upper[source] / channel.lower[target] * up
            # A ratio beyond the doubles is not infinite: only a true zero below makes it so.
            huge = np.isinf(low) & (channel.upper[target] > 0)
            low[huge] = np.finfo(np.float64).max * down
            low[channel.lower[source] == 0] = 0.0
            low[channel.positive[source] & (channel.upper[target] == 0)] = math.inf
            high[channel.upper[source] == 0] = 0.0
            yield source, target, low, high


def _largest_ratio(
    channel: Channel, pairs: Sequence[tuple[int, int]], floor: float
) -> tuple[Exact, tuple[int, int, int]] | None:
    """The exact largest ratio among candidate pairs, with where it is attained."""
    if channel.exact is None:
        return None
    places: list[tuple[int, int, int]] = []
    for source, target in pairs:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            high = channel.upper[source] / channel.lower[target] * (1 + 2 * UNIT_ROUNDOFF)
        high[channel.upper[source] == 0] = 0.0
        places += [(source, target, int(output)) for output in np.flatnonzero(high >= floor)]
    if len(places) > MAX_EXACT_TERMS or not places:
        return None
    best: tuple[Exact, tuple[int, int, int]] | None = None
    for source, target, output in places:
        below = channel.exact[target, output]
        if enclose(below).lower <= 0:
            return None
        ratio = divide(channel.exact[source, output], below)
        order = 1 if best is None else compare(ratio, best[0])
        if order is None:
            return None
        if order > 0:
            best = ratio, (source, target, output)
    return best


def delta(channel: Channel, epsilon: Fraction) -> Extreme:
    """δ(ε): the largest Σ over outputs of (P - e^ε·Q)₊ over ordered neighbours.

    Guarantee
    ---------
    The exact value lies in ``enclosure``: products, differences and sums of
    doubles are widened by their own rounding (γ_M for M outputs). Backed by the
    comparison with all pairs in fractions in ``tests/audit/test_measures.py``.
    """
    bounds = _pair_bounds(channel, epsilon)
    if not bounds:
        return Extreme(Enclosure(Fraction(0), Fraction(0)), Fraction(0), None)
    best = max(bounds, key=lambda item: item[2])
    candidates = [(s, t) for s, t, _, high in bounds if high >= best[2]]
    exact = _largest_sum(channel, candidates, epsilon)
    source, target = best[:2]
    enclosure, value = _overall(bounds), None
    if exact is not None:
        value, (source, target) = exact
        ends = enclose(value)
        enclosure = Enclosure(max(ends.lower, Fraction(0)), max(ends.upper, Fraction(0)))
    event = _more_likely(channel, source, target, epsilon)
    return Extreme(enclosure, value, _witness(channel, source, target, event))


def _pair_bounds(channel: Channel, epsilon: Fraction) -> list[tuple[int, int, float, float]]:
    """Enclosed Σ (P - e^ε·Q)₊ of every ordered pair of neighbours: rows, lower and upper end."""
    factor = exp_interval(epsilon, 96)
    factor_low, factor_high = float_below(factor.lower), float_above(factor.upper)
    slack = (len(channel.outputs) + 8) * UNIT_ROUNDOFF
    bounds: list[tuple[int, int, float, float]] = []
    for source, targets in enumerate(channel.partners):
        if not len(targets):
            continue
        above = scaled(factor_high * (1 + 4 * UNIT_ROUNDOFF), channel.upper[targets])
        below = scaled(factor_low * (1 - 4 * UNIT_ROUNDOFF), channel.lower[targets])
        low, high = channel.lower[source] - above, channel.upper[source] - below
        sums_low = np.clip(low, 0, None).sum(axis=1) * (1 - slack)
        sums_high = np.clip(high, 0, None).sum(axis=1) * (1 + slack)
        bounds += zip(
            [source] * len(targets),
            targets.tolist(),
            sums_low.tolist(),
            sums_high.tolist(),
            strict=True,
        )
    return bounds


def _overall(bounds: Sequence[tuple[int, int, float, float]]) -> Enclosure:
    """The largest over pairs, from doubles alone."""
    low = max((item[2] for item in bounds), default=0.0)
    high = min(max((item[3] for item in bounds), default=0.0), 1.0)
    return Enclosure(Fraction(low), Fraction(max(low, high)))


def _more_likely(channel: Channel, source: int, target: int, epsilon: Fraction) -> list[int]:
    """The outputs whose P certainly exceeds e^ε·Q: the event that attains δ."""
    factor = exp_interval(epsilon, 96)
    above = scaled(float_above(factor.upper) * (1 + 4 * UNIT_ROUNDOFF), channel.upper[target])
    below = scaled(float_below(factor.lower) * (1 - 4 * UNIT_ROUNDOFF), channel.lower[target])
    certain = channel.lower[source] > above
    if channel.exact is not None:
        for output in np.flatnonzero(~certain & (channel.upper[source] > below)).tolist():
            limit = times_exp(channel.exact[target, output], epsilon)
            certain[output] = compare(channel.exact[source, output], limit) == 1
    return [int(output) for output in np.flatnonzero(certain)]


def _largest_sum(
    channel: Channel, pairs: Sequence[tuple[int, int]], epsilon: Fraction
) -> tuple[Exact, tuple[int, int]] | None:
    if channel.exact is None or len(pairs) * len(channel.outputs) > MAX_EXACT_TERMS:
        return None
    best: tuple[Exact, tuple[int, int]] | None = None
    for pair in pairs:
        total = hockey_stick(channel.exact[pair[0]], channel.exact[pair[1]], epsilon)
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


def decide(extreme: Extreme, bound: Exact, limit: Interval) -> Decision:
    """Whether the extreme is at most wanted: certified, or UNDECIDED.

    ``bound``: what the extreme's ``value`` may be at most; ``limit``: the same
    for its ``enclosure`` (for ε, e^ε and ε).
    """
    if extreme.value is not None:
        order = compare(extreme.value, bound)
        if order is not None:
            return Decision.VIOLATED if order > 0 else Decision.HOLDS
    if extreme.enclosure.upper <= limit.lower:
        return Decision.HOLDS
    return Decision.VIOLATED if extreme.enclosure.lower > limit.upper else Decision.UNDECIDED


def decide_epsilon(channel: Channel, wanted: Fraction) -> tuple[Decision, Extreme]:
    """Whether the channel is ``wanted``-DP, with its smallest ε."""
    extreme = epsilon(channel)
    return decide(extreme, ExpRational.exp(wanted), Interval(wanted, wanted)), extreme


def decide_delta(channel: Channel, wanted: Fraction, limit: Fraction) -> tuple[Decision, Extreme]:
    """Whether δ(``wanted``) <= ``limit``, with that δ."""
    extreme = delta(channel, wanted)
    return decide(extreme, limit, Interval(limit, limit)), extreme


def epsilon_at(channel: Channel, limit: Fraction) -> Enclosure:
    """The smallest ε with δ(ε) <= ``limit``, by bisection of the certified profile.

    Guarantee
    ---------
    δ(ε) > limit is certified at every point below ``lower``, and δ(upper) <=
    limit: δ(ε) falls with ε. Backed by ``tests/audit/test_measures.py``.
    """
    pure = epsilon(channel).enclosure
    if limit == 0:
        return pure
    if delta(channel, Fraction(0)).enclosure.upper <= limit:
        return Enclosure(Fraction(0), Fraction(0))
    if isinstance(pure.lower, float) and _is_disjoint(channel, limit):
        return Enclosure.infinite()
    low, high = Fraction(0), Fraction(1)
    top = Fraction(700) if isinstance(pure.upper, float) else pure.upper
    while True:
        measured = _measured(channel, high, limit)
        if measured.upper <= limit:
            break
        if measured.lower > limit:
            low = high
        if high >= top:
            return Enclosure(low, pure.upper)
        high = min(2 * high, top)
    for _ in range(50):
        middle = Fraction(float((low + high) / 2))
        measured = _measured(channel, middle, limit)
        if measured.upper <= limit:
            high = middle
        elif measured.lower > limit:
            low = middle
        else:
            break
        if high - low <= Fraction(1, 10**13) * high:
            break
    return Enclosure(low, high)


def _measured(channel: Channel, epsilon: Fraction, limit: Fraction) -> Enclosure:
    """δ(ε) as closely as it takes to compare it with ``limit``: by doubles, else exactly."""
    rough = _overall(_pair_bounds(channel, epsilon))
    if rough.upper <= limit or rough.lower > limit:
        return rough
    return delta(channel, epsilon).enclosure


def _is_disjoint(channel: Channel, limit: Fraction) -> bool:
    """Whether some neighbour gives outputs that the other never gives more than ``limit``."""
    for source, targets in enumerate(channel.partners):
        for target in targets.tolist():
            alone = np.flatnonzero((channel.upper[source] > 0) & (channel.upper[target] == 0))
            if len(alone) and _event(channel, source, alone.tolist()).lower > limit:
                return True
    return False


def _witness(channel: Channel, source: int, target: int, outputs: Sequence[int]) -> Witness:
    return Witness(
        channel.counts(source),
        channel.counts(target),
        tuple(channel.outputs[output] for output in outputs),
        (_event(channel, source, outputs), _event(channel, target, outputs)),
    )


def _event(channel: Channel, database: int, outputs: Sequence[int]) -> Enclosure:
    """The probability of a set of outputs."""
    if channel.exact is not None:
        total: Exact = Fraction(0)
        for output in outputs:
            total = add(total, channel.exact[database, output])
        return Enclosure.of(enclose(total))
    lower = sum((Fraction(channel.lower[database, o]) for o in outputs), Fraction(0))
    upper = sum((Fraction(channel.upper[database, o]) for o in outputs), Fraction(0))
    return Enclosure(lower, upper)
