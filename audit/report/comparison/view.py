"""A comparison as the sections that a terminal and a page both show."""

from __future__ import annotations

from collections.abc import Iterator

from audit.report.comparison.aspects import PARTS, aspects
from audit.report.page import ComparisonSection, Section, TableSection, TextSection
from audit.report.words import yardstick_words
from audit.review.comparison.comparing import Comparison
from audit.review.comparison.revisions import Change, Revision, Turn

LEAD = (
    "Bounds are comparable on one ruler only: where claims bound one parameter, at one δ, under "
    "the same neighbours and unit."
)

READ = "Each certificate was read again, and no audit was run: dp-audit verify CERT.json runs one."


def sections(found: Comparison) -> Iterator[Section]:
    """What is not believed, what is not alike, the rulers, what differs, and the versions."""
    if found.disbelieved:
        lines = tuple(f"{one.name}: {one.fault}." for one in found.disbelieved)
        note = "They are on no ruler, and nothing that they state is compared."
        yield TextSection("Not believed", (*lines, note))
    if len(found.groups) > 1:
        yield _not_comparable(found)
    if found.groups:
        entries = tuple(
            (entry.name, entry.certificate) for group in found.groups for entry in group.entries
        )
        yield ComparisonSection("Bounds", entries, READ)
    yield from _differences(found)
    for revision in found.revisions:
        yield _revision(revision)


def _not_comparable(found: Comparison) -> TextSection:
    lines = [
        f"{', '.join(entry.name for entry in group.entries)}: {yardstick_words(group.yardstick)}."
        for group in found.groups
    ]
    told = (
        f"These certificates answer {len(found.groups)} different questions. A number of one "
        "question says nothing beside a number of another, and each question has its own ruler:"
    )
    return TextSection("Not comparable", (told, *lines))


def _differences(found: Comparison) -> Iterator[TableSection]:
    texts = [aspects(entry) for entry in found.entries]
    names = tuple(entry.name for entry in found.entries)
    for part in PARTS:
        rows = [(name, tuple(one[part][name] for one in texts)) for name in texts[0][part]]
        unlike = tuple((name, *values) for name, values in rows if len(set(values)) > 1)
        alike = ", ".join(name for name, values in rows if len(set(values)) == 1)
        note = f"The same in all: {alike}." if alike else ""
        yield TableSection(f"What differs in the {part.lower()}", ("aspect", *names), unlike, note)


def _revision(revision: Revision) -> TableSection:
    before, after = (aspects(entry) for entry in (revision.before, revision.after))
    values = [{**one["Subject"], **one["Evidence"]} for one in (before, after)]
    rows = tuple(
        (change.statement, values[0][change.statement], values[1][change.statement], _turn(change))
        for change in revision.changes
        if change.turn is not Turn.SAME
    )
    same = ", ".join(one.statement for one in revision.changes if one.turn is Turn.SAME)
    title = f"Two versions of one submission: {revision.before.name}, then {revision.after.name}"
    header = ("statement", revision.before.name, revision.after.name, "became")
    return TableSection(title, header, rows, f"Unchanged: {same}." if same else "")


def _turn(change: Change) -> str:
    return f"{change.turn.value}: {change.why}" if change.why else change.turn.value
