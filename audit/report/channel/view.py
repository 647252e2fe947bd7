"""A channel's analysis as the strings that every form of report lays out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from audit.channels.analysis import Analysis
from audit.channels.channel import Channel, log_odds
from audit.channels.streamed import StreamedChannel
from audit.report.certificate.witness import Story, story
from audit.report.grid import Grid
from audit.report.words import equation, in_full, plural, vector
from synthesizers.neighbours import describe

MAX_TABLE = 12
"""The most rows and the most columns of a matrix that is printed."""

MAX_PAIRS = 66


STREAMED = (
    "The channel is too large to be held: its columns were made and measured a few at a time, so "
    "that there is no matrix, no heat map and no list of odds to show."
)
"""Why a streamed channel has no picture."""


@dataclass(frozen=True)
class AnalysisView:
    """A channel in words.

    ``matrix``, ``odds``: None where too large to print; ``no_matrix``, ``no_odds``: why, or
    nothing. ``witness``: None without neighbours; ``no_witness`` says so.
    """

    epsilon: str
    epsilon_in_full: str
    facts: tuple[tuple[str, str], ...]
    matrix: Grid | None
    no_matrix: str
    odds: Grid | None
    no_odds: str
    witness: Story | None
    no_witness: str


def analysis_view(analysis: Analysis) -> AnalysisView:
    """The channel of an analysis as text."""
    channel = analysis.channel
    pairs = len(channel.pairs)
    witness = analysis.epsilon.witness
    matrix = _matrix(channel) if isinstance(channel, Channel) and _is_small(channel) else None
    odds = _odds(channel) if isinstance(channel, Channel) and _has_few_odds(channel) else None
    return AnalysisView(
        equation("ε", analysis.epsilon.enclosure),
        in_full(analysis.epsilon.enclosure),
        (
            ("Databases", str(len(channel.databases))),
            ("Outputs", str(len(channel.outputs))),
            ("Pairs of neighbours", str(pairs)),
            ("Neighbours", describe(channel.neighbours)),
            ("Released", channel.released),
            ("Chances", "computed exactly" if channel.exact is not None else "enclosed in doubles"),
        ),
        matrix,
        "" if matrix else _too_large(channel),
        odds,
        "" if pairs else "No two of the databases are neighbours: there are no odds to compare.",
        None if witness is None else story(witness, channel.domain),
        "No two of the databases are neighbours, so any output is allowed: ε = 0 says nothing."
        if not pairs
        else "",
    )


def _is_small(channel: Channel) -> bool:
    return max(len(channel.databases), len(channel.outputs)) <= MAX_TABLE


def _has_few_odds(channel: Channel) -> bool:
    return 0 < len(channel.pairs) <= MAX_PAIRS and len(channel.outputs) <= MAX_TABLE


def _too_large(channel: Channel | StreamedChannel) -> str:
    """Why the matrix is not printed."""
    if isinstance(channel, StreamedChannel):
        return STREAMED
    return (
        f"{plural(len(channel.databases), 'database')} by "
        f"{plural(len(channel.outputs), 'output')} are too many to print here; "
        "the CSV and JSON forms of the channel hold them all."
    )


def _matrix(channel: Channel) -> Grid:
    heads = tuple(vector(output) for output in channel.outputs)
    rows = tuple(
        (vector(channel.counts(row)), tuple(chance(value) for value in line))
        for row, line in enumerate(channel.centre.tolist())
    )
    return Grid("database", heads, rows)


def chance(value: float) -> str:
    """A chance with six decimals; zero is written ``0``, and no other chance is."""
    if value == 0:
        return "0"
    return f"{value:.6f}" if value >= 5e-7 else "<0.000001"


def _odds(channel: Channel) -> Grid:
    """|ln ratio| over neighbours, the larger chance on top (Abowd & Vilhuber 2008, Figure 2)."""
    entries = [
        (source, target, [None if value is None else abs(value) for value in values])
        for source, target, values in log_odds(channel)
        if source < target
    ]
    finite = [value for _, _, values in entries for value in values if value is not None]
    top = max(finite, default=0.0)
    peaks = frozenset(
        (row, column)
        for row, (_, _, values) in enumerate(entries)
        for column, value in enumerate(values)
        if value is not None and 0 < value >= top - 1e-9 * (top if math.isfinite(top) else 0.0)
    )
    return Grid(
        "neighbours",
        tuple(vector(output) for output in channel.outputs),
        tuple(
            (
                f"{vector(channel.counts(source))} | {vector(channel.counts(target))}",
                tuple(_log(value) for value in values),
            )
            for source, target, values in entries
        ),
        peaks,
    )


def _log(value: float | None) -> str:
    if value is None:
        return "–"
    return "∞" if math.isinf(value) else f"{value:.6f}"
