"""Both fits along one quantity: means by hand, and the lines of the coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from audit.utility.models.fitted_line import GROUPS
from audit.utility.models.interval_overlap import IntervalOverlap
from tests.audit.utility.models.test_interval_overlap import DOMAIN, coefficients, survey

REAL, SYNTHETIC = survey(1, 600), survey(2, 500, 0.5)


@pytest.mark.parametrize("outcome", ["wage", "smokes"])
def test_means_are_those_of_the_groups_and_lines_those_of_the_coefficients(outcome: str) -> None:
    score = IntervalOverlap(outcome=outcome, predictors=("age",))(REAL, SYNTHETIC, DOMAIN)
    line = score.breakdown("line")
    assert line is not None and len(line.rows) == GROUPS
    assert line.columns[:2] == ("age", f"mean {outcome}, real")
    pooled = np.sort(np.concatenate([table.numbers("age") for table in (REAL, SYNTHETIC)]))
    cuts = [-np.inf, *np.quantile(pooled, np.arange(1, GROUPS) / GROUPS), np.inf]
    found = coefficients(score)
    for low, high, (at, *rest) in zip(cuts, cuts[1:], line.rows, strict=False):
        assert at == pytest.approx(pooled[(pooled >= low) & (pooled < high)].mean())
        for place, table in enumerate((REAL, SYNTHETIC)):
            age = table.numbers("age")
            y = table.numbers("wage") if outcome == "wage" else table.column("smokes") == 1
            inside = (age >= low) & (age < high)
            assert rest[place] == pytest.approx(y[inside].mean())
            fit = found["(intercept)"][3 * place] + found["age"][3 * place] * at
            assert rest[2 + place] == pytest.approx(expit(fit) if outcome == "smokes" else fit)


def test_there_is_one_line_only_of_one_quantity_that_varies() -> None:
    for predictors in (("sex",), ("age", "sex"), ("town",)):
        score = IntervalOverlap(outcome="wage", predictors=predictors)(REAL, SYNTHETIC, DOMAIN)
        assert score.value is not None and score.breakdown("line") is None
    constant = REAL.take(np.flatnonzero(REAL.numbers("age") == REAL.numbers("age")[0])[:1])
    same = constant.take(np.zeros(9, dtype=np.int64))
    score = IntervalOverlap(outcome="wage", predictors=("age",))(same, SYNTHETIC, DOMAIN)
    assert score.breakdown("line") is None
