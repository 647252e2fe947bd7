"""Moments of losses in doubles, and how they fall along vertical lines: for hints alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.entries import BoundedRangeLoss, ConcentratedLoss, Entry, NoiseLoss, RenyiCurve
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
)

MOST_LIFT = 0.999 * math.pi / 4
"""The largest height of a grid, times μ."""

POINTS, FAR_POINTS = 1001, 4001
"""Points of the integrals here, and of those that may reach far out."""

MOST_REACH = 400.0
"""The farthest point of an integral here, in deviations of the noise."""

MOST_WHOLE = 600
"""The largest order of an allocation that is worked out."""

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SampledInDoubles:
    """One sampled Gaussian loss on a side, in doubles."""

    fraction: float
    mu: float
    sign: int

    @classmethod
    def of(cls, loss: SampledGaussianLoss, side: Side) -> SampledInDoubles:
        """That of a loss on a side."""
        return cls(float(loss.fraction), math.sqrt(loss.mu_squared), 1 if side == "remove" else -1)

    def beta(self, order: float) -> float:
        """The exponent of g in the moment of an order."""
        return 1 + order if self.sign > 0 else -order

    def log_ratio(self, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """ln g at real or complex points."""
        top = math.log(self.fraction) + self.mu * x - self.mu**2 / 2
        rest = math.log1p(-self.fraction)
        # The larger part is taken out, so that nothing overflows.
        larger = np.maximum(np.real(top), rest)
        found: npt.NDArray[Any] = larger + np.log(np.exp(rest - larger) + np.exp(top - larger))
        return found

    def log_density(self, x: float, order: float) -> float:
        """ln of φ·g^β, but for a constant."""
        return self.beta(order) * float(self.log_ratio(np.array([x]))[0]) - x * x / 2

    def strip(self, order: float, aim: float) -> tuple[float, float]:
        """(half-width a, step): the trapezoid rule gains 2πa/step, and loses 2a² + ln κ."""
        choices = []
        spread = 0.0 if self.sign > 0 else -order * math.log1p(-self.fraction)
        bend = 0.0 if self.sign > 0 else order * self.mu**2 / 2
        for fixed, curve in ((spread, 2.0), (0.0, 2.0 + bend)):
            half = min(MOST_LIFT / self.mu, math.sqrt((aim + fixed) / curve))
            lost = aim + fixed + 2 * half**2
            if curve > 2:
                lost -= order * math.log1p(-((self.mu * half) ** 2) / 2)
            choices.append((math.tau * half / lost, half))
        step, half = max(choices)
        return half, step

    def points(self, order: float) -> Vector:
        """Where the integrals of an order are evaluated."""
        right = 12 + max(0.0, self.beta(order) * self.mu)
        return np.linspace(-40.0, right, POINTS)

    def log_moment(self, order: float) -> float:
        """ln M; infinite where the integral would be too far out."""
        if self.beta(order) * self.mu > MOST_REACH:
            return math.inf
        return float(self._log_integral(self.points(order), order, 0.0, 0.0))

    def far_log_moment(self, order: float) -> float:
        """ln M where an integral that is too far out may be rough; for c > 0 on the larger side."""
        x = np.linspace(-12.0, 12 + self.beta(order) * self.mu, FAR_POINTS)
        return self._log_integral(x, order, 0.0, 0.0)

    def log_decay(self, order: float, height: float, lifts: Vector) -> tuple[float, float]:
        """The least bound of ln |M(c + it)|/M(c) for t >= height, and the lift that gives it."""
        x = self.points(order)
        bounds = [self._log_integral(x, order, lift, height) for lift in lifts]
        best = int(np.argmin(bounds))
        return bounds[best] - self.log_moment(order), float(lifts[best])

    def _log_integral(self, x: Vector, order: float, lift: float, height: float) -> float:
        value = self.log_ratio(x + 1j * lift) if lift else self.log_ratio(x)
        terms = (lift**2 - x**2) / 2 + self.beta(order) * value.real - height * value.imag
        return float(np.logaddexp.reduce(terms)) + math.log((x[1] - x[0]) / math.sqrt(math.tau))


def minimize(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function of one valley is least, between two bounds."""
    # Here, not above: most proofs need no search, and verifying one loads this module.
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(function, bounds=(low, high), method="bounded").x)


