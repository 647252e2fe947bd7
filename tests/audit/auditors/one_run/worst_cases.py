"""How well a mechanism that keeps a claim can be guessed at best, by linear programs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

Pairs = Sequence[tuple[float, float]]
"""All (ε, δ) that the mechanism keeps."""


def best_of_all(coins: int, guesses: int, right: int, pairs: Pairs) -> float:
    """The largest chance of so many right guesses, over all mechanisms on all coins.

    A mechanism is a matrix: a row for each setting of the coins, a column for each choice of so
    many guesses. Between rows that differ in one coin each (ε, δ) holds, both ways.
    """
    rows = list(itertools.product((0, 1), repeat=coins))
    columns = [
        dict(zip(chosen, values, strict=True))
        for chosen in itertools.combinations(range(coins), guesses)
        for values in itertools.product((0, 1), repeat=guesses)
    ]
    cells = len(rows) * len(columns)

    def cell(row: int, column: int) -> int:
        return row * len(columns) + column

    edges = [
        (a, b)
        for a, b in itertools.permutations(range(len(rows)), 2)
        if sum(x != y for x, y in zip(rows[a], rows[b], strict=True)) == 1
    ]
    width = cells + len(edges) * len(pairs) * len(columns)
    matrix, limits = sp.lil_matrix((len(edges) * len(pairs) * (len(columns) + 1), width)), []
    line, extra = 0, cells
    for (a, b), (epsilon, delta) in itertools.product(edges, pairs):
        for column in range(len(columns)):
            matrix[line, cell(a, column)] = 1
            matrix[line, cell(b, column)] = -np.exp(epsilon)
            matrix[line, extra + column] = -1
            limits.append(0.0)
            line += 1
        matrix[line, extra : extra + len(columns)] = 1
        limits.append(delta)
        line, extra = line + 1, extra + len(columns)
    sums = sp.lil_matrix((len(rows), width))
    for row in range(len(rows)):
        sums[row, cell(row, 0) : cell(row, 0) + len(columns)] = 1
    gains = np.zeros(width)
    for row, coins_of in enumerate(rows):
        for column, guess in enumerate(columns):
            correct = sum(coins_of[place] == value for place, value in guess.items())
            gains[cell(row, column)] = -(correct >= right) / len(rows)
    found = linprog(gains, matrix.tocsr(), limits, sums.tocsr(), np.ones(len(rows)))
    return float(-found.fun)


def best_by_count(canaries: int, guesses: int, right: int, pairs: Pairs) -> float:
    """The same over mechanisms that treat all coins alike: by the law of right guesses alone.

    An (ε, δ) bounds Σ_w [w P(w) - e^ε (r - w + 1) P(w - 1)]₊ by mδ.
    """
    return float(_solve(canaries, guesses, right, pairs)[right:].sum())


def _solve(canaries: int, guesses: int, right: int, pairs: Pairs) -> NDArray[np.float64]:
    """[0 … guesses], the law of right guesses with which that chance is largest."""
    width = guesses + 1 + guesses * len(pairs)
    matrix = sp.lil_matrix((len(pairs) * (guesses + 1), width))
    limits = []
    line, extra = 0, guesses + 1
    for epsilon, delta in pairs:
        for count in range(1, guesses + 1):
            matrix[line, count] = count
            matrix[line, count - 1] = -np.exp(epsilon) * (guesses - count + 1)
            matrix[line, extra + count - 1] = -1
            limits.append(0.0)
            line += 1
        matrix[line, extra : extra + guesses] = 1
        limits.append(canaries * delta)
        line, extra = line + 1, extra + guesses
    gains = np.zeros(width)
    gains[right : guesses + 1] = -1
    total = sp.csr_matrix((np.arange(width) <= guesses).astype(float))
    found = linprog(gains, matrix.tocsr(), limits, total, [1.0])
    return np.asarray(found.x[: guesses + 1])


def worst_law(
    canaries: int, guesses: int, right: int, epsilon: float, delta: float
) -> NDArray[np.float64]:
    """[0 … guesses], the law of right guesses with the largest chance of at least ``right``.

    By the linear program, as `best_by_count`.
    """
    return _solve(canaries, guesses, right, [(epsilon, delta)])
