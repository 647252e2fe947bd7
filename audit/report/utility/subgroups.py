"""Subgroups beside random subsets of equal size, the worst first: sentences, tables, pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audit.report.grid import Grid
from audit.report.picture import Cell, Cells, cell_size
from audit.report.utility.pair_map import ROOMY, colour_step
from audit.report.utility.scores import ScoreBlock, ScoreRow, Track
from audit.report.utility.words import (
    FEW_DIGITS,
    direction_text,
    group_digits,
    score_text,
    value_text,
)
from audit.report.words import plural
from audit.utility.results import UtilityResults
from audit.utility.subgroups.division import LEAST_RECORDS, Subgroup
from audit.utility.subgroups.findings import RARE, Standing, Subgroups, SubgroupScore

MAX_LISTED = 12
"""The most subgroups that are named in a sentence, drawn by one metric, or listed in a terminal."""

MAX_MAPPED = 40
"""The most subgroups whose deviations are drawn as cells."""

DEEPEST = 4.0
"""The deviation of the deepest colour: among 21 values none can be larger than 4.4."""

VARIED = (
    "A mark says that a random subset would seldom score so badly, and not why: a subgroup that is "
    "more varied than the table scores worse than a random one, and one that is less varied "
    "better, even where its records are equally right. Worse, too, scores one that holds together "
    "records that are alike, as those of a person or a household, which a random one takes apart."
)
"""What a mark does not say."""

PERSONS = (
    " Here a person may have several records: dealt to persons, the values would have groups "
    "called so far more often."
)
"""What makes a subgroup worse by chance where the domain has persons."""


@dataclass(frozen=True)
class SubgroupsView:
    """One file by one attribute.

    ``standings``: the subgroups over all metrics, its peaks the ones that are worse than chance.
    ``worst``: the worst scores. ``…_note``: what of these is left out. ``map``: deviations of every
    subgroup by every metric, None of a single one. ``blocks``: the subgroups by each metric, on one
    track, with the interval of random subsets. ``method``: how all of that is to be read.
    ``refused``: metrics with the reason why they were not taken.
    """

    title: str
    sentences: tuple[str, ...]
    standings: Grid | None
    worst: Grid | None
    standings_note: str
    worst_note: str
    map: Cells | None
    blocks: tuple[ScoreBlock, ...]
    method: str
    refused: tuple[tuple[str, str], ...]


def subgroups_views(results: UtilityResults) -> tuple[SubgroupsView, ...]:
    """A view a file and an attribute."""
    persons = results.domain.individual is not None
    return tuple(_view(one, persons) for one in results.subgroups)


def lost_texts(results: UtilityResults) -> tuple[str, ...]:
    """The subgroups of which a file has no record though it should: a sentence each."""
    return tuple(
        f"{found.synthetic} has no record of {found.attribute} = {one.value}, of which "
        f"{results.real} has {group_digits(one.real)}: some {group_digits(round(one.expected))} "
        "were to be expected."
        for found in results.subgroups
        for one in found.lost
    )


def _view(found: Subgroups, persons: bool) -> SubgroupsView:
    return SubgroupsView(
        f"{found.synthetic} by {found.attribute}",
        tuple(
            filter(
                None,
                (_outcome(found, persons), _say_counts(found), _list_lost(found), _left_out(found)),
            )
        ),
        _standings(found) if found.scores else None,
        _worst(found) if found.worst_first else None,
        _further(len(found.standings), "subgroups"),
        _further(len(found.worst_first), "scores"),
        _map(found),
        tuple(_block(found, metric) for metric in found.metrics),
        f"{_method(found)} {VARIED}" if found.scores else "",
        found.refused,
    )


def _further(count: int, what: str) -> str:
    further = count - MAX_LISTED
    return f"{further} further {what} are in the JSON document." if further > 0 else ""


def _outcome(found: Subgroups, persons: bool) -> str:
    if not found.scores:
        return "No subgroup could be scored."
    worse = [one.subgroup.value for one in found.standings if one.worse]
    if not worse:
        return (
            "Over all metrics no subgroup is worse than the worst of random subsets of the same "
            "sizes would be by chance."
        )
    return (
        f"Over all metrics these subgroups are worse than their size explains: {_join(worse)}. "
        f"Were the values of {found.attribute} dealt to the records of both tables at random, any "
        f"would be called so with a chance of at most 1 in {RARE}.{PERSONS if persons else ''}"
    )


def _say_counts(found: Subgroups) -> str:
    known = sum(one.score.value is not None for one in found.scores)
    if not known:
        return ""
    worse = sum(one.worse for one in found.scores)
    return (
        f"By single metrics {group_digits(worse)} of {plural(known, 'score')} are worse than those "
        f"of random subsets of equal size; by chance alone {value_text(found.expected_worse, 2)} "
        "would be expected."
    )


def _list_lost(found: Subgroups) -> str:
    if not found.lost:
        return ""
    named = [f"{one.value} ({group_digits(one.real)} real)" for one in found.lost]
    return f"Without a single synthetic record, which is worse than any score: {_join(named)}."


def _left_out(found: Subgroups) -> str:
    if not found.small:
        return ""
    named = [f"{one.value} ({_records(one)})" for one in found.small]
    return (
        f"Not scored, with fewer than {LEAST_RECORDS} records in one of the tables: {_join(named)}."
    )


def _records(one: Subgroup) -> str:
    return f"{group_digits(one.real)} real, {group_digits(one.synthetic)} synthetic"


def _join(names: Sequence[str]) -> str:
    further = len(names) - MAX_LISTED
    shown = ", ".join(names[:MAX_LISTED])
    return f"{shown} and {further} further ones" if further > 0 else shown


def _method(found: Subgroups) -> str:
    covers = {one.coverage for one in found.scores}
    less = ", less where some have no value" if len(covers) > 1 else ""
    most = f"{value_text(100 * max(covers), 3)} % or more{less}"
    return (
        f"Each subgroup is scored by itself, its synthetic records beside its real ones, without "
        f"the attribute {found.attribute}; beside it stand {found.subsets} random subsets of as "
        f"many records of both tables. One more would score within their interval with a chance of "
        f"{most}. A deviation is in standard deviations "
        "of these scores, positive where the subgroup is worse; in the mean over metrics each "
        "family has one vote."
    )


def _standings(found: Subgroups) -> Grid:
    shown = found.standings[:MAX_LISTED]
    rows = tuple((one.subgroup.value, _draw_standing(one)) for one in shown)
    worst = frozenset((row, 2) for row, one in enumerate(shown) if one.worse)
    columns = ("real records", "synthetic records", "mean deviation", "chance")
    return Grid(found.attribute, columns, rows, worst)


def _draw_standing(one: Standing) -> tuple[str, ...]:
    return (
        group_digits(one.subgroup.real),
        group_digits(one.subgroup.synthetic),
        value_text(one.deviation, 3),
        value_text(one.chance, 2),
    )


def _worst(found: Subgroups) -> Grid:
    rows = tuple(
        (f"{one.score.metric}, {one.value}", (score_text(one.score), *_beside(one)))
        for one in found.worst_first[:MAX_LISTED]
    )
    columns = ("score", "random subsets", "deviation", "")
    return Grid(f"metric, {found.attribute}", columns, rows)


def _beside(one: SubgroupScore) -> tuple[str, str, str]:
    return (
        _interval(one),
        value_text(one.deviation, 3),
        "worse" if one.worse else "",
    )


def _interval(one: SubgroupScore) -> str:
    if one.interval is None:
        return "–"
    low, high = one.interval
    return f"{value_text(low, FEW_DIGITS)} to {value_text(high, FEW_DIGITS)}"


def _map(found: Subgroups) -> Cells | None:
    """Deviations of the worst subgroups by every metric."""
    groups = [one.subgroup.value for one in found.standings[:MAX_MAPPED]]
    if len(found.scores) < 2:
        return None
    cells = {(one.value, one.score.metric): one for one in found.scores}
    roomy = cell_size(len(found.metrics), 1) >= ROOMY
    rows = tuple(
        (group, tuple(_cell(cells[group, metric], roomy) for metric in found.metrics))
        for group in groups
    )
    gaps = any(cell.step is None for _, row in rows for cell in row)
    reading = (
        f"Colour by how much worse a subgroup is than random subsets of its size, in standard "
        f"deviations, up to {DEEPEST:g}; an exclamation mark: beyond their interval."
    )
    return Cells(
        f"{found.synthetic} by {found.attribute}: deviations",
        f"{found.attribute} down, metrics across. {reading}",
        found.metrics,
        rows,
        ("no worse", f"{DEEPEST:g} or more"),
        "no value" if gaps else "",
        reading,
    )


def _cell(one: SubgroupScore, roomy: bool) -> Cell:
    name = f"{one.score.metric} of {one.value}"
    if one.deviation is None:
        return Cell(None, f"{name}: no value")
    text = f"{value_text(one.deviation, 2)}{'!' if one.worse else ''}"
    return Cell(
        colour_step(one.deviation, (0.0, DEEPEST), deep_is_low=False),
        f"{name}: {score_text(one.score)}, random subsets {_interval(one)}, deviation {text}",
        text if roomy else "!" if one.worse else "",
    )


def _block(found: Subgroups, metric: str) -> ScoreBlock:
    """A metric's subgroups, the worst first, on a track that holds all of them."""
    every = [one for one in found.worst_first if one.score.metric == metric]
    track = _track(every)
    further = len(every) - MAX_LISTED
    return ScoreBlock(
        metric,
        direction_text(every[0].score),
        track,
        tuple(_row(one, track) for one in every[:MAX_LISTED]),
        (f"{further} better subgroups are in the JSON document",) if further > 0 else (),
    )


def _row(one: SubgroupScore, track: Track | None) -> ScoreRow:
    at = low = high = None
    if track is not None and one.score.value is not None:
        at = track.share(one.score.value)
        low, high = sorted(map(track.share, one.interval or (one.score.value,) * 2))
    return ScoreRow(
        one.value,
        score_text(one.score),
        _interval(one),
        "worse" if one.worse else "",
        not one.worse,
        (),
        one.score.undefined or "",
        at,
        low,
        high,
    )


def _track(scores: Sequence[SubgroupScore]) -> Track | None:
    """An axis that holds all values and intervals, within the range of the metric."""
    ends = [end for one in scores for end in (one.score.value, *(one.interval or ()))]
    values = [end for end in ends if end is not None and math.isfinite(end)]
    if not values or min(values) == max(values):
        return None
    margin, first = (max(values) - min(values)) / 20, scores[0].score
    low = max(min(values) - margin, first.lowest)
    high = min(max(values) + margin, first.highest)
    return Track(low, high, "") if first.direction == "higher" else Track(high, low, "")
