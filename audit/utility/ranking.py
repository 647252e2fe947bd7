"""Synthetic files ranked by several metrics, with their ties, and how far the metrics agree.

Which file is best depends on the metric, and chance alone can exchange files of like
quality (Bowen & Snoke, sections 4 and 5): a ranking says what it cannot tell apart, and
where another metric says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from audit.utility.comparison import Comparison, compare
from audit.utility.results import UtilityResults


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

    ``mean_rank``: over the metrics that rank every file, None without any; ``won``: the
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

    ``complete``: the metrics that rank every file; means are over these, since a rank
    among fewer files is not the same. ``agreements``: Kendall's tau-b of every two
    metrics, None where one of them tells no two files apart. ``leaders``: the files of
    the least mean rank; ``dissenting``: the metrics by which another file beats each of
    them.
    """

    metrics: tuple[MetricRanking, ...]
    standings: tuple[Standing, ...]
    complete: tuple[str, ...]
    agreements: Mapping[tuple[str, str], float | None]
    leaders: tuple[str, ...]
    dissenting: tuple[str, ...]

    def agreement(self, first: str, second: str) -> float | None:
        """Kendall's tau-b of two metrics, in either order."""
        pair = (first, second)
        return self.agreements[pair if pair in self.agreements else (second, first)]


def rank(results: UtilityResults) -> Ranking | None:
    """The ranking of the files of results; None of fewer than two files."""
    files = results.synthetics
    if len(files) < 2:
        return None
    metrics = tuple(_by_metric(results, metric) for metric in results.metrics)
    complete = tuple(m for m in metrics if len(m.places) == len(files))
    standings = tuple(_standing(file, metrics, complete) for file in files)
    least = min((s.mean_rank for s in standings if s.mean_rank is not None), default=None)
    leaders = tuple(s.synthetic for s in standings if least is not None and s.mean_rank == least)
    return Ranking(
        metrics,
        standings,
        tuple(m.metric for m in complete),
        {(a.metric, b.metric): _tau(a, b) for a, b in combinations(metrics, 2)},
        leaders,
        tuple(
            m.metric for m in metrics if leaders and m.winners and not set(leaders) & set(m.winners)
        ),
    )


def _by_metric(results: UtilityResults, metric: str) -> MetricRanking:
    scores = {scored.synthetic: scored.score for scored in results.of_metric(metric)}
    defined = {
        file: scores[file]
        for file in results.synthetics
        if file in scores and scores[file].value is not None
    }
    comparisons = {(a, b): compare(defined[a], defined[b]) for a, b in combinations(defined, 2)}
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
        tuple(
            (file, scores[file].undefined or "" if file in scores else "it was not scored")
            for file in results.synthetics
            if file not in defined
        ),
    )


def _standing(
    file: str, metrics: tuple[MetricRanking, ...], complete: tuple[MetricRanking, ...]
) -> Standing:
    ranks = [place.rank for m in complete for place in m.places if place.synthetic == file]
    return Standing(
        file,
        math.fsum(ranks) / len(ranks) if ranks else None,
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
