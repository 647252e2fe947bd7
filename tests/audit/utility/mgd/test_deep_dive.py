from __future__ import annotations

from fractions import Fraction

import numpy as np

from audit.utility.mgd.cells import Cells, cells_of
from audit.utility.mgd.deep_dive import deep_dive, worst_cells
from audit.utility.mgd.solve import solve
from audit.utility.mgd.target import Target
from audit.utility.pair import Pair
from synthesizers.domain import Attribute, Dataset, Domain

DOMAIN = Domain(
    "d",
    (
        Attribute("kind", tuple("pq")),
        Attribute("month", tuple("abc"), ordinal=True),
        Attribute("age", tuple("uvw"), ordinal=True),
    ),
)


def _cells(target: Target, real: list[list[int]], synthetic: list[list[int]]) -> Cells:
    tables = (Dataset(DOMAIN, np.array(codes)) for codes in (real, synthetic))
    pair = Pair.of(*tables, DOMAIN)
    return cells_of(target, pair.marginal(target.attributes), DOMAIN)


def test_an_optimal_plan_is_shared_out_between_moving_and_adding() -> None:
    rng = np.random.default_rng(1)
    for weights in ({}, {"month": "infinite"}, {"age": "infinite"}):
        target = Target(("kind", "month", "age"), weights, Fraction(1))
        tables = [rng.integers(0, 2, (40, 3)).tolist() for _ in range(2)]
        cells = _cells(target, *tables)
        solution = solve(cells.problem)
        found = deep_dive(cells, solution)
        value = cells.problem.value(solution.cost)
        assert sum(found.moving.values()) + found.adding == value
        assert found.plan.kept.sum() == cells.problem.synthetic.sum()
        assert list(found.moving) == list(cells.finite)


def test_a_worked_cell() -> None:
    # Of kind p month a has 5 and may keep 2, month b has 1 and may have 2 to 4: three records
    # go one step of 1/2.
    target = Target(("kind", "month"), tolerance=Fraction(1))
    real = [[0, 0, 0]] + [[0, 1, 0]] * 3 + [[1, 2, 0]]
    synthetic = [[0, 0, 0]] * 5 + [[0, 1, 0]] + [[1, 2, 0]]
    cells = _cells(target, real, synthetic)
    solution = solve(cells.problem)
    found = deep_dive(cells, solution)
    assert cells.problem.value(solution.cost) == Fraction(3, 2) / 5
    assert found.moving == {"month": Fraction(3, 2) / 5} and found.adding == 0
    rows, more = worst_cells(cells, found.plan, DOMAIN, 1)
    assert rows == (("kind = p, month = a", 1, 5, 3, 0),) and more == 1
    rows, more = worst_cells(cells, found.plan, DOMAIN, 9)
    assert rows[1] == ("kind = p, month = b", 3, 1, -1, 0) and (len(rows), more) == (2, 0)


def test_scaled_counts_are_shown_as_records() -> None:
    target = Target(("kind",), tolerance=Fraction(1, 2))
    cells = _cells(target, [[0, 0, 0]], [[0, 0, 0]] * 4 + [[1, 0, 0]])
    found = deep_dive(cells, solve(cells.problem))
    assert found.adding == 3
    rows, _ = worst_cells(cells, found.plan, DOMAIN, 9)
    assert rows == (("kind = p", 1, 4, 2.5, 2.5), ("kind = q", 0, 1, 0.5, 0.5))
