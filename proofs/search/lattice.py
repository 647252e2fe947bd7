"""Hints for the lattice method, and the ε of a δ from both sides by it.

All in doubles and untrusted: the method encloses the profile whatever it is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.errors import ProofError
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    Side,
)
from proofs.profiles.fixed_size_grid import REACHES, is_far, sketch
from proofs.profiles.grid import MAX_POINTS
from proofs.profiles.lattice import delta
from proofs.search.float_moments import log_moment, minimize
from proofs.search.start import estimate_epsilon
from synthesizers.intervals import Interval, log_interval, round_down

Reals = npt.NDArray[np.float64]
Points = tuple[Reals, Reals]
"""The values of a loss, and the logarithms of their P-masses."""

SIZE = 1 << 19
"""Points of a lattice on which losses are rounded."""

ROUGH = 1 << 15
"""Points on the way to an ε."""

OUTSIDE, ROUNDED_OUTSIDE = 42.0, 28.0
"""ln of how little of the tilted law lies outside the window; where losses are rounded, less."""

FEWER = 2
"""So many times fewer points are used where there is an allocation, which has its own in each."""

FAR = 8.0
"""A loss of an allocation that is hardly exceeded."""

WORK = 1 << 23
"""The points of all losses together beyond which there are fewer for each."""

CELLS = 64
"""Points that stand for a continuous loss."""

ORDERS = math.log(1e-3), math.log(1e5)
"""Logarithms of the orders among which the tilt is looked for."""

ROOM = 8
"""Points beyond those needed."""

MOST_EXPONENT = 5e5
"""The largest product of an order and an ε."""

LEAST_TURN, MOST_POWER = 1e-6, 200.0
"""The least order at which a tail is bounded; the most, times the largest loss."""

BITS = 80
"""Significant bits of an ε that is tried."""

LEAST_MOVE = Fraction(1, 10**10)
"""The relative step at which a search on a rough lattice ends."""

LEAST_RISE = Fraction(1, 10**5)
"""The least relative step over which a slope is told from the noise of a rough lattice."""

NEAR_ZERO = Fraction(1, 1000)
"""The ε from which on a step is measured relative to it."""

MARGIN = 0.6
"""How far from the middle an end is tried, as a share of the width of the enclosure there."""

NEAR_LARGEST = Fraction(1, 10**10)
"""Where the ε of a δ is so close to the largest loss, nothing closer is looked for."""

MAX_STEPS = 30
"""Evaluations after which a search for an ε gives up."""


def hint(losses: Losses, side: Side, epsilon: Fraction, size: int = SIZE) -> dict[str, Any]:
    """A hint under which the lattice method is narrow at an ε.

    ``size``: the points of the lattice where losses have to be rounded.
    """
    del side  # The moments of an allocation are nearly the same on both.
    parts: list[tuple[int, Callable[[float], float]]] = []
    squared = float(
        sum(k * loss.mu_squared for k, loss in losses if isinstance(loss, GaussianLoss))
    )

    def moment(order: float) -> float:
        return sum(count * one(order) for count, one in parts)

    def height(log_order: float) -> float:
        c = math.exp(log_order)
        lift = moment(c) + squared * c * (c + 1) / 2
        return lift - c * float(epsilon) - math.log(c) - math.log1p(c)

    largest_order = min(ORDERS[1], math.log(MOST_EXPONENT / (1 + float(epsilon))))
    samples = [(max(n, 1), loss) for n, loss in losses if isinstance(loss, FixedSizeLoss)]
    for far in REACHES:
        parts = [(count, one) for count, loss in losses if (one := _moment(loss, far))]
        order = math.exp(minimize(height, ORDERS[0], largest_order))
        if all(is_far(loss, far, order, count) for count, loss in samples):
            break
    at_order = moment(order)
    largest = max((_size(loss, far) for _, loss in losses), default=0.0) or 1.0
    most = math.log(MOST_POWER / largest)

    def reach(turn: float, sign: int, outside: float) -> float:
        """How far the tilted law reaches up (1) or down (-1), by Chernoff's bound at one order."""
        return (moment(order + sign * turn) - at_order + outside) / turn

    def best(measure: Callable[[float], float], most: float) -> float:
        return math.exp(minimize(lambda turn: measure(math.exp(turn)), math.log(LEAST_TURN), most))

    exact = _exact_step(losses)
    outside = (OUTSIDE if exact else ROUNDED_OUTSIDE) + math.log1p(order * order)
    above = best(lambda turn: reach(turn, 1, outside), most)
    top = reach(above, 1, outside)
    if squared:
        below = best(lambda turn: reach(turn, -1, outside), most)
        bottom, width = -reach(below, -1, outside), top + reach(below, -1, outside)
    else:
        # The window begins at ε, and what lies below is small where it is folded in.
        def needed(turn: float) -> float:
            return float(epsilon) + reach(turn, -1, outside)

        below = best(needed, min(most, math.log(order)))
        bottom, width = float(epsilon), max(top - float(epsilon), needed(below), 1e-9)
    # A power of two again: as many points as keep the work in bounds.
    if any(isinstance(loss, AllocationLoss) for _, loss in losses):
        size //= FEWER
    size = min(size, 1 << max(WORK // max(len(losses), 1), ROOM * 2).bit_length() - 1)
    step, size = _step(losses, exact, width, size)
    start = epsilon if not squared else Fraction(bottom).limit_denominator(10**9) - 2 * step
    return {
        "step": str(step),
        "order": _text(order),
        "size": size,
        "start": str(start),
        "above": _text(above),
        "below": _text(below),
    }


def epsilon_bracket(
    losses: Losses, wanted: Fraction, side: Side = "remove"
) -> tuple[Fraction, Fraction]:
    """(lower, upper) with δ(lower) > ``wanted`` or lower = 0, and δ(upper) <= ``wanted``.

    Both are certified by the lattice method at the hints that `hint` gives there; they are about
    as close as it is narrow. Raises ProofError where no such ε is found.
    """
    if profile(losses, side, Fraction(0), ROUGH).upper <= wanted:
        return Fraction(0), Fraction(0)
    largest = _largest(losses)
    if largest is not None:
        near = round_down(largest - _below_largest(losses, wanted), BITS)
        close = 0 < largest - near <= NEAR_LARGEST
        if close and profile(losses, side, near, ROUGH).lower > wanted:
            return near, largest
    goal, slope = _solve_roughly(losses, side, wanted, estimate_epsilon(losses, wanted))
    for _ in range(2):
        found = profile(losses, side, goal)
        goal = _next(goal, found, wanted, slope)
    reach = Fraction((_log(found.upper) - _log(found.lower)) / slope * MARGIN) + goal / 10**14
    upper = _move_until(goal, reach, lambda at: profile(losses, side, at).upper <= wanted)
    upper = upper if largest is None else min(upper, largest)
    return _move_until(goal, -reach, lambda at: profile(losses, side, at).lower > wanted), upper


def _move_until(start: Fraction, move: Fraction, holds: Callable[[Fraction], bool]) -> Fraction:
    """The first of ``start`` + move·(1, 4, 16, …) where a condition holds, or 0 below 0."""
    for quadrupling in range(MAX_STEPS):
        at = start + move * 4**quadrupling
        if at <= 0:
            return Fraction(0)
        if holds(at := round_down(at, BITS)):
            return at
    raise ProofError("no epsilon could be certified at this delta")


def profile(losses: Losses, side: Side, epsilon: Fraction, size: int = SIZE) -> Interval:
    """The enclosure of δ(ε) at the hint for it."""
    return delta(losses, side, epsilon, hint(losses, side, epsilon, size))


def _next(at: Fraction, found: Interval, wanted: Fraction, slope: float) -> Fraction:
    """Newton's step towards the ε of a δ, given by how much -ln δ grows with ε."""
    middle = _log((found.lower + found.upper) / 2)
    return max(round_down(at + Fraction((middle - _log(wanted)) / slope), BITS), Fraction(0))


def _solve_roughly(
    losses: Losses, side: Side, wanted: Fraction, start: Fraction
) -> tuple[Fraction, float]:
    """The ε of a δ on a rough lattice, and by how much -ln δ grows with ε there."""
    seen: list[tuple[Fraction, float]] = []
    at, slope = max(start, NEAR_ZERO), 1.0
    low, high = Fraction(0), _largest(losses)
    for _ in range(MAX_STEPS):
        found = profile(losses, side, at, ROUGH)
        size = _log((found.lower + found.upper) / 2)
        low, high = (at, high) if size > _log(wanted) else (low, at)
        if seen and abs(seen[-1][0] - at) > LEAST_RISE * at:
            other, before = seen[-1]
            slope = max((before - size) / float(at - other), 0.01)
        seen.append((at, size))
        aim = _next(at, found, wanted, slope) if len(seen) > 1 else at * 1025 / 1024
        if high is not None and not low <= aim <= high:
            aim = (low + high) / 2
        if abs(aim - at) <= LEAST_MOVE * max(at, NEAR_ZERO):
            break
        at = aim
    return at, slope


def _largest(losses: Losses) -> Fraction | None:
    """The largest value of a sum of losses; None where there is none."""
    total = Fraction(0)
    for count, loss in losses:
        match loss:
            case LaplaceLoss(epsilon) | ResponseLoss(epsilon):
                total += count * epsilon
            case DiscreteLaplaceLoss(rate, shift):
                total += count * rate * shift
            case _:
                return None
    return total


def _below_largest(losses: Losses, wanted: Fraction) -> Fraction:
    """How far below the largest loss, of a chance p, p·(1 - e^(ε - largest)) is a wanted δ."""
    power = 0.0
    for count, loss in losses:
        if isinstance(loss, LaplaceLoss):
            power -= count * math.log(2)
        elif isinstance(loss, ResponseLoss | DiscreteLaplaceLoss):
            rate = loss.epsilon if isinstance(loss, ResponseLoss) else loss.rate
            power -= count * math.log1p(math.exp(-rate))
    share = math.exp(min(_log(wanted) - power, 0.0))
    return Fraction(-math.log1p(-share) * 1.001) if share < 1 else Fraction(1)


def _points(loss: Loss, far: int) -> Points | None:
    """Some points that stand for a loss; None for a Gaussian one, or one that is always 0."""
    match loss:
        case LaplaceLoss(epsilon) if epsilon:
            e, share = float(epsilon), (np.arange(CELLS, dtype=np.float64) + 0.5) / CELLS
            inner = math.log(-math.expm1(-e / CELLS) / 2) - e * np.arange(CELLS) / CELLS
            masses = np.concatenate([[-math.log(2)], inner, [-math.log(2) - e]])
            return np.concatenate([[e], e - 2 * e * share, [-e]]), masses
        case ResponseLoss(epsilon) if epsilon:
            return _points(DiscreteLaplaceLoss(epsilon, 1), far)
        case DiscreteLaplaceLoss(rate, shift) if shift:
            number = np.arange(shift + 1, dtype=np.float64)
            masses = -float(rate) * number
            masses[1:-1] += math.log(-math.expm1(-float(rate)))
            return float(rate) * (shift - 2 * number), masses - float(np.logaddexp.reduce(masses))
        case DiscreteGaussianLoss(variance, shift) if shift:
            v = float(variance)
            reach = math.ceil(17 * math.sqrt(v)) + 1
            number = np.arange(-reach, reach + 1, max(1, reach // CELLS), dtype=np.float64)
            weights = -number * number / (2 * v)
            return (number + shift / 2) * shift / v, weights - float(np.logaddexp.reduce(weights))
        case FixedSizeLoss():
            return sketch(loss, far)
        case _:
            return None


def _moment(loss: Loss, far: int = REACHES[-1]) -> Callable[[float], float] | None:
    """ln E_P[e^(order·L)], about; None for a Gaussian loss, or one that is always 0.

    ``far``: how far a Gaussian on a sample of a fixed size is looked at.
    """
    if isinstance(loss, AllocationLoss):
        # Between the orders -1 and 0 it is nearly 0, and about even around their middle.
        return lambda order: log_moment(loss, max(order, -1 - order, 1e-9))
    points = _points(loss, far)
    if points is None:
        return None
    values, masses = points
    return lambda order: float(np.logaddexp.reduce(masses + order * values))


def _size(loss: Loss, far: int) -> float:
    """The largest |loss|, or a usual one; 0 where it is always 0, or Gaussian."""
    if isinstance(loss, AllocationLoss):
        return FAR
    points = _points(loss, far)
    return 0.0 if points is None else float(np.max(np.abs(points[0])))


def is_exact(losses: Losses) -> bool:
    """Whether there is a lattice on which no loss has to be rounded, and that is not too fine."""
    step = _exact_step(losses)
    return step is not None and step * SIZE >= 1


def _exact_step(losses: Losses) -> Fraction | None:
    """The largest step of at most 1 on whose lattice all losses lie; None for continuous ones."""
    if any(isinstance(loss, LaplaceLoss | AllocationLoss | FixedSizeLoss) for _, loss in losses):
        return None
    spacings = [spacing for _, loss in losses if (spacing := _spacing(loss))]
    common = reduce(_common, spacings, Fraction(0)) or Fraction(1)
    return common / math.ceil(common)


def _step(losses: Losses, exact: Fraction | None, width: float, size: int) -> tuple[Fraction, int]:
    """A step, and a number of points of a lattice that is at least so wide."""
    spacings = {spacing: count for count, loss in losses if (spacing := _spacing(loss))}
    continuous = [loss.epsilon for _, loss in losses if isinstance(loss, LaplaceLoss)]
    if exact and width / float(exact) + ROOM <= SIZE:
        step = exact
    else:
        finest = max(width / (size - ROOM), 2.1 * float(max(continuous, default=0)) / MAX_POINTS)
        step = _rounding_step(spacings, continuous, Fraction(finest).limit_denominator(10**15))
    needed = math.ceil(width / float(step)) + ROOM
    return step, 1 << (needed - 1).bit_length()


def _rounding_step(
    spacings: dict[Fraction, int], continuous: list[Fraction], least: Fraction
) -> Fraction:
    """A step of at least ``least`` on whose lattice losses lie as nearly as may be."""
    for wanted in ([*spacings, *continuous], [*spacings]):
        common = reduce(_common, wanted, Fraction(0))
        if common >= least:
            return common / max(math.floor(common / least), math.ceil(common))
    if not spacings:
        # The bottom of each is off the lattice by less than a step: an error of second order.
        return least
    return _nearly_common(spacings, least)


def _nearly_common(spacings: dict[Fraction, int], least: Fraction) -> Fraction:
    """A step above ``least`` that divides the first spacing, and nearly the others."""
    base = max(spacings, key=lambda spacing: (spacings[spacing], spacing))
    most = math.floor(base / least)
    if most < 1:
        return least
    number = np.arange(max(most // 2, 1), most + 1, dtype=np.float64)
    misfit = np.zeros(len(number))
    for spacing, count in spacings.items():
        places = number * float(spacing / base)
        misfit += count * (np.ceil(places - 1e-9) - places)
    return base / int(number[np.argmin(misfit / number)])


def _spacing(loss: Loss) -> Fraction | None:
    """The distance of neighbouring values of a discrete loss; None for another."""
    match loss:
        case ResponseLoss(epsilon) if epsilon:
            return 2 * epsilon
        case DiscreteLaplaceLoss(rate, shift) if shift:
            return 2 * rate
        case DiscreteGaussianLoss(variance, shift) if shift:
            return Fraction(shift) / variance
        case _:
            return None


def _common(one: Fraction, other: Fraction) -> Fraction:
    """The largest number of which both are multiples."""
    bottom = math.lcm(one.denominator, other.denominator)
    return Fraction(math.gcd(int(one * bottom), int(other * bottom)), bottom)


def _text(value: float) -> str:
    return str(Fraction(value).limit_denominator(10**6) or Fraction(1, 10**6))


def _log(value: Fraction) -> float:
    if value <= 0:
        return -700.0
    found = log_interval(value, 64)
    return float((found.lower + found.upper) / 2)
