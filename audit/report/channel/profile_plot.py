"""The privacy profile as a picture: the δ that is left at every ε."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from audit.channels.measures.extreme import Extreme
from audit.channels.measures.profile import FARTHEST, Profile
from audit.report.picture import Box, Dot, Label, Line, Plot, Point, decades, from_zero
from audit.report.words import above, enclosure_text, equation, short
from audit.statements.decimals import Enclosure
from synthesizers.exact import parse_rational

HEIGHT = 300.0
"""The box' height in pixels."""

SAMPLES = 200
"""Places along the axis at which the curve is computed, besides its certified points."""

DEEP = 20
"""A δ that has fallen by this factor halfway along is drawn on a logarithmic axis."""

FLAT = 500
"""A δ that has come as near to its limit as this part of δ(0) is seen to have reached it."""

MAX_DECADES = 10
"""The most powers of ten on the axis of δ."""

FAR = 1.6
"""How many times as far as δ is seen to fall an ε may lie and still be marked."""

ROOM = 1.4
"""How many times as far as a mark the axis goes, for its name to have room."""

MAX_NAMED = 5
"""The most chosen ε that are named in the picture; the others are marked."""

LINE_HEIGHT = 16.0
"""Pixels between two lines of words."""


def profile_plot(profile: Profile, pure: Enclosure, deltas: Mapping[str, Extreme]) -> Plot | None:
    """The profile with the channel's smallest ε and chosen ones; None where δ may be 0 throughout.

    ``deltas``: by ε as typed.
    """
    if not profile.points[0][1].lower:
        return None
    places = {text: parse_rational(text, "ε") for text in deltas}
    chosen = {text: float(place) for text, place in places.items() if place <= FARTHEST}
    box = _box(profile, pure, [*chosen.values()])
    limit = profile.limit
    marks = [
        _mark(place, deltas[text].enclosure, text)
        for text, place in chosen.items()
        if place <= box.x.high and place < pure.lower
    ]
    floor = _down(box, _high(limit))
    named = [dot for dot in marks if _down(box, dot.y) + LINE_HEIGHT < floor][:MAX_NAMED]
    dots, labels, lines = [*_computed_dots(profile, box), *marks], _stack_labels(box, named), []
    if limit.lower:
        lines.append(Line("limit", ((0.0, _high(limit)), (box.x.high, _high(limit)))))
        labels.append(_limit_label(box, limit))
    end = _finite(pure)
    if end is not None and end <= box.x.high:
        dots.append(Dot("end", end, 0.0, f"{equation('ε', pure)}: δ = 0"))
        labels.append(Label("end", end, 0.0, equation("ε", pure, 4), 9, -9))
    return Plot(
        "Privacy profile",
        "δ is the part of a chance that exceeds e^ε times the chance under a neighbour: the larger "
        "ε is, the less. It is computed at the small dots, and nowhere above the curve.",
        _fact(profile, pure),
        box,
        lines=(*lines, Line("main", tuple(_samples(profile, box)))),
        dots=tuple(dots),
        labels=tuple(labels),
    )


def _fact(profile: Profile, pure: Enclosure) -> str:
    start, limit = equation("δ", profile.points[0][1], 4), equation("δ", profile.limit, 4)
    if profile.limit.lower:
        course = f"It falls from {start} at ε = 0 towards {limit}, and never below"
        if start == limit:
            course = f"It is {start} at every ε"
        return f"{course}: so likely is an output that rules a neighbour out for certain."
    if _finite(pure) is None:
        return f"It falls from {start} at ε = 0 to at most δ = {above(profile.limit.upper, 4)}."
    return f"It falls from {start} at ε = 0 to δ = 0 at {equation('ε', pure, 4)}."


def _high(ends: Enclosure) -> float:
    return ends.floats()[1]


def _finite(ends: Enclosure) -> float | None:
    high = _high(ends)
    return None if math.isinf(high) else high


def _box(profile: Profile, pure: Enclosure, chosen: list[float]) -> Box:
    """Both axes, as far as there is something to see; logarithmic where else the tail is hidden."""
    points = [(float(place), _high(ends)) for place, ends in profile.points]
    start, last, limit = points[0][1], points[-1][0], _high(profile.limit)
    if _height(profile, last / 2) * DEEP < start:
        top = math.ceil(math.log10(start))
        least = min(value for _, value in points if value)
        first = math.floor(math.log10(max(limit / 2, least, 10.0 ** (top - MAX_DECADES))))
        axis = decades("δ", min(first, top - 1), top)
        seen = max(axis.low, 1.01 * limit)
    else:
        axis = from_zero("δ", 1.1 * start)
        seen = limit + start / FLAT
    end = next((place for place, value in points if value <= seen), last) or 1.0
    named = [ROOM * place for place in (*chosen, pure.floats()[1]) if place <= FAR * end]
    return Box(from_zero("ε, in nats", max([1.08 * end, *named])), axis, HEIGHT)


def _height(profile: Profile, epsilon: float) -> float:
    return float(profile.ceiling(Fraction(epsilon)))


def _samples(profile: Profile, box: Box) -> list[Point]:
    """The ceiling of δ; on a logarithmic axis to where it leaves the box."""
    even = (Fraction(box.x.high) * k / SAMPLES for k in range(SAMPLES + 1))
    certified = (place for place, _ in profile.points if place <= box.x.high)
    found: list[Point] = []
    for place in sorted({*even, *certified}):
        found.append((float(place), float(profile.ceiling(place))))
        if box.y.logarithmic and found[-1][1] < box.y.low:
            break
    return found


def _computed_dots(profile: Profile, box: Box) -> list[Dot]:
    """The points of the profile that are in the box."""
    points = [(float(place), ends) for place, ends in profile.points]
    return [
        Dot("computed", place, _high(ends), f"δ at ε ≈ {place:.4g}", 2.2)
        for place, ends in points
        if place <= box.x.high and _high(ends) >= box.y.low
    ]


def _mark(place: float, value: Enclosure, text: str) -> Dot:
    return Dot("chosen", place, _high(value), equation(f"δ({short(text, 12)})", value, 4))


def _down(box: Box, value: float) -> float:
    """Where a value of δ lies, in pixels downwards."""
    return box.place(0.0, value)[1]


def _stack_labels(box: Box, marks: list[Dot]) -> list[Label]:
    """The names of marks, none over another: right of them and above the curve there is room."""
    labels: list[Label] = []
    free = math.inf
    for dot in sorted(marks, key=lambda mark: mark.y):
        own = _down(box, dot.y)
        line = min(own - 3, free)
        labels.append(Label("chosen", dot.x, dot.y, dot.text, 9, line - own))
        free = line - LINE_HEIGHT
    return labels


def _limit_label(box: Box, limit: Enclosure) -> Label:
    """The name of the limit: below it, as the curve is above, if there is room."""
    value = _high(limit)
    down = LINE_HEIGHT if _down(box, value) + LINE_HEIGHT < box.bottom - 4 else -5
    return Label("limit", 0.0, value, f"limit {enclosure_text(limit, 4)}", 6, down)
