"""Decisions as text: the figure stands beside its threshold, and strangers' text is text."""

from __future__ import annotations

from fractions import Fraction

from audit.report.criteria.view import sections
from audit.report.html import render
from audit.report.page import Page
from audit.review.criteria.criterion import Criteria, Criterion
from audit.review.criteria.deciding import Decisions, decide
from audit.review.criteria.reports import Report, make_report
from dp_audit.results import CriteriaResult
from tests.audit.review.certificates import plain
from tests.audit.review.criteria.test_naming import UTILITY, score

HOSTILE = "<script>\x1b[2J"


def decided() -> Decisions:
    strange = {**UTILITY, "scores": [score("mgd", HOSTILE, 0.25)]}
    criteria = Criteria(
        HOSTILE,
        (
            Criterion(HOSTILE, "mgd", at_most=Fraction(1, 3)),
            Criterion("b", "verdict", among=("PROVED",)),
        ),
    )
    reports = [Report(HOSTILE, "utility", strange), make_report("c.json", plain("exact"))]
    return decide(criteria, reports)


def test_figures_stand_beside_their_thresholds() -> None:
    shown = " ".join(str(CriteriaResult(decided())).split())
    assert "= 0.25; asked: at most 1/3" in shown
    assert "verdict = EXACT; asked: one of PROVED" in shown
    assert "none of them is private" in shown and shown.startswith("NOT MET: 2 criteria")


def test_markup_and_control_signs_are_shown() -> None:
    page = render(Page(HOSTILE, "", tuple(sections(decided()))))
    assert "<script" not in page and "\x1b" not in page + str(CriteriaResult(decided()))


def test_numbers_are_written_exactly() -> None:
    first = CriteriaResult(decided()).to_json()["criteria"][0]
    assert first["at_most"] == "1/3"
    assert first["rulings"][0]["value"] == {"lower": "1/4", "upper": "1/4"}
