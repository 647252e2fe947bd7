"""Decisions: met only where every value that a figure may have meets what is asked."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest

from audit.review.criteria.criterion import Criteria, Criterion
from audit.review.criteria.deciding import EXIT_CODES, Answer, Decisions, decide, judge
from audit.review.criteria.figures import Range
from audit.review.criteria.reports import Report
from synthesizers.errors import InputError
from tests.audit.review.criteria.test_naming import REPORT, UTILITY

ENDS = (-math.inf, Fraction(0), Fraction(1), Fraction(2), math.inf)
MET, NOT_MET, UNDECIDED = Answer


def board(*criteria: Criterion) -> Criteria:
    return Criteria("board", criteria)


def decide_on(figure: str, **conditions: Any) -> Decisions:
    return decide(board(Criterion("a", figure, **conditions)), [REPORT])


@pytest.mark.parametrize("ends", list(itertools.combinations_with_replacement(ENDS, 2)))
@pytest.mark.parametrize("low", [None, Fraction(0), Fraction(1)])
@pytest.mark.parametrize("high", [None, Fraction(1), Fraction(2)])
def test_a_range_is_judged_by_all_that_it_holds(
    ends: tuple[Any, Any], low: Fraction | None, high: Fraction | None
) -> None:
    """Against whichever numbers of a grid the range holds, one by one."""
    if low is None and high is None:
        return
    grid = [Fraction(k, 2) for k in range(-2, 7)]
    values = [*{*ends}, *(one for one in grid if ends[0] <= one <= ends[1])]
    meets = {(low is None or one >= low) and (high is None or one <= high) for one in values}
    expected = {(True,): MET, (False,): NOT_MET}.get(tuple(meets), UNDECIDED)
    found = judge(Criterion("a", "f", at_least=low, at_most=high), Range(*ends))
    assert found is expected


def test_texts_are_among_those_asked_for() -> None:
    criterion = Criterion("a", "f", among=("PROVED",))
    assert [judge(criterion, one) for one in ("PROVED", "EXACT", None)] == [*Answer]


def test_a_condition_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="is a number; ask with at_least"):
        judge(Criterion("a", "f", among=("1",)), Range.point(Fraction(1)))
    with pytest.raises(InputError, match="is a text; ask with in"):
        judge(Criterion("a", "f", at_least=Fraction(1)), "PROVED")


def test_each_part_of_a_report_counts() -> None:
    found = decide_on("mgd", at_most=Fraction(1, 2))
    assert [one.answer for one in found.decisions[0].rulings] == [MET, NOT_MET]
    assert found.answer is NOT_MET and EXIT_CODES[found.answer] == 1
    assert decide_on("mgd", at_most=Fraction(1, 2), of="a.csv").answer is MET
    assert EXIT_CODES[MET] == 0 and EXIT_CODES[UNDECIDED] == 3


def test_what_is_undefined_or_absent_is_undecided() -> None:
    assert decide_on("hoc", at_most=Fraction(1)).answer is UNDECIDED
    found = decide_on("mgd", at_most=Fraction(1), of="c.csv")
    assert found.answer is UNDECIDED and "there are: a.csv, b.csv" in found.decisions[0].why


def test_a_failure_outweighs_what_is_open() -> None:
    criteria = board(
        Criterion("a", "hoc", at_most=Fraction(1)), Criterion("b", "mgd", at_most=Fraction(0))
    )
    assert decide(criteria, [REPORT]).answer is NOT_MET


def test_a_report_without_the_figure_is_not_asked() -> None:
    other = Report("v.json", "verify", {"exit_code": 0, "checks": []})
    criteria = board(Criterion("a", "exit_code", at_most=Fraction(0)))
    found = decide(criteria, [REPORT, other])
    assert [one.report for one in found.decisions[0].rulings] == ["v.json"]
    with pytest.raises(InputError, match="Did you mean 'mgd'"):
        decide(board(Criterion("a", "mdg", at_most=Fraction(0))), [other, REPORT])


def test_a_report_that_is_named_is_the_only_one() -> None:
    again = Report("w.json", "utility", UTILITY)
    criteria = board(Criterion("a", "mgd", at_most=Fraction(1), report="w.json"))
    found = decide(criteria, [REPORT, again])
    assert {one.report for one in found.decisions[0].rulings} == {"w.json"}
    with pytest.raises(InputError, match=r"not among the reports: u\.json"):
        decide(criteria, [REPORT])


def test_no_report_and_one_twice_decide_nothing() -> None:
    criteria = board(Criterion("a", "mgd", at_most=Fraction(1)))
    with pytest.raises(InputError, match="name a file of one"):
        decide(criteria, [])
    with pytest.raises(InputError, match="named twice"):
        decide(criteria, [REPORT, REPORT])
