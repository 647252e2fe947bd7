"""Synthesizers of every epsilon: an honest noisy histogram, and others that misuse epsilon."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Dataset, Domain

Rng = np.random.Generator
IntArray = NDArray[np.int64]

TABLE = Dataset.from_histogram(Domain.from_cells("32"), 400 // np.arange(1, 33))
"""A made-up table that errors are measured on: counts of a few large and many small cells."""

GRID = tuple(Fraction(text) for text in ("1/100", "1/10", "1", "10", "100"))
"""The values of epsilon of the self-test."""


def _noisy(database: Dataset, rng: Rng, scale: float) -> IntArray:
    counts = database.histogram()
    noisy = np.rint(counts + rng.laplace(0.0, scale, len(counts))).clip(0)
    return np.asarray(noisy, np.int64)


def histogram(database: Dataset, rng: Rng, epsilon: float) -> IntArray:
    """Laplace noise of scale 2/epsilon: a replaced record moves two counts."""
    return _noisy(database, rng, 2 / epsilon)


def noise_that_grows(database: Dataset, rng: Rng, epsilon: float) -> IntArray:
    """The scale is epsilon: the more may be lost, the noisier it is."""
    return _noisy(database, rng, epsilon)


def one_noise_for_all(database: Dataset, rng: Rng, epsilon: float) -> IntArray:
    """Epsilon is read and forgotten."""
    return _noisy(database, rng, 60.0)


def exact_at_small_epsilon(database: Dataset, rng: Rng, epsilon: float) -> IntArray:
    """A debug path: small epsilon means no noise."""
    return database.histogram() if epsilon < 1 else histogram(database, rng, epsilon)


def nothing_learned(database: Dataset, rng: Rng, epsilon: float) -> IntArray:
    """The answers are paid for and then not used: equal counts, at every epsilon."""
    size = database.domain.size
    return np.full(size, database.records // size, np.int64)
