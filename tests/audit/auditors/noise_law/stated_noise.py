"""Samplers and mechanisms that a fresh interpreter finds by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_GENERATOR = np.random.default_rng(42)


def seeded_at_import(size: int) -> NDArray[np.float64]:
    """New draws on every call of one process, and the same ones in the next process."""
    return _GENERATOR.laplace(0, 1, size)


def honest(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return rng.laplace(0, 1, size)


def seeded_mechanism(value: float) -> float:
    return float(value + _GENERATOR.laplace(0, 1))


def only_here(size: int) -> NDArray[np.float64]:
    raise RuntimeError("nowhere")
