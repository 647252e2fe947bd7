from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.nist_2020.longitudinal import LongitudinalKMarginal
from audit.utility.records import of_frame
from audit.utility.score import Score
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.nist_2020.slow_nist_2020 import slow_longitudinal

YEARS = ("2012", "2013", "2014")


def panel_domain(columns: int = 3) -> Domain:
    values = tuple(map(str, range(4)))
    return Domain(
        "panel",
        (
            *(Attribute(f"c{j}", values) for j in range(columns)),
            Attribute("YEAR", YEARS),
        ),
        individual="id",
    )


def panel(rows: int, persons: int, seed: int, columns: int = 3) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": random.integers(0, persons, rows),
            "YEAR": random.integers(2012, 2015, rows),
            **{f"c{j}": np.minimum(random.geometric(0.5, rows) - 1, 3) for j in range(columns)},
        }
    )


def sets_of(score: Score) -> list[list[tuple[str, str]]]:
    return [[(column, label) for column, label in draw] for draw in score.drawn]


def test_two_persons_over_two_years_are_scored_as_worked_out_by_hand() -> None:
    # (c0 @ 2012, c0 @ 2013): real (0, 1) and (1, absent); synthetic (0, 1) and (1, 1).
    real = pd.DataFrame({"id": [1, 1, 2], "YEAR": [2012, 2013, 2012], "c0": [0, 1, 1]})
    synthetic = pd.DataFrame({"id": [7, 7, 9, 9], "YEAR": [2012, 2013] * 2, "c0": [0, 1, 1, 1]})
    metric = LongitudinalKMarginal(given=((("c0", "2012"), ("c0", "2013")),))
    score = metric(real, synthetic, panel_domain(1))
    assert score.value == 500.0
    assert score.breakdown("marginals").rows == (("c0 @ 2012 × c0 @ 2013", 0.5),)


def test_records_of_other_persons_in_other_years_are_not_the_same_person() -> None:
    # Record by record the tables are the same; only who is whose is exchanged.
    real = pd.DataFrame({"id": [1, 1, 2, 2], "YEAR": [2012, 2013] * 2, "c0": [0, 0, 1, 1]})
    synthetic = real.assign(id=[1, 2, 2, 1])
    single = LongitudinalKMarginal(k=1)(real, synthetic, panel_domain(1))
    joint = LongitudinalKMarginal(k=2)(real, synthetic, panel_domain(1))
    assert single.value == 1000
    assert joint.value is not None
    assert joint.value < 1000


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "sizes", [(60, 40, 30, 25), (200, 60, 90, 5), (1, 1, 1, 1), (5, 9, 80, 70)]
)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_score_is_the_slow_one(seed: int, sizes: tuple[int, int, int, int], k: int) -> None:
    real = panel(sizes[0], sizes[1], seed)
    synthetic = panel(sizes[2], sizes[3], seed + 50)
    score = LongitudinalKMarginal(k=k, draws=15)(real, synthetic, panel_domain())
    sets = sets_of(score)
    assert score.value == pytest.approx(slow_longitudinal(real, synthetic, "id", "YEAR", sets))
    assert len(sets) == min(15, math.comb(9, k))
    assert all(len(set(features)) == k for features in sets)


def test_several_records_at_once_are_a_value_of_their_own_and_counted() -> None:
    real = pd.DataFrame({"id": [1, 2], "YEAR": [2012, 2012], "c0": [0, 0]})
    synthetic = pd.DataFrame({"id": [1, 1, 2], "YEAR": 2012, "c0": 0})
    score = LongitudinalKMarginal(k=1, draws=1, given=((("c0", "2012"),),))(
        real, synthetic, panel_domain(1)
    )
    assert score.value == 500
    assert any("0 times in the real and 1 times" in sentence for sentence in score.stated)


def test_values_outside_the_domain_and_absent_records_are_told_apart() -> None:
    domain = panel_domain(1)
    real = pd.DataFrame({"id": ["1", "2"], "YEAR": ["2012", "2013"], "c0": ["0", "0"]})
    synthetic = real.assign(c0=["9", "0"])
    tables = [of_frame(frame, domain, "cell") for frame in (real, synthetic)]
    metric = LongitudinalKMarginal(given=((("c0", "2012"),),))
    assert metric(tables[0], tables[1], domain).value == 500
    elsewhere = of_frame(real.assign(YEAR=["2014", "2013"]), domain, "cell")
    assert metric(tables[1], elsewhere, domain).value == 500
    beyond = of_frame(real.assign(YEAR=["2012", "1999"]), domain, "cell")
    assert metric(tables[0], beyond, domain).value == 1000


