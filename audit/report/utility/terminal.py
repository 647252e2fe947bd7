"""Scores of synthetic files for a terminal: the facts of the pictures, without the pictures."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from audit.report.grid import Grid
from audit.report.picture import Cells, Plot
from audit.report.terminal_sheet import Adaptive, Sheet
from audit.report.terminal_text import shown
from audit.report.utility.breakdowns import Bars
from audit.report.utility.dives import Dive, Figure
from audit.report.utility.ranking_view import RankingView
from audit.report.utility.score_blocks import ScoreBlock, ScoreRow
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
    parts: list[RenderableType] = [
        Panel(notice, box=box.ROUNDED, border_style="red", padding=(0, 1)),
        sheet.indented(
            sheet.pairs(
                [
                    (f.role, f"{f.name}: {f.records} rows" + (f", {f.part}" if f.part else ""))
                    for f in view.files
                ]
            )
        ),
        sheet.indented(sheet.text(view.columns, "dim")),
        Text(),
    ]
    if view.ranking is not None:
        parts += _ranking(sheet, view.ranking)
    parts.append(sheet.heading("Scores"))
    for block in view.blocks:
        parts += [*_block(sheet, block, view.ranking is not None), Text()]
    if view.undefined or view.refused:
        parts.append(sheet.heading("Without a value"))
        parts += [
            sheet.indented(sheet.text(f"{metric}, {file}: {reason}"))
            for metric, file, reason in view.undefined
        ]
        parts += [
            sheet.indented(sheet.text(f"{metric}, every file: {reason}"))
            for metric, reason in view.refused
        ]
        parts.append(Text())
    told = [line for metric, dives in view.dives for line in _told(sheet, metric, dives)]
    if told:
        parts += [sheet.heading("What is worst"), *told]
    return parts


def _ranking(sheet: Sheet, view: RankingView) -> list[RenderableType]:
    podium = Grid(
        "file",
        ("mean rank", "metrics won", "tied for first"),
        tuple((p.synthetic, (p.mean_rank, p.won, p.shared)) for p in view.podium),
        frozenset((row, 0) for row, p in enumerate(view.podium) if p.leads),
    )
    parts: list[RenderableType] = [
        sheet.heading("Ranking"),
        *(sheet.indented(sheet.text(sentence)) for sentence in view.sentences),
        Text(),
        sheet.indented(sheet.grid(podium)),
    ]
    if view.podium_note:
        parts += [sheet.indented(sheet.text(view.podium_note, "dim")), Text()]
    parts.append(sheet.indented(sheet.grid(view.ranks)))
    parts += [sheet.indented(sheet.text(view.method, "dim")), Text()]
    if view.disagreement:
        parts.append(sheet.heading("Whether the metrics agree"))
        parts += [sheet.indented(sheet.text(sentence)) for sentence in view.disagreement]
        parts.append(Text())
    if view.taus is not None and len(view.taus.columns) < MAX_TAUS:
        parts.append(sheet.indented(sheet.grid(view.taus)))
    return parts


def _block(sheet: Sheet, block: ScoreBlock, ranked: bool) -> list[RenderableType]:
    title = sheet.text(block.metric, "bold")
    title.append(shown(f"  {block.facts}", sheet.ascii_only), "dim")
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
        ends = [shown(text, sheet.ascii_only) for text in block.ends]
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
    parts: list[RenderableType] = [sheet.indented(title), sheet.indented(sheet.indented(table))]
    parts += [sheet.indented(sheet.indented(sheet.text(text, "dim"))) for text in block.stated]
    return parts


def _name(sheet: Sheet, row: ScoreRow, style: str) -> Text:
    name = sheet.text(row.name, style)
    for remark in row.remarks:
        name.append("\n" + shown(f"  {remark}", sheet.ascii_only), "dim")
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


def _told(sheet: Sheet, metric: str, dives: tuple[Dive, ...]) -> list[RenderableType]:
    lines = [
        (f"{dive.title}, {figure.file}", text)
        for dive in dives
        for figure in dive.figures
        if (text := _worst(figure))
    ]
    if not lines:
        return []
    parts: list[RenderableType] = [sheet.indented(sheet.text(metric, "bold"))]
    for head, text in lines:
        line = sheet.text(f"{head}: ", "dim")
        line.append(shown(text, sheet.ascii_only))
        parts.append(sheet.indented(sheet.indented(line)))
    return [*parts, Text()]


def _worst(figure: Figure) -> str:
    picture = figure.picture
    if isinstance(picture, Bars):
        return "; ".join(f"{row.name} {row.value}" for row in picture.rows[:WORST])
    if isinstance(picture, Plot):
        return picture.fact
    if isinstance(picture, Cells):
        known = [cell for _, row in picture.rows for cell in row if cell.step is not None]
        known.sort(key=lambda cell: -(cell.step or 0))
        return "; ".join(cell.text for cell in known[:WORST])
    return ""
