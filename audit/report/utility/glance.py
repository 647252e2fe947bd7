"""All scores in one table of short numbers, between knowing nothing and the best there is."""

from __future__ import annotations

import math

from audit.report.grid import Grid
from audit.report.utility.phrases import PHRASES
from audit.report.utility.scores import BEST_POSSIBLE, NULL, first_of
from audit.report.utility.words import group_digits, value_text
from audit.utility.ranking import Ranking
from audit.utility.results import UtilityResults
from audit.utility.score import Score

DIGITS = 3
"""Significant digits of a number here; the scores themselves have more."""

TINY = 1e-9
"""What is nearer to 0 is written as that."""


def glance(results: UtilityResults, ranking: Ranking | None) -> Grid:
    """A row a metric, a column a file; its peaks are the files that no other is better than.

    The last columns are what a table would score that knows only the domain, left out where none
    was drawn, and the best score that there is.
    """
    with_null = any(one.baseline is not None for one in results.scored)
    columns = (*results.synthetics, *((NULL,) if with_null else ()), BEST_POSSIBLE)
    rows, peaks = [], set()
    for row, metric in enumerate(results.metrics):
        scored = results.of_metric(metric)
        cells = {one.synthetic: _text(one.score) for one in scored}
        nulls = {_text(one.baseline) for one in scored if one.baseline is not None}
        cells[NULL] = _between(nulls)
        cells[BEST_POSSIBLE] = _best(scored[0].score)
        rows.append((metric, tuple(cells.get(name, "–") for name in columns)))
        first = first_of(ranking, metric, results)
        peaks |= {(row, place) for place, name in enumerate(columns) if name in first}
    return Grid("metric", columns, tuple(rows), frozenset(peaks), PHRASES)


def _text(score: Score) -> str:
    if score.value is not None and 0 < abs(score.value) < TINY:
        return "≈ 0"
    return value_text(score.value, DIGITS)


def _between(texts: set[str]) -> str:
    """The one text of all files, or a dash where they differ."""
    return texts.pop() if len(texts) == 1 else "–"


def _best(score: Score) -> str:
    end = score.highest if score.direction == "higher" else score.lowest
    if not math.isfinite(end):
        return "–"
    return group_digits(int(end)) if end == int(end) else value_text(end, DIGITS)
