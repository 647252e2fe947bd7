"""Certificates, comparisons and channels for a terminal, as rich renderables.

They fit the console's width, need no colour, and use ASCII alone where the
console's encoding is not UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from audit.analysis import Analysis
from audit.certificate import Certificate
from audit.report.channel_view import Grid, analysis_view, left_out
from audit.report.ruler import Mark, Scale, common_scale
from audit.report.terminal_text import command_lines, ruler_rows, shown
from audit.report.views import CertificateView, EvidenceRow, certificate_view, comparison_view
from audit.report.witness import Story

_TONES = {
    "proved": "green",
    "exact": "green",
    "holds": "green",
    "not-refuted": "blue",
    "undecided": "yellow",
    "another-instance": "blue",
    "invalid-run": "yellow",
    "refuted": "red",
    "violated": "red",
    "contradiction": "magenta",
}


@dataclass(frozen=True)
class _Columns:
    """The widths beside a ruler's drawing: equal widths keep several rulers in line."""

    name: int
    text: int


@dataclass(frozen=True)
class _Sheet:
    """Makes the parts of a report for one width and one character set."""

    width: int
    ascii_only: bool

    def text(self, text: str, style: str = "") -> Text:
        return Text(shown(text, self.ascii_only), style=style, overflow="fold")

    def heading(self, text: str) -> Text:
        return self.text(f"\n{text}".lstrip("\n"), "bold")

    def indented(self, part: RenderableType) -> Padding:
        return Padding(part, (0, 0, 0, 2))

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for term, text in pairs:
            table.add_row(self.text(term), self.text(text))
        return table

    def ruler(
        self, scale: Scale, claim: Mark | None, bounds: tuple[Mark, ...], columns: _Columns
    ) -> Table:
        table = Table.grid(padding=(0, 2))
        for width in (columns.name, None, columns.text):
            table.add_column(no_wrap=True, width=width)
        room = max(self.width - 2 - columns.name - columns.text - 4, 16)
        rows = ruler_rows(scale, claim, bounds, room, self.ascii_only)
        texts = [shown(mark.text, self.ascii_only) for mark in bounds]
        for (name, drawing), text in zip(rows, [*texts, "", ""], strict=True):
            table.add_row(Text(name), Text(drawing), Text(text, style="bold"))
        return table

    def columns(self, marks: Sequence[Mark]) -> _Columns:
        texts = [shown(mark.text, self.ascii_only) for mark in marks]
        names = max((len(mark.name) for mark in marks), default=0)
        return _Columns(names, max(map(len, texts), default=0))

    def grid(self, grid: Grid) -> Group:
        """The matrix in blocks of as many columns as fit."""
        heads = [shown(head, self.ascii_only) for head in grid.columns]
        rows = [
            (shown(name, self.ascii_only), [shown(cell, self.ascii_only) for cell in cells])
            for name, cells in grid.rows
        ]
        corner = shown(grid.corner, self.ascii_only)
        first = max(len(corner), *(len(name) for name, _ in rows))
        sizes = [max(len(h), *(len(c[k]) for _, c in rows)) + 2 for k, h in enumerate(heads)]
        blocks: list[Table] = []
        start = 0
        while start < len(heads):
            stop, used = start + 1, first + sizes[start]
            while stop < len(heads) and used + sizes[stop] <= self.width - 2:
                used += sizes[stop]
                stop += 1
            table = Table(
                box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False, show_edge=False
            )
            table.add_column(Text(corner), overflow="fold", no_wrap=first <= self.width // 2)
            for head in heads[start:stop]:
                table.add_column(Text(head), justify="right", overflow="fold")
            for row, (name, cells) in enumerate(rows):
                shown_cells = [
                    Text(cells[k], style="bold" if (row, k) in grid.peaks else "")
                    for k in range(start, stop)
                ]
                table.add_row(Text(name), *shown_cells)
            blocks.append(table)
            start = stop
        return Group(*(part for block in blocks for part in (block, Text())))

    def story(self, story: Story) -> Group:
        cells = Grid(
            "cell",
            ("database A", "database B"),
            tuple(
                (row.name + (" *" if row.differs else ""), (row.first, row.second))
                for row in story.cells
            ),
        )
        parts: list[RenderableType] = [self.text(story.difference), Text()]
        if story.cells:
            parts.append(self.grid(cells))
        if story.cells_left_out:
            parts.append(self.text(story.cells_left_out, "dim"))
        if story.outputs:
            listed = " ".join((*story.outputs, story.outputs_left_out)).strip()
            parts.append(self.text(f"The chance of {story.seen}: {listed}"))
        parts += [
            self.indented(
                self.pairs([(f"from {c.database}", c.probability) for c in story.chances])
            ),
            self.indented(self.pairs([("odds  ", story.odds)])),
            Text(),
            self.text(story.telling),
        ]
        if story.judgement:
            parts.append(self.text(story.judgement))
        return Group(*parts)


@dataclass(frozen=True)
class _Adaptive:
    """A report laid out when the console is known."""

    build: Callable[[_Sheet], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.build(_Sheet(options.max_width, options.ascii_only))


def certificate_lines(certificate: Certificate) -> RenderableType:
    """A certificate in full."""
    view = certificate_view(certificate)
    scale = common_scale([certificate])
    return _Adaptive(lambda sheet: _certificate(sheet, view, scale))


def _certificate(sheet: _Sheet, view: CertificateView, scale: Scale) -> RenderableType:
    style = _TONES[view.tone]
    verdict = Group(Text(view.verdict, style=f"bold {style}"), sheet.text(view.meaning))
    parts: list[RenderableType] = [
        Panel(verdict, box=box.ROUNDED, border_style=style, padding=(0, 1)),
        sheet.indented(sheet.pairs(view.facts)),
        Text(),
        sheet.heading("Bounds"),
    ]
    if view.bounds:
        parts.append(
            sheet.indented(sheet.ruler(scale, view.claim, view.bounds, sheet.columns(view.bounds)))
        )
        if view.claim is not None:
            glyph = ":" if sheet.ascii_only else "┊"
            parts.append(sheet.indented(sheet.text(f"{glyph} {view.claim.text} is claimed", "dim")))
    else:
        parts.append(sheet.indented(sheet.text("No finding bounds ε from either side.")))
    parts += [Text(), sheet.heading("Evidence")]
    if not view.evidence:
        parts.append(sheet.indented(Text("No auditor has reported a finding.")))
    for row in view.evidence:
        parts.append(sheet.indented(_evidence(sheet, row)))
    for auditor, story in view.witnesses[:1]:
        parts += [
            Text(),
            sheet.heading(f"Witness, found by {auditor}"),
            sheet.indented(sheet.story(story)),
        ]
    if len(view.witnesses) > 1:
        others = ", ".join(auditor for auditor, _ in view.witnesses[1:])
        parts.append(sheet.indented(sheet.text(f"Further witnesses, found by {others}.", "dim")))
    parts += [Text(), sheet.heading("Assumed, and not shown by this certificate")]
    for assumption in view.assumptions or ("nothing",):
        table = Table.grid(padding=(0, 1))
        table.add_row(Text("-"), sheet.text(assumption))
        parts.append(sheet.indented(table))
    parts += [Text(), sheet.heading("Make it again")]
    command = shown(view.reproduce, sheet.ascii_only)
    for line in command_lines(command, sheet.width - 2):
        parts.append(sheet.indented(Text(line, overflow="fold", no_wrap=False)))
    parts += [Text(), sheet.text(view.digest, "dim")]
    return Group(*parts)


def _evidence(sheet: _Sheet, row: EvidenceRow) -> Group:
    head = Text()
    head.append(shown(row.auditor, sheet.ascii_only), style="bold")
    head.append(": ")
    head.append(row.decision, style=_TONES[row.tone])
    if row.direction:
        bound = f"   {row.bound} ({row.direction})"
        head.append(shown(bound, sheet.ascii_only))
    head.overflow = "fold"
    covers = f"covers {row.covers} ({row.whole})"
    if row.confidence != "–":
        covers += f"; confidence {row.confidence}"
    return Group(
        head, sheet.indented(sheet.text(row.finding)), sheet.indented(sheet.text(covers, "dim"))
    )


def comparison_lines(entries: Sequence[tuple[str, Certificate]]) -> RenderableType:
    """Named certificates side by side, on one scale."""
    view = comparison_view(entries)

    def build(sheet: _Sheet) -> RenderableType:
        parts: list[RenderableType] = []
        columns = sheet.columns([mark for row in view.rows for mark in row.bounds])
        for row in view.rows:
            head = Text(shown(row.name, sheet.ascii_only), style="bold", overflow="fold")
            head.append("  ")
            head.append(row.verdict, style=_TONES[row.tone])
            parts += [
                head,
                sheet.indented(sheet.text(f"claim {row.claim}; {row.relative_to}", "dim")),
            ]
            if row.bounds:
                ruler = sheet.ruler(view.scale, row.claim_mark, row.bounds, columns)
                parts.append(sheet.indented(ruler))
            else:
                parts.append(sheet.indented(sheet.text("No finding bounds ε from either side.")))
            parts.append(Text())
        if view.caution:
            parts.append(sheet.text(view.caution))
        return Group(*parts)

    return _Adaptive(build)


def analysis_lines(analysis: Analysis) -> RenderableType:
    """A channel's measures, its matrix and its odds where they are small enough to read."""
    view = analysis_view(analysis)

    def build(sheet: _Sheet) -> RenderableType:
        headline = sheet.text(view.epsilon, "bold")
        headline.append(
            shown("   the smallest ε of this channel, in nats", sheet.ascii_only), "dim"
        )
        parts: list[RenderableType] = [headline]
        if view.epsilon_in_full:
            parts.append(sheet.text(view.epsilon_in_full, "dim"))
        parts += [sheet.indented(sheet.pairs(view.facts)), Text()]
        if view.measures is not None:
            parts += [
                sheet.heading("At chosen values of ε"),
                sheet.indented(sheet.grid(view.measures.turned())),
            ]
            parts += [sheet.indented(sheet.text(note, "dim")) for note in view.law_notes]
            parts.append(Text())
        if view.witness is not None:
            parts += [
                sheet.heading("The most telling output"),
                sheet.indented(sheet.story(view.witness)),
            ]
        else:
            parts.append(sheet.text(view.no_witness))
        parts += [Text(), sheet.heading("The channel: Pr[output | database]")]
        if view.matrix is not None:
            parts.append(sheet.indented(sheet.grid(view.matrix)))
        else:
            parts.append(sheet.indented(sheet.text(left_out(analysis.channel))))
        if view.odds is not None:
            parts += [
                sheet.heading("Log odds between neighbours, the larger chance in the numerator"),
                sheet.indented(sheet.grid(view.odds)),
            ]
        elif view.no_odds:
            parts.append(sheet.text(view.no_odds))
        return Group(*parts)

    return _Adaptive(build)