def log_moment(loss: Loss, order: float) -> float:
    """ln E_P[e^(order·L)] in doubles, on the side of the larger tail; order > 0.

    Infinite losses are left out. Raises ArithmeticError or ValueError outside the doubles' range.
    """
    match loss:
        case GaussianLoss(mu_squared):
            return float(mu_squared) * (order + order * order) / 2
        case DiscreteGaussianLoss(variance, shift):
            return float(shift * shift / variance) * (order + order * order) / 2
        case LaplaceLoss(epsilon):
            e = float(epsilon)
            top = order * e + math.log((1 + order) / (1 + 2 * order))
            return _add(top, -(1 + order) * e + math.log(order / (1 + 2 * order)))
        case ResponseLoss(epsilon):
            e = float(epsilon)
            return _add((1 + order) * e, -order * e) - _add(e, 0.0)
        case DiscreteLaplaceLoss(rate, shift):
            return _discrete_laplace(float(rate), shift, order)
        case AllocationLoss(steps, mu_squared):
            return _allocated_moment(steps, float(mu_squared), order)
        case FixedSizeLoss(fraction, mu_squared):
            # That of a Poisson sample is a little smaller.
            return log_moment(SampledGaussianLoss(fraction, mu_squared), order)
        case SampledGaussianLoss():
            return SampledInDoubles.of(loss, "remove").far_log_moment(order)


def _add(one: float, other: float) -> float:
    """ln(e^one + e^other); ``one`` may be infinite."""
    with np.errstate(over="ignore"):
        return float(np.logaddexp(one, other))


def entry_moment(entry: Entry, order: float) -> float:
    """ln E_P[e^(order·L)] of an entry, or a bound on it, in doubles; leaks are left out."""
    square = order * (1 + order)
    match entry:
        case NoiseLoss(law, amount, _, _, squared):
            moves = sum(count * log_moment(pair, order) for count, pair in entry.pairs)
            if law != "discrete-gaussian":
                return min(moves, log_moment(ResponseLoss(entry.l1 / amount), order))
            return min(moves, square * float(squared / (2 * amount)))
        case BoundedRangeLoss(epsilon):
            bounded = square * float(epsilon) ** 2 / 8
            return min(log_moment(ResponseLoss(epsilon), order), bounded)
        case ConcentratedLoss(xi, rho):
            return order * float(xi) + square * float(rho)
        case RenyiCurve(points):
            above = [epsilon for at, epsilon in points if at >= 1 + order]
            return order * float(above[0]) if above else math.inf
        case _:
            return log_moment(entry, order)


def _allocated_moment(steps: int, squared: float, order: float) -> float:
    """That of one step alone, or between whole orders, where they are known, a line."""
    known = _whole_orders(steps, squared)
    if order >= len(known) - 1:
        return squared * (order + order * order) / 2
    return float(np.interp(order, np.arange(len(known)), known))


@lru_cache(maxsize=16)
def _whole_orders(steps: int, squared: float) -> Vector:
    """ln E[S^(1+c)]/t^(1+c) for c = 0, 1, …, as in `proofs.profiles.allocated_moments`."""
    power = np.arange(MOST_WHOLE + 2, dtype=np.float64)
    factorial = np.concatenate([[0.0], np.cumsum(np.log(power[1:]))])
    base = squared * power * (power - 1) / 2 - factorial
    found = np.where(power == 0, 0.0, -np.inf)
    left = steps
    while left:
        found = _multiply(found, base) if left % 2 else found
        left //= 2
        base = _multiply(base, base) if left else base
    moments: Vector = (found + factorial - power * math.log(steps))[1:]
    return moments


def _multiply(one: Vector, other: Vector) -> Vector:
    """The logarithms of a product of power series."""
    size = len(one)
    return np.array([np.logaddexp.reduce(one[: n + 1] + other[n::-1]) for n in range(size)])


def _discrete_laplace(rate: float, shift: int, order: float) -> float:
    """Three geometric series: of the integers up to 0, of those from ``shift`` on, and between."""
    if shift == 0:
        return 0.0
    step = (1 + 2 * order) * rate
    last = math.exp(-step * shift)
    between = math.expm1(-rate) / math.expm1(-step) * (math.exp(-step) - last)
    return order * rate * shift + math.log1p(last + between) - math.log1p(math.exp(-rate))
