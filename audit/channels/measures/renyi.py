"""The Rényi divergences of a channel, of every order from 1 to `MAX_ORDER`, in nats.

D_α(P‖Q) = ln(Σ P^α·Q^(1-α))/(α - 1) for α > 1 (Mironov 2017, Definition 3), the largest over
ordered pairs of neighbours; at α = 1 its limit, Σ P·ln(P/Q), the divergence of Kullback and
Leibler. The limit at infinity is ε itself, and D_α never exceeds it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.columns import Block, Columns, Powers
from audit.channels.measures.epsilon import Place
from audit.channels.measures.exact_moments import largest_exact, neighbours_are_equal
from audit.channels.measures.extreme import Extreme, decide, witness_of
from audit.channels.measures.losses import FUNCTION_ERROR, TIGHT, Corner, Losses, vagueness, ways
from audit.channels.measures.moments import Sums, divergence_sums, divergences, tilt_losses
from audit.channels.measures.sweep import Chunk, group_pairs, orient, sweep
from audit.statements.decimals import Enclosure, Extended
from audit.statements.evidence import Decision
from synthesizers.errors import InputError
from synthesizers.exact import ExpRational

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MAX_ORDER = 10**7
"""The largest order: beyond it exponents use up a double's digits."""

LEAST_STEP = Fraction(1, 10**9)
"""The least order above 1 is 1 + `LEAST_STEP`."""

ZERO = Fraction(0)


class Divergences:
    """Collects the sums behind D_α of every pair of neighbours, both ways round.

    ``loss``: upper ends of the largest ln(P/Q), at least 0, [2, pairs]. ``alone``: where an output
    is possible on one side only, so that the divergence of every order is infinite.
    """

    def __init__(self, pairs: int, order: Fraction) -> None:
        self.loss = np.zeros((2, pairs))
        self.alone: Place | None = None
        self._beta = float(order - 1)
        self._low = np.zeros((2, pairs))
        self._high = np.zeros((2, pairs))
        self._shift = np.zeros((2, pairs))
        self._unbounded = np.zeros((2, pairs), bool)
        self._vague: float | None = None
        self._blocks = 0
        self._columns = 0

    def add(self, chunk: Chunk) -> None:
        """Take some pairs and columns into account."""
        loss = _largest_losses(chunk)
        np.maximum(self.loss[:, chunk.pairs], loss, out=self.loss[:, chunk.pairs])
        if self.alone is None and np.isinf(loss).any():
            self.alone = _alone(chunk)
        beta = np.full(len(chunk.sources), self._beta)
        for way, losses in enumerate(self._ways(chunk)):
            tilt = tilt_losses(losses, beta)
            part = way, chunk.pairs
            self._merge(part, divergence_sums(losses, tilt), tilt.shift)
            self._unbounded[part] |= losses.unbounded

    def finish_block(self, block: Block) -> None:
        """Count the columns: each adds a rounding to the sums."""
        self._blocks += 1
        self._vague = None
        self._columns += block.lower.shape[1]

    def ends(self) -> Sums:
        """Enclosed D_α of every pair, [2, pairs], after the sweep."""
        # Joining the sums of two blocks takes three roundings, and a function where both shift.
        joints = np.where(self._shift > 0, 40, 3) * self._blocks
        beta = np.full(self._low.shape, self._beta)
        sums = divergences(Sums(self._low, self._high), beta, self._shift, self._columns + joints)
        # Some chances may be too small for doubles; no D_α exceeds the largest loss.
        return Sums(sums.low, np.minimum(np.where(self._unbounded, np.inf, sums.high), self.loss))

    def _ways(self, chunk: Chunk) -> Iterator[Losses]:
        """What is known of both ways round, by one double a chance where that is close enough."""
        if self._vague is None:
            self._vague = vagueness(chunk.block.lower, chunk.block.upper)
        blur = self._vague + chunk.error * (1 + self._vague)
        if blur * (1 + self._beta) <= TIGHT:
            corner = Corner.of((chunk.low.p + chunk.high.p) / 2, (chunk.low.q + chunk.high.q) / 2)
            return ways(corner, corner, blur)
        down = (1 - chunk.error) * (1 - 4 * UNIT_ROUNDOFF)
        up = (1 + chunk.error) * (1 + 4 * UNIT_ROUNDOFF)
        low = Corner.of(chunk.low.p * down, chunk.low.q * up)
        return ways(low, Corner.of(chunk.high.p * up, chunk.high.q * down), 0.0)

    def _merge(self, part: tuple[int, slice], sums: Sums, shift: FloatArray) -> None:
        """Add sums that are scaled by e^-shift to those kept, at the larger of both shifts."""
        kept = self._shift[part]
        largest = np.maximum(kept, shift)
        here, there = np.exp(kept - largest), np.exp(shift - largest)
        self._low[part] = self._low[part] * here + sums.low * there
        self._high[part] = self._high[part] * here + sums.high * there
        self._shift[part] = largest


def _largest_losses(chunk: Chunk) -> FloatArray:
    """Upper ends of the largest ln(P/Q) and ln(Q/P) of every pair on a chunk, [2, pairs]."""
    if chunk.block.powers is not None:
        return _losses_of_powers(chunk, chunk.block.powers)
    # Dividing by 1 - e is at most multiplying by 1 + e + 2·e².
    stretch = 1 + chunk.ratio_error * (1 + 2 * chunk.ratio_error)
    with np.errstate(divide="ignore"):
        ratios = np.stack([chunk.high.ratio.max(axis=1), 1 / chunk.low.ratio.min(axis=1)])
        losses = np.log(ratios * stretch) * (1 + FUNCTION_ERROR) + 8 * UNIT_ROUNDOFF
    return np.maximum(losses, 0)


