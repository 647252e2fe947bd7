"""Decisions as the sections that a terminal and a page both show."""

from __future__ import annotations

from collections.abc import Iterator

from audit.report.criteria.words import NOTHING, condition_text, figure_text
from audit.report.page import Section, TableSection, TextSection
from audit.report.words import plural
from audit.review.criteria.deciding import Answer, Decision, Decisions

HEADER = ("criterion", "answer", "figure", "is", "asked", "report", "note")

NOTICE = (
    "Scores, risks and this decision were computed from confidential data: none of them is "
    "private. Choosing one of several tables by them is a release about the data, too."
)


def sections(decisions: Decisions) -> Iterator[Section]:
    """The answer, every figure beside its threshold, and what it all rests on."""
    yield TextSection("Decision", (summarise(decisions),))
    rows = tuple(row for decision in decisions.decisions for row in _rows(decision))
    yield TableSection("Criteria", HEADER, rows)
    kinds = [kind for _, kind in decisions.reports]
    if any(kind in ("utility", "disclosure") for kind in kinds):
        yield TextSection("Not private", (NOTICE,))


def summarise(decisions: Decisions) -> str:
    """The answer of all criteria together, with how many have which."""
    answers = [one.answer for one in decisions.decisions]
    counts = ", ".join(f"{answers.count(one)} {one.value}" for one in Answer if one in answers)
    many = plural(len(answers), "criterion", "criteria")
    return f"{decisions.answer.value.upper()}: {many} of {decisions.name}: {counts}"


def _rows(decision: Decision) -> Iterator[tuple[str, ...]]:
    criterion, asked = decision.criterion, condition_text(decision.criterion)
    if not decision.rulings:
        answer = decision.answer.value
        yield (criterion.name, answer, criterion.figure, NOTHING, asked, NOTHING, decision.why)
    for ruling in decision.rulings:
        figure = ruling.figure
        name = f"{criterion.figure} of {figure.of}" if figure.of else criterion.figure
        is_now, note = figure_text(figure), figure.note
        yield (criterion.name, ruling.answer.value, name, is_now, asked, ruling.report, note)
