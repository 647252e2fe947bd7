"""Moments of losses in doubles, and how they fall along vertical lines: for hints alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
)

MOST_LIFT = 0.999 * math.pi / 4
"""The largest height of a grid, times μ."""

POINTS = 1001
"""Points of the integrals here."""

MOST_REACH = 400.0
"""The farthest point of an integral here, in deviations of the noise."""

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

    def log_decay(self, order: float, height: float, lifts: Vector) -> tuple[float, float]:
        """The least bound of ln |M(c + it)|/M(c) for t >= height, and the lift that gives it."""
        x = self.points(order)
        bounds = [self._log_integral(x, order, lift, height) for lift in lifts]
        best = int(np.argmin(bounds))
        return bounds[best] - self.log_moment(order), float(lifts[best])

    def _log_integral(self, x: Vector, order: float, lift: float, height: float) -> float:
        value = self.log_ratio(x + 1j * lift) if lift else self.log_ratio(x)
        terms = (lift**2 - x**2) / 2 + self.beta(order) * value.real - height * value.imag
        return float(logsumexp(terms)) + math.log((x[1] - x[0]) / math.sqrt(math.tau))


def log_moment(loss: Loss, side: Side) -> Callable[[float], float]:
    """ln E_P[e^(cL)] as a function of c > 0."""
    match loss:
        case GaussianLoss(mu_squared):
            scale = float(mu_squared) / 2
            return lambda c: scale * c * (c + 1)
        case DiscreteGaussianLoss(variance, shift):
            scale = float(shift**2 / variance) / 2
            return lambda c: scale * c * (c + 1)
        case LaplaceLoss(epsilon):
            e = float(epsilon)
            return lambda c: (
                float(np.logaddexp(c * e + math.log1p(c), math.log(c) - (1 + c) * e))
                - math.log1p(2 * c)
            )
        case ResponseLoss(epsilon):
            e = float(epsilon)
            return lambda c: float(np.logaddexp((1 + c) * e, -c * e) - np.logaddexp(e, 0.0))
        case DiscreteLaplaceLoss(rate, shift):
            r = float(rate)
            values = r * np.arange(-shift, shift + 1, 2)
            weights = -r * np.arange(shift, -1, -1) + math.log(math.tanh(r / 2))
            ends = -math.log1p(math.exp(-r))
            weights[[0, -1]] = (0.0, 0.0) if shift == 0 else (ends - r * shift, ends)
            return lambda c: float(logsumexp(weights + c * values))
        case SampledGaussianLoss():
            return SampledInDoubles.of(loss, side).log_moment
