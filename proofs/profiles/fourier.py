"""Sums of many equal lattice losses by discrete Fourier transforms in doubles, errors counted.

Each coefficient of a transform by the algorithm of Cooley & Tukey errs by at most
C·log2(N)·2^-53·Σ |input|, and the Euclidean norm of all errors is at most C·log2(N)·2^-53 of that
of the output, with C = 16 (see `proofs.profiles.lattice`, which says why).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from proofs.profiles.grid import ROUNDING, TINY, Reals

FOURIER = 16 * ROUNDING
"""The error of a transform, divided by log2(N) and by the norm that it is relative to."""

ROOM = 1.01
"""A factor for the rounding errors of error bounds."""

Spectrum = npt.NDArray[np.complex128]


def convolve_powers(masses: Reals, count: int) -> tuple[Reals, float]:
    """``masses`` >= 0 convolved with themselves, ``count`` of them, modulo their number N = 2^n.

    Returned with a bound on the error of each: with F the transform as computed and η its error,
    Π F errs by at most (|F| + η)^count·count·η/(|F| + η), by the mean value theorem.

    Guarantee
    ---------
    Each is right but for the bound, if numpy's transforms err as stated. Backed by convolutions in
    fractions in ``tests/proofs/profiles/test_allocated_grid.py``.
    """
    size = len(masses)
    factor = np.fft.rfft(masses)
    error = ROOM * FOURIER * math.log2(size) * float(np.sum(masses)) + TINY
    near = np.abs(factor) + error
    magnitude = ROOM * np.exp(count * np.log(near))
    # A product of complex numbers errs by less than 4 roundings of its size.
    relative = count * (error / near + 4 * ROUNDING)
    found = np.fft.irfft(to_power(factor, count), size)
    own = FOURIER * math.log2(size) * norm(magnitude) + norm(magnitude * relative)
    # By Parseval's identity, from the half of the coefficients that there is; TINY is for what is
    # lost to underflow.
    return found, math.sqrt(2 / size) * own + TINY * 2.0**100


def norm(values: Reals) -> float:
    """The Euclidean norm of values >= 0; no square underflows that matters."""
    most = float(np.max(values))
    if not 0 < most < math.inf:
        return most
    return most * math.sqrt(float(np.sum((values / most) ** 2)))


def to_power(base: Spectrum, count: int) -> Spectrum:
    """The ``count``-th power by repeated squaring, of relative error below 4·ROUNDING·count."""
    result = np.ones_like(base)
    square = base
    while count:
        if count & 1:
            result = result * square
        count >>= 1
        if count:
            square = square * square
    return result
