"""What every result of this package can do: show itself.

A result shows itself at a prompt in a line, with ``print`` as the command prints it, and in a
notebook as the page that the command writes.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from audit.report.json_text import json_text
from audit.report.page import Page, Section, TextSection
from audit.report.words import clean
from synthesizers.files import replacing

WIDTH = 96
"""Columns of a printed result."""

FRAME = (
    '<iframe srcdoc="{page}" title="{title}" '
    'style="width: 100%; height: 36rem; border: 0; resize: vertical"></iframe>'
)
"""A page within a notebook, which keeps its styles to itself."""


class Result(ABC):
    """A value that shows itself."""

    soft_wrap = False
    """Whether a terminal alone breaks its lines."""

    @property
    def exit_code(self) -> int:
        """What the command of the same name ends with: 0 unless a result says otherwise."""
        return 0

    @abstractmethod
    def summary(self) -> str:
        """The result in a line."""

    @abstractmethod
    def lines(self) -> RenderableType:
        """The result for a terminal."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The result as plain data, as ``--json`` writes it."""

    def page(self) -> Page:
        """The result as a page of sections."""
        return Page(self.summary(), "", (TextSection("In full", tuple(str(self).splitlines())),))

    def json_text(self) -> str:
        """The text of ``--json``; strict, so that every reader takes it."""
        return json_text(self.to_json())

    def html(self) -> str:
        """The page as one HTML file that loads nothing."""
        from audit.report.html import render

        return render(self.page())

    def save(self, path: str | Path) -> None:
        """Write the result whole or not at all: HTML for ``.html``, otherwise JSON."""
        text = self.html() if str(path).endswith(".html") else self.json_text()
        with replacing(Path(path)) as file:
            file.write(text.encode())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {clean(self.summary())}>"

    def __str__(self) -> str:
        page = io.StringIO()
        Console(file=page, width=WIDTH, no_color=True, highlight=False).print(
            self.lines(), soft_wrap=self.soft_wrap
        )
        return "\n".join(line.rstrip() for line in page.getvalue().splitlines())

    def _repr_html_(self) -> str:
        return FRAME.format(page=escape(self.html()), title=escape(clean(self.summary())))


def plain_lines(lines: Sequence[str]) -> Group:
    """Lines as they are: no markup and no control sequences."""
    return Group(*(Text(clean(line)) for line in lines))


def page_of(title: str, lead: str, *sections: Section) -> Page:
    """A page of these sections."""
    return Page(title, lead, sections)
