"""Everything that this version computes from a channel, and its JSON form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from audit.channel import Channel
from audit.decimals import Enclosure, decimal_above, decimal_below
from audit.measures import Extreme, delta, epsilon
from audit.probabilistic import ProbabilisticDelta, probabilistic_delta
from synthesizers.exact import Exact, ExpRational, divide, enclose, is_zero, log_enclosure
from synthesizers.intervals import Interval

MAX_LOG_ODDS = 2_000_000
"""The most log odds that are written out (a choice of this project)."""

MAX_FRACTION_BITS = 4096
"""The longest denominator that is written out; a longer one gives way to an enclosure."""

MAX_EXACT_LOG_ODDS = 100_000
"""The most log odds that are enclosed one by one (a choice of this project)."""


@dataclass(frozen=True)
class Analysis:
    """A channel with its measures.

    ``deltas`` and ``probabilistic`` are keyed by ε as the user typed it.
    """

    channel: Channel
    epsilon: Extreme
    deltas: Mapping[str, Extreme]
    probabilistic: Mapping[str, ProbabilisticDelta]


def analyse(channel: Channel, epsilons: Mapping[str, Fraction]) -> Analysis:
    """All measures of a channel; δ and probabilistic δ at each ε."""
    return Analysis(
        channel,
        epsilon(channel),
        {text: delta(channel, value) for text, value in epsilons.items()},
        {text: probabilistic_delta(channel, value) for text, value in epsilons.items()},
    )


def log_odds(channel: Channel) -> Iterator[tuple[int, int, list[float | None]]]:
    """ln(P[·|from]/P[·|to]) for every ordered pair of neighbours, as doubles; None for 0/0."""
    centre = channel.centre
    with np.errstate(divide="ignore"):
        logs = np.log(centre)
    if channel.exact is not None:
        # A chance below the doubles has no centre worth a logarithm.
        for row, column in np.argwhere((channel.lower == 0) & channel.positive).tolist():
            logs[row, column] = float(log_enclosure(channel.exact[row, column]).upper)
    for source, targets in enumerate(channel.partners):
        for target in targets.tolist():
            both = (centre[source] == 0) & (centre[target] == 0)
            with np.errstate(invalid="ignore"):
                values = logs[source] - logs[target]
            yield (
                source,
                target,
                [
                    None if none else float(v)
                    for v, none in zip(values.tolist(), both.tolist(), strict=True)
                ],
            )


def to_json(analysis: Analysis, exact: bool) -> dict[str, Any]:
    """The analysis as the contract's channel JSON; strings in place of floats with ``exact``."""
    channel = analysis.channel
    write = _strings if exact else _floats
    document: dict[str, Any] = {
        "databases": channel.databases.tolist(),
        "outputs": [list(output) for output in channel.outputs],
        "released": channel.released,
        "neighbours": channel.neighbours.name,
        "probabilities": _probabilities(channel, exact),
        "log_odds": _log_odds_json(channel, exact),
        "epsilon": write(analysis.epsilon.enclosure),
        "delta": {text: write(value.enclosure) for text, value in analysis.deltas.items()},
        "probabilistic_delta": {
            text: {
                "worst": write(value.worst)["upper"],
                "worst_lower": write(value.worst)["lower"],
                "worst_database": list(value.table),
                "average": {name: write(ends)["upper"] for name, ends in value.average.items()},
            }
            for text, value in analysis.probabilistic.items()
        },
        "zcdp": None,
        "gdp": None,
        "optimum": None,
        "optimum_reason": "not computed by this version",
        "witness": _witness(analysis.epsilon, exact),
    }
    if document["log_odds"] is None:
        most = MAX_EXACT_LOG_ODDS if exact else MAX_LOG_ODDS
        document["log_odds_reason"] = f"more than {most} entries"
    return document


def _floats(ends: Enclosure) -> dict[str, Any]:
    lower, upper = ends.floats()
    return {"lower": _finite(lower), "upper": _finite(upper)}


def _finite(value: float) -> float | str:
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _strings(ends: Enclosure) -> dict[str, Any]:
    return {"lower": decimal_below(ends.lower), "upper": decimal_above(ends.upper)}


def exact_text(value: Exact) -> str | dict[str, str]:
    """A chance as text: a fraction of moderate length, or the decimal ends of its enclosure."""
    if isinstance(value, ExpRational):
        rational = value.rational
        value = value if rational is None else rational
    if isinstance(value, Fraction) and value.denominator.bit_length() <= MAX_FRACTION_BITS:
        return str(value)
    return Enclosure.of(enclose(value)).to_json()


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


def _log_odds_json(channel: Channel, exact: bool) -> list[dict[str, Any]] | None:
    most = MAX_EXACT_LOG_ODDS if exact else MAX_LOG_ODDS
    if 2 * len(channel.pairs) * len(channel.outputs) > most:
        return None
    return [
        {
            "from": list(channel.counts(source)),
            "to": list(channel.counts(target)),
            "values": _exact_odds(channel, source, target)
            if exact
            else [None if value is None else _finite(value) for value in values],
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


def _witness(extreme: Extreme, exact: bool) -> dict[str, Any] | None:
    if extreme.witness is None:
        return None
    first, second = extreme.witness.probabilities
    if exact:
        shown: list[Any] = [first.to_json(), second.to_json()]
    else:
        shown = [sum(first.floats()) / 2, sum(second.floats()) / 2]
    return {
        "from": list(extreme.witness.source),
        "to": list(extreme.witness.target),
        "output": list(extreme.witness.event[0]),
        "probabilities": shown,
    }
