from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from audit.metrics.mgd import linear_programme as module
from audit.metrics.mgd.linear_programme import linear_programme
from audit.metrics.mgd.problem import Axis, Problem
from synthesizers.errors import TooLargeError
from tests.audit.metrics.mgd.exact_plans import optimum, problems

LINE = Problem((Axis.line(3, 2),), np.array([5, 0, 1]), np.array([1, 2, 3]), 0, 7)


def test_a_line_by_hand() -> None:
    # Four have to leave the first value: two move by one step, two by two steps.
    assert linear_programme(LINE) == 2 * 2 + 2 * 4


def test_totals_that_differ_by_hand() -> None:
    # Of three beyond the tolerance one goes next door, where one is free, and two are removed.
    problem = Problem((Axis.line(2, 2),), np.array([5, 1]), np.array([1, 1]), 1, 7)
    assert linear_programme(problem) == 2 + 2 * 7


@given(problems())
@settings(max_examples=60)
def test_it_agrees_with_the_linear_programme_of_free_intervals(problem: Problem) -> None:
    assert linear_programme(problem) == optimum(problem)


@pytest.mark.parametrize("spoilt", ["plan", "source", "prices", "price of nothing", "above"])
def test_a_wrong_solution_is_noticed(spoilt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solve = module.linprog

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

    monkeypatch.setattr(module, "linprog", wrong)
    with pytest.raises(ArithmeticError, match="do not prove each other"):
        linear_programme(LINE)


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAIRS", 8)
    with pytest.raises(TooLargeError, match="use the flow"):
        linear_programme(LINE)
