from __future__ import annotations

import math

import numpy as np
import pytest

from audit.utility.propensity.nulls import Null
from audit.utility.score import standard_error


def test_equation_eight_by_hand():
    # Six slopes, 4000 records, half of them synthetic: 6·(1/4)·(1/2)/4000.
    null = Null.closed_form(7, 0.5, 4000)
    assert null.mean == 6 * 0.125 / 4000 == 0.0001875
    assert null.deviation == pytest.approx(math.sqrt(12) * 0.125 / 4000)
    # A quarter synthetic: 2·(9/16)·(1/4)/800.
    assert Null.closed_form(3, 0.25, 800).mean == 2 * 0.140625 / 800


def test_permutations_by_hand():
    null = Null.of_permutations((1.0, 2.0, 6.0), 1.0)
    assert null.mean == 3 and null.deviation == pytest.approx(math.sqrt(7))
    # A larger null makes the ratio smaller: 1.5·(2 - null/3).
    assert null.ratio(4.5) == (1.5, pytest.approx((2.5, 2.0, 0.0)))
    assert null.standardise(4.5)[0] == pytest.approx(1.5 / math.sqrt(7))
    halved = Null.of_permutations((1.0, 2.0, 6.0), 0.5)
    assert halved.ratio(4.5)[0] == 3
    assert halved.values == (0.5, 1.0, 3.0)


@pytest.mark.parametrize(
    ("measure", "count", "near"), [("ratio", 400, 0.02), ("standardise", 10, 1e-9)]
)
def test_contributions_have_the_value_for_mean_and_its_jackknife_error(measure, count, near):
    random = np.random.default_rng(1)
    found = tuple((1 + 0.05 * random.normal(size=count)).tolist())
    value, parts = getattr(Null.of_permutations(found, 1.0), measure)(1.2)
    assert math.fsum(parts) / len(parts) == pytest.approx(value, rel=1e-12)
    without = [
        getattr(Null.of_permutations(found[:k] + found[k + 1 :], 1.0), measure)(1.2)[0]
        for k in range(count)
    ]
    spread = sum((w - np.mean(without)) ** 2 for w in without)
    assert standard_error(parts) == pytest.approx(math.sqrt((count - 1) / count * spread), rel=near)


def test_a_deviation_of_two_permutations_has_no_error_of_its_own():
    assert Null.of_permutations((1.0, 3.0), 1.0).standardise(2.0) == (0.0, ())
    # Without the last there is no spread left, but for rounding.
    assert Null.of_permutations((1.0, 1.0, 3.0), 1.0).standardise(2.0)[1] == ()
    assert Null.of_permutations((1.0, 1.0 + 1e-15, 3.0), 1.0).standardise(2.0)[1] == ()


def test_the_closed_form_has_no_monte_carlo_part():
    assert Null.closed_form(7, 0.5, 4000).ratio(0.0001875) == (1.0, ())
    assert Null.closed_form(7, 0.5, 4000).standardise(0.0001875) == (0.0, ())
