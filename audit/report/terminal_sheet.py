"""What a terminal's reports are laid out on: one width, one character set, and their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audit.report.certificate.witness import Story
from audit.report.grid import Grid
from audit.report.ruler import Mark, Scale
from audit.report.terminal_text import ruler_rows, shown


@dataclass(frozen=True)
class Widths:
    """The widths beside a ruler's drawing: equal widths keep several rulers in line."""

    name: int
    text: int


@dataclass(frozen=True)
class Sheet:
    """Makes the parts of a report for one width and one character set."""

    width: int
    ascii_only: bool

    def text(self, text: str, style: str = "") -> Text:
        """Text in characters that the console shows."""
        return Text(shown(text, self.ascii_only), style=style, overflow="fold")

    def heading(self, text: str) -> Text:
        """A heading."""
        return self.text(text, "bold")

    def indented(self, part: RenderableType) -> Padding:
        """A part, set in."""
        return Padding(part, (0, 0, 0, 2))

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> Table:
        """Terms with what is said of them."""
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for term, text in pairs:
            table.add_row(self.text(term), self.text(text))
        return table

    def ruler(self, scale: Scale, claim: Mark, bounds: tuple[Mark, ...], columns: Widths) -> Table:
        """Bounds drawn on one axis, whose symbol stands right of it."""
        table = Table.grid(padding=(0, 2))
        for width in (columns.name, None, columns.text):
            table.add_column(no_wrap=True, width=width)
        room = max(self.width - 2 - columns.name - columns.text - 4, 16)
        rows = ruler_rows(scale, claim, bounds, room, self.ascii_only)
        texts = [shown(mark.text, self.ascii_only) for mark in bounds]
        texts += [shown(scale.symbol, self.ascii_only), ""]
        for (name, drawing), text in zip(rows, texts, strict=True):
            table.add_row(Text(name), Text(drawing), Text(text, style="bold"))
        return table

    def columns(self, marks: Sequence[Mark]) -> Widths:
        """The widths that names and texts of marks need."""
        texts = [shown(mark.text, self.ascii_only) for mark in marks]
        names = max((len(mark.name) for mark in marks), default=0)
        return Widths(names, max(map(len, texts), default=0))

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
        """A witness in words."""
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
class Adaptive:
    """A report laid out when the console is known."""

    build: Callable[[Sheet], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.build(Sheet(options.max_width, options.ascii_only))
