"""The overall score of the NIST 2018 challenge."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from audit.utility.nist_2018.conjunction import Conjunction
from audit.utility.nist_2018.inequality import Inequality
from audit.utility.nist_2018.three_way_marginal import ThreeWayMarginal
from audit.utility.nist_2018.total import Nist2018Total
from audit.utility.parameters import plan_metric
from synthesizers.errors import InputError
from tests.audit.utility.nist_2018.nist_2018_tables import (
    COLUMNS,
    DOMAIN,
    WAGES,
    pair_of,
    random_rows,
)
from tests.audit.utility.nist_2018.slow_nist_2018 import score_1, score_2, score_3, total

PAIR = pair_of(random_rows(1, 150), random_rows(2, 130))


@pytest.mark.parametrize("mode", ["fixed", "nist-2018"])
def test_it_is_the_mean_of_the_three_with_the_same_draws(mode: str) -> None:
    found = Nist2018Total(mode=mode, seed=4, triples=20, queries=30).score(PAIR)
    first = ThreeWayMarginal(mode=mode, seed=4, draws=20).score(PAIR)
    second = Conjunction(mode=mode, seed=4, draws=30).score(PAIR)
    third = Inequality(mode=mode).score(PAIR)
    assert first.value is not None and second.value is not None and third.value is not None
    assert found.value == (first.value + second.value + third.value) / 3
    assert found.mode == mode and found.seed == 4
    assert first.standard_error is not None and second.standard_error is not None
    expected = math.hypot(first.standard_error, second.standard_error) / 3
    assert found.standard_error == pytest.approx(expected)
    detail = found.breakdown("scores")
    assert detail is not None
    assert detail.rows == (
        ("three-way-marginal", first.value),
        ("conjunction", second.value),
        ("inequality", third.value),
    )
    assert f"conjunction: {second.stated[0]}" in found.stated


@pytest.mark.parametrize("outside", [False, True])
def test_the_programs_number_is_reproduced_in_every_bit(outside: bool) -> None:
    real, synthetic = random_rows(8, 200), random_rows(9, 120, outside=outside)
    pair = pair_of(real, synthetic)
    own = Nist2018Total(mode="nist-2018", triples=15, queries=20).score(pair)
    drawn = json.loads(json.dumps(own.drawn))
    triples = [draw["three-way-marginal"] for draw in drawn if "three-way-marginal" in draw]
    queries = [draw["conjunction"] for draw in drawn if "conjunction" in draw]
    assert own.value == total(
        score_1(real, synthetic, COLUMNS, triples),
        score_2(real, synthetic, queries),
        score_3(real, synthetic),
    )
    again = Nist2018Total(mode="nist-2018").with_draws(drawn).score(pair)
    assert (again.value, again.drawn, again.seed) == (own.value, own.drawn, None)


@pytest.mark.parametrize("mode", ["fixed", "nist-2018"])
def test_it_is_undefined_where_one_score_is(mode: str) -> None:
    one_city = [{**row, "CITY": "0"} for row in random_rows(1, 40)]
    found = Nist2018Total(mode=mode).score(pair_of(one_city, one_city))
    assert found.value is None and found.undefined is not None
    assert found.undefined.startswith("inequality: ")
    detail = found.breakdown("scores")
    assert detail is not None and detail.rows[0][1] is not None and detail.rows[2][1] is None
    assert found.drawn


def test_a_table_against_itself_is_perfect() -> None:
    rows = random_rows(1, 200)
    assert Nist2018Total().score(pair_of(rows, rows)).value == 1e6
    program = Nist2018Total(mode="nist-2018").score(pair_of(rows, rows)).value
    assert program == pytest.approx(1e6, rel=1e-12)


def test_parameters_reach_the_three() -> None:
    metric = plan_metric(
        Nist2018Total,
        {"city": "RACE", "triples": 5, "queries": 6, "probability": "0.5"},
        lambda name: Inequality(),
    )
    found = metric.score(PAIR)
    assert found.draws == 11
    assert any("values of RACE" in text for text in found.stated)
    assert any("chance 0.5" in text for text in found.stated)
    assert metric.marginals_read(DOMAIN) == ThreeWayMarginal(draws=5).marginals_read(DOMAIN)
    assert not replace(metric, mode="nist-2018").marginals_read(DOMAIN)


def test_what_one_of_the_three_refuses_is_refused() -> None:
    with pytest.raises(InputError, match="three-way-marginal: draws must be at least 1"):
        Nist2018Total(triples=0)
    with pytest.raises(InputError, match="conjunction: probability"):
        Nist2018Total(probability=2.0)
    with pytest.raises(InputError, match="inequality: the domain has no attribute 'TOWN'"):
        Nist2018Total(city="TOWN").check(DOMAIN)
    Nist2018Total().check(WAGES)
    with pytest.raises(InputError, match="the last is never drawn"):
        Nist2018Total(mode="nist-2018").check(WAGES)


@pytest.mark.parametrize(
    ("drawn", "part"),
    [
        ([["A", "B", "C"]], "one key"),
        ([{"inequality": 1}], "one key"),
        ([{"conjunction": {}, "three-way-marginal": ["AGE", "SEX", "OWN"]}], "one key"),
        ([{"conjunction": {}}], "no draw"),
        ([{"three-way-marginal": ["AGE", "SEX", "OWN"]}], "no query"),
    ],
)
def test_draws_of_another_form_are_refused(drawn: list[object], part: str) -> None:
    with pytest.raises(InputError, match=part):
        Nist2018Total().with_draws(drawn)
