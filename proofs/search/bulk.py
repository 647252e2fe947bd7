"""Which samples to take out of a contour's integrand: for hints alone, in doubles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from proofs.errors import ProofError
from proofs.losses import LaplaceLoss, Losses, SampledGaussianLoss
from proofs.profiles.bulk import laplace_sum
from proofs.profiles.transforms import MAX_TERMS
from proofs.profiles.values import law_of
from proofs.search.float_moments import MOST_LIFT, SampledInDoubles, Vector

SLOPES = (3.0, 4.5, 6.5, 9.0, 13.0)
"""The slopes that are tried, in deviations of the noise."""

CUTS = -8.0, 12.0
"""Between which a cut is looked for."""

POWERS = np.unique(np.round(np.geomspace(2, 300, 40)))
"""The powers that are tried."""

MOST_EXPONENT = 2.0**19
"""The largest μ²k²."""

MOST_PLACE = 240.0
"""The largest μk, near which Φ is still evaluated."""

MOST_SHIFT = 8.0
"""How far to the right a power moves the samples that are taken out, at most."""

LAW_BITS = 64
"""Bits of the laws of the other losses."""


@dataclass(frozen=True)
class Rest:
    """What is left of a sampled loss, at an order, where a bulk is taken out."""

    own: SampledInDoubles
    order: float
    cut: float
    slope: float

    @cached_property
    def _points(self) -> tuple[Vector, Vector]:
        """Points, and the logarithm of the real integrand there."""
        from scipy.special import log_ndtr

        x = self.own.points(self.order)
        ramp: Vector = log_ndtr(self.slope * (x - self.cut))
        return x, ramp - x * x / 2

    def log_decay(self, height: float, lifts: Vector) -> tuple[float, float]:
        """The least bound of ln |R(c + it)|/M(c) for t >= height, and the lift that gives it."""
        x, size = self._points
        bounds = []
        for lift in lifts:
            value = self.own.log_ratio(x + 1j * lift)
            terms = size + self.own.beta(self.order) * value.real - height * value.imag
            grown = (1 + self.slope**2) * lift**2 / 2
            bounds.append(grown + float(np.logaddexp.reduce(terms)))
        best = int(np.argmin(bounds))
        scale = math.log((x[1] - x[0]) / math.sqrt(math.tau)) - self.own.log_moment(self.order)
        return bounds[best] + scale, float(lifts[best])

    def strip(self, aim: float) -> tuple[float, float]:
        """(half-width a, step): the trapezoid rule gains 2πa/step, and loses 5(1+λ²)a²/2."""
        curve = 2.5 * (1 + self.slope**2)
        fixed = 0.0 if self.own.sign > 0 else -self.order * math.log1p(-self.own.fraction)
        half = min(MOST_LIFT / self.own.mu, math.sqrt((aim + fixed) / curve))
        return half, math.tau * half / (aim + fixed + curve * half**2)

    def lifts(self, half: float) -> Vector:
        """Heights that are tried for the bound beyond the last node."""
        most = min(2 * half, 2 * MOST_LIFT / self.own.mu - half)
        return most * 2.0 ** (-np.arange(12.0) / 3)

    def grid(self, aim: float, half: float, step: float, lift: float) -> dict[str, Any]:
        """The grid on which the rest errs by less than e^-aim of M(c)."""
        own = self.own
        grown = (1 + self.slope**2) * max(half, lift) ** 2 / 2
        need = aim + grown - own.log_moment(self.order)
        if own.sign > 0:
            density = max(0.0, own.log_density(self.cut, self.order) + self.cut**2 / 2)
            last = 1.001 * (1 + self.order) * own.mu
            while own.log_density(last, self.order) > -need:
                last += step
                if last > MAX_TERMS * step:
                    raise ProofError("a bulk needs too many nodes")
        else:
            density = -self.order * math.log1p(-own.fraction)
            last = math.sqrt(2 * max(need + density, 1.0))
        reach = math.sqrt(2 * max(need + density, 1.0))
        last = max(last, self.cut)
        return {
            "step": _text(step),
            "range": [math.floor((self.cut - reach / self.slope) / step), math.ceil(last / step)],
            "height": _text(half),
            "tail_height": _text(lift),
        }


@dataclass(frozen=True)
class Settled:
    """What the samples taken out leave open, of one kind of sampled losses beside others."""

    own: SampledInDoubles
    count: int
    gaps: Vector
    chances: Vector

    @classmethod
    def of(cls, losses: Losses, own: SampledInDoubles, epsilon: Fraction) -> Settled | None:
        """That at an ε; None where a bulk can't be taken out."""
        sampled = [entry for entry in losses if isinstance(entry[1], SampledGaussianLoss)]
        if len(sampled) != 1:
            return None
        largest = laplace_sum(losses)
        others = tuple(e for e in losses if not isinstance(e[1], SampledGaussianLoss | LaplaceLoss))
        try:
            law, _ = law_of(others, LAW_BITS)
        except ProofError:
            return None
        count = sampled[0][0]
        lowest = count * math.log1p(-own.fraction)
        gaps = np.array([float(epsilon - value - largest) for value in law])
        chances = np.array([float(chance.upper) for chance in law.values()])
        # What is settled for sure leaves nothing open.
        kept = (gaps > lowest) if own.sign > 0 else (gaps < -lowest)
        if largest and own.sign > 0 and not kept.all():
            return None
        if largest and own.sign < 0 and kept.any():
            return None
        return cls(own, count, gaps[kept], np.log(np.maximum(chances[kept], 1e-300)))

    def log_open(self, cut: float, slope: float) -> tuple[float, int]:
        """ln of what is left open, and the power of Chernoff's bound."""
        from scipy.special import log_ndtr

        if not len(self.gaps):
            return -math.inf, 2
        own = self.own
        small = (POWERS**2 * own.mu**2 < MOST_EXPONENT) & (POWERS * own.mu < MOST_PLACE)
        powers = POWERS[small & (POWERS * own.mu < MOST_SHIFT * (1 + slope**2))]
        x = np.linspace(-12.0, max(cut, 0.0) + 12 / slope + MOST_SHIFT, 500)
        size = log_ndtr(slope * (cut - x)) - x * x / 2 + math.log((x[1] - x[0]) / 2.5066)
        moments = np.logaddexp.reduce(size + np.outer(powers, own.log_ratio(x)), axis=1)
        turn = -(powers - 1) if own.sign > 0 else powers
        each = self.chances + np.outer(turn, self.gaps) + self.count * moments[:, None]
        bounds = np.logaddexp.reduce(np.minimum(each, self.chances), axis=1)
        best = int(np.argmin(bounds))
        return float(bounds[best]), int(powers[best])

    def cut(self, slope: float, goal: float) -> float | None:
        """The largest cut for which what is left open is below e^goal; None where there is none."""
        low, high = CUTS
        if self.log_open(low, slope)[0] > goal:
            return None
        while high - low > 0.05:
            middle = (low + high) / 2
            low, high = (middle, high) if self.log_open(middle, slope)[0] <= goal else (low, middle)
        return low

    def best(self, goal: float) -> tuple[float, float] | None:
        """(cut, slope) after which the rest falls fastest, about as e^-(t·L'(cut)/λ)²/2."""
        found = []
        for slope in SLOPES:
            cut = self.cut(slope, goal)
            if cut is not None:
                value = float(self.own.log_ratio(np.array([cut]))[0])
                bend = 1 - (1 - self.own.fraction) * math.exp(-value)
                found.append((slope / max(bend, 1e-300), float(_text(cut)), slope))
        return min(found)[1:] if found else None


def _text(value: float) -> str:
    return f"{value:.5e}"
