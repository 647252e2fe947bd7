"""Where an AEMC comes from: by attribute, and cell by cell (Li et al., section 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.utility.labels import value_labels
from audit.utility.mgd.cells import Cells
from audit.utility.mgd.plan import move_along, penalties, stay
from audit.utility.mgd.problem import Plan, Problem, Solution
from audit.utility.mgd.solvers.certificate import cheapest_axis
from audit.utility.score import Entry
from synthesizers.domain import Domain


@dataclass(frozen=True, eq=False)
class DeepDive:
    """What one AEMC is made of.

    ``moving`` is what moving along each attribute contributes to AEMC (along all together
    with a user's own distances), and ``adding`` what adding and removing records does. Their
    sum is AEMC, or the upper end of its bracket, which is what ``plan`` costs.
    """

    plan: Plan
    moving: dict[str, Fraction]
    adding: Fraction


def plan_of(problem: Problem, solution: Solution) -> Plan:
    """A plan that costs what the solution says, so an optimal one if that is exact.

    Raises ``ArithmeticError`` if it costs anything else.

    **Guarantee.** Nothing is lost: records are moved, never made; its cost is recounted from
    where they end. Backed by ``tests/audit/utility/mgd/test_deep_dive.py``.
    """
    if solution.plan is not None:
        plan = solution.plan
    elif problem.finite:
        plan = move_along(problem, cheapest_axis(problem))
    else:
        plan = stay(problem)
    if plan.cost != solution.cost:
        raise ArithmeticError("the plan does not cost what was found to be the least cost")
    return plan


def deep_dive(cells: Cells, solution: Solution) -> DeepDive:
    """The contributions of attributes."""
    problem = cells.problem
    plan = plan_of(problem, solution)
    names, costs = cells.finite, plan.moving[1:]
    if cells.matrix is not None:
        names, costs = (" × ".join(cells.fixed),), plan.moving
    moving = {name: problem.value(cost) for name, cost in zip(names, costs, strict=True)}
    return DeepDive(plan, moving, problem.value(plan.adding))


def worst_cells(
    cells: Cells, plan: Plan, domain: Domain, most: int
) -> tuple[tuple[tuple[Entry, ...], ...], int]:
    """The cells furthest beyond the tolerance, and how many further ones there are.

    Rows: the values, real and synthetic records, by how many the synthetic exceed what is
    tolerated (negative: fall short), and how many of the plan's records are to be removed
    (negative: added) once it has moved what is worth moving.
    """
    problem = cells.problem
    beyond = penalties(problem, problem.synthetic).ravel()
    left = penalties(problem, plan.kept).ravel()
    places = np.flatnonzero(beyond)
    size = -np.abs(beyond[places])
    if len(places) > most:
        places = places[np.argpartition(size, most)[:most]]
    places = places[np.lexsort((places, -np.abs(beyond[places])))]
    codes = cells.codes(places)
    names = [name for name in domain.names if name in codes]
    tables = (problem.real, problem.synthetic)
    rows = [
        (
            ", ".join(f"{name} = {value_labels(domain, name)[codes[name][n]]}" for name in names),
            *(_records(table.ravel()[place], problem.scale) for table in tables),
            _records(beyond[place], problem.scale),
            _records(left[place], problem.scale),
        )
        for n, place in enumerate(places.tolist())
    ]
    return tuple(rows), int(np.count_nonzero(beyond)) - len(rows)


def _records(count: NDArray[np.int64], scale: int) -> Entry:
    """A count of scaled records as a number of records."""
    return int(count) // scale if int(count) % scale == 0 else int(count) / scale
