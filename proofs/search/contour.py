"""Hints for the contour method, and the ε of a δ from both sides by it.

All in doubles and untrusted: the method encloses the profile whatever it is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from proofs.errors import ProofError
from proofs.losses import (
    SIDES,
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    SampledGaussianLoss,
    Side,
)
from proofs.profiles import contour
from proofs.profiles.responses import infinite_mass
from proofs.profiles.sieve import MAX_HEIGHT, MAX_REACH, Fall, fall_of
from proofs.profiles.transforms import MAX_NODES, MAX_TERMS, MAX_WORK
from proofs.search.float_moments import SampledInDoubles, log_moment, minimize
from proofs.search.start import estimate_epsilon
from synthesizers.intervals import Interval, log_interval, round_down

ROUGH, FINE = 5, 13
"""Digits of a profile on the way to an ε, and at its ends."""

FEWER_DIGITS = (9, 6, 4, 2)
"""Digits to which a hint aims where more would take too many nodes."""

SMALLER_ORDERS = (1.0, 0.2, 0.02)
"""Shares of the saddle's order that are tried where there the grids are too large."""

MARGIN = 8.0
"""How far below a δ, in natural logarithms, a profile is of no interest."""

LEAST_LOG = -120.0
"""The logarithm of a profile below which all is of no interest."""

MAX_STEPS = 12
"""Steps after which a search for an ε gives up."""

LEAST_MOVE = Fraction(1, 10**9)
"""The step of the secant method after which the next is of no interest."""

SMALL = Fraction(1, 10)
"""The ε below which it is looked at first whether 0 is enough."""

NEAR = Fraction(1, 100)
"""The step of the secant method after which the profile is needed to all digits."""

MOST_ORDER = 1e6
"""The largest order that is looked at."""

MOST_CELLS = 1 << 24
"""The most cells of the first width in a sieve, about two seconds."""

MOST_NODES = 1 << 10
"""The most nodes after which a sieve begins."""

TYPICAL_BITS = 80
"""About the bits of a line."""

LARGE = 0.004
"""A mean of the modulus after the last node with which a contour finds too little."""

NEAR_NODES = 1 << 12
"""The nodes after the last that tell whether there are enough of them."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An enclosed profile, and the order of the line."""

    value: Interval
    order: float


def contour_hint(
    losses: Losses,
    side: Side,
    epsilon: Fraction,
    delta: Fraction | None = None,
    digits: int = FINE,
) -> dict[str, Any]:
    """A hint with which the contour method finds δ(ε) on a side to about so many digits.

    ``delta``: where the profile is far below it, two digits of it are enough. Plain data. Raises
    ProofError where none is found.
    """
    at = float(epsilon)

    def moment(loss: Loss, order: float) -> float:
        if isinstance(loss, SampledGaussianLoss):
            return SampledInDoubles.of(loss, side).log_moment(order)
        return log_moment(loss, order)

    def power(order: float) -> float:
        return sum(count * moment(loss, order) for count, loss in losses) - order * at

    enough = LEAST_LOG
    if delta is not None:
        enough = _log(max(delta - infinite_mass(losses).upper, delta / 10**6)) - MARGIN
    saddle, close = _order(power, enough)
    guess = _guess(power, saddle)
    tried = [digits, *(fewer for fewer in FEWER_DIGITS if fewer < digits)] if close else [2]
    refusal = ProofError("the contour method found no hint")
    for share in SMALLER_ORDERS:
        for wanted in tried:
            try:
                return _hint(losses, side, power, share * saddle, guess, wanted)
            except ProofError as error:
                refusal = error
    raise refusal


def _guess(power: Callable[[float], float], order: float) -> float:
    """ln δ by the saddle-point method."""
    size, near = power(order), order * 1e-3
    bend = max((power(order + near) - 2 * size + power(order - near)) / near**2, 0.0)
    bend += 1 / order**2 + 1 / (1 + order) ** 2
    return min(size - math.log(order * (order + 1)) - math.log(math.tau * bend) / 2, 0.0)


