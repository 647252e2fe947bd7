"""Pictures of breakdowns: propensities of both tables, samples of the real one, all groups."""

from __future__ import annotations

import math
from collections.abc import Sequence

from audit.report.picture import Box, Dot, Label, Line, Plot, Point, decades, even_axis, from_zero
from audit.report.utility.breakdowns import numbers, plotted_column, rises
from audit.report.utility.words import entry_text, value_text
from audit.utility.score import Breakdown, Score

HEIGHT = 210.0
"""The box' height in pixels."""

HEADROOM = 1.08
"""How far an axis reaches beyond the largest value."""

_MARGIN = 0.08


def density_top(details: Sequence[Breakdown]) -> float:
    """The largest share of a bin over the breakdowns of several files."""
    shares = (share for detail in details for row in _bins(detail) for share in row[2:])
    return max(shares, default=0.0)


def density_plot(detail: Breakdown, top: float) -> Plot | None:
    """The shares of both tables in bins of a score, up to ``top``; None without such bins.

    The columns are the ends of a bin, the share of the real records in it and that of
    the synthetic ones.
    """
    bins = _bins(detail)
    if not bins or not top > 0 or bins[-1][1] <= bins[0][0]:
        return None
    box = Box(
        even_axis("chance that a record is synthetic", bins[0][0], bins[-1][1]),
        from_zero("share of records", HEADROOM * top),
        HEIGHT,
    )
    real = [(end, row[2]) for row in bins for end in row[:2]]
    synthetic = [(end, row[3]) for row in bins for end in row[:2]]
    overlap = math.fsum(min(row[2], row[3]) for row in bins)
    return Plot(
        "Propensity scores",
        "How likely a classifier finds it that each record is synthetic. Filled: the real "
        "records; line: the synthetic ones. Where they part, the tables can be told apart.",
        f"The two overlap by {value_text(100 * min(overlap, 1.0), 3)} %.",
        box,
        areas=(_ground(real),),
        lines=(Line("real", tuple(real)), Line("main", tuple(synthetic))),
    )


def line_ends(details: Sequence[Breakdown]) -> tuple[float, float]:
    """The least and the largest mean or fit over the breakdowns of several files."""
    values = [y for detail in details for column in range(1, 5) for y in numbers(detail, column)]
    return min(values, default=0.0), max(values, default=0.0)


def line_plot(detail: Breakdown, ends: tuple[float, float]) -> Plot | None:
    """Means of both tables along a predictor, and both fits; None of fewer than two groups.

    The columns are the predictor, the means, and what the fits say.
    """
    rows = [row for row in detail.rows if all(isinstance(row[k], float) for k in (0, 3, 4))]
    if len(detail.columns) != 5 or len(rows) < 2 or not ends[0] < ends[1]:
        return None
    unit, word = _unit(max(map(abs, ends)))
    low, high = (end / unit for end in ends)
    room = _MARGIN * (high - low)
    across = numbers(detail, 0)
    box = Box(
        even_axis(detail.columns[0], min(across), max(across)),
        even_axis(detail.columns[1].removesuffix(", real") + word, low - room, high + room),
        HEIGHT,
    )

    def points(column: int) -> tuple[Point, ...]:
        pairs = ((row[0], row[column]) for row in rows)
        known = ((x, y) for x, y in pairs if isinstance(x, float) and isinstance(y, float))
        return tuple((x, y / unit) for x, y in known)

    tables = (("real", "real", 1), ("main", "synthetic", 2))
    fits = points(3), points(4)
    apart = max(abs(a - b) for (_, a), (_, b) in zip(*fits, strict=True))
    return Plot(
        "Both fits",
        "Points: the mean of the records of each table in groups of about equal size. Lines: what "
        "the regressions say there, in the colours of the coefficients above.",
        f"The fits differ by at most {value_text(apart * unit, 3)} there.",
        box,
        lines=tuple(Line(kind, fit) for (kind, _, _), fit in zip(tables, fits, strict=True)),
        dots=tuple(
            Dot(kind, x, y, f"{table}: {value_text(y * unit, 4)}", 3.5)
            for kind, table, column in tables
            for x, y in points(column)
        ),
    )


def _unit(largest: float) -> tuple[float, str]:
    """What an axis counts in, so that its labels are short."""
    units = ((1e9, ", billions"), (1e6, ", millions"), (1e3, ", thousands"))
    return next((unit for unit in units if largest >= 10 * unit[0]), (1.0, ""))


