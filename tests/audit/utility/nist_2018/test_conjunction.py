"""Conjunctions, against the program record by record and against their definition."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.nist_2018.conjunction import Conjunction
from audit.utility.nist_2018.conjunction_queries import count_satisfying
from audit.utility.pair import Pair
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError
from tests.audit.utility.nist_2018.nist_2018_tables import COLUMNS, DOMAIN, pair_of, random_rows
from tests.audit.utility.nist_2018.slow_nist_2018 import matching, score_2

SMALL = Domain("small", tuple(Attribute(name, ("a", "b", "c")) for name in "PQRS"))
TABLES = st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=12)


def small(rows: list[tuple[str, ...]]) -> list[dict[str, str]]:
    return [dict(zip("PQRS", row, strict=True)) for row in rows]


@pytest.mark.parametrize("sizes", [(1, 1), (7, 300), (400, 90), (333, 333)])
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("probability", [None, 0.5, 1.0])
def test_the_programs_number_is_reproduced_in_every_bit(
    sizes: tuple[int, int], outside: bool, probability: float | None
) -> None:
    real = random_rows(1, sizes[0])
    synthetic = random_rows(2, sizes[1], outside=outside)
    pair = pair_of(real, synthetic)
    metric = Conjunction(mode="nist-2018", probability=probability, draws=40)
    own = metric.score(pair)
    queries = json.loads(json.dumps(own.drawn))
    assert own.value == score_2(real, synthetic, queries)
    again = Conjunction(mode="nist-2018").with_draws(queries).score(pair)
    assert (again.value, again.drawn, again.seed) == (own.value, own.drawn, None)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 50), (300, 120)])
@pytest.mark.parametrize("probability", [0.05, 0.33, 1.0])
def test_every_query_counts_what_a_loop_over_records_counts(
    sizes: tuple[int, int], probability: float
) -> None:
    rows = random_rows(3, sizes[0]), random_rows(4, sizes[1], outside=True)
    pair = pair_of(*rows)
    metric = Conjunction(probability=probability, draws=60)
    queries = metric.queries(pair.tables[0])
    drawn = metric.score(pair).drawn
    for records, texts in zip(pair.tables, rows, strict=True):
        assert count_satisfying(records, queries) == [matching(texts, query) for query in drawn]


@pytest.mark.parametrize("mode", ["fixed", "nist-2018"])
def test_every_drawn_query_is_satisfied_by_the_record_that_it_is_founded_on(mode: str) -> None:
    real = random_rows(5, 200, outside=True)
    pair = pair_of(real, real)
    metric = Conjunction(mode=mode, probability=1.0)
    queries = metric.queries(pair.tables[0])
    assert min(count_satisfying(pair.tables[0], queries)) >= 1


def test_by_hand() -> None:
    domain = Domain("d", (Attribute("A", ("0", "1")), Attribute.binned("N", [0, 10])))
    real = pd.DataFrame({"A": list("0011"), "N": ["0", "4", "6", "9"]})
    synthetic = pd.DataFrame({"A": list("01"), "N": ["5.5", "0"]})
    metric = Conjunction().with_draws(
        [
            {"A": ["0"]},  # 2 of 4 and 1 of 2
            {"A": ["1", "0"], "N": {"centre": 5, "radius": 1}},  # 2 of 4 and 1 of 2
            {"A": ["1"], "N": {"centre": 9, "radius": 3}},  # 2 of 4 and 0 of 2
            {"N": {"centre": 4.5, "radius": 0.5}},  # 1 of 4 and 0 of 2
        ]
    )
    found = metric(real, synthetic, domain)
    errors = [0, 0, math.log(1e-6 / 0.5), math.log(1e-6 / 0.25)]
    spread = math.sqrt(sum(error**2 for error in errors) / 4)
    assert spread > math.log(1000) and found.value == 0
    assert "cut off at 0" in found.stated
    detail = found.breakdown("queries")
    assert detail is not None
    assert detail.columns == ("attributes", "real share", "synthetic share", "log error")
    assert detail.rows[0] == ("A × N", 0.5, 0.0, pytest.approx(errors[2]))
    assert detail.rows[1][:3] == ("N", 0.25, 0.0)
    easier = metric.with_draws([{"A": ["0"]}, {"A": ["0"], "N": {"centre": 5, "radius": 5}}] * 8)
    assert easier(real, synthetic, domain).value == 1e6
    mixed = metric.with_draws([{"A": ["0"]}] * 3 + [{"N": {"centre": 4.5, "radius": 0.5}}])
    expected = 1e6 * (1 - abs(errors[3]) / 2 / math.log(1000))
    assert mixed(real, synthetic, domain).value == pytest.approx(expected)


@pytest.mark.parametrize("mode", ["fixed", "nist-2018"])
def test_the_mean_of_the_parts_is_the_value_and_their_error_is_the_jackknifes(mode: str) -> None:
    pair = pair_of(random_rows(1, 300), random_rows(2, 200))
    found = Conjunction(probability=0.1, draws=40, mode=mode).score(pair)
    count = len(found.parts)
    assert found.value is not None and 0 < found.value < 1e6
    assert math.fsum(found.parts) / count == pytest.approx(found.value)
    without = []
    for left in range(count):
        rest = [dict(draw) for place, draw in enumerate(found.drawn) if place != left]
        without.append(Conjunction(mode=mode).with_draws(rest).score(pair).value)
    spread = sum((value - np.mean(without)) ** 2 for value in without)
    assert found.standard_error == pytest.approx(math.sqrt((count - 1) / count * spread))
    # What the worst query contributes is the least: without it the score is the best.
    assert int(np.argmin(found.parts)) == int(np.argmax(without))
    one = Conjunction(mode=mode).with_draws(found.drawn[:1]).score(pair)
    assert one.parts == (pytest.approx(one.value),) and one.standard_error is None


def test_the_worst_queries_come_first() -> None:
    found = Conjunction(draws=60).score(pair_of(random_rows(1, 300), random_rows(2, 200)))
    detail = found.breakdown("queries")
    assert detail is not None and len(detail.rows) == 60
    sizes = [abs(float(row[3] or 0)) for row in detail.rows]
    assert sizes == sorted(sizes, reverse=True)


def test_the_sound_draws_are_founded_on_different_records_and_never_empty() -> None:
    pair = pair_of(random_rows(1, 250), random_rows(2, 40))
    found = Conjunction(probability=0.01).score(pair)
    assert found.draws == 250 and found.seed == 0
    assert all(found.drawn)
    assert not any("no condition" in sentence for sentence in found.stated)


def test_every_sound_query_has_a_record_of_its_own() -> None:
    domain = Domain("d", (Attribute("ID", tuple(map(str, range(300)))),))
    rows = [{"ID": str(k)} for k in range(300)]
    drawn = Conjunction(probability=1.0, draws=250).score(pair_of(rows, rows, domain)).drawn
    assert len({query["ID"][0] for query in drawn}) == 250


def test_a_condition_that_nearly_all_numbers_satisfy_is_not_passed_over() -> None:
    domain = Domain("d", (Attribute.binned("N", [0, 10]),))
    numbers = np.full(9000, 5.0)
    numbers[1] = 9.0
    table = Dataset(domain, np.zeros((9000, 1), dtype=np.int64))
    records = replace(Pair.of(table, table, domain).tables[0], binned={"N": numbers})
    near = Conjunction().with_draws([{"N": {"centre": 5, "radius": 1}}])
    detail = near.score(Pair.of(records, records, domain)).breakdown("queries")
    assert detail is not None and detail.rows[0][1:3] == (8999 / 9000, 8999 / 9000)


def test_the_program_collapses_repeated_records_and_keeps_empty_queries() -> None:
    pair = pair_of(random_rows(1, 250), random_rows(2, 40))
    found = Conjunction(mode="nist-2018").score(pair)
    assert found.draws is not None and 100 < found.draws < 250
    empty = sum(not query for query in found.drawn)
    assert empty
    assert f"{empty} queries have no condition and count as perfect" in found.stated


def test_a_query_without_conditions_counts_as_perfect() -> None:
    pair = pair_of(random_rows(1, 25), random_rows(2, 40))
    for mode in ("fixed", "nist-2018"):
        assert Conjunction(mode=mode).with_draws([{}]).score(pair).value == 1e6


@pytest.mark.parametrize("mode", ["fixed", "nist-2018"])
def test_conditions_come_with_the_chance_that_is_stated(mode: str) -> None:
    """Each of 8 columns binomial (n of at least 4,000, p); tolerance 7 standard deviations.

    By Bernstein's inequality a right draw leaves it with probability below 1e-9 a
    column; given that a query has a condition, the chance is p/(1 - (1-p)^8).
    """
    real = pair_of(random_rows(1, 5000), random_rows(2, 2)).tables[0]
    p = 0.2
    queries = Conjunction(mode=mode, probability=p, draws=5000).queries(real)
    if mode == "fixed":
        assert len(queries) == 5000
        expected = p / (1 - (1 - p) ** 8)
    else:
        queries = Conjunction(mode=mode, probability=p, draws=10000).queries(real)
        assert 4000 < len(queries) < 5000
        expected = p
    counts = Counter(condition.attribute for query in queries for condition in query)
    for name in DOMAIN.names:
        slack = 7 * math.sqrt(expected * (1 - expected) / len(queries))
        assert abs(counts[name] / len(queries) - expected) < slack


def test_sets_grow_until_the_first_repeat() -> None:
    """The chance that a set of 3 values has 1, 2, 3 members is 1/3, 4/9, 2/9; 6,000 sets.

    Tolerance 7 standard deviations: a right draw leaves it with probability below 1e-9.
    """
    rows = pd.DataFrame(small([("a", "b", "c", "a")] * 6000))
    metric = Conjunction(probability=1.0, draws=6000)
    domain = SMALL.project(["P"])
    drawn = metric(rows[["P"]], rows[["P"]], domain).drawn
    sizes = Counter(len(query["P"]) for query in drawn)
    assert all(query["P"][0] == "a" for query in drawn)
    for size, chance in ((1, 1 / 3), (2, 4 / 9), (3, 2 / 9)):
        slack = 7 * math.sqrt(chance * (1 - chance) / 6000)
        assert abs(sizes[size] / 6000 - chance) < slack


def test_radii_reach_over_the_whole_width_of_the_domain() -> None:
    rows = random_rows(1, 2000)
    queries = Conjunction(probability=1.0, draws=2000).score(pair_of(rows, rows)).drawn
    radii = [q["INDEX"]["radius"] for q in queries if q["INDEX"] is not None]
    assert 0 <= min(radii) < 0.2 and 8.35 < max(radii) <= 8.55
    assert any(q["INDEX"] is None for q in queries)


def test_only_the_program_leaves_the_blank_of_listed_values_out_of_its_draws() -> None:
    domain = Domain("d", (Attribute("A", ("0", "1"), missing=True),))
    rows = [{"A": "0"}] * 200
    pair = pair_of(rows, rows, domain)
    for mode, values in (("fixed", {"0", "1", ""}), ("nist-2018", {"0", "1"})):
        drawn = Conjunction(mode=mode, probability=1.0).score(pair).drawn
        assert {value for query in drawn for value in query["A"]} == values


def test_a_real_value_outside_the_domain_matches_other_values_outside() -> None:
    rows = [{"P": "other", "Q": "a", "R": "a", "S": "a"}]
    pair = pair_of(rows, [*rows, *small([("a", "a", "a", "a")])], SMALL)
    found = Conjunction(probability=1.0).score(pair)
    assert found.drawn[0]["P"][0] is None
    again = Conjunction().with_draws([{"P": [None]}]).score(pair)
    detail = again.breakdown("queries")
    assert detail is not None and detail.rows[0][1:3] == (1.0, 0.5)


def test_draws_do_not_depend_on_the_synthetic_table_nor_on_the_order_of_the_real_one() -> None:
    real = random_rows(1, 400)
    metric = Conjunction(draws=30)
    first = metric.score(pair_of(real, random_rows(2, 50)))
    second = metric.score(pair_of(real[::-1], random_rows(3, 70)))
    third = metric.score(pair_of(real[::-1], random_rows(2, 50)[::-1]))
    assert first.drawn == second.drawn == third.drawn
    assert first.value == third.value
    assert replace(metric, seed=1).score(pair_of(real, real)).drawn != first.drawn


def test_the_self_score_is_perfect_for_rare_records_too() -> None:
    domain = Domain("d", (Attribute.binned("N", [0, 3_000_000]),))
    numbers = np.arange(1_100_000, dtype=np.float64)
    frame = Dataset(domain, np.zeros((len(numbers), 1), dtype=np.int64))
    pair = Pair.of(frame, frame, domain)
    records = replace(pair.tables[0], binned={"N": numbers})
    pair = Pair.of(records, records, domain)
    rare = Conjunction().with_draws([{"N": {"centre": 5, "radius": 0.1}}])
    assert rare.score(pair).value == 1e6
    program = replace(rare, mode="nist-2018").score(pair).value
    assert program is not None and program < 1e6


def test_a_given_query_that_no_real_record_satisfies() -> None:
    rows = small([("a", "a", "a", "a")])
    pair = pair_of(rows, rows, SMALL)
    queries = [{"P": ["b"]}, {"P": ["a"]}]
    found = Conjunction().with_draws(queries).score(pair)
    assert found.value == 1e6
    assert "1 given queries are satisfied by no real record" in found.stated
    program = Conjunction(mode="nist-2018").with_draws(queries).score(pair)
    assert program.value is None and program.undefined is not None
    assert "1 of the 2 queries" in program.undefined
    with pytest.raises(ValueError):
        score_2(rows, rows, queries)


@settings(max_examples=60, deadline=None)
@given(TABLES, TABLES, st.integers(0, 5))
def test_range_self_score_and_bits(
    real: list[tuple[str, ...]], synthetic: list[tuple[str, ...]], seed: int
) -> None:
    pair = pair_of(small(real), small(synthetic), SMALL)
    for mode in ("fixed", "nist-2018"):
        metric = Conjunction(mode=mode, seed=seed, draws=10, probability=0.4)
        found = metric.score(pair)
        assert found.value is not None and 0 <= found.value <= 1e6
        own = metric.score(pair_of(small(real), small(real), SMALL))
        assert own.value == 1e6 and own.standard_error in (None, 0.0)
        slow = score_2(small(real), small(synthetic), found.drawn)
        assert found.value == pytest.approx(slow, abs=1e-6)
        if mode == "nist-2018":
            assert found.value == slow


@pytest.mark.parametrize(
    ("draw", "part"),
    [
        (["AGE"], "a query is an object"),
        ({"SEX": []}, "'SEX' is of another form"),
        ({"SEX": ["1", 2]}, "'SEX' is of another form"),
        ({"AGE": {"centre": 1}}, "'AGE' is of another form"),
        ({"AGE": {"centre": 1, "radius": -1}}, "'AGE' is of another form"),
        ({"AGE": {"centre": True, "radius": 1}}, "'AGE' is of another form"),
        ({"AGE": {"centre": float("nan"), "radius": 1}}, "'AGE' is of another form"),
        ({"AGE": 3}, "'AGE' is of another form"),
    ],
)
def test_draws_of_another_form_are_refused(draw: object, part: str) -> None:
    with pytest.raises(InputError, match=part):
        Conjunction().with_draws([draw])


@pytest.mark.parametrize(
    ("draw", "part"),
    [
        ({"X": ["1"]}, "no attribute 'X'"),
        ({"SEX": None}, "'SEX' must list values"),
        ({"SEX": {"centre": 1, "radius": 1}}, "'SEX' must list values"),
        ({"SEX": ["7"]}, "'SEX' lists a value that the domain does not declare"),
        ({"AGE": ["1"]}, "'AGE' must be a centre and a radius"),
    ],
)
def test_queries_that_do_not_fit_the_domain_are_refused(draw: object, part: str) -> None:
    with pytest.raises(InputError, match=part):
        Conjunction().with_draws([draw]).check(DOMAIN)


def test_parameters_out_of_range_are_refused() -> None:
    for parameters, part in (
        ({"draws": 0}, "draws must be at least 1"),
        ({"probability": 0.0}, "probability must be above 0"),
        ({"probability": 1.5}, "probability must be above 0"),
        ({"probability": math.nan}, "probability must be above 0"),
        ({"given": ()}, "no query is given"),
    ):
        with pytest.raises(InputError, match=part):
            Conjunction(**parameters)


def test_numbers_known_by_their_bins_alone_are_said_so() -> None:
    table = Dataset(DOMAIN, np.zeros((4, len(COLUMNS)), dtype=np.int64))
    found = Conjunction().score(Pair.of(table, table, DOMAIN))
    assert any(
        "middle of its bin" in text and "AGE, INDEX, INCWAGE" in text for text in found.stated
    )