def _hint(
    losses: Losses,
    side: Side,
    power: Callable[[float], float],
    order: float,
    guess: float,
    digits: int,
) -> dict[str, Any]:
    goal = guess - digits * math.log(10)
    order, above, step = _line(power, order, goal)
    sampled = [
        (count, SampledInDoubles.of(loss, side), digits * math.log(10) + math.log(count) + 6)
        for count, loss in losses
        if isinstance(loss, SampledGaussianLoss)
    ]
    strips = [own.strip(above, aim) for _, own, aim in sampled]
    limited = [
        (count, own, strip[0]) for (count, own, _), strip in zip(sampled, strips, strict=True)
    ]
    squared = sum(count * float(x.mu_squared) for count, x in losses if isinstance(x, GaussianLoss))
    nodes = reach = 0
    lifts: list[float] = []
    if squared or sampled or not _periodic(losses):
        height, lifts = _height(squared, limited, order, goal - power(order))
        nodes = reach = max(1, math.ceil(height / step))
    if not nodes or (nodes > _most_nodes(losses, height) and not sampled):
        nodes, reach = _Far.of(losses, order, step).ends(goal - power(order))
    grids = [
        _grid(own, (order, above), aim, strip, lift)
        for (_, own, aim), strip, lift in zip(sampled, strips, lifts, strict=True)
    ]
    points = max((grid["left"] + grid["right"] + 1 for grid in grids), default=1)
    if (
        nodes > MAX_NODES
        or points > MAX_TERMS // len(losses)
        or points * nodes > MAX_WORK // len(losses)
    ):
        raise ProofError("the contour method needs too many nodes")
    most = sum(count for count, _ in losses)
    bits = math.ceil(digits * math.log2(10) + math.log2(most * points * nodes)) + 24
    return {
        "order": _text(order),
        "above": _text(above),
        "step": _text(step),
        "nodes": nodes,
        "bits": max(bits, 32),
        "grids": grids,
        "reach": reach,
    }


def epsilon_bracket(losses: Losses, delta: Fraction) -> tuple[Fraction, Fraction]:
    """(lower, upper): δ(upper) <= ``delta`` on both sides, δ(lower) > delta on one or lower = 0.

    Both are certified. Raises ProofError where no such ends are found.
    """

    def at(side: Side, epsilon: Fraction, digits: int) -> _Found:
        hint = contour_hint(losses, side, epsilon, delta, digits)
        value = contour.delta(losses, side, epsilon, hint)
        return _Found(value, float(Fraction(hint["order"])))

    left = delta - infinite_mass(losses).upper
    if left <= 0:
        raise ProofError("no epsilon has a delta below the chance of an infinite loss")
    epsilon = round_down(estimate_epsilon(losses, delta), 64)
    least = Fraction(0)
    if epsilon < SMALL and all(at(side, least, FINE).value.upper <= delta for side in SIDES):
        return least, least
    larger = max(SIDES, key=lambda side: at(side, epsilon, ROUGH).value.upper)
    # Secants of the logarithm of δ without its infinite part, which start from the slope at a
    # saddle of order c, about -c.
    found = at(larger, epsilon, ROUGH)
    slope = -found.order
    for step in range(MAX_STEPS):
        height = _excess(found.value.lower, delta, left)
        goal = epsilon - Fraction(height / slope)
        goal = max(round_down(goal, 64), epsilon / 2)
        move, epsilon = goal - epsilon, goal
        if (abs(move) < LEAST_MOVE and step) or not move:
            break
        found = at(larger, epsilon, FINE if abs(move) < NEAR else ROUGH)
        slope = min((_excess(found.value.lower, delta, left) - height) / float(move), -1e-6)
    blur = Fraction(float((found.value.upper - found.value.lower) / left) / -slope)
    slack = max(abs(move) / 64, epsilon / 10**15, Fraction(1, 10**18))
    # Here the lower end of δ is about the wanted δ, and the upper end falls to it within the blur.
    rise, drop = max(blur * 5 / 4, slack), max(blur / 4, slack)
    for _ in range(MAX_STEPS):
        upper, lower = epsilon + rise, max(epsilon - drop, least)
        fits = all(at(side, upper, FINE).value.upper <= delta for side in SIDES)
        if fits and (lower == 0 or at(larger, lower, FINE).value.lower > delta):
            return lower, upper
        rise, drop = 8 * rise, 8 * drop
    raise ProofError("the contour method found no certified bracket")


