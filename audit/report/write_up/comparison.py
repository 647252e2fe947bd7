"""What a write-up states otherwise than a run showed, as sections of a page."""

from __future__ import annotations

from collections.abc import Iterator

from audit.report.page import Section, TableSection, TextSection
from audit.report.words import plural, short
from audit.review.write_ups.comparing import Comparison
from audit.review.write_ups.write_up import Course

OTHER_RUNS = (
    "The questions of this program follow its answers: the list is beside those of one run on "
    "made-up tables, and another run may ask others."
)


def comparison_sections(file: str, compared: Comparison, course: Course) -> Iterator[Section]:
    """The differences, what to send back, and what is not stated; ``file``: the write-up's."""
    yield TextSection(f"{file} beside the run", tuple(_lead(compared, course)))
    if compared.differences:
        rows = tuple((one.kind, one.name, one.sentence) for one in compared.differences)
        yield TableSection("What differs", ("what", "query", "how"), rows)
        questions = tuple(one.question for one in compared.differences)
        yield TextSection("Questions to send back", questions)
    if compared.silences:
        yield TableSection(
            "Not stated",
            ("query", "field", "in the run"),
            tuple((one.name, one.field, short(one.shown, 200)) for one in compared.silences),
            "No difference: the write-up is silent.",
        )


def _lead(compared: Comparison, course: Course) -> Iterator[str]:
    stated = plural(compared.stated, "query", "queries")
    found = (
        f"{plural(len(compared.differences), 'difference')} between"
        if compared.differences
        else "Nothing differs between"
    )
    yield f"{found} {stated} stated and {plural(compared.asked, 'question')} asked."
    if course == "varying":
        yield OTHER_RUNS
