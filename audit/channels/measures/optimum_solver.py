"""The linear programs of least loss, solved in floating point by OR-Tools.

Nothing here is trusted: a `Proposal` is where `audit.channels.measures.optimum_bounds` begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver.python import model_builder
from scipy import sparse

from audit.channels.measures.mechanisms import Mechanisms

FloatArray = NDArray[np.float64]
Matrix = sparse.csr_array

_ORTOOLS: Any = model_builder  # What its annotations say of arrays is not what it takes.

MAX_SECONDS = 15.0
"""The time after which an attempt is stopped."""

ATTEMPTS = tuple(
    f"use_dual_simplex: {dual} use_preprocessing: false solution_feasibility_tolerance: 1e-8 "
    f"primal_feasibility_tolerance: {tolerance} dual_feasibility_tolerance: {tolerance}"
    for dual, tolerance in (("true", "1e-13"), ("false", "1e-11"))
)
"""GLOP's parameters, in the order tried: tolerances far below its own,
because an error in a chance costs as much as the chance itself, however small; and where the dual
simplex cycles at the first, the primal one has ended at the second."""


@dataclass(frozen=True, eq=False)
class Proposal:
    """What a solver found: good only as far as it can be checked.

    ``chances``: one X an entry. ``prices``: the multiplier of each limit
    X_b - e^-ε·X_a >= 0. ``prior``: the weight of each class of databases against
    which no mechanism does better.
    """

    chances: FloatArray
    prices: FloatArray
    prior: FloatArray


def propose_average(mechanisms: Mechanisms, shrink: float) -> Proposal:
    """A mechanism of least total loss over the databases; ``shrink`` is e^-ε."""
    sizes = mechanisms.sizes.astype(np.float64)
    cost = sizes[mechanisms.owners] * mechanisms.copies * mechanisms.losses
    constraints = sparse.vstack([_totals(mechanisms), _limits(mechanisms, shrink)], format="csr")
    chances, multipliers = _minimise(cost, constraints, len(sizes))
    return Proposal(chances, multipliers[len(sizes) :], sizes)


def propose_worst(mechanisms: Mechanisms, shrink: float) -> Proposal:
    """A mechanism whose largest loss over databases is least; ``shrink`` is e^-ε."""
    classes, limits = len(mechanisms.sizes), len(mechanisms.limits)
    # A last variable is at least the loss of each class.
    losses = _by_class(mechanisms, mechanisms.copies * mechanisms.losses)
    slacks = sparse.hstack([-losses, sparse.csr_array(np.ones((classes, 1)))], format="csr")
    chances_only = sparse.vstack([_totals(mechanisms), _limits(mechanisms, shrink)], format="csr")
    chances_only.resize(classes + limits, slacks.shape[1])
    constraints = sparse.vstack([chances_only, slacks], format="csr")
    cost = np.zeros(len(mechanisms.owners) + 1)
    cost[-1] = 1
    chances, multipliers = _minimise(cost, constraints, classes)
    prices, prior = multipliers[classes : classes + limits], multipliers[classes + limits :]
    return Proposal(chances[:-1], prices, prior)


def _totals(mechanisms: Mechanisms) -> Matrix:
    return _by_class(mechanisms, mechanisms.copies)


def _by_class(mechanisms: Mechanisms, factors: NDArray[np.int64]) -> Matrix:
    """A row for each class: Σ factor·X over its entries."""
    entries = np.arange(len(mechanisms.owners))
    return sparse.csr_array(
        (factors.astype(np.float64), (mechanisms.owners, entries)),
        shape=(len(mechanisms.sizes), len(entries)),
    )


def _limits(mechanisms: Mechanisms, shrink: float) -> Matrix:
    """A row for each limit: X_b - e^-ε·X_a."""
    count = len(mechanisms.limits)
    factors = np.concatenate([np.full(count, -shrink), np.ones(count)])
    rows = np.tile(np.arange(count), 2)
    return sparse.csr_array(
        (factors, (rows, mechanisms.limits.T.ravel())), shape=(count, len(mechanisms.owners))
    )


def _minimise(
    cost: FloatArray, constraints: Matrix, equalities: int
) -> tuple[FloatArray, FloatArray]:
    """Variables >= 0 and multipliers of: the first rows are 1, the others at least 0.

    Without a solution all variables are 1 and all multipliers 0.
    """
    rows, columns = constraints.shape
    ones = (np.arange(rows) < equalities).astype(np.float64)
    model = _ORTOOLS.Model()
    model.helper.fill_model_from_sparse_data(
        np.zeros(columns),
        np.full(columns, np.inf),
        cost,
        ones,
        np.where(ones == 1, 1.0, np.inf),
        constraints,
    )
    for parameters in ATTEMPTS:
        solver = _ORTOOLS.Solver("glop")
        solver.set_time_limit_in_seconds(MAX_SECONDS)
        solver.set_solver_specific_parameters(parameters)
        if solver.solve(model) == _ORTOOLS.SolveStatus.OPTIMAL:
            values = solver.values(model.get_variables())
            multipliers = solver.dual_values(model.get_linear_constraints())
            return np.asarray(values, np.float64), np.asarray(multipliers, np.float64)
    return np.ones(columns), np.zeros(rows)
