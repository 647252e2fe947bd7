"""Rényi divergences as a picture: how they grow with the order, below ρ·α and below ε."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from audit.channels.measures.unavailable import Unavailable
from audit.channels.measures.zcdp import SmallestRho
from audit.report.picture import Box, Dot, Label, Line, Plot, Point, doublings, from_zero
from audit.report.words import enclosure_text, equation, number
from audit.statements.decimals import Enclosure

HEIGHT = 230.0
"""The box' height in pixels."""

SAMPLES = 16
"""Points of a curve between two orders."""

READING = (
    "How far apart two neighbours' releases are, by an order α: the larger it is, the more weight "
    "unlikely outputs have."
)

NEAR = 2.5
"""ε is drawn where it is at most this many times the largest divergence."""


def renyi_plot(
    renyi: Mapping[Fraction, Enclosure], smallest: SmallestRho | Unavailable, pure: Enclosure
) -> Plot | None:
    """The divergences by order, one at least; None where they are infinite, or may be 0."""
    points = sorted((float(order), ends.floats()[1]) for order, ends in renyi.items())
    first, final = renyi[min(renyi)], renyi[max(renyi)]
    largest = points[-1][1]
    if not final.lower or math.isinf(largest):
        return None
    cap = pure.floats()[1]
    capped = cap <= NEAR * largest
    top = 1.3 * cap if capped else 1.25 * largest
    last = 2.0 ** math.ceil(math.log2(points[-1][0]))
    box = Box(doublings("order α", last), from_zero("divergence, in nats", top), HEIGHT)
    lines, labels, dots, reading = [], [], [], READING
    curve = _ceiling(points)
    if capped:
        lines.append(Line("limit", ((1.0, cap), (last, cap))))
        labels.append(Label("limit", last, cap, equation("ε", pure, 4), -2, -6))
    if isinstance(smallest, SmallestRho):
        reading += " It is nowhere above the line ρ·α, which the axis bends."
        rho = smallest.extreme.enclosure
        lines.append(Line("bound", tuple(_proportional(rho.floats()[1], top, last))))
        labels.append(_bound_label(box, rho, top))
        curve = [(order, min(value, rho.floats()[1] * order)) for order, value in curve]
        dots += _touching(box, smallest)
    dots += [
        Dot(
            "main", float(order), ends.floats()[1], f"order {number(order)}: {enclosure_text(ends)}"
        )
        for order, ends in renyi.items()
    ]
    labels.append(Label("main", *points[len(points) // 2], "divergence", 8, 18))
    return Plot(
        "Rényi divergences",
        reading,
        f"It is {enclosure_text(first, 4)} at order {points[0][0]:g}, and {enclosure_text(final, 4)} at order "
        f"{points[-1][0]:g}.",
        box,
        lines=(*lines, Line("main", tuple(curve))),
        dots=tuple(dots),
        labels=tuple(labels),
    )


def _ceiling(points: list[Point]) -> list[Point]:
    """A curve that the divergences are nowhere above.

    (α - 1)·D_α is convex in α: it lies below its chords (van Erven & Harremoës 2014, Corollary 2).
    """
    found = points[:1]
    for (first, low), (last, high) in pairwise(points):
        for step in range(1, SAMPLES + 1):
            order = first * (last / first) ** (step / SAMPLES)
            share = (order - first) / (last - first)
            chord = (1 - share) * (first - 1) * low + share * (last - 1) * high
            found.append((order, chord / (order - 1)))
    return found


def _proportional(rho: float, top: float, last: float) -> list[Point]:
    """ρ·α from order 1 to where it leaves the box."""
    end = min(last, max(top / rho, 1.0))
    orders = [end ** (step / (4 * SAMPLES)) for step in range(4 * SAMPLES + 1)]
    return [(order, rho * order) for order in orders]


def _bound_label(box: Box, rho: Enclosure, top: float) -> Label:
    """The name of the line, at its upper end: there is room left of it, and right of it above ε."""
    x, y = 0.94 * top / rho.floats()[1], 0.94 * top
    right = 8 if box.x.share(x) < 0.5 else -8
    return Label("bound", x, y, f"ρ·α with {equation('ρ', rho, 4)}", right, 4)


def _touching(box: Box, smallest: SmallestRho) -> list[Dot]:
    """Where ρ·α and the divergences touch, if that is in the box."""
    order = smallest.order
    if order is None or order > box.x.high:
        return []
    height = float(order) * smallest.extreme.enclosure.floats()[1]
    return [Dot("touch", float(order), height, "touched by ρ·α")]
