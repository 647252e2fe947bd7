"""Moment transforms M(z) = E_P[e^(zL)] of losses L at equally spaced points of a vertical line.

Numbers of modulus at most 1 are held as integers of units 2^-bits, with one counted bound on
the error of all of them. Exponentials come from the arithmetic (`synthesizers.reals`) at a
precision far above the one used, as in `synthesizers/intervals.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt
from typing import Any

from proofs.errors import ProofError
from proofs.losses import DiscreteGaussianLoss, DiscreteLaplaceLoss, LaplaceLoss, ResponseLoss
from synthesizers.intervals import (
    GUARD_BITS,
    exp_interval,
    log_interval,
    round_up,
)
from synthesizers.reals import numbers

MAX_SIZE = 1 << 20
"""The largest order, height of a line and parameter of a loss."""

MAX_POWER = Fraction(1 << 15)
"""The largest |r| for which bounds of e^r are computed."""

MAX_TERMS = 1 << 14
"""The most exponentials on a line."""

MAX_NODES = 1 << 16
"""The most nodes of a line."""

MAX_WORK = 1 << 24
"""The most pairs of an exponential and a node, about ten seconds."""

MAX_MOMENT = 1 << 16
"""The largest logarithm of a moment, in bits."""

DiscreteLoss = ResponseLoss | DiscreteLaplaceLoss | DiscreteGaussianLoss
Term = tuple[Any, Any]
"""(A, L) of a summand e^(A + itL) of M(c + it), in the arithmetic's numbers."""


def exp_above(power: Fraction) -> Fraction:
    """At least e^``power``; ProofError where that would bound nothing."""
    if power > MAX_POWER:
        raise ProofError("a contour's hint gives no bound; choose another order or grid")
    return exp_interval(round_up(max(power, -MAX_POWER), 96)).upper


@dataclass(frozen=True, slots=True)
class Line:
    """The points c + ijh, 0 <= j <= ``last``: ``order`` c > 0, ``step`` h > 0.

    ``bits``: numbers on it are counted in units of 2^-bits. ``losses``: how many kinds of losses
    are looked at on it, which share the work that is allowed.
    """

    order: Fraction
    step: Fraction
    last: int
    bits: int
    losses: int

    def __post_init__(self) -> None:
        if not (0 < self.order <= MAX_SIZE and self.step > 0 and 32 <= self.bits <= 1 << 10):
            raise ProofError("a contour needs 0 < order <= 2^20, step > 0 and 32 <= bits <= 1024")
        if not 0 <= self.last <= MAX_NODES or self.height > MAX_SIZE**2:
            raise ProofError("a contour has at most 2^16 nodes, up to a height of 2^40")

    def admit(self, terms: int) -> None:
        """Raise ProofError where a transform of so many exponentials would take too long."""
        if terms * self.losses > MAX_TERMS or terms * self.last * self.losses > MAX_WORK:
            raise ProofError("a contour's grids and nodes are too many")

    @property
    def height(self) -> Fraction:
        """The largest imaginary part."""
        return self.step * self.last