def _losses_of_powers(chunk: Chunk, powers: Powers) -> FloatArray:
    """The same where chances or their ratios may lie beyond the doubles."""
    p, q = powers.mantissa[chunk.sources], powers.mantissa[chunk.targets]
    exponents = powers.exponent[chunk.sources], powers.exponent[chunk.targets]
    with np.errstate(divide="ignore", invalid="ignore"):
        above, below = np.log(p), np.log(q)
        steps = (exponents[0].astype(float) - exponents[1]) * math.log(2)
        losses = above - below + steps
        slack = 3 * powers.error + 4 * FUNCTION_ERROR * (1 + np.abs(steps))
        ends = [np.where(p == 0, 0.0, losses + slack), np.where(q == 0, 0.0, slack - losses)]
    return np.maximum([end.max(axis=1) for end in ends], 0)


def _alone(chunk: Chunk) -> Place | None:
    """An output that is certainly possible on one side of a pair, and certainly not on the other.

    The row where it is possible comes first.
    """
    for found, sides in (
        (np.isinf(chunk.low.ratio), (chunk.sources, chunk.targets)),
        (chunk.high.ratio == 0, (chunk.targets, chunk.sources)),
    ):
        if found.any():
            pair, column = np.unravel_index(int(found.argmax()), found.shape)
            likely, unlikely = (int(side[pair]) for side in sides)
            return Place(likely, unlikely, chunk.block.first + int(column))
    return None


def renyi(columns: Columns, order: Fraction) -> Extreme:
    """The largest D_α over ordered pairs of neighbours, at ``order`` α from 1 to `MAX_ORDER`.

    Infinite where a zero stands beside a non-zero. ``value``: Σ P^α·Q^(1-α), where it is a
    fraction and was computed. ``witness``: the pair, with the one output that adds most to that
    sum. It shows the pair; the divergence is a sum over all outputs. Raises InputError for other
    orders.

    Guarantee
    ---------
    The exact value lies in ``enclosure``; ``value`` is exact. Backed by the comparison with all
    pairs in high precision in ``tests/audit/channels/measures/test_renyi.py``.
    """
    require_order(order)
    pairs, groups = group_pairs(columns, columns.pairs)
    sums = Divergences(len(pairs), order)
    sweep(columns, pairs, groups, [sums])
    return largest_divergence(columns, pairs, sums, order)


def require_order(order: Fraction) -> None:
    """Raise InputError for an order that is not measured."""
    if order != 1 and not 1 + LEAST_STEP <= order <= MAX_ORDER:
        raise InputError(
            f"the order of a Rényi divergence is 1, or from {float(1 + LEAST_STEP)!r} to "
            f"{MAX_ORDER}, found {str(order)[:40]}"
        )


def largest_divergence(
    columns: Columns, pairs: IntArray, sums: Divergences, order: Fraction
) -> Extreme:
    """The largest of the divergences that a sweep collected, sharpened by exact chances."""
    if not len(pairs):
        return _nothing(order)
    if sums.alone is not None:
        place = sums.alone
        witness = witness_of(columns, place.source, place.target, [place.output])
        return Extreme(Enclosure.infinite(), None, witness)
    ends = sums.ends()
    low, high = float(ends.low.max()), float(ends.high.max())
    if low == 0 and neighbours_are_equal(columns):
        return _nothing(order)
    candidates = [orient(pairs, *place) for place in np.argwhere(ends.high >= low).tolist()]
    best = orient(pairs, *divmod(int(ends.low.argmax()), len(pairs)))
    value, lower = None, Fraction(low)
    upper: Extended = math.inf if math.isinf(high) else Fraction(high)
    if columns.exact is not None:
        largest = largest_exact(columns.exact, candidates, order)
        if largest is not None:
            value, best = largest.power_sum, largest.rows
            lower = max(lower, largest.divergence.lower)
            upper = min(upper, largest.divergence.upper)
    witness = witness_of(columns, *best, [largest_term(columns, *best, order)])
    return Extreme(Enclosure(lower, upper), value, witness)


def _nothing(order: Fraction) -> Extreme:
    value = Fraction(1) if order > 1 else None
    return Extreme(Enclosure(ZERO, ZERO), value, None)


def largest_term(columns: Columns, source: int, target: int, order: Fraction) -> int:
    """The output with the largest P^α·Q^(1-α), or P·ln(P/Q) at order 1, as doubles see it."""
    lower, upper = columns.rows([source, target])
    p, q = (lower + upper) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.log(p) - np.log(q)
        terms = p * losses if order == 1 else np.log(p) + float(order - 1) * losses
    return int(np.nan_to_num(terms, nan=-np.inf, posinf=np.inf, neginf=-np.inf).argmax())


def decide_renyi(columns: Columns, order: Fraction, limit: Fraction) -> tuple[Decision, Extreme]:
    """Whether D_α <= ``limit`` between all neighbours, with that divergence.

    Σ P^α·Q^(1-α) and e^((α-1)·limit) are compared exactly where the first is a known fraction.
    """
    extreme = renyi(columns, order)
    return decide(extreme, ExpRational.exp((order - 1) * limit), limit), extreme
