"""The moment transform of a Gaussian on a Poisson sample, by the trapezoid rule.

With g(x) = 1 - q + q·e^(μx - μ²/2), the loss is L = σ·ln g for an x of law N(0, 1), weighted by
g on ``remove`` where σ = 1; on ``add`` σ = -1. So M(c + it) = ∫ φ(x)·g(x)^β·e^(itL) dx with
β = 1 + c on remove and β = -c on add. The line of integration is moved up to height v (down on
add), 0 <= v, μv <= π/2, where g keeps to the quadrant of positive real and imaginary part:

- |g(x + iv)| <= g(x), and |g(x + iv)| >= 1 - q, so |g^β| <= g(x)^β, or (1-q)^β on add;
- |e^(itL)| = e^(-t·|arg g|) <= 1 for t >= 0;
- |φ(x + iv)| = e^(v²/2)·φ(x).

All integrals of the modulus on such lines are at most e^(v²/2)·κ·M(c), with κ = 1 on remove. On
add κ may be (1-q)^-c, as M(c) >= 1, or cos(μv/2)^-c, as |g(x + iv)| >= g(x)·cos(μv/2): for
A, B >= 0, |A + Be^(iθ)|² = (A + B)² - 4AB·sin²(θ/2) and 4AB <= (A + B)².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt

from proofs.errors import ProofError
from proofs.losses import SampledGaussianLoss, Side
from proofs.profiles.bulk import Bulk
from proofs.profiles.transforms import (
    MAX_POWER,
    MAX_SIZE,
    Line,
    Term,
    Transform,
    exp_above,
    exponential_sum,
    weigh,
    working_bits,
)
from synthesizers.intervals import (
    GUARD_BITS,
    WORKING_BITS,
    enclose,
    exp_interval,
    log_interval,
)
from synthesizers.reals import numbers

PI = enclose(lambda at: at.pi(), WORKING_BITS + GUARD_BITS, WORKING_BITS)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the integrand is evaluated: x = i·step for -left <= i <= right.

    ``height``: of the line for M; ``tail_height`` <= height: of that for the bound beyond the
    last node. ``bulk``: which samples are taken out, if any.
    """

    step: Fraction
    left: int
    right: int
    height: Fraction
    tail_height: Fraction
    bulk: Bulk | None = None

    def __post_init__(self) -> None:
        if not (0 < self.step <= MAX_SIZE and 0 < self.tail_height <= self.height <= MAX_SIZE):
            raise ProofError("a grid needs a positive step, and 0 < tail height <= height")
        if self.left < 0 or self.right < 0:
            raise ProofError("a grid needs 0 <= left, right")
        if self.step * max(self.left, self.right) > MAX_SIZE:
            raise ProofError("a grid reaches beyond 2^20")

    @property
    def indices(self) -> range:
        """The i of its points."""
        return range(-self.left, self.right + 1)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Its first and its last point."""
        return -self.step * self.left, self.step * self.right


@lru_cache(maxsize=8)
def sampled_transform(loss: SampledGaussianLoss, side: Side, line: Line, grid: Grid) -> Transform:
    """M on the line, with the bound of |M| beyond it. Raises ProofError where the grid fails.

    The trapezoid rule of step η errs by at most 2N/(e^(2πa/η) - 1) for an integrand that is
    analytic in a strip of half-width a, with ∫|·| <= N along its lines (Trefethen & Weideman 2014,
    Theorem 5.1). For M itself, the strip is that of heights 0 to 2a around height a. Beyond the
    last node T = Jh, |M(c + it)| is at most the integral of the modulus at the tail height v with
    t = T, since the modulus falls in t. That integrand is analytic, too: it is φ-weighted
    g(x + iv)^((β+iT)/2)·g(x - iv)^((β-iT)/2) on both sides. At a height b of its strip |b| <= a the
    first argument, of angle μ(b + v), exceeds the second, of μ(b - v), for both lie within ±π/2
    and arg g grows with the angle there: so e^(-T·arg) is at most 1 again.
    """
    line.admit(grid.left + grid.right + 1)
    # 4aμ <= π covers both strips, 2aμ <= π/2 and (a + v)μ <= π/2.
    if 16 * grid.height**2 * loss.mu_squared > Fraction("9.869") or loss.mu_squared > MAX_SIZE:
        raise ProofError("a grid needs height at most π/(4μ), and μ at most 2^10")
    relative, absolute = _errors(loss, side, line.order, grid)
    with numbers.workprec(_precision(loss, line, grid.step, grid.ends, grid.height)):
        terms = _terms(loss, side, line, grid.step, grid.indices, grid.height)
        found = exponential_sum(*weigh(terms), line, relative, absolute)
        height = numbers.rational(line.height)
        sizes = [
            numbers.exp(numbers.re(exponent) - height * numbers.im(value))
            for exponent, value in _terms(
                loss, side, line, grid.step, grid.indices, grid.tail_height
            )
        ]
        # What is added is more than the error of the sum.
        modulus = numbers.fsum(sizes)
        modulus = numbers.above(numbers.ldexp(1 + modulus, -line.bits) + modulus)
    tail = min(Fraction(1), (modulus + absolute) / found.moment + relative)
    rest = None if grid.bulk is None else _rest(loss, side, line, grid.bulk, found.moment)
    return Transform(found.moment, found.points, tail, rest)


def _rest(
    loss: SampledGaussianLoss, side: Side, line: Line, bulk: Bulk, moment: Fraction
) -> Transform:
    """R on the line, in units of M's ``moment``: as `sampled_transform`, but for the ramp Φ.

    A line at height v weighs it by e^(λ²v²/2) at most. The tail is bounded by the integral of
    e^(λ²v²/2)·Φ(λ(x - b)) times the modulus of the other factors; in its strip of half-width a
    heights are v + a at most.
    """
    height, tail = bulk.height, bulk.tail_height
    indices = range(bulk.first, bulk.last + 1)
    line.admit(len(indices))
    most = max(2 * height, height + tail)
    if 4 * most**2 * loss.mu_squared > Fraction("9.869") or loss.mu_squared > MAX_SIZE:
        raise ProofError("a bulk needs heights at most π/(4μ), and μ at most 2^10")
    ends = bulk.step * bulk.first, bulk.step * bulk.last
    spread, weights = _spread(loss, side, line.order, ends, most)
    strip = exp_interval(min(2 * PI.lower * height / bulk.step, MAX_POWER)).lower - 1
    if strip < 1:
        raise ProofError("a bulk needs a smaller step")
    relative = 2 * exp_above(bulk.lift(2 * height) + bulk.lift(height) + spread) / strip
    start, reach = bulk.slope * (bulk.cut - ends[0]), bulk.reach(line.bits + 10)
    if 2 * relative > 1 or start > reach:
        raise ProofError("a bulk's grid is too coarse, or begins too far to the left")
    # The ramp is known to 2^-(bits + 10).
    fine = exp_above(bulk.lift(height) + spread) / 2 ** (line.bits + 8)
    top = exp_above(bulk.lift(max(height, tail)))
    absolute = (relative + fine) * moment + top * (
        exp_above(weights[0] - start**2 / 2) / (4 * bulk.slope)
        + exp_above(weights[1] - ends[1] ** 2 / 2) / 2
    )
    sign = 1 if side == "remove" else -1
    with numbers.workprec(
        _precision(loss, line, bulk.step, ends, most) + ceil(2 * bulk.lift(most))
    ):
        summands, losses = weigh(_terms(loss, side, line, bulk.step, indices, height))
        ramps = [bulk.ramp(i, sign * height, reach) for i in indices]
        summands = [weight * ramp for weight, ramp in zip(summands, ramps, strict=True)]
        found = exponential_sum(summands, losses, line, Fraction(0), absolute)
        last = numbers.rational(line.height)
        sizes = [
            numbers.exp(numbers.re(exponent) - last * numbers.im(value))
            * numbers.re(bulk.ramp(i, Fraction(0), reach))
            for i, (exponent, value) in zip(
                indices, _terms(loss, side, line, bulk.step, indices, tail), strict=True
            )
        ]
        modulus = numbers.above(numbers.fsum(sizes) * (1 + numbers.ldexp(1, -line.bits)))
    modulus *= exp_above((bulk.slope * tail) ** 2 / 2)
    share = min(Fraction(1), (modulus + absolute) / moment)
    return Transform(moment, found.points.scaled(found.moment / moment), share)


def _errors(
    loss: SampledGaussianLoss, side: Side, order: Fraction, grid: Grid
) -> tuple[Fraction, Fraction]:
    """The errors of both sums: relative to M(c), of the trapezoid rule; absolute, of its ends.

    At heights up to a, what lies left of -X <= 0 is at most e^(a²/2)·e^(-X²/2)/2, on add (1-q)^-c
    times that, because g <= 1 there on remove. So is what lies right of X on add; on remove φ·g^β
    falls at least as e^(-(x-X)²/2) from X >= βμ on: its logarithm has the derivative
    -x + βμ·(q·e^(μx-μ²/2)/g). Heights reach 2a in the strips, and cos(μa) >= 1 - (μa)²/2.
    """
    lift = grid.height**2 / 2
    spread, weights = _spread(loss, side, order, grid.ends, 2 * grid.height)
    absolute = Fraction(0)
    for weight, end in zip(weights, grid.ends, strict=True):
        absolute += exp_above(lift + weight - end**2 / 2) / 2
    strip = exp_interval(min(2 * PI.lower * grid.height / grid.step, MAX_POWER)).lower - 1
    if strip < 1:
        raise ProofError("a grid needs a smaller step")
    return 2 * exp_above(4 * lift + spread) / strip, absolute


def _spread(
    loss: SampledGaussianLoss,
    side: Side,
    order: Fraction,
    ends: tuple[Fraction, Fraction],
    most: Fraction,
) -> tuple[Fraction, tuple[Fraction, Fraction]]:
    """ln κ, and at least ln g^β at both ends and beyond; ``most``: the largest height."""
    if side == "add":
        turn = loss.mu_squared * most**2 / 8
        spread = -order * log_interval(max(1 - loss.fraction, 1 - turn)).lower
        return spread, (-order * log_interval(1 - loss.fraction).lower,) * 2
    beta = 1 + order
    if ends[1] < 0 or ends[1] ** 2 < beta**2 * loss.mu_squared:
        raise ProofError("a grid needs to reach (1 + order)·μ to the right")
    mu = Fraction(isqrt(ceil(loss.mu_squared * 2**128)) + 1, 1 << 64)
    weights = []
    for end in ends:
        power = mu * end if end > 0 else Fraction(0)
        density = 1 - loss.fraction + loss.fraction * exp_above(power - loss.mu_squared / 2)
        weights.append(max(beta * log_interval(density).upper, Fraction(0)))
    return Fraction(0), (weights[0], weights[1])


def _precision(
    loss: SampledGaussianLoss,
    line: Line,
    step: Fraction,
    ends: tuple[Fraction, Fraction],
    most: Fraction,
) -> int:
    """Exponents err by a few units of the last place of what they are summed of.

    Those are x², v², μx, μv, μ² and ln of the step and of 1 - q, times at most 2 + c + T; ln g
    is as good as its exponents because no digits cancel in g.
    """
    reach = max(-ends[0], ends[1]) ** 2 + most**2 + loss.mu_squared
    digits = sum(
        part.bit_length()
        for number in (loss.fraction, 1 - loss.fraction, step)
        for part in (number.numerator, number.denominator)
    )
    return working_bits(line, 4 * (2 + line.order + line.height) * (16 + reach + digits))


def _terms(
    loss: SampledGaussianLoss,
    side: Side,
    line: Line,
    step: Fraction,
    indices: range,
    height: Fraction,
) -> Sequence[Term]:
    """The summands of the trapezoid rule at a height: weights, and values of the loss."""
    sign = 1 if side == "remove" else -1
    beta = numbers.rational(1 + line.order if side == "remove" else -line.order)
    mu = numbers.sqrt(numbers.rational(loss.mu_squared))
    fraction, spacing = numbers.rational(loss.fraction), numbers.rational(step)
    rest, half = numbers.rational(1 - loss.fraction), numbers.rational(loss.mu_squared / 2)
    common = numbers.log(spacing) - numbers.log(2 * numbers.pi()) / 2
    terms = []
    for i in indices:
        x = numbers.mpc(i * spacing, sign * numbers.rational(height))
        value = numbers.log(rest + fraction * numbers.exp(mu * x - half))
        terms.append((common - x * x / 2 + beta * value, sign * value))
    return terms
