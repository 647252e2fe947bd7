"""Scores of synthetic files for a terminal: the facts of the pictures, without the pictures."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from audit.report.picture import Cells, Plot
from audit.report.sheet import Adaptive, Sheet
from audit.report.utility.axes import AxesView
from audit.report.utility.breakdowns import Bars
from audit.report.utility.data.view import DataView
from audit.report.utility.dives import Dive, Figure
from audit.report.utility.forest import CHANGES, Forest, coefficient_grid
from audit.report.utility.ranking import RankingView
from audit.report.utility.scores import ScoreBlock, ScoreRow
from audit.report.utility.subgroups import SubgroupsView
from audit.report.utility.view import UtilityView, utility_view
from audit.utility.results import UtilityResults

WORST = 3
"""The most rows of a breakdown that are told."""

STRIP = 22
"""Characters of the line on which a score's place is drawn."""

MAX_TAUS = 8
"""From so many metrics on the table of their agreement is left to the other reports."""

ROOMY = 76
"""From so many columns on that line is drawn."""


def utility_lines(results: UtilityResults) -> RenderableType:
    """The ranking, the scores and what is worst about each file."""
    view = utility_view(results)
    return Adaptive(lambda sheet: Group(*_parts(sheet, view)))


def _parts(sheet: Sheet, view: UtilityView) -> list[RenderableType]:
    notice = Group(Text("NOT PRIVATE", style="bold red"), sheet.text(view.notice))
    files = (
        (f.role, ", ".join(filter(None, (f"{f.name}: {f.records} rows", f.part, f.promise))))
        for f in view.files
    )
    parts: list[RenderableType] = [
        Panel(notice, box=box.ROUNDED, border_style="red", padding=(0, 1)),
        *(sheet.text(text, "bold") for text in view.warnings),
        sheet.pairs(files),
        *sheet.lines([view.columns], "dim"),
        Text(),
    ]
    if view.ranking is not None:
        parts += _ranking(sheet, view.ranking)
    parts.append(sheet.heading("Scores"))
    for block in view.blocks:
        parts += [*_block(sheet, block, view.ranking is not None), Text()]
    if view.shared:
        parts += [*sheet.lines((f"{names}: {text}" for names, text in view.shared), "dim"), Text()]
    if view.missing:
        missing = (f"{metric}, {file}: {reason}" for metric, file, reason in view.missing)
        parts += [sheet.heading("Without a value"), *sheet.lines(missing), Text()]
    if view.data is not None:
        parts += _data(sheet, view.data)
    for found in view.subgroups:
        parts += _subgroups(sheet, found)
    worst = [part for metric, dives in view.dives for part in _worst_of(sheet, metric, dives)]
    if worst:
        parts += [sheet.heading("What is worst"), *worst]
    return parts if view.axes is None else [*parts, *_axes(sheet, view.axes)]


def _axes(sheet: Sheet, view: AxesView) -> list[RenderableType]:
    axes = (f"{name} ({share} of the variance) {words}" for name, share, words in view.axes)
    return [
        sheet.heading("On public principal axes"),
        *sheet.lines([*axes]),
        Text(),
        sheet.grid(view.distances),
        *sheet.lines([view.reading, view.chance], "dim"),
        Text(),
    ]


def _data(sheet: Sheet, view: DataView) -> list[RenderableType]:
    """What each file covers, and its worst columns."""
    lines = [
        sheet.text(f"{file}: ", "bold").append(sheet.spell(text), "not bold")
        for file, text in view.worst
    ]
    return [
        sheet.heading("The data"),
        sheet.grid(view.coverage),
        *sheet.lines(["Columns farthest beyond chance, by total variation:"], "dim"),
        *map(sheet.indent, lines),
        *sheet.lines(view.notes, "dim"),
        Text(),
    ]


def _ranking(sheet: Sheet, view: RankingView) -> list[RenderableType]:
    parts: list[RenderableType] = [
        sheet.heading("Ranking"),
        *sheet.lines(view.sentences),
        Text(),
        sheet.grid(view.podium),
    ]
    if view.podium_note:
        parts += [*sheet.lines([view.podium_note], "dim"), Text()]
    parts += [sheet.grid(view.ranks), *sheet.lines([view.method], "dim"), Text()]
    if view.spread is not None:
        parts += [sheet.heading("Releases of each program"), sheet.grid(view.spread), Text()]
    if view.disagreement:
        parts.append(sheet.heading("Whether the metrics agree"))
        parts += [*sheet.lines(view.disagreement), Text()]
    if view.taus is not None and len(view.taus.columns) < MAX_TAUS:
        parts.append(sheet.grid(view.taus))
    return parts


