"""The ranking of synthetic files: who is ahead, what chance leaves open, where metrics disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from audit.report.grid import Grid
from audit.report.picture import Cells
from audit.report.utility.pair_map import pair_map
from audit.report.utility.scores import rank_text
from audit.report.utility.words import join_names, value_text
from audit.report.words import plural
from audit.utility.comparison import CONFIDENCE
from audit.utility.ranking import MetricRanking, Ranking, Standing
from audit.utility.results import UtilityResults
from audit.utility.score import Score

MIN_METRICS = 3
"""From so many metrics on their agreement is drawn; of two it is one sentence."""

MIN_FILES = 3
"""From so many files on: of two the agreement of metrics is 1 or -1."""

RELEASES_METHOD = (
    "Programs tie by a metric where the means over their releases differ by no more than releases "
    f"of one program do among themselves (Welch's test, two-sided, {100 * CONFIDENCE:g} % a "
    "comparison). In bold: no other program is better by that metric."
)
"""The same where programs are ranked."""

FILES_ALONE = (
    "This ranks files and not the programs that made them: another run of the same program gives "
    "another file. Several releases of each (--release-of) rank programs."
)
"""What a ranking of single files does not say."""

METHOD = (
    "A rank “1 to 3” is anything from 1 to 3: two files tie by a metric where their difference is "
    "within what the random draws alone make of it (two-sided, "
    f"{100 * CONFIDENCE:g} % a comparison, on the same draws wherever there are such), or where "
    "their values are equal. Two files that tie with a third need not tie with each other. In "
    "bold: no other file is better by that metric."
)
"""How ranks and ties come about."""


@dataclass(frozen=True)
class RankingView:
    """The ranking in words, tables and a picture.

    ``sentences``: the outcome. ``podium``: every file over all metrics; its peaks are the least
    mean ranks. ``ranks``: metrics down, files across; its peaks are the
    winners. ``agreement`` and ``taus``: Kendall's tau-b of every two metrics as a picture
    and as numbers, None of fewer than three metrics or files. ``spread``: means over the releases
    of programs, and how far these and the draws spread; None of single files.
    """

    sentences: tuple[str, ...]
    method: str
    podium: Grid
    podium_note: str
    ranks: Grid
    agreement: Cells | None
    taus: Grid | None
    disagreement: tuple[str, ...]
    spread: Grid | None


def ranking_view(ranking: Ranking, results: UtilityResults) -> RankingView:
    """The ranking of two files, or programs, or more."""
    standings = sorted(
        ranking.standings,
        key=lambda s: (s.mean_rank is None, s.mean_rank or 0.0, -len(s.won), -len(s.shared)),
    )
    return RankingView(
        (_lead(ranking), *_dissent(ranking), *_promises(results), *_what_is_ranked(results)),
        RELEASES_METHOD if results.programs else METHOD,
        _podium(standings, ranking),
        _podium_note(ranking),
        _ranks(ranking, [standing.synthetic for standing in standings]),
        _agreement(ranking),
        _taus(ranking),
        _disagreement(ranking),
        _spread(ranking, results),
    )


def _promises(results: UtilityResults) -> tuple[str, ...]:
    """That files of different guarantees stand beside each other."""
    promises = {results.promises.get(file) for file in results.synthetics}
    guarantees = {None if promise is None else promise.guarantee for promise in promises}
    if not results.promises or len(guarantees) < 2:
        return ()
    return (
        "The files have different guarantees, as the list of files says: a weaker one leaves more "
        "room for useful data, and a rank is no reason to choose it.",
    )


def _what_is_ranked(results: UtilityResults) -> tuple[str, ...]:
    return () if results.programs else (FILES_ALONE,)


def _spread(ranking: Ranking, results: UtilityResults) -> Grid | None:
    """The mean over releases, their standard deviation, and the error of the draws beside it."""
    if not results.programs:
        return None
    names = list(results.programs)
    rows = []
    for metric in ranking.metrics:
        cells = []
        for name in names:
            scored = [results.at(metric.metric, file) for file in results.programs[name]]
            cells.append(_spread_text([one.score for one in scored if one is not None]))
        rows.append((metric.metric, tuple(cells)))
    return Grid("metric", tuple(names), tuple(rows))


def _spread_text(scores: Sequence[Score]) -> str:
    values = [score.value for score in scores if score.value is not None]
    if len(values) < 2:
        return "–"
    text = f"{value_text(fmean(values), 4)}, releases ±{value_text(stdev(values), 2)}"
    errors = [score.standard_error for score in scores if score.standard_error]
    return f"{text}, draws ±{value_text(fmean(errors), 2)}" if errors else text


def _lead(ranking: Ranking) -> str:
    if not ranking.leaders:
        return "No metric with a vote has a value for every file: there is no mean rank."
    least = next(s.mean_rank for s in ranking.standings if s.synthetic == ranking.leaders[0])
    over = plural(len(ranking.families), "family of metrics", "families of metrics")
    if len(ranking.leaders) > 1:
        return (
            f"{join_names(ranking.leaders)} share the best mean rank, {value_text(least, 3)} over "
            f"{over}."
        )
    return f"{ranking.leaders[0]} has the best mean rank, {value_text(least, 3)} over {over}."


def _dissent(ranking: Ranking) -> tuple[str, ...]:
    """By which metrics another file wins, with the files."""
    decided = [m for m in ranking.metrics if m.winners]
    if not ranking.leaders or len(decided) < 2:
        return ()
    if not ranking.dissenting:
        alone = len(ranking.leaders) == 1
        return ("By no metric is another file better beyond chance.",) if alone else ()
    others = [m for m in decided if m.metric in ranking.dissenting]
    names = "; ".join(f"{m.metric} ({join_names(m.winners)})" for m in others)
    return (
        f"Another file is ahead by {len(others)} of {plural(len(decided), 'metric')}: {names}. "
        "Which file is best depends on the metric.",
    )


def _podium(standings: Sequence[Standing], ranking: Ranking) -> Grid:
    rows = tuple(
        (s.synthetic, (value_text(s.mean_rank, 3), str(len(s.won)), str(len(s.shared))))
        for s in standings
    )
    leads = (row for row, s in enumerate(standings) if s.synthetic in ranking.leaders)
    return Grid(
        "file",
        ("mean rank", "metrics won", "tied for first"),
        rows,
        frozenset((row, 0) for row in leads),
    )


def _podium_note(ranking: Ranking) -> str:
    voting = {metric for family in ranking.families.values() for metric in family}
    several = [
        f"{name} ({join_names(family)})"
        for name, family in ranking.families.items()
        if len(family) > 1
    ]
    left = [m.metric for m in ranking.metrics if m.metric not in voting]
    notes = []
    if several:
        notes.append(f"Metrics that measure alike have one vote together: {'; '.join(several)}.")
    if left:
        notes.append(
            "Without a vote, as they have no value of some file or are made of others: "
            f"{join_names(left)}."
        )
    return " ".join(notes)


def _ranks(ranking: Ranking, files: Sequence[str]) -> Grid:
    rows = tuple(
        (metric.metric, tuple(rank_text(metric.place(file)) for file in files))
        for metric in ranking.metrics
    )
    peaks = frozenset(
        (row, column)
        for row, metric in enumerate(ranking.metrics)
        for column, file in enumerate(files)
        if file in metric.winners
    )
    return Grid("metric", tuple(files), rows, peaks)


def _agreement(ranking: Ranking) -> Cells | None:
    names = _ordering(ranking)
    if len(names) < MIN_METRICS or len(ranking.standings) < MIN_FILES:
        return None
    values = {
        pair: tau
        for pair, tau in ranking.agreements.items()
        if tau is not None and set(pair) <= set(names)
    }
    return pair_map(
        "How far every two metrics agree",
        "Kendall’s τ-b of their rankings: 1 for the same order, −1 for the opposite one. The "
        "further right on the scale, the less they agree.",
        names,
        values,
        (-1.0, 1.0),
        deep_is_low=True,
    )


def _taus(ranking: Ranking) -> Grid | None:
    names = _ordering(ranking)
    if len(names) < MIN_METRICS or len(ranking.standings) < MIN_FILES:
        return None
    rows = tuple(
        (
            row,
            tuple(
                value_text(ranking.agreement(row, column), 2) if place > k else ""
                for k, column in enumerate(names[:-1])
            ),
        )
        for place, row in enumerate(names)
        if place
    )
    return Grid("Kendall's τ-b", tuple(names[:-1]), rows)


def _ordering(ranking: Ranking) -> list[str]:
    return [metric.metric for metric in ranking.metrics if _orders(metric)]


def _orders(metric: MetricRanking) -> bool:
    return any(comparison.outcome for comparison in metric.comparisons.values())


def _disagreement(ranking: Ranking) -> tuple[str, ...]:
    """The two metrics that agree least, and the metrics that tell no two files apart."""
    found = []
    known = {pair: tau for pair, tau in ranking.agreements.items() if tau is not None}
    if known:
        pair = min(known, key=lambda key: known[key])
        words = f"{pair[0]} and {pair[1]}"
        tau = value_text(known[pair], 2)
        if known[pair] == 1:
            found.append("Every two metrics put the files in the same order (τ = 1).")
        elif len(known) == 1:
            found.append(f"Kendall's τ-b between {words} is {tau}.")
        else:
            found.append(f"The two metrics that agree least are {words}: Kendall's τ-b is {tau}.")
    silent = [m.metric for m in ranking.metrics if len(m.places) > 1 and not _orders(m)]
    if silent:
        found.append(f"No two files can be told apart by {join_names(silent)}.")
    return tuple(found)
