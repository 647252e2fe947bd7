"""A channel's analysis as the strings that every form of report lays out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from audit.analysis import Analysis, log_odds
from audit.channel import Channel
from audit.decimals import Enclosure
from audit.report.witness import Story, story
from audit.report.words import equation, in_full, measured, plural, vector
from synthesizers.neighbours import describe

MAX_TABLE = 12
"""The most rows and the most columns of a matrix that is printed."""

MAX_PAIRS = 66

LAWS = {
    "uniform": "uniform: every listed database alike",
    "multinomial": "multinomial: records drawn independently and uniformly over the cells",
}
_LESS_LIKELY = ", less likely cells"


@dataclass(frozen=True)
class Grid:
    """A matrix with named rows and columns. ``peaks``: the entries that attain the largest."""

    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    peaks: frozenset[tuple[int, int]] = frozenset()

    def turned(self) -> Grid:
        """The same matrix with rows and columns exchanged."""
        names = tuple(name for name, _ in self.rows)
        rows = tuple(
            (column, tuple(cells[place] for _, cells in self.rows))
            for place, column in enumerate(self.columns)
        )
        return Grid(self.corner, names, rows, frozenset((b, a) for a, b in self.peaks))


@dataclass(frozen=True)
class AnalysisView:
    """A channel in words. ``matrix``, ``odds``: None where too large to print."""

    epsilon: str
    epsilon_in_full: str
    facts: tuple[tuple[str, str], ...]
    measures: Grid | None
    law_notes: tuple[str, ...]
    matrix: Grid | None
    odds: Grid | None
    no_odds: str
    witness: Story | None
    no_witness: str


def analysis_view(analysis: Analysis) -> AnalysisView:
    """The analysis as text."""
    channel = analysis.channel
    pairs = len(channel.pairs)
    witness = analysis.epsilon.witness
    odds = _odds(channel) if pairs and _prints(channel) else None
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
        _measures(analysis),
        _law_notes(analysis),
        _matrix(channel) if max(channel.lower.shape) <= MAX_TABLE else None,
        odds,
        "" if pairs else "No two of the databases are neighbours: there are no odds to compare.",
        None if witness is None else story(witness, channel.domain),
        "No two of the databases are neighbours, so any output is allowed: ε = 0 says nothing."
        if not pairs
        else "",
    )


def _prints(channel: Channel) -> bool:
    return len(channel.pairs) <= MAX_PAIRS and len(channel.outputs) <= MAX_TABLE


def _measures(analysis: Analysis) -> Grid | None:
    if not analysis.deltas and not analysis.probabilistic:
        return None
    laws = list(
        dict.fromkeys(name for value in analysis.probabilistic.values() for name in value.average)
    )
    columns = ("δ(ε)", "probabilistic δ, worst database", *(f"average, {law}" for law in laws))
    rows = []
    for epsilon in dict.fromkeys([*analysis.deltas, *analysis.probabilistic]):
        extreme = analysis.deltas.get(epsilon)
        likely = analysis.probabilistic.get(epsilon)
        cells = ["–" if extreme is None else _share(extreme.enclosure)]
        if likely is None:
            cells += ["–"] * (1 + len(laws))
        else:
            attained = f" at {vector(likely.table)}" if likely.worst.upper > 0 else ""
            cells.append(_share(likely.worst) + attained)
            cells += [_share(likely.average[law]) if law in likely.average else "–" for law in laws]
        rows.append((epsilon, tuple(cells)))
    return Grid("ε", columns, tuple(rows))


def _share(ends: Enclosure) -> str:
    return measured(ends).removeprefix("≈ ")


def _law_notes(analysis: Analysis) -> tuple[str, ...]:
    names = {name for value in analysis.probabilistic.values() for name in value.average}
    if not names:
        return ()
    notes = [
        "δ(ε): the most by which a chance can exceed e^ε times the chance under a neighbour.",
        "Probabilistic δ, worst database: the chance, given the least favourable database, of an "
        "output whose log odds exceed ε towards some neighbour.",
        "The averages are over a law of the confidential database, and say nothing about any one: "
        + "; ".join(text for law, text in LAWS.items() if law in names)
        + ".",
    ]
    if any(name.endswith(_LESS_LIKELY) for name in names):
        notes.append(
            "“Less likely cells” counts only outputs that are less likely under the database drawn "
            "than under a neighbour (Abowd & Vilhuber 2008, Figure 1)."
        )
    return tuple(notes)


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


def left_out(channel: Channel) -> str:
    """Why the matrix is not printed."""
    return (
        f"{plural(len(channel.databases), 'database')} by "
        f"{plural(len(channel.outputs), 'output')} are too many to print here; "
        "the CSV and JSON forms of the channel hold them all."
    )
