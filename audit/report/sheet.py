"""What a terminal's reports are laid out on: one width, one character set, and their parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.containers import Lines
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audit.report.certificate.witness import Story
from audit.report.grid import Grid
from audit.report.ruler import INFINITE_PLACE, Mark, Scale
from audit.report.words import clean

_ASCII = {
    "ε": "epsilon",
    "δ": "delta",
    "ρ": "rho",
    "μ": "mu",
    "α": "alpha",
    "∞": "inf",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "·": "*",
    "–": "-",
    "—": "-",
    "×": "x",
    "→": "->",
    "↑": "^",
    "↓": "v",
    "±": "+/-",
    "τ": "tau",
    "−": "-",
    "…": "...",
    "“": '"',
    "”": '"',
    "’": "'",
    "é": "e",
}

_EXPONENT = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")

_GLYPHS = {
    "line": "─",
    "tick": "┬",
    "claim": "┊",
    "floor": "├",
    "ceiling": "┤",
    "exact": "◆",
    "power": "▲",
}
_ASCII_GLYPHS = {
    "line": "-",
    "tick": "+",
    "claim": ":",
    "floor": "[",
    "ceiling": "]",
    "exact": "#",
    "power": "^",
}


_TUPLE = re.compile(r"\([^()\s]+(?:, [^()\s]+)+\)")
_JOINT = "\ue000"
"""Stands for a space at which no line ends."""


class Passage(Text):
    """Text in which no tuple that fits a line is broken over two."""

    def wrap(self, console: Console, width: int, **options: Any) -> Lines:
        """As of any text."""
        joined = self.copy()
        joined.plain = _TUPLE.sub(lambda found: _join(found[0], width), self.plain)
        lines = joined.wrap(console, width, **options)
        for line in lines:
            line.plain = line.plain.replace(_JOINT, " ")
        return lines


def _join(tuple_: str, width: int) -> str:
    return tuple_.replace(" ", _JOINT) if len(tuple_) <= width else tuple_


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

    def spell(self, text: str) -> str:
        """Text as the console can show it: invisible characters spelled out, or all but ASCII."""
        text = clean(text)
        if not self.ascii_only or text.isascii():
            return text
        text = _EXPONENT.sub(lambda found: f"^{normalize('NFKC', found[0])}", text)
        spelled = "".join(_ASCII.get(character, character) for character in text)
        return spelled.encode("ascii", "backslashreplace").decode("ascii")

    def text(self, text: str, style: str = "") -> Text:
        """Text in characters that the console shows."""
        return Passage(self.spell(text), style=style, overflow="fold")

    def heading(self, text: str) -> Text:
        """A heading."""
        return self.text(text, "bold")

    def indent(self, part: RenderableType) -> Padding:
        """A part, set in."""
        return Padding(part, (0, 0, 0, 2))

    def lines(self, texts: Iterable[str], style: str = "") -> list[RenderableType]:
        """Texts, set in; empty ones are left out."""
        return [self.indent(self.text(text, style)) for text in texts if text]

    def command(self, command: str) -> Group:
        """A command, set in, broken between its words, with nothing behind a backslash."""
        lines = command_lines(self.spell(command), self.width - 6)
        texts = (Text(line, overflow="fold") for line in lines)
        return Group(*(Padding(text, (0, 0, 0, 2), expand=False) for text in texts))

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> Padding:
        """Terms with what is said of them, set in."""
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for term, text in pairs:
            table.add_row(self.text(term), self.text(text))
        return self.indent(table)

    def ruler(
        self, scale: Scale, claim: Mark, bounds: tuple[Mark, ...], columns: Widths
    ) -> Padding:
        """Bounds drawn on one axis, whose symbol stands right of it; set in."""
        table = Table.grid(padding=(0, 2))
        for width in (columns.name, None, columns.text):
            table.add_column(no_wrap=True, width=width)
        room = max(self.width - 2 - columns.name - columns.text - 4, 16)
        texts = [*(mark.text for mark in bounds), scale.symbol, ""]
        rows = self._ruler_rows(scale, claim, bounds, room)
        for (name, drawing), text in zip(rows, texts, strict=True):
            table.add_row(Text(name), Text(drawing), self.text(text, "bold"))
        return self.indent(table)

    def columns(self, marks: Sequence[Mark]) -> Widths:
        """The widths that names and texts of marks need."""
        names = max((len(mark.name) for mark in marks), default=0)
        return Widths(names, max((len(self.spell(mark.text)) for mark in marks), default=0))

    def _ruler_rows(
        self, scale: Scale, claim: Mark, bounds: tuple[Mark, ...], width: int
    ) -> list[tuple[str, str]]:
        """The ruler as (name, drawing) rows, the axis last; a drawing is ``width`` characters."""
        glyphs = _ASCII_GLYPHS if self.ascii_only else _GLYPHS
        rows = [(mark.name, _drawing(scale, claim, mark, width, glyphs)) for mark in bounds]
        axis = [glyphs["line"]] * width
        labels = [" "] * width
        for value, label in scale.ticks:
            column = _column(scale, value, width)
            axis[column] = glyphs["tick"]
            text = self.spell(label)
            start = min(max(column - len(text) // 2, 0), width - len(text))
            if all(character == " " for character in labels[max(start - 1, 0) : start + len(text)]):
                labels[start : start + len(text)] = text
        if scale.infinite:
            end = _column(scale, scale.high, width)
            axis[end + 1 : end + 3] = "//"
        return [*rows, ("", "".join(axis)), ("", "".join(labels))]

    def grid(self, grid: Grid) -> Padding:
        """The matrix, set in, in blocks of as many columns as fit."""
        heads = [self.spell(head) for head in grid.columns]
        rows = [
            (self.spell(name), [self.spell(cell) for cell in cells]) for name, cells in grid.rows
        ]
        corner = self.spell(grid.corner)
        first = max(len(corner), *(len(name) for name, _ in rows))
        sizes = [max(len(h), *(len(c[k]) for _, c in rows)) + 2 for k, h in enumerate(heads)]
        parts: list[RenderableType] = []
        start = 0
        while start < len(heads):
            stop, used = start + 1, first + sizes[start]
            while stop < len(heads) and used + sizes[stop] <= self.width - 4:
                used += sizes[stop]
                stop += 1
            table = Table(
                box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False, show_edge=False
            )
            table.add_column(Text(corner), overflow="fold", no_wrap=first <= self.width // 2)
            for head in heads[start:stop]:
                table.add_column(Text(head), justify="right", overflow="fold")
            for row, (name, cells) in enumerate(rows):
                block = [
                    Text(cells[k], style="bold" if (row, k) in grid.peaks else "")
                    for k in range(start, stop)
                ]
                table.add_row(Text(name), *block)
            parts += [table, Text()]
            start = stop
        return self.indent(Group(*parts))

    def story(self, story: Story) -> Group:
        """A witness in words."""
        parts: list[RenderableType] = [self.text(story.difference), Text()]
        if story.cells.rows:
            parts.append(self.grid(story.cells))
        parts += [self.text(text, "dim") for text in (story.cells_left_out,) if text]
        if story.outputs:
            listed = " ".join((*story.outputs, story.outputs_left_out)).strip()
            parts.append(self.text(f"The chance of {story.seen}: {listed}"))
        parts += [
            self.pairs((f"from {c.database}", c.probability) for c in story.chances),
            self.pairs([("odds  ", story.odds)]),
            Text(),
            *(self.text(text) for text in (story.telling, story.judgement) if text),
        ]
        return Group(*parts)


@dataclass(frozen=True)
class Adaptive:
    """A report laid out when the console is known."""

    build: Callable[[Sheet], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.build(Sheet(options.max_width, options.ascii_only))


def _column(scale: Scale, value: float, width: int) -> int:
    return min(round(min(scale.share(value), INFINITE_PLACE) * (width - 1)), width - 1)


def _drawing(scale: Scale, claim: Mark, mark: Mark, width: int, glyphs: dict[str, str]) -> str:
    line = [" "] * width
    low, high = _column(scale, mark.low, width), _column(scale, mark.high, width)
    if mark.kind == "floor":
        line[low:] = glyphs["line"] * (width - low)
        line[-1] = ">"
    elif mark.kind == "ceiling":
        line[:high] = glyphs["line"] * high
        line[0] = "<"
    else:
        line[low:high] = glyphs["line"] * (high - low)
    line[_column(scale, claim.low, width)] = glyphs["claim"]
    at = high if mark.kind == "ceiling" else low
    line[at] = glyphs[mark.kind]
    if mark.kind == "exact" and high > low:
        line[low], line[high] = glyphs["floor"], glyphs["ceiling"]
    return "".join(line)


def command_lines(command: str, width: int) -> list[str]:
    """A command broken between its words, each line but the last ending in a backslash.

    Text within quotes stays on one line: a line break there would be part of it.
    """
    lines = [""]
    for word in _command_words(command):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1].strip() and len(longer) > width - 2:
            lines.append("    " + word)
        else:
            lines[-1] = longer
    return [line + " \\" for line in lines[:-1]] + lines[-1:]


def _command_words(command: str) -> list[str]:
    words, quote = [""], ""
    for character in command:
        if character == " " and not quote:
            words.append("")
            continue
        words[-1] += character
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return words
