"""Scores metric by metric: every file on one track, from knowing nothing to the best there is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from audit.report.utility.words import (
    FEW_DIGITS,
    error_text,
    facts_text,
    remarks,
    score_text,
    value_text,
)
from audit.utility.comparison import margin_of_draws
from audit.utility.ranking import MetricRanking, Place, Ranking
from audit.utility.results import Scored, UtilityResults
from audit.utility.score import Score

NULL = "knows only the domain"
"""The name of the baseline, a table drawn without a look at the data."""


BEST_POSSIBLE = "best possible"
"""The name of a finite end of a range."""


@dataclass(frozen=True)
class Track:
    """An axis on which right is always better: from ``worst`` to ``best``, both finite."""

    worst: float
    best: float
    best_is: str

    def share(self, value: float) -> float:
        """How far along the axis a value lies, in [0, 1]."""
        if value == self.best:
            return 1.0
        if math.isinf(value):
            return 1.0 if (value > 0) == (self.best > self.worst) else 0.0
        return min(max((value - self.worst) / (self.best - self.worst), 0.0), 1.0)


@dataclass(frozen=True)
class ScoreRow:
    """One file, or the baseline, by one metric.

    ``at``: its place on the track; ``low``, ``high``: the ends of its confidence interval.
    All three are None without a value, and ``undefined`` says why. ``first``: no
    other file is better.
    """

    name: str
    value: str
    error: str
    rank: str
    first: bool
    remarks: tuple[str, ...]
    undefined: str
    at: float | None
    low: float | None
    high: float | None
    baseline: bool = False


@dataclass(frozen=True)
class ScoreBlock:
    """One metric of every file.

    ``facts``: range, direction, mode and draws. ``track``: None where nothing can be drawn.
    ``stated``: what all files' scores state; what one alone does is among its row's remarks.
    """

    metric: str
    facts: str
    track: Track | None
    rows: tuple[ScoreRow, ...]
    stated: tuple[str, ...]

    @property
    def ends(self) -> tuple[str, str]:
        """The ends of the track, the worse one first."""
        if self.track is None:
            return "", ""
        return value_text(self.track.worst, FEW_DIGITS), value_text(self.track.best, FEW_DIGITS)


def score_blocks(results: UtilityResults, ranking: Ranking | None) -> tuple[ScoreBlock, ...]:
    """A block a metric, in the order of the results."""
    ranks: Mapping[str, MetricRanking] = (
        {} if ranking is None else {metric.metric: metric for metric in ranking.metrics}
    )
    programs = {file: name for name, files in results.programs.items() for file in files}
    return tuple(
        _block(metric, results.of_metric(metric), ranks.get(metric), programs)
        for metric in results.metrics
    )


def set_apart(
    blocks: Sequence[ScoreBlock],
) -> tuple[tuple[ScoreBlock, ...], tuple[tuple[str, str], ...]]:
    """The blocks without what several of them state, and that once, after their metrics' names."""
    stating: dict[str, list[str]] = {}
    for block in blocks:
        for text in dict.fromkeys(block.stated):
            stating.setdefault(text, []).append(block.metric)
    shared = {text: names for text, names in stating.items() if len(names) > 1}
    left = tuple(
        replace(block, stated=tuple(text for text in block.stated if text not in shared))
        for block in blocks
    )
    return left, tuple((", ".join(names), text) for text, names in shared.items())


def first_of(ranking: Ranking | None, metric: str, results: UtilityResults) -> frozenset[str]:
    """The files that no other is better than by a metric; of one file alone, none."""
    ranks = {} if ranking is None else {each.metric: each for each in ranking.metrics}
    winners = ranks[metric].winners if metric in ranks else ()
    releases = [results.programs.get(name, (name,)) for name in winners]
    return frozenset(file for files in releases for file in files)


def rank_text(place: Place | None) -> str:
    """``1``, or ``1 to 3`` where chance leaves it open; a dash without a rank."""
    if place is None:
        return "–"
    return f"{place.best}" if place.best == place.worst else f"{place.best} to {place.worst}"


def _block(
    metric: str,
    scored: Sequence[Scored],
    ranking: MetricRanking | None,
    programs: Mapping[str, str],
) -> ScoreBlock:
    nulls = _baselines(scored)
    track = _track([s.score for s in scored], [null for _, null in nulls])
    first = scored[0].score
    common = tuple(
        text for text in first.stated if all(text in other.score.stated for other in scored)
    )
    rows = [
        _row(s.synthetic, programs.get(s.synthetic, s.synthetic), s.score, track, ranking, common)
        for s in scored
    ]
    rows += [_null_row(name, null, track) for name, null in nulls]
    return ScoreBlock(
        metric,
        facts_text(first),
        track,
        tuple(rows),
        common,
    )


def _baselines(scored: Sequence[Scored]) -> list[tuple[str, Score]]:
    """Every baseline once, with the file that it belongs to where there are several."""
    found: dict[tuple[float | None, str | None], tuple[str, Score]] = {}
    for each in scored:
        null = each.baseline
        if null is not None:
            found.setdefault((null.value, null.undefined), (each.synthetic, null))
    several = len(found) > 1
    return [(f"{NULL} ({file})" if several else NULL, null) for file, null in found.values()]


def _track(scores: Sequence[Score], nulls: Sequence[Score]) -> Track | None:
    """From the worst value, or the baseline, to the end of the range, or the best value."""
    first = scores[0]
    higher = first.direction == "higher"
    good, bad = (first.highest, first.lowest) if higher else (first.lowest, first.highest)
    values = [s.value for s in (*scores, *nulls) if s.value is not None and math.isfinite(s.value)]
    if not values:
        return None
    best_of, worst_of = (max, min) if higher else (min, max)
    best = good if math.isfinite(good) else best_of(values)
    worst = bad if not nulls and math.isfinite(bad) else worst_of(values)
    if worst == best:
        worst = bad if math.isfinite(bad) else best + (-1.0 if higher else 1.0)
    if worst == best:
        return None
    return Track(worst, best, BEST_POSSIBLE if math.isfinite(good) else "best here")


def _row(
    name: str,
    contestant: str,
    score: Score,
    track: Track | None,
    ranking: MetricRanking | None,
    common: tuple[str, ...],
) -> ScoreRow:
    own = tuple(text for text in score.stated if text not in common)
    return ScoreRow(
        name,
        score_text(score),
        error_text(score),
        rank_text(ranking.place(contestant)) if ranking is not None else "",
        ranking is None or contestant in ranking.winners,
        (*own, *remarks(score)),
        score.undefined or "",
        *_places(score, track),
    )


def _null_row(name: str, null: Score, track: Track | None) -> ScoreRow:
    places = _places(null, track)
    undefined = null.undefined or ""
    return ScoreRow(name, score_text(null), "", "", False, (), undefined, *places, baseline=True)


def _places(score: Score, track: Track | None) -> tuple[float | None, float | None, float | None]:
    if score.value is None or track is None:
        return None, None, None
    error = margin_of_draws(score)
    low, high = sorted((track.share(score.value - error), track.share(score.value + error)))
    return track.share(score.value), low, high
