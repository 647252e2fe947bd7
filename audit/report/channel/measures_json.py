"""The measures of a channel as the keys of its JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from audit.channels.analysis import Analysis
from audit.channels.measures.attacker import Guess, LastRecord, Naming
from audit.channels.measures.groups import GroupLosses
from audit.channels.measures.optimum import Optimum
from audit.channels.measures.probabilistic import ProbabilisticDelta
from audit.channels.measures.profile import Profile
from audit.channels.measures.rows import Attained, CellView, RowView
from audit.channels.measures.tradeoff import Tradeoff
from audit.channels.measures.unavailable import Unavailable
from audit.channels.measures.zcdp import SmallestRho
from audit.statements.decimals import Enclosure, decimal_above, decimal_below

T = TypeVar("T")


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

    def upper(self, ends: Enclosure) -> Any:
        """The upper end."""
        return self.ends(ends)["upper"]

    def each(self, values: Mapping[str, Enclosure]) -> dict[str, Any]:
        """Both ends of several."""
        return {name: self.ends(ends) for name, ends in values.items()}


def finite(value: float) -> float | str:
    """A double for JSON, which has no infinity."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def measures_json(analysis: Analysis, write: Writer) -> dict[str, Any]:
    """All measures by key. One that is not available is null, with its reason beside it."""
    return {
        "epsilon": write.ends(analysis.epsilon.enclosure),
        "delta": {text: write.ends(value.enclosure) for text, value in analysis.deltas.items()},
        "probabilistic_delta": {
            text: _probabilistic(value, write) for text, value in analysis.probabilistic.items()
        },
        "renyi": {str(order): write.ends(ends) for order, ends in analysis.renyi.items()},
        **_either("zcdp", analysis.zcdp, lambda found: _zcdp(found, write)),
        **_either("gdp", analysis.gdp, lambda found: write.ends(found.enclosure)),
        **_either("profile", analysis.profile, lambda found: _profile(found, write)),
        **_either("tradeoff", analysis.tradeoff, lambda found: _tradeoff(found, write)),
        **_either("rows", analysis.rows, lambda found: _rows(found, write)),
        **_either("groups", analysis.groups, lambda found: _groups(found, write)),
        "last_record": _last_record(analysis.last_record, write),
        **_either("guess", analysis.guess, lambda found: _guess(found, write)),
        **_either("naming", analysis.namings, lambda found: _namings(found, write)),
        **_either("optimum", analysis.optimum, lambda found: _optimum(found, write)),
    }


def _either(name: str, found: T | Unavailable, written: Callable[[T], Any]) -> dict[str, Any]:
    if isinstance(found, Unavailable):
        return {name: None, f"{name}_reason": found.reason}
    return {name: written(found)}


def _probabilistic(value: ProbabilisticDelta, write: Writer) -> dict[str, Any]:
    worst = write.ends(value.worst)
    return {
        "worst": worst["upper"],
        "worst_lower": worst["lower"],
        "worst_database": list(value.table),
        "average": {name: write.upper(ends) for name, ends in value.average.items()},
    }


def _zcdp(found: SmallestRho, write: Writer) -> dict[str, Any]:
    order: Any = found.order
    if order is not None:
        order = str(order) if write.exact else float(order)
    return {**write.ends(found.extreme.enclosure), "order": order}


def _profile(found: Profile, write: Writer) -> dict[str, Any]:
    points = [
        {"epsilon": write.upper(Enclosure(epsilon, epsilon)), "delta": write.ends(delta)}
        for epsilon, delta in found.points
    ]
    return {"points": points, "limit": write.ends(found.limit)}


def _tradeoff(found: Tradeoff, write: Writer) -> dict[str, Any]:
    lower = [[write.ends(Enclosure(end, end))["lower"] for end in point] for point in found.lower]
    upper = [
        [write.upper(Enclosure(end, end)) for end in (point.alpha, point.beta)]
        for point in found.upper
    ]
    return {"lower": lower, "upper": upper}


def _rows(found: RowView, write: Writer) -> dict[str, Any]:
    return {
        "diagonal": {
            "largest": _attained(found.largest, write),
            "smallest": _attained(found.smallest, write),
            "average": write.each(found.average),
        },
        "cells": [_cell(cell, write) for cell in found.cells],
    }


def _cell(cell: CellView, write: Writer) -> dict[str, Any]:
    distance = cell.average_distance
    return {
        "differs": _attained(cell.differs, write),
        "shown": _attained(cell.shown, write),
        "average_differs": write.each(cell.average_differs),
        "average_shown": write.each(cell.average_shown),
        "average_suppressed": write.each(cell.average_suppressed),
        "average_distance": None if distance is None else write.each(distance),
    }


def _attained(found: Attained, write: Writer) -> dict[str, Any]:
    return {**write.ends(found.value), "database": list(found.database)}


def _groups(found: GroupLosses, write: Writer) -> dict[str, Any]:
    losses = [
        {
            "distance": loss.distance,
            "pairs": loss.pairs,
            "epsilon": write.ends(loss.epsilon.enclosure),
            "naive": write.ends(loss.naive),
            "delta": {text: write.ends(value.enclosure) for text, value in loss.deltas.items()},
        }
        for loss in found.losses
    ]
    return {"distances": losses, "left_out": found.left_out or None}


def _last_record(found: LastRecord, write: Writer) -> dict[str, Any]:
    return {
        "prior": str(found.prior),
        "odds_gain": write.ends(found.gain),
        "posterior": write.ends(found.posterior),
    }


def _guess(found: Guess, write: Writer) -> dict[str, Any]:
    return {
        "prior": str(found.prior),
        "right": write.ends(found.right),
        "advantage": write.ends(found.advantage),
    }


def _namings(found: Mapping[str, Naming], write: Writer) -> dict[str, Any]:
    return {
        name: {
            "without": str(naming.without),
            "right": write.ends(naming.right),
            "surest": write.ends(naming.surest),
            "database": list(naming.database),
            "output": list(naming.output),
        }
        for name, naming in found.items()
    }


def _optimum(found: Optimum, write: Writer) -> dict[str, Any]:
    """The optimum's losses by their lower ends, the mechanism's own and ε by their upper ends.

    So the difference is at least the distance from the optimum. Both ends: ``enclosures``.
    """
    least = {"uniform": found.uniform, "worst": found.worst}
    most = {
        "epsilon": found.epsilon,
        "own_uniform": found.own_uniform,
        "own_worst": found.own_worst,
    }
    note = {} if found.note is None else {"note": found.note}
    return {
        "loss": "l1",
        **{name: write.ends(ends)["lower"] for name, ends in least.items()},
        **{name: write.upper(ends) for name, ends in most.items()},
        "enclosures": write.each({**most, **least}),
        "ranges_over": found.ranges_over,
        **note,
    }