def _ground(points: Sequence[Point]) -> Line:
    """The area of the real records, down to 0."""
    return Line("real", ((points[0][0], 0.0), *points, (points[-1][0], 0.0)))


def _bins(detail: Breakdown) -> list[tuple[float, float, float, float]]:
    """The rows in order, if all of them are four finite numbers."""
    found = []
    for row in detail.rows:
        if len(row) != 4:
            return []
        values = [float(e) for e in row if isinstance(e, int | float) and math.isfinite(e)]
        if len(values) < 4:
            return []
        found.append((values[0], values[1], values[2], values[3]))
    return sorted(found)


def subsample_plot(score: Score) -> Plot | None:
    """What random samples of the real table score, and the size that a file is as good as.

    The breakdown "subsamples" has the columns percentage, mean score, standard deviation,
    replicates, and the score is such a percentage. None with fewer than two samples.
    """
    detail = score.breakdown("subsamples")
    taken = _samples(detail) if detail is not None else []
    if len(taken) < 2 or score.value is None:
        return None
    ends = [mean + sign * spread for _, mean, spread in taken for sign in (-1, 1)]
    low, high = min(ends), max(ends)
    if not low < high:
        return None
    room = _MARGIN * (high - low)
    box = Box(
        decades("sample, % of the real records", 0, 2),
        even_axis("score of the samples", low - room, high + room),
        HEIGHT,
    )
    right = -7 if box.x.share(score.value) > 0.5 else 7
    size = f"{value_text(score.value, 3)} %"
    return Plot(
        "Beside samples of the real records",
        "What random samples of the real table itself score, with their standard deviation. The "
        "dotted line is at the size that the synthetic file is as good as.",
        f"It is {_alike(score)} a sample of {size} of the real records.",
        box,
        lines=(
            *(
                Line("whisker", ((percent, mean - spread), (percent, mean + spread)))
                for percent, mean, spread in taken
                if spread
            ),
            Line("main", tuple((percent, mean) for percent, mean, _ in taken)),
            Line("bound", ((score.value, box.y.low), (score.value, box.y.high))),
        ),
        dots=tuple(
            Dot("main", percent, mean, f"{percent:g} %: {value_text(mean, 4)}", 3.5)
            for percent, mean, _ in taken
        ),
        labels=(Label("bound", score.value, box.y.low, size, right, -10),),
    )


def _alike(score: Score) -> str:
    """How the file compares with a sample of the size of its score, which may be a bound."""
    if score.bracket is None or score.value is None:
        return "as good as"
    return "no better than" if score.value >= score.bracket[1] else "no worse than"


def _samples(detail: Breakdown) -> list[tuple[float, float, float]]:
    """Percentage, mean and standard deviation of the rows that have a value, smallest first."""
    found = []
    for row in detail.rows:
        percent, mean, spread = (*row, None)[:3]
        if isinstance(percent, int | float) and isinstance(mean, int | float):
            known = isinstance(spread, int | float) and math.isfinite(spread)
            if percent > 0 and math.isfinite(mean):
                found.append((float(percent), float(mean), float(spread or 0) if known else 0.0))
    return sorted(found)


def strip_plot(detail: Breakdown, ends: tuple[float, float]) -> Plot | None:
    """Every row of a breakdown in its order as one line; None of fewer than two numbers."""
    column = plotted_column(detail)
    if column is None or not ends[0] < ends[1]:
        return None
    values = numbers(detail, column)
    if len(values) < 2:
        return None
    box = Box(
        from_zero(f"{detail.name}, worst first", float(len(values))),
        even_axis(detail.columns[column], *ends),
        HEIGHT,
    )
    steps = [(float(end), value) for k, value in enumerate(values) for end in (k, k + 1)]
    middle = sorted(values)[len(values) // 2]
    worst = "lowest" if rises(detail, column) else "highest"
    return Plot(
        f"All {detail.name}",
        "The same, for all that are listed: whether a few or most of them are off.",
        f"Of {len(values)} {detail.name} half lie above {entry_text(middle)}; the {worst} is at "
        f"{entry_text(values[0])}.",
        box,
        areas=(_ground(steps),),
        lines=(Line("main", tuple(steps)),),
    )
