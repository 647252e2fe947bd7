"""The trade-off function as a picture: the misses that false alarms of every rate leave."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from audit.channels.measures.extreme import Extreme
from audit.channels.measures.tradeoff import Tradeoff
from audit.channels.measures.unavailable import Unavailable
from audit.report.percentages import percent_below
from audit.report.picture import Box, Dot, Label, Line, Plot, from_zero
from audit.report.words import equation

HEIGHT = 300.0
"""The box' height in pixels."""

SAMPLES = 200
"""Points of the normal laws' curve."""

ALARMS = Fraction(1, 20)
"""The rate of false alarms at which the misses are told (a customary
level of tests)."""

_AT = {"guessing": 0.88, "main": 0.68, "gaussian": 0.48}
"""The misses at whose height each curve has its name, right of all curves if there is room."""

_ROOM = 0.45
"""The part of the box that a name needs."""


def tradeoff_plot(tradeoff: Tradeoff, mu: Extreme | Unavailable) -> Plot | None:
    """The trade-off function between guessing and Gaussian; None where all may be guessing."""
    lower = [(float(alpha), float(beta)) for alpha, beta in tradeoff.lower]
    if all(point.alpha + point.beta == 1 for point in tradeoff.upper):
        return None
    box = Box(from_zero("false alarms, α", 1.0), from_zero("misses, β", 1.0), HEIGHT)
    height = min(_AT["main"], 0.9 * lower[0][1])
    dots = [
        Dot("guessing", 1 - _AT["guessing"], _AT["guessing"], "guessing, 1 − α"),
        Dot("main", _inverse(tradeoff, height), height, "the best attacker"),
    ]
    lines = [Line("guessing", ((0.0, 1.0), (1.0, 0.0)))]
    ends = None if isinstance(mu, Unavailable) else mu.enclosure
    if ends is not None and not math.isinf(ends.floats()[1]):
        most = ends.floats()[1]
        lines.append(Line("gaussian", tuple(_normal_laws(most))))
        name = f"Gaussian, {equation('μ', ends, 4)}"
        dots.append(Dot("gaussian", _misses(_AT["gaussian"], most), _AT["gaussian"], name))
    leaders = [Line("leader", ((dot.x, dot.y), (_name_at(dot), dot.y))) for dot in dots]
    return Plot(
        "Telling neighbours apart",
        "A test between two neighbours errs in two ways: it raises false alarms, and it misses. "
        "No test on one release gets below the solid curve; guessing lies on the dashed line.",
        _fact(tradeoff),
        box,
        areas=(Line("gain", (*lower, (0.0, 1.0))),),
        lines=(*leaders, *lines, Line("main", tuple(lower))),
        dots=tuple(dots),
        labels=tuple(Label(dot.kind, _name_at(dot), dot.y, dot.text, 4, 4) for dot in dots),
    )


def _fact(tradeoff: Tradeoff) -> str:
    least = percent_below(Fraction(tradeoff.at(ALARMS).lower))
    return f"A test with {100 * ALARMS} % false alarms has at least {least} misses."


def _name_at(dot: Dot) -> float:
    """Where the name of a curve begins at the height of a dot on it."""
    return min(1 - dot.y, 1 - _ROOM) + 0.03


def _inverse(tradeoff: Tradeoff, beta: float) -> float:
    """The α at which the lower curve is ``beta``: the curve is its own inverse."""
    return float(tradeoff.at(Fraction(beta)).lower)


def _normal_laws(mu: float) -> list[tuple[float, float]]:
    """G_μ (Dong, Roth & Su 2022, Definition 2.6), evenly along both of its errors."""
    half = SAMPLES // 2
    places = [k / SAMPLES for k in range(half + 1)]
    left = [(alpha, _misses(alpha, mu)) for alpha in places]
    right = [(beta, alpha) for alpha, beta in left]
    return sorted({*left, *right}, key=lambda point: (point[0], -point[1]))


def _misses(alpha: float, mu: float) -> float:
    if not 0 < alpha < 1:
        return 1.0 - alpha
    normal = NormalDist()
    return normal.cdf(normal.inv_cdf(1 - alpha) - mu)
