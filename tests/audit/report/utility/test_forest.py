"""Coefficients as points with whiskers: where the marks lie, what is said, and what stays out."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest

from audit.report.page import UtilitySection
from audit.report.utility.dives import dives
from audit.report.utility.forest import (
    FAR,
    MOST_ROWS,
    ROOM,
    Coefficient,
    Estimate,
    Forest,
    coefficient_grid,
    coefficients,
    forest,
    scales,
)
from audit.utility.results import Scored, UtilityResults
from audit.utility.score import Breakdown, Entry
from tests.audit.report.pages import checked, page_of
from tests.audit.report.samples import HOSTILE
from tests.audit.report.utility import samples
from tests.audit.report.utility.test_terminal import printed

COLUMNS = (
    *("term", "real estimate", "real low", "real high"),
    *("synthetic estimate", "synthetic low", "synthetic high", "overlap"),
)
NEAR = (
    ("age", 2.0, 1.0, 3.0, 4.0, 3.0, 5.0, 0.0),
    ("sex", 1.0, -1.0, 3.0, 2.0, 0.0, 4.0, 0.75),
    ("(intercept)", 500.0, 499.0, 501.0, 500.0, 499.0, 501.0, 1.0),
)
FAR_OFF = (("age", -2.0, -4.0, 0.0, -3.0, -5.0, -1.0, 0.5),)


def breakdown(*rows: tuple[Entry, ...]) -> Breakdown:
    return Breakdown("coefficients", COLUMNS, rows)


def results(*details: Breakdown) -> UtilityResults:
    score = samples.score(0.5, "interval-overlap", direction="higher")
    scored = tuple(
        Scored(f"{k}.csv", dataclasses.replace(score, details=(detail,)), None, 0.1)
        for k, detail in enumerate(details)
    )
    records = {"r": 9, **{s.synthetic: 9 for s in scored}}
    return UtilityResults("r", samples.DOMAIN, records, scored)


def coefficient(real: float, synthetic: float, half: float = 1.0, name: str = "x") -> Coefficient:
    mine, theirs = (Estimate(at, at - half, at + half) for at in (real, synthetic))
    return Coefficient(name, mine, theirs, 0.5)


def draw_forest(*rows: tuple[Entry, ...]) -> Forest:
    found = coefficients(breakdown(*rows))
    picture = forest(found, scales(found))
    assert picture is not None
    return picture


def test_marks_lie_on_one_scale_a_term_in_all_files() -> None:
    first, second = (coefficients(breakdown(*rows)) for rows in (NEAR, FAR_OFF))
    ends = scales((*first, *second))
    # From -5 to 5 in both files, with room beyond.
    assert ends["age"] == pytest.approx((-5 - 10 * ROOM, 5 + 10 * ROOM))
    for found, at in ((first, 2.0), (second, -2.0)):
        picture = forest(found, ends)
        assert picture is not None
        row = picture.rows[0]
        low, high = ends["age"]
        assert row.real[0] == pytest.approx((at - low) / (high - low))
        assert row.zero == pytest.approx(0.5)
        assert all(0 < share < 1 for share in (*row.real, *row.synthetic))
        assert row.real[1] < row.real[0] < row.real[2]


def test_zero_is_on_the_scale_where_it_is_near_and_said_to_lie_beyond_where_not() -> None:
    rows = {row.coefficient.name: row for row in draw_forest(*NEAR).rows}
    assert isinstance(rows["age"].zero, float) and 0 < rows["age"].zero < 1
    assert rows["(intercept)"].zero == "left"
    assert rows["(intercept)"].real[2] - rows["(intercept)"].real[1] > 0.9
    away = draw_forest(("x", -9.0, -9.5, -8.5, -9.0, -9.5, -8.5, 1.0)).rows[0]
    assert away.zero == "right"
    ends = scales([coefficient(FAR * 2 + 1, FAR * 2 + 1)])["x"]
    assert ends[0] < 0 < ends[1]  # as far as its intervals are wide: still drawn


def test_intervals_without_width_have_a_scale() -> None:
    for at in (0.0, 3.0):
        row = draw_forest(("x", at, at, at, at, at, at, None)).rows[0]
        assert isinstance(row.zero, float) and 0 < row.real[0] < 1
        assert row.coefficient.agreement == "no width"


@pytest.mark.parametrize(
    ("real", "synthetic", "change"),
    [
        (3, 3, ""),
        (3, 0.5, "lost"),
        (0.5, -3, "new"),
        (3, -3, "sign"),
        (0.5, -0.5, ""),
        (-3, -2, ""),
    ],
)
def test_what_a_reader_would_conclude_otherwise(real: float, synthetic: float, change: str) -> None:
    assert coefficient(real, synthetic).change == change


def test_rows_without_finite_numbers_stay_out_and_other_breakdowns_are_tables() -> None:
    strange = breakdown(NEAR[0], ("bad", math.inf, 0.0, 1.0, 0.0, 0.0, 1.0, None))
    assert [each.name for each in coefficients(strange)] == ["age"]
    assert coefficients(Breakdown("coefficients", ("term", "x"), (("a", 1.0),))) == ()
    (only,) = dives(results(Breakdown("coefficients", ("term", "x"), (("a", 1.0),))))[0][1]
    assert only.kind == "table"


def test_a_page_has_a_picture_a_file_with_words_and_says_what_is_left_out() -> None:
    many = [(f"term {k}", *NEAR[0][1:]) for k in range(MOST_ROWS + 3)]
    page = page_of(UtilitySection("U", results(breakdown(*many), breakdown(*FAR_OFF))))
    text = checked(page)
    labels = re.findall(r'<svg class="forest" role="img"[^>]*aria-label="([^"]+)"', page)
    assert len(labels) == MOST_ROWS + 1
    assert labels[0] == "term 0: real 2 (1 to 3), synthetic 4 (3 to 5)"
    assert "3 further rows are in the JSON document" in text
    assert "apart" in text and "differs from 0 in the synthetic table alone" in text


def test_a_terminal_has_a_compact_table() -> None:
    text = printed(results(breakdown(*NEAR), breakdown(*FAR_OFF)))
    assert re.search(r"age +2 ± 1 +4 ± 1 +apart +–", text)
    assert re.search(r"age +−2 ± 2 +−3 ± 2 +50 % +new", text)
    assert "new: differs from 0 in the" in text
    grid = coefficient_grid(draw_forest(*NEAR), "file")
    assert grid.rows[0] == ("age", ("2 ± 1", "4 ± 1", "apart", "–"))


def test_hostile_names_are_shown_as_text() -> None:
    hostile = results(breakdown((HOSTILE, *NEAR[0][1:])))
    checked(page_of(UtilitySection("U", hostile)))
    printed(hostile)
