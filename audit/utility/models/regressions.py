"""Least squares and logistic regression: coefficients with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import expit

ALIASED = 1e-7
"""A column is aliased if the ones before it explain all but this share of its length (the
tolerance of R's ``lm`` and ``glm``)."""

EXACT = 1e-12
"""A residual of no more than this share of the outcome's length, or a coefficient that adds no
more to it, is rounding: both are 0 then, and their intervals have no width."""

_CONVERGED = 1e-8
"""The relative change of every estimate at which a logistic regression has converged. Where an
estimate is infinite each step moves it by about 1, so that the iterations never end."""

_ITERATIONS = 25
"""The most iterations, as in R's ``glm.control``."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Estimates and standard errors [k] of a regression on k columns."""

    estimates: NDArray[np.float64]
    errors: NDArray[np.float64]


def independent(first: Matrix, second: Matrix) -> NDArray[np.int64]:
    """The columns that no earlier kept ones explain, in either of two matrices [n, k], [m, k]."""
    factors = [_triangle(matrix) for matrix in (first, second)]
    bases: list[list[NDArray[np.float64]]] = [[], []]
    kept = []
    for place in range(first.shape[1]):
        rests = [
            _rest(factor[:, place], basis) for factor, basis in zip(factors, bases, strict=True)
        ]
        if all(rest is not None for rest in rests):
            kept.append(place)
            for basis, rest in zip(bases, rests, strict=True):
                if rest is not None:
                    basis.append(rest)
    return np.array(kept, dtype=np.int64)


def least_squares(columns: Matrix, outcome: NDArray[np.float64]) -> Coefficients | None:
    """Ordinary least squares of ``outcome`` [n] on independent ``columns`` [n, k].

    The variance of the error is the residual sum of squares over n - k; 0 where the fit is exact
    up to rounding. None if n ≤ k: no degree of freedom is left.
    """
    records, width = columns.shape
    if records <= width:
        return None
    estimates, diagonal, residual = _solve(columns, outcome)
    length = EXACT * float(np.linalg.norm(outcome))
    if residual <= length**2:
        added = np.abs(estimates) * np.linalg.norm(columns, axis=0)
        return Coefficients(np.where(added <= length, 0.0, estimates), np.zeros(width))
    return Coefficients(estimates, np.sqrt(diagonal * residual / (records - width)))


def logistic(columns: Matrix, outcome: NDArray[np.bool_]) -> Coefficients | None:
    """Logistic regression of ``outcome`` [n] on independent ``columns`` [n, k].

    By iteratively reweighted least squares from R's starting point; standard errors
    from the inverse of the information at the estimate. None if n ≤ k, or there is no
    finite estimate: the columns separate the outcomes, or the iterations do not end.
    """
    if columns.shape[0] <= columns.shape[1]:
        return None
    odds = np.where(outcome, np.log(3.0), -np.log(3.0))
    before = np.zeros(columns.shape[1])
    for _ in range(_ITERATIONS):
        chances = expit(odds)
        weights = chances * (1 - chances)
        if not weights.all():
            return None
        roots = np.sqrt(weights)
        working = roots * (odds + (outcome - chances) / weights)
        estimates, diagonal, _ = _solve(columns * roots[:, None], working)
        if np.all(np.abs(estimates - before) <= _CONVERGED * (1 + np.abs(estimates))):
            return Coefficients(estimates, np.sqrt(diagonal))
        before = estimates
        odds = columns @ estimates
    return None


def _solve(
    columns: Matrix, outcome: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The solution, the diagonal of the inverse Gram matrix, the residual sum of squares."""
    width = columns.shape[1]
    factor = _triangle(np.column_stack((columns, outcome)))
    triangle = factor[:width, :width]
    inverse = solve_triangular(triangle, np.eye(width))
    estimates = solve_triangular(triangle, factor[:width, width])
    return estimates, (inverse**2).sum(axis=1), float(factor[width, width] ** 2)


def _triangle(matrix: Matrix) -> Matrix:
    """The triangular factor R of a matrix = QR."""
    return np.asarray(np.linalg.qr(matrix, mode="r"), dtype=np.float64)


def _rest(
    vector: NDArray[np.float64], basis: list[NDArray[np.float64]]
) -> NDArray[np.float64] | None:
    """What is left of a vector beside an orthonormal basis, of length 1; None if nothing is."""
    length = float(np.linalg.norm(vector))
    rest = vector
    # Twice is enough to be orthogonal to rounding.
    for _ in range(2):
        for direction in basis:
            rest = rest - direction * (direction @ rest)
    left = float(np.linalg.norm(rest))
    if not length or left <= ALIASED * length:
        return None
    return rest / left
