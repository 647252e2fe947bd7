"""An analysis as the contract's channel JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from audit.channels.analysis import Analysis
from audit.channels.channel import Channel, log_odds
from audit.channels.streamed import StreamedChannel
from audit.report.channel.measures_json import Writer, finite, measures_json
from audit.statements.decimals import Enclosure, decimal_above, decimal_below, exact_text
from audit.statements.evidence import Witness
from synthesizers.exact import Exact, divide, enclose, is_zero, log_enclosure
from synthesizers.intervals import Interval

MAX_LOG_ODDS = 2_000_000
"""The most log odds that are written out (a choice of this project)."""

MAX_EXACT_LOG_ODDS = 100_000
"""The most log odds that are enclosed one by one (a choice of this project)."""


def to_json(analysis: Analysis, exact: bool) -> dict[str, Any]:
    """The analysis as the contract's channel JSON; strings in place of floats with ``exact``."""
    channel = analysis.channel
    return {
        "databases": channel.databases.tolist(),
        "outputs": [list(output) for output in channel.outputs],
        "released": channel.released,
        "neighbours": channel.neighbours.name,
        **_entries(channel, exact),
        **measures_json(analysis, Writer(exact)),
        "witness": _witness(analysis.epsilon.witness, exact),
    }


def _entries(channel: Channel | StreamedChannel, exact: bool) -> dict[str, Any]:
    """Chances and log odds; null with a reason where there are too many."""
    if isinstance(channel, StreamedChannel):
        reason = "the channel is too large to hold"
        return {
            "probabilities": None,
            "probabilities_reason": reason,
            "log_odds": None,
            "log_odds_reason": reason,
        }
    most = MAX_EXACT_LOG_ODDS if exact else MAX_LOG_ODDS
    found = {"probabilities": _probabilities(channel, exact)}
    if 2 * len(channel.pairs) * len(channel.outputs) > most:
        return {**found, "log_odds": None, "log_odds_reason": f"more than {most} entries"}
    return {**found, "log_odds": _log_odds_json(channel, exact)}


def _probabilities(channel: Channel, exact: bool) -> list[list[Any]]:
    if exact and channel.exact is not None:
        return [[exact_text(value) for value in row] for row in channel.exact]
    if exact:
        return [
            [{"lower": repr(a), "upper": repr(b)} for a, b in zip(low, high, strict=True)]
            for low, high in zip(channel.lower.tolist(), channel.upper.tolist(), strict=True)
        ]
    rows: list[list[Any]] = channel.centre.tolist()
    return rows


def _log_odds_json(channel: Channel, exact: bool) -> list[dict[str, Any]]:
    return [
        {
            "from": list(channel.counts(source)),
            "to": list(channel.counts(target)),
            "values": _exact_odds(channel, source, target)
            if exact
            else [None if value is None else finite(value) for value in values],
        }
        for source, target, values in log_odds(channel)
    ]


def _exact_odds(channel: Channel, source: int, target: int) -> list[Any]:
    """The log odds of a pair as text: a fraction, or the decimal ends of an enclosure."""
    return [
        _log_ratio(_entry(channel, source, output), _entry(channel, target, output))
        for output in range(len(channel.outputs))
    ]


def _entry(channel: Channel, database: int, output: int) -> Exact:
    value = channel.chance(database, output)
    if value is not None:
        return value
    ends = channel.lower[database, output], channel.upper[database, output]
    return Interval(Fraction(ends[0]), Fraction(ends[1]))


def _log_ratio(above: Exact, below: Exact) -> str | dict[str, str] | None:
    if is_zero(above):
        return None if is_zero(below) else "-inf"
    if is_zero(below):
        return "inf"
    first, second = enclose(above), enclose(below)
    if first.lower > 0 < second.lower:
        ends = log_enclosure(divide(above, below))
        return str(ends.lower) if ends.lower == ends.upper else Enclosure.of(ends).to_json()
    # A wide interval may hold 0.
    low = decimal_below(log_enclosure(first / second.upper).lower) if first.lower else "-inf"
    high = decimal_above(log_enclosure(first.upper / second).upper) if second.lower else "inf"
    return {"lower": low, "upper": high}


def _witness(witness: Witness | None, exact: bool) -> dict[str, Any] | None:
    if witness is None:
        return None
    first, second = witness.probabilities
    if exact:
        shown: list[Any] = [first.to_json(), second.to_json()]
    else:
        shown = [sum(first.floats()) / 2, sum(second.floats()) / 2]
    return {
        "from": list(witness.source),
        "to": list(witness.target),
        "output": list(witness.event[0]),
        "probabilities": shown,
    }