def _excess(value: Fraction, delta: Fraction, left: Fraction) -> float:
    """ln of a profile over a δ, both without the infinite part that leaves ``left`` of δ."""
    finite = value - (delta - left)
    if finite <= 0:
        raise ProofError("the contour method found no certified bracket")
    return _log(finite / left)


def _order(power: Callable[[float], float], enough: float) -> tuple[float, bool]:
    """The saddle; or, with False, a smaller order at which Chernoff's bound is low enough."""

    def bound(order: float) -> float:
        return power(order) + order * math.log(order / (1 + order)) - math.log1p(order)

    saddle = _saddle(power)
    if bound(saddle) > enough:
        return saddle, True
    low, high = 1e-6, saddle
    for _ in range(50):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if bound(middle) <= enough else (middle, high)
    return high, False


def _saddle(power: Callable[[float], float]) -> float:
    def exponent(log_order: float) -> float:
        order = math.exp(log_order)
        value = power(order) - math.log(order) - math.log1p(order)
        return value if value < 1e300 else 1e300

    # First on a grid, because the function is infinite from some order on.
    places = np.linspace(math.log(1e-3), math.log(MOST_ORDER), 100)
    best = int(np.argmin([exponent(place) for place in places]))
    low, high = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
    return math.exp(minimize(exponent, low, high))


def _line(
    power: Callable[[float], float], saddle: float, goal: float
) -> tuple[float, float, float]:
    """(order c, order d, step) of a wide step for which all that is aliased is below e^goal.

    A c below the saddle leaves room for d where M soon becomes too large.
    """
    best = (0.0, 0.0, 0.0)
    for share in (1.0, 0.85, 0.7, 0.55, 0.4):
        order = share * saddle
        widest = math.tau * order / -goal
        for factor in (1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0):
            above = order * factor
            bound = power(above) - math.log1p(above) + above * math.log(above / (1 + above))
            step = min(widest, math.tau * (above - order) / max(bound - goal, 1e-9))
            if step > best[2]:
                best = order, above, step
        if best[2] > 0.7 * widest:
            return best
    if not best[2]:
        raise ProofError("the contour method found no order for its bounds")
    return best


def _height(
    squared: float, sampled: list[tuple[int, SampledInDoubles, float]], order: float, goal: float
) -> tuple[float, list[float]]:
    """The height from which on |M/M(c)| stays below e^goal, and the lift of each grid there.

    ``squared``: μ² of the Gaussians. ``sampled``: counts, losses, and their largest lifts.
    """
    if not squared and not sampled:
        return 1000 * order, []

    def decay(height: float) -> tuple[float, list[float]]:
        total, lifts = -squared * height**2 / 2 - math.log(math.pi * height), []
        for count, own, most in sampled:
            _, lift = own.log_decay(order, height, most * 2.0 ** -np.arange(24.0))
            tried = np.minimum(most, lift * 2.0 ** (np.arange(-3.0, 4.0) / 4))
            value, lift = own.log_decay(order, height, tried)
            total += count * min(value, 0.0)
            lifts.append(lift)
        return total, lifts

    low = high = order / 8
    while decay(high)[0] > goal:
        low, high = high, high * 2
        if high > 1e9 * order:
            raise ProofError("the contour method found no height where its integrand is small")
    for _ in range(6):
        middle = (low + high) / 2
        low, high = (low, middle) if decay(middle)[0] <= goal else (middle, high)
    return high, decay(high)[1]


def _periodic(losses: Losses) -> bool:
    return any(not isinstance(loss, GaussianLoss | LaplaceLoss) for _, loss in losses)


def _most_nodes(losses: Losses, height: float) -> float:
    """The nodes up to a height that cost less than a sieve."""
    terms = [
        math.sqrt(8 * loss.variance * TYPICAL_BITS)
        for _, loss in losses
        if isinstance(loss, DiscreteGaussianLoss) and loss.variance < height * loss.shift
    ]
    return MAX_WORK / 8 / len(losses) / max(terms, default=1.0)


