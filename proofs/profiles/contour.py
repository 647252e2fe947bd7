"""The profile of any product of pairs, by the inverse Laplace transform along a vertical line.

For c > 0 and M(z) = E_P[e^(zL)] of the whole product, L finite,

    δ(ε) = (1/2π) ∫ F(t) dt,    F(t) = M(c+it)·e^(-(c+it)ε) / ((c+it)·(c+1+it)),

since (1/2πi) ∫ e^(zu)/(z(z+1)) dz = max(0, 1 - e^-u). The trapezoid rule of step h makes of it
S = (h/2π)·Σ F(jh), and Poisson's summation formula says S = Σ_m e^(2πmc/h)·δ(ε + 2πm/h), m over
all integers. It holds as F decays like 1/t², and the summands geometrically on both sides. They
are at least 0, so δ(ε) <= S; and those of m < 0 sum to at most x/(1-x) with x = e^(-2πc/h), as
δ <= 1. Those of m > 0 are bounded at any order d > c by max_u (1 - e^-u)·e^(-du) = d^d/(1+d)^(1+d)
(Chernoff): δ(ε') <= M(d)·e^(-dε')·d^d/(1+d)^(1+d).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any

from proofs.errors import ProofError
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    Losses,
    SampledGaussianLoss,
    Side,
)
from proofs.parameters import Count, Range, Whole, read_fields
from proofs.profiles.bulk import Bulk, enclose_bulk, log_tail, points_without_bulk
from proofs.profiles.method import Hint
from proofs.profiles.responses import infinite_mass
from proofs.profiles.sampled_moments import PI, Grid, sampled_transform
from proofs.profiles.sieve import Fall, fall_of, nearly_gaussian, sum_beyond
from proofs.profiles.transforms import (
    MAX_POWER,
    MAX_SIZE,
    MAX_WORK,
    Line,
    Points,
    Transform,
    discrete_transform,
    exp_above,
    fix_points,
    laplace_transform,
    working_bits,
)
from synthesizers.intervals import Interval, exp_interval, log_interval
from synthesizers.reals import numbers

Factor = tuple[int, Transform]

MAX_DIGITS = 256
"""Bits of the numerator and of the denominator of a number in a hint."""


def _is_short(value: Fraction) -> bool:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) <= MAX_DIGITS


Number = Annotated[Fraction, Range(lambda value: value > 0 and _is_short(value), "above 0, short")]
Short = Annotated[Fraction, Range(_is_short, "a number of fewer digits")]


def _read_bulk(given: Any, who: str) -> Bulk:
    """The samples that are taken out."""
    numbers = {name: Number for name in ("slope", "step", "height", "tail_height")}
    types = {"cut": Short, "power": Whole, "range": tuple[int, int], **numbers}
    own = read_fields(types, given, f"{who}: it")
    first, last = own.pop("range")
    return Bulk(first=first, last=last, **own)


def _read_grid(given: Any, who: str) -> Grid:
    """The grid of a sampled Gaussian loss."""
    numbers = {name: Number for name in ("step", "height", "tail_height")}
    types = {"left": Whole, "right": Whole, "bulk": Annotated[Bulk, _read_bulk] | None, **numbers}
    return Grid(**read_fields(types, given, f"{who}: it"))


HINT = {
    **{name: Number for name in ("order", "above", "step")},
    **{"bits": Whole, "nodes": Count, "reach": Count, "grids": list[Annotated[Grid, _read_grid]]},
}


def delta(losses: Losses, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of any product of the known losses, on one side.

    ``hint``: ``order`` c and ``above`` d > c; the ``step`` h and the last j, ``nodes``; ``bits``
    of the numbers; ``grids``, one for each sampled Gaussian in their order, with the fields of
    `Grid`; the ``reach``, a j up to which is looked at what lies beyond ``nodes``. Where one kind
    is sampled its grid may have a ``bulk``: the fields of `Bulk`, with ``range`` for the first and
    the last i. Without Gaussian or sampled Gaussian losses the enclosure is wide, unless there are
    losses on many lattices.

    Guarantee
    ---------
    δ lies inside, whatever the hint. Backed by the Gaussian's closed form, integrals computed by
    mpmath, and hostile hints in ``tests/proofs/profiles/test_contour.py``.
    """
    given = read_fields(HINT, hint, "the method contour")
    bits, last, reach, grids = (given[name] for name in ("bits", "nodes", "reach", "grids"))
    order, above, step = (given[name] for name in ("order", "above", "step"))
    line = Line(order, step, last, bits, len(losses))
    higher = Line(above, step, 0, bits, len(losses))
    if above <= order or not 0 <= epsilon <= MAX_SIZE:
        raise ProofError("the contour method needs above > order, and 0 <= epsilon <= 2^20")
    if len(losses) * last * 256 > MAX_WORK or not all(0 < count < 1 << 64 for count, _ in losses):
        raise ProofError("the contour method needs fewer losses or nodes, or smaller counts")
    needed = sum(isinstance(loss, SampledGaussianLoss) for _, loss in losses)
    if len(grids) != needed:
        raise ProofError(f"the contour method needs a list of {needed} grids")
    product = _product(losses, side, line, grids)
    size = product.log_moment() - order * epsilon
    found = product.sum(epsilon) * _exp(size)
    beyond = product.beyond(size, reach)
    whole = [replace(grid, bulk=None) for grid in grids]
    moment = _product(losses, side, higher, whole).log_moment()
    aliased = _bound_aliases(line, above, moment - above * epsilon)
    lower = max(found.lower - beyond - aliased, Fraction(0))
    upper = min(found.upper + beyond, Fraction(1))
    if lower > upper:
        raise ProofError("the contour method found no enclosure")
    for grid in grids:
        if grid.bulk is not None:
            apart = enclose_bulk(losses, side, epsilon, grid.bulk)
            lower, upper = lower + apart.lower, min(upper + apart.upper, Fraction(1))
    mass = infinite_mass(losses)
    # At most 1, and it grows with both: m + (1 - m)·δ.
    return Interval(
        mass.lower + (1 - mass.lower) * lower,
        min(mass.upper + (1 - mass.upper) * upper, Fraction(1)),
    )


