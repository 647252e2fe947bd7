"""What a release is worth and what it protects: the distance from the optimum, and the row view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.channels.measures.optimum import Optimum
from audit.channels.measures.rows import CellView, RowView
from audit.report.channel.laws import law_meanings
from audit.report.grid import Grid
from audit.report.percentages import at_least, share
from audit.report.picture import Span, Spans, from_zero, percentages
from audit.report.words import cell_name, equation, plural, short, vector
from audit.statements.decimals import Enclosure
from synthesizers.domain import Domain

DIGITS = 5
"""Significant digits of losses and chances."""

MAX_CELLS = 12
"""The most cells that are listed, those that change least."""


@dataclass(frozen=True)
class ReleaseView:
    """One section on the release: sentences, spans and a table, those that there are."""

    sentences: tuple[str, ...]
    spans: Spans | None
    grid: Grid | None
    notes: tuple[str, ...]


def optimum_view(optimum: Optimum) -> ReleaseView:
    """The losses of the channel's mechanism beside the least possible."""
    rows = (
        _loss("On average over the databases", optimum.own_uniform, optimum.uniform),
        _loss("For the least favourable database", optimum.own_worst, optimum.worst),
    )
    top = max(max(row.start, row.end) for row in rows)
    spans = Spans(
        "By how much the counts are off",
        from_zero("counts off, summed over the cells", 1.05 * top or 1.0),
        "the least possible",
        "this channel",
        rows,
    )
    return ReleaseView(
        (
            "The loss is by how much every count is off, summed over the cells. Here it is "
            f"{share(optimum.own_uniform, DIGITS)} on average over the listed databases, and "
            f"{share(optimum.own_worst, DIGITS)} for the least favourable one.",
            f"The least that any of all {optimum.ranges_over}, at "
            f"{equation('ε', optimum.epsilon)}, can lose is {share(optimum.uniform, DIGITS)} on "
            f"average, and {share(optimum.worst, DIGITS)} for its least favourable database.",
        ),
        spans if top else None,
        None,
        () if optimum.note is None else (f"{optimum.note[0].upper()}{optimum.note[1:]}.",),
    )


def _loss(name: str, own: Enclosure, least: Enclosure) -> Span:
    text = f"{share(own, DIGITS)} (at best {share(least, DIGITS)})"
    return Span(name, text, float(least.lower), float(own.upper))


def rows_view(rows: RowView, domain: Domain) -> ReleaseView:
    """How often the confidential table, and each of its cells, is released as it is."""
    laws = tuple(rows.average)
    named = domain.size == len(rows.cells)
    names = [
        short(cell_name(domain, cell)) if named else f"entry {cell + 1}"
        for cell in range(len(rows.cells))
    ]
    by_change = sorted(range(len(names)), key=lambda cell: rows.cells[cell].differs.value.upper)
    listed = sorted(by_change[:MAX_CELLS])
    place, least = rows.least_changed
    cells = [rows.cells[cell] for cell in listed]
    return ReleaseView(
        (
            _diagonal(rows),
            f"The cell that changes least is “{names[place]}”: when the table is "
            f"{short(vector(least.database))}, its count is {_describe_change(least.value)}.",
        ),
        Spans(
            "The chance that a cell's count is released changed",
            percentages("chance of a change"),
            f"on average, {laws[0]}",
            "for the least favourable table",
            tuple(_change(names[cell], rows.cells[cell], laws[0]) for cell in listed),
        ),
        _cells(cells, [names[cell] for cell in listed], laws),
        _notes(laws, _suppresses(cells), len(names) - len(listed)),
    )


def _diagonal(rows: RowView) -> str:
    """How often the confidential table itself is released."""
    most, least = rows.largest, rows.smallest
    averages = ", ".join(f"{at_least(ends)} ({law})" for law, ends in rows.average.items())
    if most.value == least.value:
        return f"The confidential table itself is released with a chance of {at_least(most.value)}."
    return (
        f"The confidential table itself is released with a chance of {at_least(most.value)} when "
        f"it is {short(vector(most.database))}, and of {at_least(least.value)} when it is "
        f"{short(vector(least.database))}; on average {averages}."
    )


def _describe_change(chance: Enclosure) -> str:
    if not chance.upper:
        return "always released as it is"
    return f"released changed with a chance of {at_least(chance)}"


def _change(name: str, cell: CellView, law: str) -> Span:
    least, mean = cell.differs.value, cell.average_differs[law]
    text = f"{at_least(least)} (average {at_least(mean)})"
    return Span(name, text, float(Fraction(mean.lower)), float(Fraction(least.lower)))


def _cells(cells: Sequence[CellView], names: Sequence[str], laws: tuple[str, ...]) -> Grid:
    hidden = _suppresses(cells)
    distances = any(cell.average_distance is not None for cell in cells)
    columns = ["changed, least", "at", *(f"changed, {law}" for law in laws)]
    columns += [f"suppressed, {law}" for law in laws] if hidden else []
    columns += [f"mean error, {law}" for law in laws] if distances else []
    rows = []
    for name, cell in zip(names, cells, strict=True):
        texts = [share(cell.differs.value, DIGITS), short(vector(cell.differs.database), 24)]
        texts += [share(cell.average_differs[law], DIGITS) for law in laws]
        if hidden:
            texts += [share(cell.average_suppressed[law], DIGITS) for law in laws]
        if distances:
            mean = cell.average_distance
            texts += ["–" if mean is None else share(mean[law], DIGITS) for law in laws]
        rows.append((name, tuple(texts)))
    return Grid("cell", tuple(columns), tuple(rows))


def _suppresses(cells: Sequence[CellView]) -> bool:
    return any(ends.upper for cell in cells for ends in cell.average_suppressed.values())


def _notes(laws: tuple[str, ...], hidden: bool, left_out: int) -> tuple[str, ...]:
    notes = [f"Averages are over a law of the confidential table; {law_meanings(laws)}."]
    if hidden:
        notes.append("A count that is suppressed is among those that change.")
    if left_out:
        notes.append(f"{plural(left_out, 'further cell')} that change no less.")
    return tuple(notes)
