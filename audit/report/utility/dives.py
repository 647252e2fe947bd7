"""What scores are made of: every breakdown as a picture where there is one for it, else a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.report.curve import Plot
from audit.report.grid import Grid
from audit.report.utility.bars import Bars, bar_ends, bars
from audit.report.utility.breakdowns import (
    is_number,
    numbers,
    numeric_columns,
    plotted_column,
    rises,
)
from audit.report.utility.plots import (
    density_plot,
    density_top,
    strip_plot,
    subsample_plot,
)
from audit.report.utility.square_map import SquareMap, square_map
from audit.report.utility.words import entry_text
from audit.utility.results import Scored, UtilityResults
from audit.utility.score import Breakdown, Score

TITLES: Mapping[str, str] = {
    "marginals": "Worst marginals",
    "attributes": "Attribute by attribute",
    "pairs": "Every two attributes",
    "groups": "Worst groups",
    "densities": "Propensity scores",
    "importances": "What gives the synthetic records away",
    "queries": "Worst queries",
    "subsamples": "Beside random samples of the real records",
    "coefficients": "Coefficients",
    "classifiers": "Classifiers",
    "cells": "Worst cells",
}
"""Titles of breakdowns by name; any other one is titled by its name."""

DRAWN_AS_BARS = frozenset(
    {"marginals", "attributes", "groups", "importances", "queries", "pairs", "cells"}
)
"""Names of breakdowns whose first rows are drawn as bars."""

MAX_ROWS = 10
"""The most rows of a table."""

MAX_FILES = 6
"""The most files whose breakdowns are shown (a choice of this project)."""

MIN_NAMES = 4
"""From so many attributes on pairs are drawn as a map, below as bars."""

LONG = 12
"""From so many rows on all of them are drawn as one line, beside bars of the worst."""

NARROW = 400.0
"""Maps of so many pixels stand beside each other."""

Picture = Bars | Plot | SquareMap | Grid


@dataclass(frozen=True)
class Figure:
    """One picture of one file. ``note``: what it leaves out."""

    file: str
    picture: Picture
    note: str


@dataclass(frozen=True)
class Dive:
    """One breakdown of one metric, a figure a file; all but maps are on one scale.

    ``kind``: "bars", "plot", "map" or "table".
    """

    kind: str
    title: str
    reading: str
    figures: tuple[Figure, ...]

    @property
    def layout(self) -> str:
        """How figures lie: beside each other, or below where one is wide."""
        if self.kind == "bars":
            return "panels"
        maps = [f.picture for f in self.figures if isinstance(f.picture, SquareMap)]
        return "panels maps" if maps and max(m.width for m in maps) <= NARROW else "stack"


def dives(results: UtilityResults) -> tuple[tuple[str, tuple[Dive, ...]], ...]:
    """Metrics with what is to be seen of them."""
    found = []
    for metric in results.metrics:
        scored = results.of_metric(metric)[:MAX_FILES]
        names = dict.fromkeys(detail.name for s in scored for detail in s.score.details)
        shown = [dive for name in names for dive in _dives(scored, name)]
        if shown:
            found.append((metric, tuple(shown)))
    return tuple(found)


def _dives(scored: Sequence[Scored], name: str) -> list[Dive]:
    having = [(s.synthetic, s.score, s.score.breakdown(name)) for s in scored]
    told = [(file, score, detail) for file, score, detail in having if detail and detail.rows]
    if not told:
        return []
    title = TITLES.get(name, name[:1].upper() + name[1:])
    drawn = _drawn(name, title, told)
    return drawn or [_dive("table", title, "", told, lambda score, detail: _table(detail))]


Told = Sequence[tuple[str, Score, Breakdown]]


def _drawn(name: str, title: str, told: Told) -> list[Dive]:
    """The pictures of a breakdown; none where one of the files has none."""
    details = [detail for _, _, detail in told]
    found: list[Dive] = []
    if name == "densities":
        found = [_densities(title, told)]
    elif name == "subsamples":
        found = [_dive("plot", title, "", told, lambda score, _: subsample_plot(score))]
    elif name == "pairs" and len(_pair_names(details)) >= MIN_NAMES:
        found = [_map(title, told)]
    elif name in DRAWN_AS_BARS:
        ends = bar_ends(details, told[0][1].highest)
        found = [
            _dive("bars", title, _measure(details[0]), told, lambda _, d: bars(d, ends)),
        ]
        if name == "groups" and max(len(detail.rows) for detail in details) >= LONG:
            found.append(_dive("plot", "All groups", "", told, lambda _, d: strip_plot(d, ends)))
    return [dive for dive in found if dive.figures]


def _dive(
    kind: str,
    title: str,
    reading: str,
    told: Told,
    picture: Callable[[Score, Breakdown], Picture | None],
) -> Dive:
    figures: list[Figure] = []
    for file, score, detail in told:
        made = picture(score, detail)
        if isinstance(made, Plot) and len(told) > 1:
            reading_once = "" if figures else made.reading
            made = replace(made, title=f"{made.title}: {file}", reading=reading_once)
        if made is not None:
            figures.append(Figure(file, made, _note(made, detail)))
    return Dive(kind, title, reading, tuple(figures))


def _densities(title: str, told: Told) -> Dive:
    plots = [detail for _, _, detail in told if density_plot(detail, 1.0) is not None]
    top = density_top(plots) if plots else 0.0
    return _dive("plot", title, "", told, lambda _, detail: density_plot(detail, top))


def _measure(detail: Breakdown) -> str:
    column = plotted_column(detail)
    return "" if column is None else f"Bars: {detail.columns[column]}."


def _pair_names(details: Sequence[Breakdown]) -> list[str]:
    """The attributes of pairs, those in the worst ones first."""
    names: dict[str, None] = {}
    for detail in details:
        if numeric_columns(detail)[:1] != (2,):
            return []
        for row in detail.rows:
            names.update({str(row[0]): None, str(row[1]): None})
    return list(names)


def _map(title: str, told: Told) -> Dive:
    """Pairs as maps, each on its own scale: one bad file would drown what is off in the others."""
    details = [detail for _, _, detail in told]
    names = _pair_names(details)
    column = plotted_column(details[0]) or 0
    signed = any(value < 0 for detail in details for value in numbers(detail, column))
    low_is_worst = not signed and any(rises(detail, column) for detail in details)

    def picture(score: Score, detail: Breakdown) -> SquareMap | None:
        found = {
            (str(row[0]), str(row[1])): abs(float(entry))
            for row in detail.rows
            if isinstance(entry := row[column], int | float) and is_number(entry)
        }
        finite = [value for value in found.values() if math.isfinite(value)]
        low = min(finite, default=0.0) if low_is_worst else 0.0
        return square_map(names, found, (low, max(finite, default=0.0)), low_is_worst)

    measure = details[0].columns[column] + (", by its size" if signed else "")
    reading = f"Colour by {measure}: the further right on the scale, the worse."
    own = " Each map has its own scale." if len(told) > 1 else ""
    return _dive("map", title, reading + own, told, picture)


def _table(detail: Breakdown) -> Grid:
    rows = tuple(
        (entry_text(row[0]), tuple(entry_text(entry) for entry in row[1:]))
        for row in detail.rows[:MAX_ROWS]
    )
    return Grid(detail.columns[0], detail.columns[1:], rows)


def _note(made: Picture, detail: Breakdown) -> str:
    further = 0
    if isinstance(made, Bars):
        further = made.left_out
    elif isinstance(made, Grid):
        further = len(detail.rows) - len(made.rows)
    notes = [detail.note] if detail.note else []
    if further:
        notes.append(f"{further} further rows are in the JSON document")
    if isinstance(made, SquareMap) and made.left_out:
        notes.append(f"{made.left_out} attributes in less telling pairs are not drawn")
    return "; ".join(notes)
