"""Coefficients of one model within each group of an attribute, the same term in all groups."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from audit.report.utility.forest import (
    MOST_ROWS,
    Coefficient,
    Ends,
    Forest,
    coefficients,
    forest,
    scales,
)
from audit.utility.score import Breakdown

MOST_TERMS = 4
"""The most terms that are drawn, those that overlap least."""

MUCH = 4.0
"""An interval so many times as wide as the median one does not widen the scale: of a small group it
would leave the others a point each."""

INTERCEPT = "(intercept)"

Grouped = Mapping[str, Sequence[tuple[str, Breakdown]]]
"""The breakdown "coefficients" of each group, by the synthetic file."""


@dataclass(frozen=True)
class Slopes:
    """One term in all groups: a picture a file, on one scale, the worst group first.

    ``further``: how many groups of each file are not drawn.
    """

    term: str
    pictures: tuple[tuple[str, Forest], ...]
    further: tuple[int, ...]


def slopes(grouped: Grouped) -> tuple[tuple[Slopes, ...], int]:
    """The terms that overlap least, and how many others there are; the intercept is no slope."""
    by_term: dict[str, dict[str, list[Coefficient]]] = {}
    for file, groups in grouped.items():
        for group, detail in groups:
            for each in coefficients(detail):
                if each.name != INTERCEPT:
                    own = by_term.setdefault(each.name, {}).setdefault(file, [])
                    own.append(replace(each, name=group))
    found = [_slopes(term, files) for term, files in by_term.items()]
    order = sorted(range(len(found)), key=lambda k: _agreement(by_term[found[k].term]))
    return tuple(found[k] for k in order[:MOST_TERMS]), max(len(found) - MOST_TERMS, 0)


def _slopes(term: str, files: Mapping[str, Sequence[Coefficient]]) -> Slopes:
    every = [each for own in files.values() for each in own]
    ends = dict.fromkeys((each.name for each in every), _scale(every))
    pictures, further = [], []
    for file, own in files.items():
        picture = forest(sorted(own, key=_badness), ends)
        if picture is not None:
            pictures.append((file, picture))
            further.append(max(len(own) - MOST_ROWS, 0))
    return Slopes(term, tuple(pictures), tuple(further))


def _scale(every: Sequence[Coefficient]) -> Ends:
    """One scale for all groups, on which the widest intervals may be cut."""
    usual = MUCH * statistics.median(
        own.high - own.low for each in every for own in (each.real, each.synthetic)
    )
    cut = [
        replace(
            each,
            name="",
            real=each.real.within(usual),
            synthetic=each.synthetic.within(usual),
        )
        for each in every
    ]
    return scales(cut)[""]


def _badness(each: Coefficient) -> tuple[float, float]:
    """What is least comes first: little overlap; of those apart, the distance in half-widths."""
    overlap = -math.inf if each.overlap is None else each.overlap
    return overlap, -each.distance


def _agreement(files: Mapping[str, Sequence[Coefficient]]) -> float:
    known = [each.overlap for own in files.values() for each in own if each.overlap is not None]
    return statistics.fmean(known) if known else math.inf
