"""Matrices of text with named rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Grid:
    """A matrix with named rows and columns.

    ``peaks``: the entries that attain the largest. ``phrases``: what rows mean, by their names.
    """

    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    peaks: frozenset[tuple[int, int]] = frozenset()
    phrases: Mapping[str, str] = field(default_factory=dict)

    def turned(self) -> Grid:
        """The same matrix with rows and columns exchanged."""
        names = tuple(name for name, _ in self.rows)
        rows = tuple(
            (column, tuple(cells[place] for _, cells in self.rows))
            for place, column in enumerate(self.columns)
        )
        return Grid(self.corner, names, rows, frozenset((b, a) for a, b in self.peaks))


def side_by_side(what: str, rows: Iterable[tuple[str, str, str]]) -> Grid:
    """Two databases: what they hold under every name, starred where they differ."""
    starred = tuple((name + (" *" if a != b else ""), (a, b)) for name, a, b in rows)
    return Grid(what, ("database A", "database B"), starred)
