"""Where an AEMC comes from: by attribute, and cell by cell (Li et al., section 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.metrics.mgd.cells import Cells
from audit.metrics.mgd.certificate import cheapest_axis
from audit.metrics.mgd.plan import move_along, penalties, stay
from audit.metrics.mgd.problem import Plan, Problem, Solution
from audit.metrics.score import Entry
from synthesizers.domain import Domain


@dataclass(frozen=True, eq=False)
class DeepDive:
    """What one AEMC is made of.

    ``moving`` is what moving along each attribute contributes to AEMC, and ``adding`` what
    adding and removing records does; their sum exceeds AEMC by ``excess``, which is 0 if
    ``plan`` is an optimal plan.
    """

    plan: Plan
    moving: dict[str, Fraction]
    adding: Fraction
    excess: Fraction


def plan_of(problem: Problem, solution: Solution) -> Plan:
    """A plan for the problem, an optimal one wherever no flow was needed to find the optimum.

    **Guarantee.** Nothing is lost: records are moved, never made; its cost is recounted from
    where they end. Backed by ``tests/audit/metrics/mgd/test_deep_dive.py``.
    """
    if solution.plan is not None:
        return solution.plan
    if not problem.finite:
        return stay(problem)
    return move_along(problem, cheapest_axis(problem))


def deep_dive(cells: Cells, solution: Solution) -> DeepDive | None:
    """The contributions of attributes; None if there is no real record to divide by."""
    problem = cells.problem
    plan = plan_of(problem, solution)
    value = problem.value(solution.cost)
    found = [problem.value(cost) for cost in (*plan.moving[1:], plan.adding, plan.cost)]
    *moving, adding, total = (each for each in found if each is not None)
    if value is None or len(moving) < len(cells.finite):
        return None
    return DeepDive(plan, dict(zip(cells.finite, moving, strict=True)), adding, total - value)


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
            ", ".join(f"{name} = {_label(domain, name, int(codes[name][n]))}" for name in names),
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


def _label(domain: Domain, name: str, code: int) -> str:
    attribute = domain.attribute(name)
    if code >= attribute.size:
        return "(outside the domain)"
    return attribute.labels[code] or "(missing)"
