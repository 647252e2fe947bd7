"""Where groups of neighbouring values lie on an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.report.picture import Axis, even_axis
from audit.report.words import short
from synthesizers.attributes import Attribute
from synthesizers.quantities import DAY, Quantity

UNEVEN = 20
"""From so many times the width of the narrowest group on, groups are drawn equally wide: the
narrow ones could not be seen."""

MAX_TICKS = 5
LONGEST_TICK = 10

SHARES = "% of records"

_UNITS = {
    Quantity.NUMBERS: (1, "% per unit"),
    Quantity.DATES: (DAY, "% per day"),
    Quantity.MOMENTS: (DAY, "% per day"),
    Quantity.TIMES: (3600, "% per hour"),
}


@dataclass(frozen=True, eq=False)
class Across:
    """The ``ends`` [groups + 1] of groups on an ``axis``, and what is drawn upwards.

    That is the percentage of records divided by the ``widths`` [groups], as ``measure`` says:
    groups of one width show shares. ``note``: what else a reader has to know.
    """

    axis: Axis
    ends: tuple[float, ...]
    widths: NDArray[np.float64]
    measure: str
    note: str = ""


def lay_out(attribute: Attribute, starts: Sequence[int]) -> Across:
    """The groups that begin at ``starts``, the last of which is the end of them all."""
    if attribute.edges is None:
        return _by_place(attribute, starts, tuple(map(float, starts)), starts[:-1])
    ends = tuple(float(attribute.edges[start]) for start in starts)
    unit, measure = _UNITS[attribute.quantity]
    widths = np.diff(ends) / unit
    if not widths.max() <= UNEVEN * widths.min():
        note = "Bins of very different width are drawn equally wide."
        return _by_place(attribute, starts, tuple(map(float, range(len(starts)))), starts, note)
    axis = even_axis(attribute.name, ends[0], ends[-1])
    if attribute.quantity is not Quantity.NUMBERS:
        axis = Axis(attribute.name, ends[0], ends[-1], _ticks(attribute, starts, ends))
    if np.allclose(widths, widths[0], rtol=1e-9):
        return Across(axis, ends, np.ones(len(widths)), SHARES)
    return Across(axis, ends, widths, measure)


def _by_place(
    attribute: Attribute,
    starts: Sequence[int],
    ends: tuple[float, ...],
    named: Sequence[int],
    note: str = "",
) -> Across:
    """Groups on an axis of places, some of the ``named`` ones with their values or edges."""
    axis = Axis(attribute.name, ends[0], ends[-1], _ticks(attribute, named, ends))
    widths = np.diff(ends)
    if (widths == widths[0]).all():
        return Across(axis, ends, np.ones(len(widths)), SHARES, note)
    return Across(axis, ends, widths, "% per value", note)


def _ticks(
    attribute: Attribute, starts: Sequence[int], ends: Sequence[float]
) -> tuple[tuple[float, str], ...]:
    kept = range(0, len(starts), -(-len(starts) // MAX_TICKS))
    return tuple((ends[place], _tick(attribute, starts[place])) for place in kept)


def _tick(attribute: Attribute, place: int) -> str:
    if attribute.edges is None:
        return short(attribute.values[place], LONGEST_TICK)
    if attribute.quantity is Quantity.NUMBERS:
        return f"{float(attribute.edges[place]):,.6g}".replace("-", "−")
    text = attribute.quantity.write(attribute.edges[place])
    return (
        text[: len("00:00")] if attribute.quantity is Quantity.TIMES else text[: len("2020-01-31")]
    )