def test_a_missing_period_has_a_label() -> None:
    domain = Domain(
        "panel",
        (Attribute("c0", ("0",)), Attribute("YEAR", ("2012",), missing=True)),
        individual="id",
    )
    frame = pd.DataFrame({"id": ["1", "2"], "YEAR": ["2012", None], "c0": ["0", "0"]})
    score = LongitudinalKMarginal(k=2)(frame, frame, domain)
    assert score.drawn == ([["c0", "2012"], ["c0", "missing"]],)
    assert score.value == 1000


def test_draws_cross_the_years_and_can_be_handed_back() -> None:
    real, synthetic, domain = panel(80, 30, 0, 8), panel(80, 30, 1, 8), panel_domain(8)
    score = LongitudinalKMarginal()(real, synthetic, domain)
    sets = sets_of(score)
    assert len(sets) == 300 == len({frozenset(features) for features in sets})
    # A set of 3 of 24 features keeps to a year with chance 3·56/2024 = 0.083; that 150 of
    # 300 do has a chance below 1e-60 (Chernoff).
    assert sum(len({label for _, label in features}) == 1 for features in sets) < 150
    metric = LongitudinalKMarginal()
    assert metric(real, real, domain).drawn == score.drawn
    again = metric.with_draws(list(score.drawn))(real, synthetic, domain)
    assert (again.value, again.parts, again.drawn) == (score.value, score.parts, score.drawn)
    assert LongitudinalKMarginal(seed=1)(real, synthetic, domain).drawn != score.drawn


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(2012, 2014), st.integers(0, 3)), min_size=1),
    st.lists(st.tuples(st.integers(0, 4), st.integers(2012, 2014), st.integers(0, 3)), min_size=1),
)
def test_the_score_keeps_its_range_and_ignores_the_order_of_rows(
    real: list[tuple[int, ...]], synthetic: list[tuple[int, ...]]
) -> None:
    frames = [pd.DataFrame(rows, columns=["id", "YEAR", "c0"]) for rows in (real, synthetic)]
    metric = LongitudinalKMarginal(k=2)
    score = metric(frames[0], frames[1], panel_domain(1))
    assert score.value is not None
    assert 0 <= score.value <= 1000
    turned = [frame.iloc[::-1].reset_index(drop=True) for frame in frames]
    assert metric(turned[0], turned[1], panel_domain(1)).value == score.value
    assert metric(frames[0], turned[0], panel_domain(1)).value == 1000


def test_a_table_without_ids_has_no_score() -> None:
    real = panel(20, 5, 0)
    score = LongitudinalKMarginal()(real, real.drop(columns="id"), panel_domain())
    assert score.value is None
    assert "the synthetic table lacks the id column 'id'" in str(score.undefined)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"k": 0}, "k must be"),
        ({"draws": 0}, "draws must be"),
        ({"columns": ("YEAR", "c0")}, "without the period"),
        ({"columns": ("c0", "c0")}, "distinct"),
        ({"period": "x"}, "holds the period"),
        ({"columns": ("x",)}, "no attribute 'x'"),
        ({"k": 10}, "lower k"),
        ({"given": ((("c0", "1999"),),)}, "distinct pairs"),
        ({"given": ((("c0", "2012"), ("c0", "2012")),)}, "distinct pairs"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LongitudinalKMarginal(**fields).check(panel_domain())


def test_persons_must_be_declared_and_marginals_numbered() -> None:
    with pytest.raises(InputError, match=r"\[individual\]"):
        LongitudinalKMarginal().check(Domain("d", panel_domain().attributes))
    with pytest.raises(InputError, match="lower k"):
        LongitudinalKMarginal(k=30).check(panel_domain(12))


@pytest.mark.parametrize("draw", [None, [], ["a", "b"], [["a"]], [["a", 3]], [["a", "b", "c"]]])
def test_draws_of_another_form_are_refused(draw: object) -> None:
    with pytest.raises(InputError, match="pairs of a column and a period"):
        LongitudinalKMarginal().with_draws([draw])
