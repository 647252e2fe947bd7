"""Gini indices and pay gaps, against the program and against their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.nist_2018.inequality import Inequality
from audit.utility.score import Score
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.nist_2018.nist_2018_tables import (
    DOMAIN,
    WAGES,
    frame,
    pair_of,
    random_rows,
    wage_rows,
)
from tests.audit.utility.nist_2018.slow_nist_2018 import score_3, usual_gini

PROGRAM = Inequality(mode="nist-2018")
FIXED = Inequality()

Person = tuple[str, str, str]
PEOPLE = st.lists(
    st.tuples(
        st.sampled_from("123"),
        st.sampled_from("12"),
        st.one_of(st.integers(-30, 400), st.sampled_from([0, 0, 999997, 999998, 999999])).map(str),
    ),
    min_size=1,
    max_size=14,
)


def scored(metric: Inequality, real: Sequence[Person], synthetic: Sequence[Person]) -> Score:
    return metric.score(pair_of(wage_rows(real), wage_rows(synthetic), WAGES))


def town(city: str, men: Sequence[int], women: Sequence[int]) -> list[Person]:
    return [(city, "1", str(w)) for w in men] + [(city, "2", str(w)) for w in women]


TWO = [*town("1", [100, 300], [100]), *town("2", [50], [50, 60])]


@pytest.mark.parametrize("sizes", [(250, 1), (200, 300), (400, 60), (333, 333)])
@pytest.mark.parametrize("outside", [False, True])
def test_the_programs_number_is_reproduced_in_every_bit(
    sizes: tuple[int, int], outside: bool
) -> None:
    for seed in range(5):
        real = random_rows(seed, sizes[0])
        synthetic = random_rows(seed + 50, sizes[1], outside=outside)
        assert PROGRAM.score(pair_of(real, synthetic)).value == score_3(real, synthetic)


@settings(max_examples=200, deadline=None)
@given(PEOPLE, PEOPLE)
def test_the_program_has_no_value_exactly_where_it_divides_by_zero(
    real: list[Person], synthetic: list[Person]
) -> None:
    try:
        expected = score_3(wage_rows(real), wage_rows(synthetic))
    except ZeroDivisionError:
        found = scored(PROGRAM, real, synthetic)
        assert found.value is None and "divides by zero" in str(found.undefined)
    else:
        assert scored(PROGRAM, real, synthetic).value == expected


def test_negative_wages_take_the_program_past_its_range() -> None:
    skewed = [*town("1", [-100], [101]), *town("2", [50], [50, 60])]
    found = scored(PROGRAM, TWO, skewed)
    assert found.value == score_3(wage_rows(TWO), wage_rows(skewed))
    assert found.value > 1e6 and found.highest == found.value
    sound = scored(FIXED, TWO, skewed).value
    assert sound is not None and 0 <= sound <= 1e6


def test_the_ground_truth_of_negative_wages_is_the_programs() -> None:
    real = [*town("1", [-100, -50], [-30]), *town("2", [50], [50, 60])]
    assert scored(PROGRAM, real, TWO).value == score_3(wage_rows(real), wage_rows(TWO))
    assert scored(PROGRAM, TWO, real).value == score_3(wage_rows(TWO), wage_rows(real))


@pytest.mark.parametrize("sexes", ["01", "02", "12"])
def test_the_program_reads_sex_0_as_a_woman(sexes: str) -> None:
    people = [(city, sexes[k % 2], str(100 * k)) for k, city in enumerate("1122212121")]
    assert scored(PROGRAM, TWO, people).value == score_3(wage_rows(TWO), wage_rows(people))


@pytest.mark.parametrize(
    ("person", "stops"),
    [
        (("", "1", "5"), True),
        (("9", "1", "5"), None),
        (("1", "", "5"), True),
        (("1", "", "999999"), True),
        (("1", "3", "5"), True),
        (("1", "3", "999999"), False),
        (("1", "1", ""), True),
        (("1", "1", "5.5"), True),
        (("1", "1", "999998"), False),
    ],
)
def test_what_the_program_cannot_read_has_a_reason(person: Person, stops: bool | None) -> None:
    """None: the program goes on, but a city outside the domain cannot be told from others."""
    for real, synthetic in (([*TWO, person], TWO), (TWO, [*TWO, person])):
        found = scored(PROGRAM, real, synthetic)
        if stops is False:
            assert found.value == score_3(wage_rows(real), wage_rows(synthetic))
            continue
        assert found.value is None and found.undefined is not None
        assert ("real" if real is not TWO else "synthetic") in found.undefined
        if stops:
            with pytest.raises((ValueError, IndexError, ZeroDivisionError)):
                score_3(wage_rows(real), wage_rows(synthetic))
        assert scored(FIXED, real, synthetic).value is not None


def test_cities_that_are_no_numbers_can_be_scored_as_the_program_scores_numbers() -> None:
    names = {"1": "Aix", "2": "Bath", "3": "Cork"}
    domain = Domain(
        "d",
        (
            Attribute("TOWN", tuple(names.values())),
            Attribute("GENDER", ("m", "w")),
            Attribute("PAY", ("10", "20", "400", "999999")),
        ),
    )
    rng = np.random.default_rng(7)
    tables = [
        wage_rows(
            [
                (str(c), str(s), ("10", "20", "400", "999999")[w])
                for c, s, w in zip(
                    rng.integers(1, 4, 80),
                    rng.integers(1, 3, 80),
                    rng.integers(0, 4, 80),
                    strict=True,
                )
            ]
        )
        for _ in range(2)
    ]
    renamed = [
        [
            {"TOWN": names[r["CITY"]], "GENDER": " mw"[int(r["SEX"])], "PAY": r["INCWAGE"]}
            for r in rows
        ]
        for rows in tables
    ]
    metric = Inequality(
        mode="nist-2018", city="TOWN", sex="GENDER", wage="PAY", male="m", female="w"
    )
    assert metric.score(pair_of(*renamed, domain)).value == score_3(*tables)


def test_the_sound_score_by_hand() -> None:
    real = [*town("1", [100, 300], [100]), *town("2", [50], [50, 60]), *town("3", [80], [90])]
    synthetic = [*town("1", [100, 100], [100]), *town("2", [90], [50]), *town("4", [9], [1])]
    # Gini 4/15 and 0 in city 1, 1/24 and 1/7 in city 2; gaps 100 > -5 > -10 and 0 < 40.
    assert usual_gini([100, 100, 300]) == pytest.approx(4 / 15)
    kept = [1 - usual_gini([100, 100, 300]), 1 - (usual_gini([90, 50]) - usual_gini([50, 50, 60]))]
    s1 = math.sqrt(sum(k * k for k in kept) / 3)
    s2 = math.sqrt((0.5**2 + 0.5**2 + 0) / 3)
    found = scored(FIXED, real, synthetic)
    assert found.value == pytest.approx(5e5 * (s1 + s2))
    assert "3 values of CITY, of which the synthetic table lacks 1" in found.stated
    assert "1 in the synthetic table alone are not ranked" in found.stated
    detail = found.breakdown("groups")
    assert detail is not None
    assert detail.columns[:2] == ("group", "score")
    assert [detail.columns.index(f"synthetic {what}") for what in ("Gini", "rank")] == [5, 9]
    assert [row[0] for row in detail.rows] == ["3", "1", "2", "4"]
    assert detail.rows[0][1:4] == (0.0, 2, 0)
    expected = [5e5 * (kept[0] + 0.5), 3, 3, 4 / 15, 0, 100, 0, 1, 2]
    assert detail.rows[1][1:] == pytest.approx(expected)
    assert detail.rows[3][1] is None and detail.rows[3][2:4] == (0, 2)


def test_the_usual_gini_index_of_every_city() -> None:
    real = random_rows(3, 500)
    found = FIXED.score(pair_of(real, random_rows(4, 400)))
    detail = found.breakdown("groups")
    assert detail is not None and len(detail.rows) == 7
    for row in detail.rows:
        wages = [int(r["INCWAGE"]) for r in real if r["CITY"] == row[0]]
        assert row[4] == pytest.approx(usual_gini([w for w in wages if w < 999998]))
        assert row[2] == len(wages)


def test_equal_wages_have_the_index_0_and_the_programs_less_one_over_their_number() -> None:
    real = [*town("1", [70, 70], [70, 70]), *town("2", [50], [50, 60])]
    for metric, expected in ((FIXED, 0.0), (PROGRAM, -0.25)):
        detail = scored(metric, real, real).breakdown("groups")
        assert detail is not None
        assert {row[0]: row[4] for row in detail.rows}["1"] == expected


def test_a_city_without_wages_earns_nothing_though_the_program_gives_it_marks() -> None:
    real = [*town("1", [70], [70]), *town("2", [90], [90])]
    without = [("1", "1", "999999"), ("2", "1", "999999")]
    # In the program -1/2 and 1 differ by 3/2, and (1 - 3/2)^2 = 1/4; all gaps are 0.
    assert scored(PROGRAM, real, without).value == score_3(wage_rows(real), wage_rows(without))
    assert scored(PROGRAM, real, without).value == 750_000
    found = scored(FIXED, real, without)
    assert found.value == 0
    detail = found.breakdown("groups")
    assert detail is not None and all(row[5] is None and row[7] is None for row in detail.rows)


def test_differences_of_gini_indices_are_cut_off_at_1() -> None:
    real = [*town("1", [100], [0]), *town("2", [100], [0])]
    debts = [*town("1", [101], [-100]), *town("2", [101], [-100])]
    # The usual index of wages -100 and 101 is 201/2: no more wrong than a difference of 1.
    found = scored(FIXED, real, debts)
    assert found.value == 5e5


def test_ties_take_average_ranks_whatever_the_order_of_the_file() -> None:
    towns = [town(c, [100], [50]) for c in "123"]
    real = [person for people in towns for person in people]
    turned = [person for people in towns[::-1] for person in people]
    assert scored(FIXED, real, turned).value == 1e6
    program = scored(PROGRAM, real, turned).value
    assert program is not None and program < 1e6


def test_a_tie_of_two_ranks_is_half_a_place_from_either() -> None:
    real = [*town("1", [100], [50]), *town("2", [100], [50])]
    apart = [*town("1", [100], [50]), *town("2", [80], [40])]
    # Both have the Gini index 1/6 in both tables, and ranks 3/2 against 1 and 2.
    for people in (real, real[::-1]):
        assert scored(FIXED, people, apart).value == pytest.approx(5e5 * (1 + 1 / 2))


def test_extra_synthetic_cities_do_not_push_the_others_down() -> None:
    extra = [*TWO, *town("3", [1000], [1]), *town("4", [1000], [1])]
    assert scored(FIXED, TWO, extra).value == 1e6
    program = scored(PROGRAM, TWO, extra)
    assert program.value is not None and program.value < 1e6
    assert "2 in the synthetic table alone push the others down" in program.stated


def test_real_cities_without_both_numbers_are_left_out_and_counted() -> None:
    real = [*TWO, *town("3", [9], []), ("4", "1", "999999"), *town("5", [0], [0])]
    found = scored(FIXED, real, real)
    assert found.value == 1e6
    assert "3 without wages of both sexes in the real table are left out" in found.stated
    detail = found.breakdown("groups")
    assert detail is not None
    assert {row[0]: row[1] for row in detail.rows} == {
        "1": 1e6,
        "2": 1e6,
        "3": None,
        "4": None,
        "5": None,
    }


@pytest.mark.parametrize("real", [TWO[:3], town("1", [5], []), [("", "1", "5"), ("9", "2", "5")]])
def test_fewer_than_two_real_cities_have_no_sound_score(real: list[Person]) -> None:
    found = scored(FIXED, real, TWO)
    assert found.value is None and "ranks need two" in str(found.undefined)


def test_one_real_city_has_no_score_of_the_program_unless_it_is_lacking() -> None:
    assert "one real city" in str(scored(PROGRAM, TWO[:3], TWO).undefined)
    assert scored(PROGRAM, TWO[:3], TWO[3:]).value == 0


def test_records_without_a_city_a_sex_or_a_wage_do_not_count() -> None:
    stray = [("", "1", "5"), ("9", "2", "5"), ("1", "", "999999"), ("2", "1", "")]
    found = scored(FIXED, [*TWO, *stray], TWO)
    assert found.value == 1e6
    assert any(
        text.startswith("2 real and 0 synthetic records without a declared value of CITY")
        for text in found.stated
    )


def test_every_wage_counts_without_a_code_for_not_applicable() -> None:
    rich = [*TWO, *town("1", [999999], [])]
    assert scored(FIXED, rich, TWO).value == 1e6
    value = scored(replace(FIXED, not_applicable=None), rich, TWO).value
    assert value is not None and value < 1e6


@settings(max_examples=100, deadline=None)
@given(PEOPLE, PEOPLE, st.permutations("123"))
def test_range_self_score_order_and_relabelling(
    real: list[Person], synthetic: list[Person], labels: list[str]
) -> None:
    found = scored(FIXED, real, synthetic)
    assert scored(FIXED, real[::-1], synthetic[::-1]).value == found.value
    renamed = [
        [(labels[int(city) - 1], sex, wage) for city, sex, wage in people]
        for people in (real, synthetic)
    ]
    if found.value is None:
        assert scored(FIXED, *renamed).value is None
        return
    assert 0 <= found.value <= 1e6
    assert scored(FIXED, real, real).value == 1e6
    assert scored(FIXED, *renamed).value == pytest.approx(found.value, rel=1e-12)


def test_what_does_not_fit_the_domain_is_refused() -> None:
    for parameters, part in (
        ({"city": "TOWN"}, "no attribute 'TOWN'; name the one that holds the city"),
        ({"male": "m"}, "'SEX' has no value 'm'"),
        ({"female": "7"}, "'SEX' has no value '7'"),
    ):
        with pytest.raises(InputError, match=part):
            Inequality(**parameters).check(DOMAIN)
    words = Domain("d", (*WAGES.attributes[:2], Attribute("INCWAGE", ("low", "high"))))
    with pytest.raises(InputError, match="must be numbers"):
        FIXED.check(words)
    with pytest.raises(InputError, match="three attributes"):
        Inequality(city="SEX")
    with pytest.raises(InputError, match="two values"):
        Inequality(male="1", female="1")
    with pytest.raises(InputError, match="no random draws"):
        FIXED.with_draws([1])


def test_wages_known_by_their_bins_alone_are_said_so() -> None:
    rows = [{**row, "INCWAGE": "[0, 1000)"} for row in wage_rows(TWO)]
    found = FIXED.score(pair_of(rows, rows, WAGES))
    assert "the middle of its bin stands for a number of INCWAGE" in found.stated
    assert FIXED(frame(rows, WAGES), frame(rows, WAGES), WAGES).value == found.value
