"""An analysis as the contract's channel JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any, TypeVar

from audit.channels.analysis import Analysis
from audit.channels.channel import Channel, log_odds
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.groups import GroupLosses
from audit.channels.measures.optimum import Optimum
from audit.channels.measures.profile import Profile
from audit.channels.measures.rows import Attained, RowView
from audit.channels.measures.tradeoff import Tradeoff
from audit.channels.measures.unavailable import Unavailable
from audit.channels.measures.zcdp import SmallestRho
from audit.channels.streamed import StreamedChannel
from audit.statements.decimals import Enclosure, decimal_above, decimal_below, exact_text
from audit.statements.evidence import Witness
from synthesizers.exact import Exact, divide, enclose, is_zero, log_enclosure
from synthesizers.intervals import Interval

T = TypeVar("T")

MAX_LOG_ODDS = 2_000_000
"""The most log odds that are written out."""

MAX_EXACT_LOG_ODDS = 100_000
"""The most log odds that are enclosed one by one."""


def to_json(analysis: Analysis, exact: bool) -> dict[str, Any]:
    """The analysis as the contract's channel JSON; strings in place of floats with ``exact``."""
    channel = analysis.channel
    return {
        "databases": channel.databases.tolist(),
        "outputs": [list(output) for output in channel.outputs],
        "released": channel.released,
        "neighbours": channel.neighbours.name,
        **_entries(channel, exact),
        **_measures(analysis, Writer(exact)),
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
    chances = witness.probabilities
    return {
        "from": list(witness.source),
        "to": list(witness.target),
        "output": list(witness.event[0]),
        "probabilities": [p.to_json() if exact else sum(p.floats()) / 2 for p in chances],
    }


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes numbers as JSON floats, or as decimal strings with ``exact``; rounded outwards."""

    exact: bool

    def ends(self, ends: Enclosure) -> dict[str, Any]:
        """Both ends."""
        if self.exact:
            return {"lower": decimal_below(ends.lower), "upper": decimal_above(ends.upper)}
        lower, upper = ends.floats()
        return {"lower": finite(lower), "upper": finite(upper)}

    def below(self, value: Fraction) -> Any:
        """A number, rounded down."""
        return self.ends(Enclosure(value, value))["lower"]

    def above(self, value: Fraction) -> Any:
        """A number, rounded up."""
        return self.ends(Enclosure(value, value))["upper"]

    def plain(self, value: Any) -> Any:
        """A measure and all that it holds by the names of its fields; a fraction as text."""
        match value:
            case Enclosure():
                return self.ends(value)
            case Extreme():
                return self.ends(value.enclosure)
            case Attained():
                return {**self.ends(value.value), "database": list(value.database)}
            case Fraction():
                return str(value)
            case Mapping():
                return {str(key): self.plain(entry) for key, entry in value.items()}
            case tuple():
                return [self.plain(entry) for entry in value]
        if is_dataclass(value):
            return {field.name: self.plain(getattr(value, field.name)) for field in fields(value)}
        return value


def finite(value: float) -> float | str:
    """A double for JSON, which has no infinity."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _measures(analysis: Analysis, write: Writer) -> dict[str, Any]:
    """All measures by key. One that is not available is null, with its reason beside it."""
    record = analysis.last_record
    return {
        "epsilon": write.plain(analysis.epsilon),
        "delta": write.plain(analysis.deltas),
        "probabilistic_delta": {
            text: {
                "worst": write.ends(value.worst)["upper"],
                "worst_lower": write.ends(value.worst)["lower"],
                "worst_database": list(value.table),
                "average": {name: write.ends(e)["upper"] for name, e in value.average.items()},
            }
            for text, value in analysis.probabilistic.items()
        },
        "renyi": write.plain(analysis.renyi),
        **_either("zcdp", analysis.zcdp, lambda rho: _zcdp(rho, write)),
        **_either("gdp", analysis.gdp, write.plain),
        **_either("profile", analysis.profile, lambda profile: _profile(profile, write)),
        **_either("tradeoff", analysis.tradeoff, lambda curve: _tradeoff(curve, write)),
        **_either("rows", analysis.rows, lambda rows: _rows(rows, write)),
        **_either("groups", analysis.groups, lambda groups: _groups(groups, write)),
        "last_record": {
            "prior": str(record.prior),
            "odds_gain": write.ends(record.gain),
            "posterior": write.ends(record.posterior),
        },
        **_either(
            "guess",
            analysis.guess,
            lambda guess: {
                "prior": str(guess.prior),
                "right": write.ends(guess.right),
                "advantage": write.ends(guess.advantage),
            },
        ),
        **_either("naming", analysis.namings, write.plain),
        **_either("optimum", analysis.optimum, lambda optimum: _optimum(optimum, write)),
    }


def _either(name: str, measure: T | Unavailable, written: Callable[[T], Any]) -> dict[str, Any]:
    if isinstance(measure, Unavailable):
        return {name: None, f"{name}_reason": measure.reason}
    return {name: written(measure)}


def _zcdp(smallest: SmallestRho, write: Writer) -> dict[str, Any]:
    order: Any = smallest.order
    if order is not None:
        order = str(order) if write.exact else float(order)
    return {**write.plain(smallest.extreme), "order": order}


def _profile(profile: Profile, write: Writer) -> dict[str, Any]:
    points = [
        {"epsilon": write.above(epsilon), "delta": write.ends(delta)}
        for epsilon, delta in profile.points
    ]
    return {"points": points, "limit": write.ends(profile.limit)}


def _tradeoff(tradeoff: Tradeoff, write: Writer) -> dict[str, Any]:
    return {
        "lower": [[write.below(end) for end in point] for point in tradeoff.lower],
        "upper": [[write.above(p.alpha), write.above(p.beta)] for p in tradeoff.upper],
    }


def _rows(rows: RowView, write: Writer) -> dict[str, Any]:
    diagonal = {"largest": rows.largest, "smallest": rows.smallest, "average": rows.average}
    return {"diagonal": write.plain(diagonal), "cells": write.plain(rows.cells)}


def _groups(groups: GroupLosses, write: Writer) -> dict[str, Any]:
    losses = [write.plain(loss) for loss in groups.losses]
    for loss in losses:
        loss["delta"] = loss.pop("deltas")
    return {"distances": losses, "left_out": groups.left_out or None}


def _optimum(optimum: Optimum, write: Writer) -> dict[str, Any]:
    """The optimum's losses by their lower ends, the mechanism's own and ε by their upper ends.

    So the difference is at least the distance from the optimum. Both ends: ``enclosures``.
    """
    least = {"uniform": optimum.uniform, "worst": optimum.worst}
    most = {
        "epsilon": optimum.epsilon,
        "own_uniform": optimum.own_uniform,
        "own_worst": optimum.own_worst,
    }
    note = {} if optimum.note is None else {"note": optimum.note}
    return {
        "loss": "l1",
        **{name: write.ends(ends)["lower"] for name, ends in least.items()},
        **{name: write.ends(ends)["upper"] for name, ends in most.items()},
        "enclosures": write.plain({**most, **least}),
        "ranges_over": optimum.ranges_over,
        **note,
    }