def _subgroups(sheet: Sheet, view: SubgroupsView) -> list[RenderableType]:
    parts: list[RenderableType] = [sheet.heading(view.title), *sheet.lines(view.sentences), Text()]
    if view.standings is not None:
        parts += [sheet.grid(view.standings), *sheet.lines([view.standings_note], "dim")]
    if view.worst is not None:
        parts += [sheet.grid(view.worst), *sheet.lines([view.worst_note], "dim")]
    refused = (f"{metric}: {reason}" for metric, reason in view.refused)
    return [*parts, *sheet.lines([view.method], "dim"), *sheet.lines(refused, "dim"), Text()]


def _block(sheet: Sheet, block: ScoreBlock, ranked: bool) -> list[RenderableType]:
    title = sheet.text(block.metric, "bold")
    title.append(sheet.spell(f"  {block.facts}"), "dim")
    drawn = sheet.width >= ROOMY and block.track is not None
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold", ratio=1)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    if drawn:
        table.add_column(no_wrap=True, width=STRIP)
    if ranked:
        table.add_column(justify="right", no_wrap=True)
    table.expand = True
    if drawn:
        ends = [sheet.spell(text) for text in block.ends]
        gap = max(STRIP - len(ends[0]) - len(ends[1]), 1)
        head = Text(f"{ends[0]}{' ' * gap}{ends[1]}", style="dim")
        table.add_row(
            Text(), Text(), Text(), head, *([Text("rank", style="dim")] if ranked else [])
        )
    for row in block.rows:
        style = "dim" if row.baseline else ""
        cells: list[RenderableType] = [
            _name(sheet, row, style),
            sheet.text("undefined" if row.undefined else row.value, style or "bold"),
            sheet.text(row.error),
        ]
        if drawn:
            cells.append(Text(_strip(row, sheet.ascii_only), style=style))
        if ranked:
            cells.append(sheet.text(row.rank, "bold" if row.first else ""))
        table.add_row(*cells)
    below = Group(table, *(sheet.text(text, "dim") for text in block.stated))
    return [sheet.indent(title), sheet.indent(sheet.indent(below))]


def _name(sheet: Sheet, row: ScoreRow, style: str) -> Text:
    name = sheet.text(row.name, style)
    for remark in row.remarks:
        name.append("\n" + sheet.spell(f"  {remark}"), "dim")
    return name


def _strip(row: ScoreRow, ascii_only: bool) -> str:
    """A line with the score on it; right is better."""
    line = ["-" if ascii_only else "─"] * STRIP
    if row.at is None or row.low is None or row.high is None:
        return " " * STRIP
    low, at, high = (round(share * (STRIP - 1)) for share in (row.low, row.at, row.high))
    line[low : high + 1] = ["=" if ascii_only else "═"] * (high + 1 - low)
    full, hollow = ("#", "o") if ascii_only else ("●", "○")
    line[at] = hollow if row.baseline else full
    return "".join(line)


def _worst_of(sheet: Sheet, metric: str, dives: tuple[Dive, ...]) -> list[RenderableType]:
    """What is worst of a metric, a line a figure, and coefficients in a table."""
    lines: list[RenderableType] = [
        sheet.text(f"{dive.title}, {figure.file}: ", "dim").append(sheet.spell(text), "not dim")
        for dive in dives
        for figure in dive.figures
        if dive.kind != "forest" and (text := _worst(figure))
    ]
    grids = [
        sheet.grid(coefficient_grid(figure.picture, figure.file))
        for dive in dives
        for figure in dive.figures
        if isinstance(figure.picture, Forest) and dive.kind == "forest"
    ]
    if grids:
        words = (f"{change}: {text}" for change, text in CHANGES.items() if change)
        lines = [*grids, sheet.text("; ".join(words), "dim"), *lines]
    if not lines:
        return []
    return [*sheet.lines([metric], "bold"), sheet.indent(sheet.indent(Group(*lines))), Text()]


def _worst(figure: Figure) -> str:
    picture = figure.picture
    if isinstance(picture, Bars):
        return "; ".join(f"{row.name} {row.value}" for row in picture.rows[:WORST])
    if isinstance(picture, Plot):
        return picture.fact
    if isinstance(picture, Forest):
        each = (row.coefficient for row in picture.rows[:WORST])
        return "; ".join(
            f"{c.name}: real {c.real.brief}, synthetic {c.synthetic.brief}, {c.agreement}"
            for c in each
        )
    if isinstance(picture, Cells):
        known = [cell for _, row in picture.rows for cell in row if cell.step is not None]
        known.sort(key=lambda cell: -(cell.step or 0))
        return "; ".join(cell.text for cell in known[:WORST])
    return ""