@dataclass(frozen=True, slots=True)
class _Product:
    """Losses on a line: the ``transforms`` of some, and of the others the sum of their μ².

    The others are Gaussian losses, whose M(z) is e^(μ²z(z+1)/2), and ``near`` discrete ones for
    which this is nearly true; ``gaussian`` is the part of the former.
    """

    line: Line
    mu_squared: Fraction
    gaussian: Fraction
    near: int
    transforms: tuple[Factor, ...]
    falls: tuple[Fall, ...]

    def log_moment(self) -> Interval:
        """ln of a number that is at least M(c)."""
        power = self.mu_squared * self.line.order * (self.line.order + 1) / 2
        start = Interval(power, power)
        return sum((log_interval(each.moment) * count for count, each in self.transforms), start)

    def sum(self, epsilon: Fraction) -> Interval:
        """(h/2π)·Σ F(jh) over |j| <= J, divided by e^(-cε) and the number of `log_moment`."""
        line = self.line
        points = _kernel(self.mu_squared, epsilon, line)
        # A near one is right but for 8·2^-bits; and e^x - 1 <= 2x for x <= 1.
        points = replace(points, error=points.error + 16 * self.near)
        for count, each in self.transforms:
            points = points.times(points_without_bulk(each, count))
        # F(-t) is the conjugate of F(t).
        total = points.real[0] + 2 * sum(points.real[1:])
        error = (2 * line.last + 1) * points.error
        unit = line.step / (2 * line.order * (line.order + 1) * 2**line.bits)
        return Interval((total - error) * unit, (total + error) * unit) / PI

    def beyond(self, size: Interval, reach: int) -> Fraction:
        """At least (h/2π)·Σ |F(jh)| over |j| > J, given ln of the size of F."""
        line = self.line
        power = size.upper - self.gaussian * line.height**2 / 2
        for count, each in self.transforms:
            power += log_tail(each, count)
        return exp_above(power) * sum_beyond(self.falls, line, reach) / (PI.lower * line.step)


def _product(losses: Losses, side: Side, line: Line, grids: list[Grid]) -> _Product:
    """The losses on a line."""
    gaussian, discrete, near = Fraction(0), Fraction(0), 0
    transforms, falls = [], []
    remaining = iter(grids)
    for count, loss in losses:
        moment: Fraction | None = None
        if isinstance(loss, GaussianLoss):
            gaussian += count * loss.mu_squared
        elif isinstance(loss, DiscreteGaussianLoss) and nearly_gaussian(loss, line):
            discrete += count * loss.shift**2 / loss.variance
            near += count
        else:
            if isinstance(loss, SampledGaussianLoss):
                found = sampled_transform(loss, side, line, next(remaining))
            elif isinstance(loss, LaplaceLoss):
                found = laplace_transform(loss, line)
            elif isinstance(loss, AllocationLoss | FixedSizeLoss):
                raise ProofError(f"the contour method has no transform of a {loss.name} loss")
            else:
                found = discrete_transform(loss, line)
            transforms.append((count, found))
            moment = found.moment
        fall = fall_of(count, loss, line.order, moment)
        falls += [fall] if fall else []
    mu_squared = gaussian + discrete
    return _Product(line, mu_squared, gaussian, near, tuple(transforms), tuple(falls))


def _exp(power: Interval) -> Interval:
    if max(abs(power.lower), abs(power.upper)) > MAX_POWER:
        raise ProofError("the contour method needs an order that fits epsilon better")
    return Interval(exp_interval(power.lower).lower, exp_interval(power.upper).upper)


def _kernel(mu_squared: Fraction, epsilon: Fraction, line: Line) -> Points:
    """c(c+1)·e^(-itε)/(z(z+1)), z = c + it, times the Gaussians' M(z)/M(c), at the nodes t."""
    order, turn = line.order, mu_squared * (2 * line.order + 1) / 2 - epsilon
    reach = (1 + line.height) * (1 + abs(turn) + line.height * mu_squared)
    if reach > MAX_SIZE**3:
        raise ProofError("the contour method needs fewer nodes")
    with numbers.workprec(working_bits(line, reach)):
        real, step, square, drift = map(numbers.rational, (order, line.step, -mu_squared / 2, turn))
        whole, values = numbers.rational(order * (order + 1)), []
        for node in range(line.last + 1):
            t = node * step
            z = numbers.mpc(real, t)
            power = numbers.mpc(square * t * t, drift * t)
            values.append(whole / (z * (z + 1)) * numbers.exp(power))
        return fix_points(values, line.bits)


def _bound_aliases(line: Line, above: Fraction, power: Interval) -> Fraction:
    """At least the summands of S other than δ(ε), given ln M(d) - dε or more for d = ``above``."""
    left = exp_above(-2 * PI.lower * line.order / line.step)
    right = exp_above(-2 * PI.lower * (above - line.order) / line.step)
    if 2 * max(left, right) > 1:
        raise ProofError("the contour method needs a smaller step")
    power = power + log_interval(above / (1 + above)) * above - log_interval(1 + above)
    return left / (1 - left) + right / (1 - right) * exp_above(power.upper)
