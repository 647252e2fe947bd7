"""Samplers and mechanisms that add noise: honest ones, and those with another law."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
FloatArray = NDArray[np.float64]


def laplace(rng: Rng, size: int) -> FloatArray:
    """Laplace noise of scale 1."""
    return rng.laplace(0.0, 1.0, size)


def laplace_by_deviation(rng: Rng, size: int) -> FloatArray:
    """Its standard deviation is 1, where its scale should be."""
    return rng.laplace(0.0, 1 / np.sqrt(2), size)


def laplace_of_default_seed(size: int) -> FloatArray:
    """A generator of its own, with a seed of its own."""
    return np.random.default_rng(7).laplace(0.0, 1.0, size)


def laplace_of_few_seeds(rng: Rng, size: int) -> FloatArray:
    """Each call seeds a generator with sixteen bits."""
    return np.random.default_rng(int(rng.integers(2**16))).laplace(0.0, 1.0, size)


def laplace_reused(rng: Rng, size: int) -> FloatArray:
    """Every draw is given twice."""
    return np.repeat(rng.laplace(0.0, 1.0, -(-size // 2)), 2)[:size]


def laplace_cut(rng: Rng, size: int) -> FloatArray:
    """Large draws are cut off."""
    return rng.laplace(0.0, 1.0, size).clip(-5, 5)


def gaussian(rng: Rng, size: int) -> FloatArray:
    """Gaussian noise of standard deviation 4."""
    return rng.normal(0.0, 4.0, size)


def gaussian_of_root(rng: Rng, size: int) -> FloatArray:
    """The square root of sigma as standard deviation."""
    return rng.normal(0.0, 2.0, size)


def rounded_laplace(value: float, rng: Rng) -> float:
    """Laplace noise of scale 1, rounded to a lattice of 2^-10 that knows no value."""
    return float(value + np.rint(rng.laplace(0.0, 1.0) * 1024) / 1024)


def laplace_in_doubles(value: float, rng: Rng) -> float:
    """Noise added in doubles: which sums can come out depends on the value."""
    return float(value + rng.laplace(0.0, 1.0))
