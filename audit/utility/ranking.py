"""Synthetic files, or programs, ranked by several metrics, and how far the metrics agree.

Which file is best depends on the metric, and chance alone can exchange files of like
quality (Bowen & Snoke, sections 4 and 5): a ranking says what it cannot tell apart, and
where another metric says otherwise. One file a program ranks files: what another run of the
program would give is not in it. Several releases of each rank the programs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from audit.utility.catalogue import family_of
from audit.utility.comparison import Comparison, compare, compare_releases
from audit.utility.results import UtilityResults
from audit.utility.score import Score


@dataclass(frozen=True)
class Place:
    """The ranks that a file may have by one metric, 1 the best.

    ``best`` is one more than the files that are better beyond chance, ``worst`` the
    number of files less those that are worse beyond chance: the form of the intervals
    for ranks in Mogstad, Romano, Shaikh & Wilhelm (2024), here from one comparison a
    pair and without a correction for their number. That ties are not transitive (A
    may tie with B and B with C where A beats C) does no harm to it.
    """

    synthetic: str
    best: int
    worst: int

    @property
    def rank(self) -> float:
        """The middle of the interval: the usual average rank wherever ties are transitive.

        The ranks of m files always add up to m(m + 1)/2.
        """
        return (self.best + self.worst) / 2


@dataclass(frozen=True)
class MetricRanking:
    """Files by one metric, in the order of the results.

    ``comparisons``: every pair of ranked files once. ``unranked``: files for which the
    metric is undefined, with the reason.
    """

    metric: str
    places: tuple[Place, ...]
    comparisons: Mapping[tuple[str, str], Comparison]
    unranked: tuple[tuple[str, str], ...]

    @property
    def winners(self) -> tuple[str, ...]:
        """The files that no other one beats; none where fewer than two are ranked."""
        if len(self.places) < 2:
            return ()
        return tuple(place.synthetic for place in self.places if place.best == 1)

    @property
    def winner(self) -> str | None:
        """The file that beats all others, if there is one."""
        sole = [p.synthetic for p in self.places if p.worst == 1 and len(self.places) > 1]
        return sole[0] if sole else None

    def place(self, synthetic: str) -> Place | None:
        """The place of a file; None where the metric is undefined for it."""
        return next((place for place in self.places if place.synthetic == synthetic), None)


@dataclass(frozen=True)
class Standing:
    """One file over all metrics.

    ``mean_rank``: over the families of metrics that rank every file, each the mean over its own,
    None without any; ``won``: the
    metrics by which it beats all others; ``shared``: those by which none beats it, and
    it does not beat all.
    """

    synthetic: str
    mean_rank: float | None
    won: tuple[str, ...]
    shared: tuple[str, ...]


@dataclass(frozen=True)
class Ranking:
    """Two files or more by several metrics.

    ``families``: what has a vote, with its metrics: those that rank every file, since a rank
    among fewer files is not the same. Metrics that measure one thing have one vote together, and
    one that is made of others has none. ``agreements``: Kendall's tau-b of every two
    metrics, None where one of them tells no two files apart. ``leaders``: the files of
    the least mean rank; ``dissenting``: the metrics by which another file beats each of
    them.
    """

    metrics: tuple[MetricRanking, ...]
    standings: tuple[Standing, ...]
    families: Mapping[str, tuple[str, ...]]
    agreements: Mapping[tuple[str, str], float | None]
    leaders: tuple[str, ...]
    dissenting: tuple[str, ...]

    def agreement(self, first: str, second: str) -> float | None:
        """Kendall's tau-b of two metrics, in either order."""
        pair = (first, second)
        return self.agreements[pair if pair in self.agreements else (second, first)]


def rank(results: UtilityResults) -> Ranking | None:
    """The ranking of the files of results, or of their programs; None of fewer than two."""
    files = tuple(results.contestants())
    if len(files) < 2:
        return None
    metrics = tuple(_by_metric(results, metric) for metric in results.metrics)
    families: dict[str, list[MetricRanking]] = {}
    for metric in metrics:
        family = family_of(metric.metric)
        if family is not None and len(metric.places) == len(files):
            families.setdefault(family, []).append(metric)
    standings = tuple(_standing(file, metrics, families.values()) for file in files)
    least = min((s.mean_rank for s in standings if s.mean_rank is not None), default=None)
    leaders = tuple(s.synthetic for s in standings if least is not None and s.mean_rank == least)
    return Ranking(
        metrics,
        standings,
        {name: tuple(m.metric for m in family) for name, family in families.items()},
        {(a.metric, b.metric): _tau(a, b) for a, b in combinations(metrics, 2)},
        leaders,
        tuple(
            m.metric for m in metrics if leaders and m.winners and not set(leaders) & set(m.winners)
        ),
    )


def _by_metric(results: UtilityResults, metric: str) -> MetricRanking:
    scores = {scored.synthetic: scored.score for scored in results.of_metric(metric)}
    contestants = results.contestants()
    several = bool(results.programs)
    reasons = {name: _why_unranked(scores, files, several) for name, files in contestants.items()}
    defined = {
        name: [scores[file] for file in files]
        for name, files in contestants.items()
        if not reasons[name]
    }
    comparisons = {
        (a, b): compare_releases(defined[a], defined[b])
        if several
        else compare(defined[a][0], defined[b][0])
        for a, b in combinations(defined, 2)
    }
    beaten = dict.fromkeys(defined, 0)
    beats = dict.fromkeys(defined, 0)
    for (a, b), comparison in comparisons.items():
        if comparison.outcome:
            better, worse = (a, b) if comparison.outcome > 0 else (b, a)
            beats[better] += 1
            beaten[worse] += 1
    return MetricRanking(
        metric,
        tuple(Place(file, 1 + beaten[file], len(defined) - beats[file]) for file in defined),
        comparisons,
        tuple((name, reason) for name, reason in reasons.items() if reason),
    )


def _why_unranked(scores: Mapping[str, Score], files: Sequence[str], several: bool) -> str:
    """Why a program, or a file, has no rank by a metric; empty where it has one."""
    if several and len(files) < 2:
        return "one release does not show how far releases differ"
    for file in files:
        if file not in scores:
            return "it was not scored"
        if scores[file].value is None:
            return scores[file].undefined or ""
    return ""


def _standing(
    file: str, metrics: tuple[MetricRanking, ...], families: Collection[Sequence[MetricRanking]]
) -> Standing:
    votes = [
        fmean(place.rank for metric in family if (place := metric.place(file)))
        for family in families
    ]
    return Standing(
        file,
        fmean(votes) if votes else None,
        tuple(m.metric for m in metrics if m.winner == file),
        tuple(m.metric for m in metrics if file in m.winners and m.winner != file),
    )


def _tau(first: MetricRanking, second: MetricRanking) -> float | None:
    """Kendall's tau-b of two rankings over the files that both rank.

    It is the correlation coefficient of the pairs' outcomes 1, -1 and 0 (Kendall 1945),
    which needs no transitive ties.
    """
    both = 0
    sizes = [0, 0]
    for pair in first.comparisons.keys() & second.comparisons.keys():
        a, b = first.comparisons[pair].outcome, second.comparisons[pair].outcome
        both += a * b
        sizes[0] += abs(a)
        sizes[1] += abs(b)
    return both / math.sqrt(sizes[0] * sizes[1]) if all(sizes) else None
