"""Decisions: what a criterion says of every figure that it asks for, and of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from audit.review.criteria.criterion import Criteria, Criterion
from audit.review.criteria.figures import Figure, Range
from audit.review.criteria.naming import NoSuchFigure, find_figures
from audit.review.criteria.reports import Report
from synthesizers.errors import InputError


class Answer(Enum):
    """Whether a criterion is met. UNDECIDED: the figure is undefined, or may lie on either side."""

    MET = "met"
    NOT_MET = "not met"
    UNDECIDED = "undecided"


EXIT_CODES = {Answer.MET: 0, Answer.NOT_MET: 1, Answer.UNDECIDED: 3}


@dataclass(frozen=True)
class Ruling:
    """What a criterion says of one figure of one report."""

    report: str
    figure: Figure
    answer: Answer


@dataclass(frozen=True)
class Decision:
    """A criterion with its rulings; ``why``: of one without any, the reason."""

    criterion: Criterion
    rulings: tuple[Ruling, ...]
    why: str = ""

    @property
    def answer(self) -> Answer:
        """Met if it is met everywhere; not met if it fails somewhere."""
        return _join([one.answer for one in self.rulings])


@dataclass(frozen=True)
class Decisions:
    """All decisions of a board, and the reports that they rest on, by name and kind."""

    name: str
    reports: tuple[tuple[str, str], ...]
    decisions: tuple[Decision, ...]

    @property
    def answer(self) -> Answer:
        """Met if every criterion is; not met if one fails."""
        return _join([one.answer for one in self.decisions])


def decide(criteria: Criteria, reports: Sequence[Report]) -> Decisions:
    """Decide every criterion by the reports that have its figure.

    Raises InputError for a figure that no report has, and for one of another kind than the
    criterion asks for.

    Guarantee
    ---------
    A criterion is met only if every value that each of its figures may have, as the reports state
    them, meets it, and there is one; not met only if no value of some figure does. Comparisons are
    of rationals. Backed by ``tests/audit/review/criteria/test_deciding.py``.
    """
    names = [report.name for report in reports]
    if not names:
        raise InputError("criteria are decided by reports; name a file of one")
    if len(set(names)) < len(names):
        raise InputError("a report is named twice; name each file once")
    decisions = tuple(_decide(criterion, reports) for criterion in criteria.criteria)
    about = tuple((report.name, report.kind) for report in reports)
    return Decisions(criteria.name, about, decisions)


def judge(criterion: Criterion, value: Range | str | None) -> Answer:
    """What a criterion says of a value; raises InputError for a value of another kind."""
    place = f"criterion {criterion.name!r}"
    if value is None:
        return Answer.UNDECIDED
    if isinstance(value, str):
        if criterion.among is None:
            raise InputError(f"{place}: {criterion.figure} is a text; ask with in = [...]")
        return Answer.MET if value in criterion.among else Answer.NOT_MET
    if criterion.among is not None:
        raise InputError(f"{place}: {criterion.figure} is a number; ask with at_least or at_most")
    low, high = criterion.at_least, criterion.at_most
    if (low is not None and value.high < low) or (high is not None and value.low > high):
        return Answer.NOT_MET
    inside = (low is None or value.low >= low) and (high is None or value.high <= high)
    return Answer.MET if inside else Answer.UNDECIDED


def _decide(criterion: Criterion, reports: Sequence[Report]) -> Decision:
    asked = [one for one in reports if criterion.report in (None, one.name)]
    if not asked:
        names = ", ".join(report.name for report in reports)
        raise InputError(
            f"criterion {criterion.name!r} asks {criterion.report}, which is not among the "
            f"reports: {names}"
        )
    rulings: list[Ruling] = []
    refusals: list[NoSuchFigure] = []
    parts: list[str] = []
    for report in asked:
        try:
            figures = find_figures(report, criterion.figure)
        except NoSuchFigure as error:
            refusals.append(error)
            continue
        parts += [figure.of for figure in figures if figure.of]
        rulings += [
            Ruling(report.name, figure, judge(criterion, figure.value))
            for figure in figures
            if criterion.of in (None, figure.of)
        ]
    if len(refusals) == len(asked):
        # A report that has something like it tells more than those of other kinds.
        telling = [one for one in refusals if one.near is not None] or refusals
        raise InputError(f"criterion {criterion.name!r}: {' '.join(map(str, telling))}")
    if not rulings:
        listed = ", ".join(dict.fromkeys(parts)) or "none"
        return Decision(criterion, (), f"no figure is of {criterion.of!r}; there are: {listed}")
    return Decision(criterion, tuple(rulings))


def _join(answers: Sequence[Answer]) -> Answer:
    if Answer.NOT_MET in answers:
        return Answer.NOT_MET
    if not answers or Answer.UNDECIDED in answers:
        return Answer.UNDECIDED
    return Answer.MET
