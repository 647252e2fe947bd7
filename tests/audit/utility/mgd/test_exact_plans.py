from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audit.utility.mgd.problem import Axis, Problem
from tests.audit.utility.mgd import exact_plans
from tests.audit.utility.mgd.exact_plans import optimum

LINE = Problem((Axis.line(3, 2),), np.array([5, 0, 1]), np.array([1, 2, 3]), 0, 7)


def test_a_line_by_hand() -> None:
    # Four have to leave the first value: two move by one step, two by two steps.
    assert optimum(LINE) == 2 * 2 + 2 * 4


def test_totals_that_differ_by_hand() -> None:
    # Of three beyond the tolerance one goes next door, where one is free, and two are removed.
    problem = Problem((Axis.line(2, 2),), np.array([5, 1]), np.array([1, 1]), 1, 7)
    assert optimum(problem) == 2 + 2 * 7


@pytest.mark.parametrize("spoilt", ["plan", "source", "prices", "price of nothing", "above"])
def test_a_wrong_solution_is_noticed(spoilt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solve = exact_plans.linprog

    def wrong(*given: Any, **named: Any) -> Any:
        found = solve(*given, **named)
        if spoilt == "plan":
            found.x[[0, 1]] += [1.0, -1.0]
        elif spoilt == "source":
            # What arrives and what it costs stay the same; it comes from where there is none.
            found.x[[1, 7]] += [-1.0, 1.0]
        elif spoilt == "price of nothing":
            # No record is there to be sold at it, so the value stays the same.
            found.eqlin.marginals[1] += 100
        elif spoilt == "prices":
            found.eqlin.marginals[0] += 1
        else:
            found.ineqlin.marginals[0] -= 1
        return found

    monkeypatch.setattr(exact_plans, "linprog", wrong)
    with pytest.raises(AssertionError):
        optimum(LINE)
