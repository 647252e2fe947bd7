"""Scores of synthetic files as the strings and pictures that every form of report lays out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.report.grid import Grid
from audit.report.utility.axes import AxesView, axes_view
from audit.report.utility.data.view import DataView, data_view
from audit.report.utility.dives import MAX_FILES, Dive, dives
from audit.report.utility.glance import glance
from audit.report.utility.ranking import RankingView, ranking_view
from audit.report.utility.scores import BEST_POSSIBLE, ScoreBlock, score_blocks, set_apart
from audit.report.utility.subgroups import SubgroupsView, subgroups_views
from audit.report.utility.warnings import warnings
from audit.report.utility.words import NOTICE, group_digits, join_names, value_text
from audit.report.words import plural
from audit.utility.ranking import Ranking, rank
from audit.utility.results import UtilityResults

MAX_LISTED = 12
"""The most attributes that are named."""


@dataclass(frozen=True)
class FileRow:
    """One file: what it is, its records, these as a part of the real ones, what is promised."""

    name: str
    role: str
    records: str
    part: str
    promise: str = ""


MOST_LEADERS = 2
"""Of how many files that share the first place the answer says how near they come."""

REFUSED = "every file"
"""Which files have no value of a metric that does not apply to their domain."""

MAX_REASON = 120
"""The most characters of a reason that is told in full: longer ones list all attributes."""


@dataclass(frozen=True)
class UtilityView:
    """Utility in words and pictures.

    ``notice``: that none of it is private. ``answer``: a sentence that says how useful they are.
    ``warnings``: what nobody should overlook: columns that
    are not looked at, copies of real records, tables of few records. ``ranking``: None of fewer
    than two files. ``glance``: all scores, short. ``shared``: what the scores of several
    metrics state, after their names.
    ``data``: pictures of what the files hold; None where that was not looked at. ``dives``:
    metrics with what their scores are made of; ``dives_note``: what is left out of them.
    ``missing``: metric, file and reason of what has no value, ``missing_note`` how many
    those are. ``axes``: the tables on principal axes, if they were projected.
    """

    notice: str
    answer: str
    warnings: tuple[str, ...]
    files: tuple[FileRow, ...]
    columns: str
    ranking: RankingView | None
    glance: Grid
    blocks: tuple[ScoreBlock, ...]
    shared: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str, str], ...]
    missing_note: str
    dives: tuple[tuple[str, tuple[Dive, ...]], ...]
    dives_note: str
    subgroups: tuple[SubgroupsView, ...]
    axes: AxesView | None
    data: DataView | None

    @property
    def baseline(self) -> bool:
        """Whether some metric was taken of a table that knows nothing but the domain."""
        return any(row.baseline for block in self.blocks for row in block.rows)


def utility_view(results: UtilityResults) -> UtilityView:
    """The results as text and pictures."""
    ranking = rank(results)
    shown = None if ranking is None else ranking_view(ranking, results)
    blocks, shared = set_apart(score_blocks(results, ranking))
    return UtilityView(
        NOTICE,
        _answer(blocks, results, ranking),
        warnings(results),
        _files(results),
        _columns(results),
        shown,
        glance(results, ranking),
        blocks,
        shared,
        _missing(results),
        _missing_note(results),
        dives(results),
        _dives_note(results),
        subgroups_views(results),
        None if results.clouds is None else axes_view(results.real, results.clouds),
        data_view(results),
    )


def _answer(blocks: Sequence[ScoreBlock], results: UtilityResults, ranking: Ranking | None) -> str:
    """Which file is nearest to the real one, and how near the nearest are; empty where unknown."""
    if ranking is None:
        return " ".join(_way(blocks, file, file) for file in results.synthetics[:1])
    leaders = ranking.leaders
    if not leaders:
        return ""
    lead = f"{join_names(leaders)} {'are' if len(leaders) > 1 else 'is'} nearest to {results.real}"
    firsts = [results.programs.get(name, (name,))[0] for name in leaders[:MOST_LEADERS]]
    ways = (_way(blocks, file, "it" if len(leaders) == 1 else file) for file in firsts)
    return " ".join((f"{lead}, all metrics taken together.", *filter(None, ways)))


def _way(blocks: Sequence[ScoreBlock], file: str, called: str) -> str:
    """How far a file is on the way from knowing nothing to the best; empty where unknown."""
    places = [
        next((row.at for row in block.rows if row.name == file and not row.baseline), None)
        for block in blocks
        if block.track is not None
        and block.track.best_is == BEST_POSSIBLE
        and any(row.baseline and row.at is not None for row in block.rows)
    ]
    known = [at for at in places if at is not None]
    if not known:
        return ""
    far = sum(at > 0.5 for at in known)
    return (
        f"By {far} of {plural(len(known), 'metric')}, {called} is more than halfway from a "
        "table that knows only the domain to the best possible score."
    )


def _files(results: UtilityResults) -> tuple[FileRow, ...]:
    real = results.records[results.real]
    rows = [FileRow(results.real, "real", group_digits(real), "")]
    for file in results.synthetics:
        records = results.records[file]
        part = _part(records, real)
        rows.append(
            FileRow(file, "synthetic", group_digits(records), part, _promise(results, file))
        )
    return tuple(rows)


def _promise(results: UtilityResults, file: str) -> str:
    """What is promised of a file, and by whom; that nothing is known where it is of others."""
    promise = results.promises.get(file)
    if promise is not None:
        return f"{promise.guarantee} ({promise.source})"
    return "no claim is stated" if results.promises else ""


def _part(records: int, real: int) -> str:
    if records == real:
        return "as many as the real table"
    return f"{value_text(records / real, 3)} times as many as the real table" if real else ""


def _columns(results: UtilityResults) -> str:
    domain = results.domain
    names = [f"{a.name} ({plural(a.size, 'value')})" for a in domain.attributes[:MAX_LISTED]]
    further = len(domain.attributes) - len(names)
    more = f" and {further} more" if further else ""
    return (
        f"{plural(len(domain.attributes), 'column')} of the domain {domain.name}: "
        f"{', '.join(names)}{more}"
    )


def _missing(results: UtilityResults) -> tuple[tuple[str, str, str], ...]:
    undefined = [
        (s.score.metric, s.synthetic, _bare(s.score.metric, s.score.undefined))
        for s in results.scored
        if s.score.undefined is not None
    ]
    refused = [(metric, REFUSED, _brief(metric, reason)) for metric, reason in results.refused]
    return (*undefined, *refused)


def _missing_note(results: UtilityResults) -> str:
    """How many metrics do not apply, and how many scores are undefined: one line."""
    refused = len(results.refused)
    undefined = sum(one.score.undefined is not None for one in results.scored)
    notes = []
    if refused:
        verb = "does" if refused == 1 else "do"
        notes.append(f"{plural(refused, 'metric')} {verb} not apply to this table")
    if undefined:
        verb = "is" if undefined == 1 else "are"
        notes.append(f"{plural(undefined, 'score')} {verb} undefined")
    return ", ".join(notes)


def _bare(metric: str, reason: str) -> str:
    """A reason without the metric's name at its head: it stands beside."""
    return reason.removeprefix(f"{metric}: ")


def _brief(metric: str, reason: str) -> str:
    """Why a metric does not apply; a long reason without what would help somebody who wants it."""
    bare = _bare(metric, reason)
    return bare if len(bare) <= MAX_REASON else bare.partition("; ")[0]


def _dives_note(results: UtilityResults) -> str:
    further = len(results.synthetics) - MAX_FILES
    if further <= 0:
        return ""
    return f"Shown of the first {MAX_FILES} files; the JSON document has the others."
