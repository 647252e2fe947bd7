"""AEMC as the linear programme of its definition, for small domains: the slow and obvious way.

Li et al., equation 1, with X ≥ 0 stated: over X_ij ≥ 0 and t_j ≥ 0,

    minimise Σ_ij M_ij·X_ij + K·Σ_j t_j   with   Σ_j X_ij = P_i,   |Σ_i X_ij - Q_j| ≤ Δ + t_j.

HiGHS solves it in floating point. Both its solutions are then rounded to whole numbers, at
which an optimum lies, and checked in whole numbers: the plan is allowed, the prices are, and
both have the same value. Nothing rests on the floats.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from audit.metrics.mgd.distances import NEVER, distances
from audit.metrics.mgd.problem import Problem
from synthesizers.errors import TooLargeError, rounded_count

MOST_PAIRS = 2**20
"""Pairs of cells beyond which HiGHS would take minutes."""


def linear_programme(problem: Problem, matrix: NDArray[np.int64] | None = None) -> int:
    """The least cost, in units, by the simplex method.

    ``matrix`` [cells, cells] replaces M, as for ``four_layer_flow``. Raises ``TooLargeError``
    beyond ``MOST_PAIRS`` pairs of cells and ``ArithmeticError`` if the rounded solutions do
    not prove each other optimal.
    """
    if problem.size**2 > MOST_PAIRS:
        raise TooLargeError(
            f"the linear programme over {rounded_count(problem.size)} cells has more than "
            f"{MOST_PAIRS} pairs of cells; use the flow"
        )
    costs = distances(problem) if matrix is None else matrix
    source, target = np.nonzero(costs != NEVER)
    pairs, cells = np.arange(len(source)), problem.size
    leave = csr_array((np.ones(len(pairs)), (source, pairs)), shape=(cells, len(pairs)))
    arrive = csr_array((np.ones(len(pairs)), (target, pairs)), shape=(cells, len(pairs)))
    beyond = eye_array(cells)
    synthetic, real = problem.synthetic.ravel(), problem.real.ravel()
    move = costs[source, target]
    stay = csr_array(hstack([leave, csr_array((cells, cells))]))
    bounds = csr_array(vstack([hstack([arrive, -beyond]), hstack([-arrive, -beyond])]))
    found = linprog(  # type: ignore[call-overload]  # its stubs know no sparse matrices
        np.concatenate([move, np.full(cells, problem.penalty)]).astype(float),
        A_ub=bounds,
        b_ub=np.concatenate([real + problem.tolerance, problem.tolerance - real]).astype(float),
        A_eq=stay,
        b_eq=synthetic.astype(float),
        method="highs-ds",
    )
    if found.status != 0:
        raise ArithmeticError("HiGHS did not solve a linear programme that has a solution")
    plan = _whole(found.x[: len(pairs)])
    price = _whole(found.eqlin.marginals)
    above, below = -_whole(found.ineqlin.marginals).reshape(2, cells)
    arrived, left = np.zeros_like(real), np.zeros_like(real)
    np.add.at(arrived, target, plan)
    np.add.at(left, source, plan)
    outside = np.maximum(np.abs(arrived - real) - problem.tolerance, 0)
    cost = _dot(move, plan) + problem.penalty * int(outside.sum())
    value = (
        _dot(price, synthetic)
        - _dot(above, real + problem.tolerance)
        - _dot(below, problem.tolerance - real)
    )
    proven = (
        value == cost
        and bool((plan >= 0).all() and (left == synthetic).all())
        and bool((above >= 0).all() and (below >= 0).all())
        and bool((above + below <= problem.penalty).all())
        and bool((price[source] <= move + above[target] - below[target]).all())
    )
    if not proven:
        raise ArithmeticError("the rounded solutions of HiGHS do not prove each other optimal")
    return cost


def _whole(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)


def _dot(first: NDArray[np.int64], second: NDArray[np.int64]) -> int:
    """Σ first·second in unbounded integers."""
    return sum(int(a) * int(b) for a, b in zip(first, second, strict=True) if a and b)
