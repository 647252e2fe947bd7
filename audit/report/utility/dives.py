"""What scores are made of: every breakdown as a picture where there is one for it, else a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.report.grid import Grid
from audit.report.picture import Cells, Plot
from audit.report.utility.breakdowns import (
    MAX_BARS,
    Bars,
    bar_ends,
    bars,
    is_number,
    numbers,
    numeric_columns,
    plotted_column,
    rises,
)
from audit.report.utility.forest import MOST_ROWS as MOST_TERMS
from audit.report.utility.forest import Forest, coefficients, forest, scales
from audit.report.utility.pair_map import MAX_NAMES, pair_map
from audit.report.utility.plots import (
    density_plot,
    density_top,
    line_ends,
    line_plot,
    strip_plot,
    subsample_plot,
)
from audit.report.utility.slopes import Grouped, slopes
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
    "line": "Both fits",
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
"""The most files whose breakdowns are shown."""

MIN_NAMES = 4
"""From so many attributes on pairs are drawn as a map, below as bars."""

LONG = 12
"""From so many rows on all of them are drawn as one line, beside bars of the worst."""

NARROW = 8
"""Maps of so few columns stand beside each other."""

Picture = Bars | Plot | Cells | Forest | Grid

Part = tuple[str, Score, Breakdown]
"""A file, its score, and the breakdown of that."""


@dataclass(frozen=True)
class Figure:
    """One picture of one file. ``note``: what it leaves out."""

    file: str
    picture: Picture
    note: str


@dataclass(frozen=True)
class Dive:
    """One breakdown of one metric, a figure a file, all on one scale.

    ``kind``: "bars", "plot", "map", "forest", "slopes" or "table".
    """

    kind: str
    title: str
    reading: str
    figures: tuple[Figure, ...]

    @property
    def layout(self) -> str:
        """How figures lie: beside each other, or below where one is wide."""
        if self.kind in ("bars", "forest", "slopes"):
            return "panels"
        maps = [f.picture for f in self.figures if isinstance(f.picture, Cells)]
        return "panels maps" if maps and len(maps[0].columns) <= NARROW else "stack"


def dives(results: UtilityResults) -> tuple[tuple[str, tuple[Dive, ...]], ...]:
    """Metrics with what is to be seen of them."""
    by_metric = []
    for metric in results.metrics:
        scored = results.of_metric(metric)[:MAX_FILES]
        names = dict.fromkeys(detail.name for s in scored for detail in s.score.details)
        pictures = [dive for name in names for dive in _dives(scored, name)]
        pictures += _slope_dives(results, metric)
        if pictures:
            by_metric.append((metric, tuple(pictures)))
    return tuple(by_metric)


def _dives(scored: Sequence[Scored], name: str) -> list[Dive]:
    """The pictures of a breakdown; a table where none of the files has one."""
    having = [(s.synthetic, s.score, s.score.breakdown(name)) for s in scored]
    parts = [(file, score, detail) for file, score, detail in having if detail and detail.rows]
    if not parts:
        return []
    title = TITLES.get(name, name[:1].upper() + name[1:])
    drawn = [dive for dive in _draw(name, title, parts) if dive.figures]
    return drawn or [_dive("table", title, "", parts, lambda _, detail: _table(detail), MAX_ROWS)]


def _draw(name: str, title: str, parts: Sequence[Part]) -> list[Dive]:
    details = [detail for _, _, detail in parts]
    if name == "densities":
        top = density_top(details)
        return [_dive("plot", title, "", parts, lambda _, detail: density_plot(detail, top))]
    if name == "coefficients":
        return [_forest(title, parts)]
    if name == "line":
        reach = line_ends(details)
        return [_dive("plot", title, "", parts, lambda _, detail: line_plot(detail, reach))]
    if name == "subsamples":
        return [_dive("plot", title, "", parts, lambda score, _: subsample_plot(score))]
    if name == "pairs" and len(_pair_names(details)) >= MIN_NAMES:
        return [_map(title, parts)]
    if name not in DRAWN_AS_BARS:
        return []
    ends = bar_ends(details, parts[0][1].highest)
    column = plotted_column(details[0])
    measure = "" if column is None else f"Bars: {details[0].columns[column]}."
    drawn = [_dive("bars", title, measure, parts, lambda _, detail: bars(detail, ends), MAX_BARS)]
    if name == "groups" and max(len(detail.rows) for detail in details) >= LONG:
        drawn.append(
            _dive("plot", "All groups", "", parts, lambda _, detail: strip_plot(detail, ends))
        )
    return drawn


def _dive(
    kind: str,
    title: str,
    reading: str,
    parts: Sequence[Part],
    picture: Callable[[Score, Breakdown], Picture | None],
    most_rows: int | None = None,
    note: str = "",
) -> Dive:
    """A figure a file; ``most_rows``: how many of a breakdown a figure shows, all by default."""
    figures: list[Figure] = []
    for file, score, detail in parts:
        drawn = picture(score, detail)
        if isinstance(drawn, Plot) and len(parts) > 1:
            reading_once = "" if figures else drawn.reading
            drawn = replace(drawn, title=f"{drawn.title}: {file}", reading=reading_once)
        further = 0 if most_rows is None else len(detail.rows) - most_rows
        left_out = f"{further} further rows are in the JSON document" if further > 0 else ""
        if drawn is not None:
            notes = "; ".join(text for text in (detail.note, left_out, note) if text)
            figures.append(Figure(file, drawn, notes))
    return Dive(kind, title, reading, tuple(figures))


def _forest(title: str, parts: Sequence[Part]) -> Dive:
    """Coefficients, each term on one scale in all files."""
    ends = scales(each for _, _, detail in parts for each in coefficients(detail))
    reading = (
        "Estimates with their intervals and how much these overlap, worst first. Each term has a "
        "scale of its own, the same in all files."
    )

    def picture(_: Score, detail: Breakdown) -> Forest | None:
        return forest(coefficients(detail), ends)

    return _dive("forest", title, reading, parts, picture, MOST_TERMS)


def _slope_dives(results: UtilityResults, metric: str) -> list[Dive]:
    """The coefficients within the subgroups of each attribute, a picture a term."""
    grouped: dict[str, Grouped] = {}
    for one in results.subgroups:
        files = results.synthetics[:MAX_FILES]
        parts = [
            (f"{one.attribute} = {each.value}", detail)
            for each in one.scores
            if each.score.metric == metric and (detail := each.score.breakdown("coefficients"))
        ]
        if parts and one.synthetic in files:
            grouped[one.attribute] = {**grouped.get(one.attribute, {}), one.synthetic: parts}
    drawn = []
    for attribute, of_files in grouped.items():
        terms, further = slopes(of_files)
        reading = (
            f"The same model fitted to each group of {attribute}: the coefficient of both tables, "
            "the worst group first, on one scale; an interval that reaches beyond it is cut. What "
            "is said of a value is relative to the first value that both tables of the group have."
        )
        for place, term in enumerate(terms):
            figures = tuple(
                Figure(
                    file, picture, f"{left} better groups are in the JSON document" if left else ""
                )
                for (file, picture), left in zip(term.pictures, term.further, strict=True)
            )
            more = (
                f" {further} terms that overlap more are in the JSON document." if further else ""
            )
            said = "" if place else reading + more
            drawn.append(Dive("slopes", f"{term.term} by {attribute}", said, figures))
    return drawn


def _pair_names(details: Sequence[Breakdown]) -> list[str]:
    """The attributes of pairs, those in the worst ones first."""
    if any(numeric_columns(detail)[:1] != (2,) for detail in details):
        return []
    return list(
        dict.fromkeys(str(name) for detail in details for row in detail.rows for name in row[:2])
    )


def _map(title: str, parts: Sequence[Part]) -> Dive:
    """Pairs as maps of all files on one scale, so that colours can be compared."""
    details = [detail for _, _, detail in parts]
    names = _pair_names(details)
    column = plotted_column(details[0]) or 0
    signed = any(value < 0 for detail in details for value in numbers(detail, column))
    low_is_worst = not signed and any(rises(detail, column) for detail in details)
    measure = details[0].columns[column] + (", by its size" if signed else "")
    reading = f"Colour by {measure}: the further right on the scale, the worse."
    if len(parts) > 1:
        reading += " All maps have one scale."
    tables = [_pair_sizes(detail, column) for detail in details]
    finite = [value for table in tables for value in table.values() if math.isfinite(value)]
    low = min(finite, default=0.0) if low_is_worst else 0.0
    ends = low, max(finite, default=0.0)

    def picture(_: Score, detail: Breakdown) -> Cells:
        return pair_map(title, reading, names, _pair_sizes(detail, column), ends, low_is_worst)

    further = len(names) - MAX_NAMES
    note = f"{further} attributes in less telling pairs are not drawn" if further > 0 else ""
    return _dive("map", title, reading, parts, picture, note=note)


def _pair_sizes(detail: Breakdown, column: int) -> dict[tuple[str, str], float]:
    """The size of the number of each pair."""
    return {
        (str(row[0]), str(row[1])): abs(float(entry))
        for row in detail.rows
        if isinstance(entry := row[column], int | float) and is_number(entry)
    }


def _table(detail: Breakdown) -> Grid:
    rows = tuple(
        (entry_text(row[0]), tuple(entry_text(entry) for entry in row[1:]))
        for row in detail.rows[:MAX_ROWS]
    )
    return Grid(detail.columns[0], detail.columns[1:], rows)