@dataclass(frozen=True, slots=True)
class _Far:
    """What is far out on a line: the falls, the μ² of Gaussian losses, and the Laplace losses."""

    falls: tuple[Fall, ...]
    squared: float
    laplace: tuple[tuple[int, float], ...]
    order: float
    step: float

    @classmethod
    def of(cls, losses: Losses, order: float, step: float) -> _Far:
        """That of a product."""
        falls = (fall_of(count, loss, Fraction(order), None) for count, loss in losses)
        return cls(
            tuple(sorted((fall for fall in falls if fall), key=lambda fall: -fall.period)),
            sum(count * float(x.mu_squared) for count, x in losses if isinstance(x, GaussianLoss)),
            tuple((count, float(x.epsilon)) for count, x in losses if isinstance(x, LaplaceLoss)),
            order,
            step,
        )

    def steady(self, height: float) -> float:
        """ln of what the losses without a period are, at most, from a height on."""
        found, c = -self.squared * height**2 / 2, self.order
        near = math.hypot(1 + c, height) / math.hypot(1 + 2 * c, 2 * height)
        for count, epsilon in self.laplace:
            most = near + math.exp(-(1 + 2 * c) * epsilon) / 2
            whole = (1 + c + c * math.exp(-(1 + 2 * c) * epsilon)) / (1 + 2 * c)
            found += count * min(math.log(most / whole), 0.0)
        return found

    def ends(self, goal: float) -> tuple[int, int]:
        """The last node, and the reach of the sieve, with which what is left is about e^goal."""
        if not self.falls:
            raise ProofError("the contour method found nothing that falls")
        width = max(self.falls[0].period / (8 * self.step), 1.0)
        most = min(MOST_CELLS * width, MAX_REACH / 4, MAX_HEIGHT / self.step / 4)
        bend = self.squared / 2 + sum(fall.count * fall.curve for fall in self.falls)
        nodes = max(8, math.ceil(math.sqrt(-goal / bend) / self.step / 2))
        tried: list[tuple[int, float]] = []
        while nodes <= MOST_NODES:
            size = self.steady(nodes * self.step) - math.log(math.pi * self.step)
            wanted = min(math.exp(min(size - goal, 600.0)) * 4, most)
            tried.append((nodes, self.near(nodes)))
            if tried[-1][1] * 50 < 1 / wanted:
                return nodes, max(nodes, math.ceil(wanted))
            nodes += nodes // 4
        least = min((near for _, near in tried), default=1.0)
        nodes = next((last for last, near in tried if near < 2 * least), 1)
        if least * nodes > LARGE:
            raise ProofError("the contour method found no node after which little is left")
        return nodes, max(nodes, math.ceil(min(wanted, 50 / least)))

    def near(self, last: int) -> float:
        """About what the `NEAR_NODES` nodes after the last add up to."""
        node = last + 1 + np.arange(NEAR_NODES)
        fallen = np.zeros(NEAR_NODES)
        for fall in self.falls:
            t = node * self.step
            away = np.abs(t - fall.period * np.rint(t / fall.period))
            bent = fall.curve * np.minimum(away, fall.cap) ** 2 - fall.lead
            fallen += fall.count * np.maximum(bent, 0.0)
        return float(np.sum(np.exp(-fallen) / node.astype(np.float64) ** 2))


def _grid(
    own: SampledInDoubles,
    orders: tuple[float, float],
    aim: float,
    strip: tuple[float, float],
    lift: float,
) -> dict[str, Any]:
    """A grid on which both orders' moments err by less than e^-aim."""
    height, step = strip
    spread = 0.0 if own.sign > 0 else -orders[1] * math.log1p(-own.fraction)
    left = right = math.ceil(math.sqrt(2 * (aim + spread + height**2 / 2)) / step)
    if own.sign > 0:
        right = math.ceil(1.001 * (1 + orders[1]) * own.mu / step) + 1
        for order in orders:
            while own.log_density(right * step, order) > -aim:
                right += 1
    return {
        "step": _text(step),
        "left": left,
        "right": right,
        "height": _text(height),
        "tail_height": _text(lift),
    }


def _log(value: Fraction) -> float:
    return float(log_interval(value, 64).upper)


def _text(value: float) -> str:
    return f"{value:.5e}"
