"""How little a vertical line's integrand can be far out, where losses lie on different lattices.

A loss on a lattice has a transform M(c + it) whose modulus has a period in t. With y the distance
of t from the nearest multiple of the period,

    |M(c + it)| <= M(c)·e^(-κy²)

or nearly so, and a product of losses returns to its size at t = 0 only where t is near multiples
of all of the periods at once. The sieve looks for such places. It walks along the line in cells,
the width of which is a fraction of the longest period; parts those for which the sum of the κy² is
not yet large enough into four, and these again, down to single nodes; and sums up what is left.
Beyond its reach it believes nothing: the modulus is at most M(c).

Discrete Gaussian, of variance v and shift s. Poisson's summation formula gives, G being the
transform of a Gaussian loss of μ² = s²/v,

    M(z) = G(z)·θ(s(1+z))/θ(0),    θ(a) = Σ e^(-2π²vk² + 2πika), k over all integers,

and |e^(-2π²vk² + 2πiks(1+z))|·|G(z)| = G(c)·e^(-(st + 2πvk)²/(2v)) with z = c + it. So, as
θ(0) >= 1 and κ = s²/(2v), |M(z)| <= G(c)·Σ e^(-κ(t + kP)²), P = 2πv/s. This sum falls with y, for
by the triple product it is one of factors 1 + 2q^(2n-1)·cos(2πt/P) + q^(4n-2). For y <= 3P/8 it is
at most e^(-κy²)·(1 + 2x/(1 - x)) with x = e^(-π²v/2): the exponents (y - kP)²κ - κy², k >= 1, are
2π²vk(k - 2y/P) >= k·π²v/2, and those of k <= -1 larger. Near t = 0 all but G is left out of M
(`nearly_gaussian`).

Others, of atoms p on a lattice of spacing 2r, tilted to a sum of 1: |Σ pₙe^(2irtn)|² =
1 - 4·Σ pₙpₘ·sin²(rt(n-m)), n < m, is at most 1 - 4A·sin²(rt), with A = Σ pₙpₙ₊₁. As
ln(1 - u) <= -u and |sin x| >= 2|x|/π up to π/2, κ = 8Ar²/π² and P = π/r.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import fsum

import numpy as np
import numpy.typing as npt

from proofs.errors import ProofError
from proofs.losses import DiscreteGaussianLoss, DiscreteLaplaceLoss, Loss, ResponseLoss
from proofs.profiles.grid import ROUNDING, Reals
from proofs.profiles.sampled_moments import PI
from proofs.profiles.transforms import MAX_POWER, Line
from synthesizers.intervals import Interval, exp_interval, float_above, float_below, log_interval

MAX_REACH = 1 << 48
"""The farthest node that is looked at."""

MAX_HEIGHT = 1 << 50
"""The greatest height that is looked at."""

MAX_LOOKS = 1 << 26
"""The distances after which a sieve ends, a few seconds: beyond it, all is believed large."""

LEAST_PERIOD = Fraction(1, 1 << 30)
"""The shortest period that is of use."""

BATCH = 1 << 15
"""The cells that are looked at together."""

PARTS = 4
"""The cells into which one is parted."""

PATIENCE = 5.0
"""Cells are parted while their bound is more than e^-PATIENCE·(their place)/reach; so those that
are left whole add at most a fifth of what lies beyond the reach."""

LEAST_LOG = 600.0
"""Logarithms of bounds stop at minus this."""

MAX_TERMS = 64
"""The inner atoms of a discrete Laplace loss that count for A."""

ROOM = 1.01
"""A factor for the rounding of sums of doubles, which is far smaller."""


@dataclass(frozen=True, slots=True)
class Fall:
    """|M(c + it)| <= moment·e^(-count·max(0, curve·y² - lead)).

    y is the lesser of ``cap`` and the distance of t from the multiples of ``period``, which is
    known to 2·ROUNDING of it. The other numbers are rounded to the safe side.
    """

    period: float
    curve: float
    cap: float
    lead: float
    count: float


def nearly_gaussian(loss: DiscreteGaussianLoss, line: Line) -> bool:
    """Whether on a line |M/G - 1| <= 8·2^-bits, for the G of a discrete Gaussian loss.

    M/G = θ(s(1+z))/θ(0). With r = e^(-2π(πv - st)), both thetas differ from 1 by at most
    2·Σ r^k, k >= 1, and θ(0) >= 1; so M/G does by at most 4r/(1-r) <= 8r, if r <= 1/2.
    """
    return 2 * PI.lower * (PI.lower * loss.variance - loss.shift * line.height) >= line.bits


def fall_of(count: int, loss: Loss, order: Fraction, moment: Fraction | None) -> Fall | None:
    """The fall of a loss on a lattice, on a line of an ``order`` c; None where there is none.

    ``moment``: a bound of M(c), or for a discrete Gaussian None where it is G(c).

    Guarantee
    ---------
    The bound holds at every t. Backed by moduli by mpmath at random t in
    ``tests/proofs/profiles/test_sieve.py::test_no_transform_is_above_its_fall``.
    """
    match loss:
        case DiscreteGaussianLoss(variance, shift) if shift:
            x = _exp_of_minus(PI * PI * variance / 2).upper
            lead = 2 * x / (1 - x)
            if moment is not None:
                lead += shift**2 * order * (order + 1) / (2 * variance) - log_interval(moment).lower
            period = 2 * PI * variance / shift
            curve, cap = shift**2 / (2 * variance), period.lower * 3 / 8
        case DiscreteLaplaceLoss(rate, shift) if shift:
            curve, period = _two_sided(rate, shift, order)
            cap, lead = period.lower / 2, Fraction(0)
        case ResponseLoss(epsilon) if epsilon:
            curve, period = _two_sided(epsilon, 1, order)
            cap, lead = period.lower / 2, Fraction(0)
        case _:
            return None
    if period.lower < LEAST_PERIOD:
        return None
    # Of a longer one, no other multiple than 0 comes near.
    length = float(min(period.lower, Fraction(4 * MAX_HEIGHT)))
    return Fall(length, float_below(curve), float_below(cap), float_above(lead), float(count))


def _exp_of_minus(power: Interval) -> Interval:
    """e^-``power``, wide where that is less than e^-`MAX_POWER`."""
    least = exp_interval(-power.upper).lower if power.upper <= MAX_POWER else Fraction(0)
    return Interval(least, exp_interval(-min(power.lower, MAX_POWER)).upper)


def _two_sided(rate: Fraction, shift: int, order: Fraction) -> tuple[Fraction, Interval]:
    """(curve, period) of a discrete Laplace loss; one of shift 1 is a response.

    The tilted atoms are as 1, (1-a)ρ, (1-a)ρ², …, ρ^shift, with a = e^-rate and ρ = e^(-rate·(1 +
    2c)).
    """
    ratio = _exp_of_minus(Interval(rate * (1 + 2 * order), rate * (1 + 2 * order)))
    inside = 1 - _exp_of_minus(Interval(rate, rate))
    size, beside = 1 + ratio, ratio
    if shift > 1:
        size = 1 + ratio + inside * ratio / (1 - ratio)
        beside, power = inside * ratio, inside * inside * ratio * ratio * ratio
        for _ in range(min(shift - 2, MAX_TERMS)):
            beside, power = beside + power, power * ratio * ratio
    curve = 8 * beside / (size * size) * rate * rate / (PI * PI)
    return curve.lower, PI / rate


def sum_beyond(falls: Iterable[Fall], line: Line, reach: int) -> Fraction:
    """At least Σ 1/j²·Π e^(-count·max(0, …)) at the t = jh, over the nodes j beyond the last.

    ``reach``: the node up to which it is looked at how small the products are. Raises ProofError
    where that is too far.

    Guarantee
    ---------
    Backed by sums over all nodes, with mpmath, in
    ``tests/proofs/profiles/test_sieve.py::test_the_sieve_is_above_the_sum_of_all_nodes``.
    """
    if reach > MAX_REACH or reach * line.step > MAX_HEIGHT:
        raise ProofError("the contour method needs a nearer reach")
    walk = _Walk(sorted(falls, key=lambda fall: -fall.period), float(line.step), float(reach))
    first, width = line.last + 1, 1
    if walk.falls:
        while PARTS * width * walk.step <= walk.falls[0].period / 2:
            width *= PARTS
        count = max(0, reach + 1 - first) // width
        for start in range(0, count, BATCH):
            if walk.looks > MAX_LOOKS:
                break
            size = min(BATCH, count - start)
            walk.add(first + width * np.arange(size, dtype=np.float64), width)
            first += width * size
    # Σ 1/j² over j >= n is at most 1/(n - 1/2), by the convexity of 1/x².
    return Fraction(ROOM * fsum(walk.sums)) + 1 / (first - Fraction(1, 2))


class _Walk:
    """What cells add up to, and how many distances have been looked at."""

    def __init__(self, falls: list[Fall], step: float, reach: float) -> None:
        self.falls = falls
        self.step = step
        self.reach = reach
        self.sums: list[float] = []
        self.looks = 0

    def add(self, start: Reals, width: int) -> None:
        """Add up the cells of ``width`` nodes, each from a node ``start`` on."""
        fallen, open_cells = self._fall(start, width)
        if width == 1 or self.looks > MAX_LOOKS:
            open_cells = open_cells[:0]
        bound = np.exp(-np.minimum(fallen, LEAST_LOG))
        # Σ 1/j² over n <= j < n + w is at most the integral of 1/x² from n - 1/2 to n + w - 1/2.
        bound *= width / ((start - 0.5) * (start + (width - 0.5)))
        bound[open_cells] = 0.0
        self.sums.append(float(np.sum(bound)))
        part = width // PARTS
        for some in range(0, len(open_cells), BATCH // PARTS):
            whole = start[open_cells[some : some + BATCH // PARTS], None]
            self.add((whole + part * np.arange(PARTS)).ravel(), part)

    def _fall(self, start: Reals, width: int) -> tuple[Reals, npt.NDArray[np.intp]]:
        """At most -ln of the product in each cell, and the cells for which that is too little."""
        half = (width - 1) / 2 * self.step
        middle = (start + (width - 1) / 2) * self.step
        enough = np.log(self.reach / start) + PATIENCE
        fallen = np.zeros(len(start))
        left = np.arange(len(start))
        for fall in self.falls:
            if not len(left) or half >= fall.period / 2:
                break
            self.looks += len(left)
            t = middle[left]
            # Three roundings of t and four of the multiple next to it; where it is one of two at
            # about the same distance, it may be the farther one by as much.
            blur = half + 32 * ROUNDING * (t + half + fall.period)
            away = np.abs(t - fall.period * np.rint(t / fall.period)) - blur
            away = np.clip(away, 0.0, fall.cap)
            gain = np.maximum(fall.curve * away * away * (1 - 2.0**-30) - fall.lead, 0.0)
            fallen[left] += fall.count * gain
            left = left[fallen[left] < enough[left]]
        return fallen * (1 - 2.0**-30), left
