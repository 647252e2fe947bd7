"""Coefficients by group: those of a fit made by hand, worst first, on one scale."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import dp_audit
from audit.report.page import UtilitySection
from audit.report.utility.dives import MAX_FILES, dives
from audit.report.utility.forest import MOST_ROWS, Forest
from audit.report.utility.slopes import MOST_TERMS, slopes
from audit.utility.results import UtilityResults
from audit.utility.score import Breakdown
from audit.utility.subgroups.division import Subgroup
from audit.utility.subgroups.findings import LEAST_SUBSETS, Subgroups, SubgroupScore
from tests.audit.report.pages import checked, page_of
from tests.audit.report.samples import HOSTILE
from tests.audit.report.utility import samples
from tests.audit.report.utility.test_forest import COLUMNS, breakdown, results
from tests.audit.report.utility.test_terminal import printed
from tests.audit.utility.mixed_tables import MIXED, frame

Row = tuple[str, float, float, float, float, float, float, float]


def row(term: str, real: float, synthetic: float, half: float = 1.0) -> Row:
    low, high = max(real, synthetic) - half, min(real, synthetic) + half
    overlap = max(high - low, 0.0) / (2 * half)
    own = (real, real - half, real + half, synthetic, synthetic - half, synthetic + half)
    return (term, *own, overlap)


def fit(table: pd.DataFrame, rows: pd.Series) -> np.ndarray:
    """Least squares of age on rooms, by hand."""
    part = table[rows]
    rooms, age = (part[name].astype(float).to_numpy() for name in ("rooms", "age"))
    return np.linalg.lstsq(np.column_stack((np.ones(len(part)), rooms)), age, rcond=None)[0]


def test_the_coefficients_of_a_group_are_those_of_a_fit_to_its_records_alone() -> None:
    real, near = frame(1, 900), frame(2, 700, shift=0.3)
    outcome = {"interval-overlap": {"outcome": "age", "predictors": "rooms"}}
    found = dp_audit.utility(
        real,
        {"near": near},
        MIXED,
        metrics=["interval-overlap"],
        parameters=outcome,
        by=["type"],
        subsets=LEAST_SUBSETS,
        baseline=False,
        jobs=1,
    ).results
    ((metric, shown),) = dives(found)
    (term,) = [dive for dive in shown if dive.kind == "slopes"]
    assert (metric, term.title) == ("interval-overlap", "rooms by type")
    picture = term.figures[0].picture
    assert isinstance(picture, Forest) and len(picture.rows) == 3
    for each in (drawn.coefficient for drawn in picture.rows):
        value = each.name.removeprefix("type = ")
        for table, own in ((real, each.real), (near, each.synthetic)):
            assert own.estimate == pytest.approx(fit(table, table["type"] == value)[1], rel=1e-9)
    overlaps = [drawn.coefficient.overlap for drawn in picture.rows]
    assert overlaps == sorted(overlaps, key=lambda overlap: overlap or 0.0)


def test_groups_come_worst_first_on_one_scale_and_terms_by_what_overlaps_least() -> None:
    groups = [
        ("a", breakdown(row("x", 1, 1.5), row("z", 0, 0), row("(intercept)", 9, 1))),
        ("b", breakdown(row("x", 1, 9), row("z", 0, 0.1), row("(intercept)", 9, 1))),
        ("c", breakdown(row("x", 1, 4), row("z", 0, 0.1), row("(intercept)", 9, 1))),
    ]
    found, further = slopes({"s.csv": groups})
    assert [term.term for term in found] == ["x", "z"] and further == 0
    ((file, picture),) = found[0].pictures
    assert file == "s.csv"
    assert [row.coefficient.name for row in picture.rows] == ["b", "c", "a"]
    # One scale: equal estimates at equal places, zero too.
    assert len({drawn.real[0] for drawn in picture.rows}) == 1
    assert len({drawn.zero for drawn in picture.rows}) == 1


def test_one_wide_interval_is_cut_and_leaves_the_others_their_width() -> None:
    narrow = [(f"g{k}", breakdown(row("x", 1, 1.5))) for k in range(4)]
    found, _ = slopes({"s": [*narrow, ("wide", breakdown(row("x", 1, 1.5, half=1000)))]})
    rows = {drawn.coefficient.name: drawn for drawn in found[0].pictures[0][1].rows}
    assert (rows["wide"].real[1], rows["wide"].real[2]) == (0, 1)
    assert rows["g0"].real[2] - rows["g0"].real[1] > 0.1


def test_what_is_left_out_is_counted() -> None:
    terms = [row(f"x{k}", 0, k / 9) for k in range(MOST_TERMS + 2)]
    groups = [(f"g{k}", breakdown(*terms)) for k in range(MOST_ROWS + 3)]
    found, further = slopes({"s": groups})
    assert len(found) == MOST_TERMS and further == 2
    assert all(term.further == (3,) for term in found)
    assert [term.term for term in found][:2] == ["x5", "x4"]
    assert slopes({"s": [("g", Breakdown("coefficients", COLUMNS, ()))]}) == ((), 0)


def by_group(attribute: str, file: str, value: str, detail: Breakdown) -> Subgroups:
    score = samples.score(0.5, "interval-overlap", direction="higher", details=(detail,))
    own = SubgroupScore(value, score, (0.5,) * LEAST_SUBSETS)
    subgroup = Subgroup(value, 0, 99, 99, 99.0)
    return Subgroups(attribute, file, (subgroup,), LEAST_SUBSETS, (own,))


def with_groups(*groups: Subgroups) -> UtilityResults:
    return dataclasses.replace(results(breakdown(row("x", 1, 2))), subgroups=groups)


def test_a_page_and_a_terminal_show_them_and_names_stay_text() -> None:
    found = with_groups(by_group("sex", "0.csv", HOSTILE, breakdown(row(HOSTILE, 1, 9))))
    page = page_of(UtilitySection("U", found))
    text = checked(page)
    assert "The same model fitted to each group of sex" in text
    assert page.count('<svg class="forest"') == 2
    assert "real 1 ± 1, synthetic 9 ± 1, apart" in " ".join(printed(found).split())


def test_files_that_are_not_shown_have_no_slopes_either() -> None:
    detail = breakdown(row("x", 1, 2))
    many = results(*[detail] * (MAX_FILES + 1))
    last = by_group("sex", f"{MAX_FILES}.csv", "m", detail)
    ((_, shown),) = dives(dataclasses.replace(many, subgroups=(last,)))
    assert all(dive.kind != "slopes" for dive in shown)
