from __future__ import annotations

import json
import math
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.utility.range_queries import RangeQueries, RangeQuery
from audit.utility.records import Records, of_frame
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, coded, frame, records

REAL, SYNTHETIC = records(1, 30), records(2, 60)


def matches(table: Records, query: RangeQuery) -> int:
    """The records that satisfy every condition, one by one."""
    position = table.domain.position
    return sum(
        all(record[position(name)] in codes for name, codes in query)
        for record in table.codes.tolist()
    )


def slow_errors(metric: RangeQueries, real: Records, synthetic: Records) -> list[float]:
    n, m = real.records, synthetic.records
    floor = max(metric.floor_records, metric.floor_share * n)
    errors = []
    for query in metric.queries(real.domain):
        here, there = matches(real, query), matches(synthetic, query)
        if metric.counts:
            errors.append(abs(there - here) / max(here, floor))
        else:
            errors.append(abs(there / m - here / n) / max(here / n, floor / n))
    return errors


@pytest.mark.parametrize(
    "metric",
    [
        RangeQueries(draws=60),
        RangeQueries(draws=40, share=0.5, include=1.0),
        RangeQueries(draws=40, counts=True, seed=3),
        RangeQueries(draws=40, floor_share=0.4),
        RangeQueries(draws=40, floor_records=1, floor_share=0.0, include=0.2),
    ],
)
@pytest.mark.parametrize("sizes", [(200, 200), (150, 400)])
def test_it_is_its_definition_record_by_record(
    metric: RangeQueries, sizes: tuple[int, int]
) -> None:
    real, synthetic = records(1, sizes[0]), records(2, sizes[1], shift=0.5)
    score = metric(real, synthetic, MIXED)
    errors = slow_errors(metric, real, synthetic)
    assert score.parts == pytest.approx(errors, abs=1e-13)
    assert score.value == pytest.approx(sum(errors) / len(errors))
    distribution = score.breakdown("distribution")
    assert distribution is not None
    found = dict(distribution.rows)
    assert found["median"] == pytest.approx(median(errors))
    assert found["95th percentile"] == pytest.approx(np.quantile(errors, 0.95))


def test_a_hand_computed_example() -> None:
    real = coded((2, 4), [(0, 0)] * 50 + [(1, 3)] * 50)
    synthetic = coded((2, 4), [(0, 0)] * 10 + [(1, 1)] * 30)
    metric = RangeQueries(floor_records=10).with_draws(
        [{"a0": [0]}, {"a1": [1, 2]}, {"a0": [1], "a1": [3]}]
    )
    # Shares 0.5 and 0.25; 0 and 0.75, floor 10/100; 0.5 and 0.
    score = metric(real, synthetic, real.domain)
    assert score.parts == pytest.approx([0.5, 7.5, 1.0])
    assert score.value == pytest.approx(3.0)
    assert score.seed is None
    worst = score.breakdown("queries")
    assert worst is not None
    assert worst.rows[0] == ("a1 in 2 of 4 values", 0.0, 0.75, 7.5)


def test_it_says_how_many_queries_the_floor_decides() -> None:
    real = coded((3,), [(0,)] * 10 + [(1,)] * 9 + [(2,)] * 2)
    metric = RangeQueries().with_draws([{"a0": [0]}, {"a0": [1]}, {"a0": [2]}])
    assert "; 2 of 3 queries match fewer real records" in metric(real, real, real.domain).stated[1]


def test_the_real_table_itself_has_no_error() -> None:
    real = records(1, 100)
    assert RangeQueries()(real, real, MIXED).value == 0


def test_all_files_get_the_same_queries_and_another_seed_gives_others() -> None:
    real = records(1, 100)
    drawn = [RangeQueries()(real, records(k, 50 * k), MIXED).drawn for k in (2, 3)]
    assert drawn[0] == drawn[1]
    assert RangeQueries(seed=1)(real, real, MIXED).drawn != drawn[0]