@dataclass(frozen=True, slots=True)
class Points:
    """Complex numbers of modulus at most 1, in units of 2^-bits, each off by ``error`` at most."""

    real: list[int]
    imag: list[int]
    error: int
    bits: int

    def __post_init__(self) -> None:
        if self.error >> self.bits:
            raise ProofError("a contour's bits are too few, or its grid too coarse")

    def times(self, other: Points) -> Points:
        """The products, node by node."""
        bits = self.bits
        rows = list(zip(self.real, self.imag, other.real, other.imag, strict=True))
        # |ab - âb̂| <= |b|·|a - â| + |â|·|b - b̂| with |b| <= 1 and |â| <= 1 + its error; the
        # two shifts round by less than one unit each.
        error = self.error + other.error + (self.error * other.error >> bits) + 3
        return Points(
            [(a * c - b * d) >> bits for a, b, c, d in rows],
            [(a * d + b * c) >> bits for a, b, c, d in rows],
            error,
            bits,
        )

    def minus(self, other: Points) -> Points:
        """The differences, of modulus at most 1 themselves, node by node."""
        rows = list(zip(self.real, self.imag, other.real, other.imag, strict=True))
        error = self.error + other.error
        return Points(
            [a - c for a, _, c, _ in rows], [b - d for _, b, _, d in rows], error, self.bits
        )

    def scaled(self, ratio: Fraction) -> Points:
        """The products with a ratio >= 0, if their moduli are at most 1."""
        factor, bits = floor(ratio * 2**self.bits), self.bits
        # The factor is off by less than a unit, of a number below 2; the shifts round by one each.
        error = (self.error * factor >> bits) + 4
        real, imag = ([a * factor >> bits for a in part] for part in (self.real, self.imag))
        return Points(real, imag, error, bits)

    def power(self, count: int) -> Points:
        """The ``count``-th powers, count >= 1."""
        if count == 1:
            return self
        half = self.power(count // 2)
        square = half.times(half)
        return square.times(self) if count % 2 else square


@dataclass(frozen=True, slots=True)
class Transform:
    """M on a line: ``moment`` >= M(c), and ``points`` are the M(c + ijh)/moment.

    |M(c + it)| <= tail·moment for all t >= the line's height. ``rest``: the same of what is left
    of M where a bulk is taken out, over the moment of M.
    """

    moment: Fraction
    points: Points
    tail: Fraction = Fraction(1)
    rest: Transform | None = None


def working_bits(line: Line, magnitude: Fraction) -> int:
    """The precision at which exponents that err by 2^-precision·``magnitude`` are good enough."""
    return line.bits + GUARD_BITS + 16 + ceil(magnitude).bit_length()


def _cut_to_units(values: Sequence[Any], bits: int) -> tuple[list[int], list[int]]:
    """Real and imaginary parts in whole units, less than two units off."""
    real = [numbers.units(numbers.re(value), bits) for value in values]
    return real, [numbers.units(numbers.im(value), bits) for value in values]


def fix_points(values: Sequence[Any], bits: int) -> Points:
    """Numbers of modulus at most 1, which are computed to less than a unit."""
    return Points(*_cut_to_units(values, bits), 3, bits)


def weigh(terms: Sequence[Term]) -> tuple[list[Any], list[Any]]:
    """The weights e^A, and the losses."""
    return [numbers.exp(exponent) for exponent, _ in terms], [loss for _, loss in terms]


def exponential_sum(
    weights: Sequence[Any],
    losses: Sequence[Any],
    line: Line,
    relative: Fraction,
    absolute: Fraction,
) -> Transform:
    """The transform that for t >= 0 is Σ w·e^(itL), but for relative·M(c) + absolute.

    ``weights`` w, ``losses`` L with Im L >= 0: such that w, e^(ihL) err by less than 2^-(bits + 10)
    of them, at the working precision.
    """
    bits, count = line.bits, len(weights)
    if 2 * relative > 1:
        raise ProofError("a contour's grid is too coarse")
    size = numbers.fsum([abs(weight) for weight in weights])
    if size > numbers.ldexp(1, MAX_MOMENT):
        raise ProofError("a contour's order makes the moments too large")
    # M(c) <= |true sum| + relative·M(c) + absolute; the sum is computed to size/2^bits.
    total = numbers.above(abs(numbers.fsum(weights)) + numbers.ldexp(1 + size, -bits))
    moment = round_up((total + absolute) / (1 - relative), bits)
    scale = 1 / numbers.rational(moment)
    step = numbers.mpc(0, numbers.rational(line.step))
    real, imag = _cut_to_units([weight * scale for weight in weights], bits)
    ratios = list(
        zip(*_cut_to_units([numbers.exp(step * loss) for loss in losses], bits), strict=True)
    )
    # One number of true modulus at most w, multiplied by ratios r, |r| <= 1, that are known to two
    # units: its error e, in units, becomes e·(1 + 2^(2-bits)) + 2w + 2, from less than 3w + 2. So
    # it stays below 2·(last + 1)·(3w + 2). The w sum to at most `spread`: of each, two units more
    # than the modulus computed (and a thousandth of a unit, relatively).
    spread = (sum(map(abs, real)) + sum(map(abs, imag)) >> bits) + 1 + count
    error = 2 * (line.last + 1) * (3 * spread + 2 * count)
    error += ceil((relative + absolute / moment) * 2**bits)
    sums = [(sum(real), sum(imag))]
    for _ in range(line.last):
        rows = list(zip(real, imag, ratios, strict=True))
        real = [(a * c - b * d) >> bits for a, b, (c, d) in rows]
        imag = [(a * d + b * c) >> bits for a, b, (c, d) in rows]
        sums.append((sum(real), sum(imag)))
    return Transform(moment, Points([a for a, _ in sums], [b for _, b in sums], error, bits))


@lru_cache(maxsize=16)
def discrete_transform(loss: DiscreteLoss, line: Line) -> Transform:
    """The transform of a loss with countably many values, given that the loss is finite."""
    left_out = Fraction(0)
    absolute = Fraction(0)
    with numbers.workprec(_bits_for(line)):
        if isinstance(loss, ResponseLoss):
            terms = _two_values(loss.epsilon, line)
        elif isinstance(loss, DiscreteLaplaceLoss):
            terms = _laplace_values(loss, line)
        else:
            terms = _gaussian_values(loss, line)
            left_out = 6 / Fraction(2) ** line.bits
            absolute = left_out * exp_above(_tilt(loss, line))
        return exponential_sum(*weigh(terms), line, left_out, absolute)


@lru_cache(maxsize=16)
def laplace_transform(loss: LaplaceLoss, line: Line) -> Transform:
    """((1 + z)·e^(zε) + z·e^(-(1+z)ε))/(1 + 2z), for the Laplace loss of ε.

    As t grows, |1 + z|/|1 + 2z| falls, and |z|/|1 + 2z| grows to 1/2.
    """
    bits, order = line.bits, line.order
    if (1 + line.order) * loss.epsilon > MAX_POWER:
        raise ProofError("a contour's order makes the moments too large")
    with numbers.workprec(_bits_for(line)):
        epsilon = numbers.rational(loss.epsilon)
        real, step = numbers.rational(order), numbers.rational(line.step)
        values = []
        for node in range(line.last + 1):
            z = numbers.mpc(real, node * step)
            ends = (1 + z) * numbers.exp(z * epsilon) + z * numbers.exp(-(1 + z) * epsilon)
            values.append(ends / (1 + 2 * z))
        moment = round_up(numbers.above(values[0].real) * (1 + Fraction(2) ** -bits), bits)
        # Each summand is at most twice M(c), as |1 + z| <= |1 + 2z|: no digits cancel.
        points = fix_points([v / numbers.rational(moment) for v in values], bits)
    near = ((1 + order) ** 2 + line.height**2) / ((1 + 2 * order) ** 2 + 4 * line.height**2)
    top = exp_above(order * loss.epsilon + log_interval(near).upper / 2)
    tail = (top + exp_above(-(1 + order) * loss.epsilon) / 2) / moment
    return Transform(moment, points, min(round_up(tail, bits), Fraction(1)))


def _bits_for(line: Line) -> int:
    """Values of a loss, and the exponents of their chances, are at most about MAX_SIZE."""
    return working_bits(line, 4 * (1 + line.order + line.height) * MAX_SIZE)


def _bound(value: Fraction) -> Fraction:
    if abs(value) > MAX_SIZE:
        raise ProofError("a loss is larger than 2^20")
    return value


def _two_values(epsilon: Fraction, line: Line) -> list[Term]:
    """±ε with chances 1/(1 + e^∓ε)."""
    loss, order = numbers.rational(_bound(epsilon)), numbers.rational(line.order)
    common = -numbers.log1p(numbers.exp(-loss))
    return [(common + order * loss, loss), (common - (order + 1) * loss, -loss)]


def _laplace_values(loss: DiscreteLaplaceLoss, line: Line) -> list[Term]:
    """±rate·shift at both ends, rate·(2z - shift) for the z strictly between 0 and shift."""
    line.admit(loss.shift)
    whole = numbers.rational(_bound(loss.rate * loss.shift))
    rate, order = numbers.rational(_bound(loss.rate)), numbers.rational(line.order)
    common = -numbers.log1p(numbers.exp(-rate))
    if loss.shift == 0:
        return [(numbers.mpf(0), numbers.mpf(0))]
    terms = [(common + order * whole, whole), (common - (order + 1) * whole, -whole)]
    inside = common + numbers.log(-numbers.expm1(-rate))
    for z in range(1, loss.shift):
        value = rate * (2 * z - loss.shift)
        terms.append((inside - rate * (loss.shift - z) + order * value, value))
    return terms


def _tilt(loss: DiscreteGaussianLoss, line: Line) -> Fraction:
    return loss.shift**2 * line.order * (line.order + 1) / (2 * loss.variance)


def _gaussian_values(loss: DiscreteGaussianLoss, line: Line) -> list[Term]:
    """The values within a radius of the centre of the tilted law, shift·(1 + c).

    With v the variance, a radius R >= √(2v·bits) leaves out at most 3·2^-bits of Θ, the sum of
    all e^(-z²/(2v)), around any centre: Σ_{n>=1} e^(-(R+n-1/2)²/(2v)) <= e^(-R²/(2v))·(1 +
    √(πv/2)), while Θ >= 1 and Θ >= √(2πv). Hence M(c + it) is the sum of these values over the Θ
    of the same radius but for 6·2^-bits of M(c), and for 3·2^-bits·e^tilt.
    """
    variance, shift = loss.variance, loss.shift
    if _tilt(loss, line) > MAX_POWER:
        raise ProofError("a contour's order makes the moments too large")
    radius = isqrt(ceil(2 * variance * line.bits)) + 1
    line.admit(2 * radius)
    centre = shift * (1 + line.order)
    _bound(shift * (2 * centre + 2 * radius + shift + 2) / (2 * variance))
    spread = 2 * numbers.rational(variance)
    theta = 1 + 2 * numbers.fsum(numbers.exp(-(z**2) / spread) for z in range(1, radius + 1))
    common = numbers.rational(_tilt(loss, line)) - numbers.log(theta)
    middle = round(centre)
    return [
        (common - numbers.rational((z - centre) ** 2) / spread, shift * (2 * z - shift) / spread)
        for z in range(middle - radius, middle + radius + 1)
    ]
