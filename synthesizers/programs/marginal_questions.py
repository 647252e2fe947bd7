"""What programs of noisy marginals share in asking: noise and choices at a price in rho."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from synthesizers.calibration import exponential_rate
from synthesizers.curator import Curator
from synthesizers.errors import InputError
from synthesizers.estimation.fitting import MBI
from synthesizers.estimation.models import NoisyMarginal, noisy_total
from synthesizers.estimation.private_pgm import require_mbi
from synthesizers.programs.asking import gaussian_counts, gaussian_noise
from synthesizers.queries import Marginal, Query, RecodedMarginal
from synthesizers.selection import Exponential


def require_inference(inference: str) -> None:
    """InputError where what fits the models is not installed."""
    if inference == MBI:
        require_mbi()


def require_steps(number: int, name: str) -> None:
    """InputError unless a number of steps or rounds is at least 1."""
    if number < 1:
        raise InputError(f"{name} must be at least 1, found {number}")


def measure_marginal(
    curator: Curator, query: Marginal | RecodedMarginal, rho: Fraction, slack: int | None
) -> NoisyMarginal:
    """A marginal with discrete Gaussian noise at the price of ``rho``.

    A marginal that no unit moves (of one cell, n public) is free at any variance: 1 is taken.
    """
    counts = gaussian_counts(curator, query, rho, slack).astype(np.float64)
    noise = gaussian_noise(rho, query.sensitivity(curator.domain, curator.neighbours))
    return NoisyMarginal(query.attributes, counts, float(noise.variance))


def choose(curator: Curator, scores: Query, epsilon: Fraction) -> int:
    """A candidate by its score, by an exponential mechanism of ``epsilon``.

    Scores that no unit moves are free at any rate.
    """
    sensitivity = scores.sensitivity(curator.domain, curator.neighbours)
    rate = exponential_rate(epsilon, sensitivity) if sensitivity.linf else epsilon
    return curator.select(scores, Exponential(rate))


def price_of_choice(epsilon: Fraction) -> Fraction:
    """The rho of an exponential mechanism: epsilon²/8 (Cesar & Rogers 2021)."""
    return epsilon * epsilon / 8


def epsilon_of_choice(rho: Fraction) -> Fraction:
    """The largest epsilon of nine digits after the point whose choice costs at most ``rho``."""
    scale = 10**9
    return Fraction(math.isqrt(math.floor(8 * rho * scale * scale)), scale)


def estimate_records(curator: Curator, noisy: list[NoisyMarginal]) -> float:
    """n where it is public; otherwise what the noisy marginals say of it."""
    public = curator.records
    return noisy_total(noisy) if public is None else max(1.0, float(public))


def model_counts(counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[int, ...]:
    """A model's counts as the whole numbers that a score is asked with."""
    return tuple(np.rint(counts).astype(np.int64).tolist())


def expected_noise(variance: float, cells: int) -> float:
    """The expected L1 norm of Gaussian noise on a marginal: √(2/π)·σ·cells."""
    return math.sqrt(2 / math.pi * variance) * cells