def test_draws_come_back_as_plain_json() -> None:
    real, synthetic = records(1, 120), records(2, 80)
    score = RangeQueries(draws=25)(real, synthetic, MIXED)
    again = RangeQueries().with_draws(json.loads(json.dumps(score.drawn)))
    assert again(real, synthetic, MIXED).parts == score.parts
    assert again(real, synthetic, MIXED).drawn == score.drawn


def test_conditions_cover_the_share_and_are_intervals_where_values_have_an_order() -> None:
    seen = set()
    for query in RangeQueries(include=1.0, share=0.3).queries(MIXED):
        assert [name for name, _ in query] == list(MIXED.names)
        for name, codes in query:
            attribute = MIXED.attribute(name)
            ordered = name in ("rooms", "wage", "age")
            values = len(attribute.values) if ordered else attribute.size
            assert len(codes) == max(1, math.floor(0.3 * values + 0.5))
            assert max(codes) < values
            assert list(codes) == sorted(set(codes))
            if ordered:
                assert codes[-1] - codes[0] == len(codes) - 1
            seen.update((name, code) for code in codes)
    # Every value is met, and a missing one where it is a value among others.
    assert seen >= {("colour", 4), ("type", 3), ("rooms", 0), ("rooms", 7), ("wage", 4)}


def test_places_of_intervals_are_uniform() -> None:
    # 4000 queries: by Hoeffding a share is off by 0.055 with probability below
    # 2·exp(-2·4000·0.055²) < 7e-11; 7 places and 1 share of inclusion.
    queries = RangeQueries(include=1.0, draws=4000).queries(MIXED)
    starts = [dict(query)["rooms"][0] for query in queries]
    shares = np.bincount(starts, minlength=7) / 4000
    assert len(shares) == 7
    assert np.abs(shares - 1 / 7).max() < 0.055
    half = RangeQueries(include=0.5, draws=4000).queries(MIXED)
    # Given that a query has a condition, an attribute is in it with (1/2)/(1 - 2**-6).
    assert abs(sum("sex" in dict(q) for q in half) / 4000 - 0.5 / (1 - 2**-6)) < 0.055


def test_a_value_outside_the_domain_matches_no_query() -> None:
    strange = frame(2, 40)
    strange["sex"] = "3"
    metric = RangeQueries().with_draws([{"sex": [0, 1]}])
    real = records(1, 40)
    score = metric(real, of_frame(strange, MIXED, "cell"), MIXED)
    assert score.value == 1


@given(st.integers(0, 10**6), st.floats(0.05, 1), st.integers(1, 60))
def test_errors_are_never_negative_and_the_standard_error_is_theirs(
    seed: int, share: float, rows: int
) -> None:
    metric = RangeQueries(draws=10, share=share, seed=seed)
    score = metric(REAL, SYNTHETIC.take(np.arange(rows)), MIXED)
    assert score.value is not None and score.value >= 0
    assert score.standard_error == pytest.approx(np.std(score.parts, ddof=1) / math.sqrt(10))


@pytest.mark.parametrize(
    "fields",
    [
        {"draws": 0},
        {"share": 0.0},
        {"share": 1.5},
        {"include": 0.0},
        {"floor_records": -1},
        {"floor_records": 0, "floor_share": 0.0},
        {"mode": "nist-2018"},
    ],
)
def test_parameters_out_of_range_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InputError, match="range-queries"):
        RangeQueries(**fields)


@pytest.mark.parametrize(
    "draw", [[], {}, {"sex": []}, {"sex": [-1]}, {"sex": [True]}, {"sex": "1"}, "sex"]
)
def test_malformed_draws_are_refused(draw: object) -> None:
    with pytest.raises(InputError, match="a query is an object of codes by attribute"):
        RangeQueries().with_draws([draw])


def test_draws_that_do_not_fit_the_domain_are_refused() -> None:
    real = records(1, 5)
    with pytest.raises(InputError, match="there is no attribute 'town'"):
        RangeQueries().with_draws([{"town": [0]}])(real, real, MIXED)
    with pytest.raises(InputError, match="codes end at 1"):
        RangeQueries().with_draws([{"sex": [2]}])(real, real, MIXED)
