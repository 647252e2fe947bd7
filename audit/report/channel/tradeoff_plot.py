"""The trade-off function as a picture: the misses that false alarms of every rate leave."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from audit.channels.measures.extreme import Extreme
from audit.channels.measures.tradeoff import Tradeoff
from audit.channels.measures.unavailable import Unavailable
from audit.report.curve import Box, Dot, Label, Line, Plot, Point, from_zero
from audit.report.percentages import percent_below
from audit.report.words import equation

HEIGHT = 300.0
"""The box' height in pixels."""

SAMPLES = 200
"""Points of the normal laws' curve."""

ALARMS = Fraction(1, 20)
"""The rate of false alarms at which the misses are told (a choice of this project: a customary
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
    named = [
        _named(box, "guessing", (1 - _AT["guessing"], _AT["guessing"]), "guessing, 1 − α"),
        _named(box, "main", (_inverse(tradeoff, height), height), "the best attacker"),
    ]
    lines = [Line("guessing", box.path([(0.0, 1.0), (1.0, 0.0)]))]
    ends = None if isinstance(mu, Unavailable) else mu.enclosure
    if ends is not None and not math.isinf(ends.floats()[1]):
        most = ends.floats()[1]
        lines.append(Line("gaussian", box.path(_normal_laws(most))))
        name = f"Gaussian, {equation('μ', ends, 4)}"
        height = _AT["gaussian"]
        named.append(_named(box, "gaussian", (_misses(height, most), height), name))
    leaders = [Line("leader", f"M{d.x:.2f},{d.y:.2f} H{label.x - 4:.2f}") for d, label in named]
    fact = _fact(tradeoff)
    return Plot(
        "Telling neighbours apart",
        "A test between two neighbours errs in two ways: it raises false alarms, and it misses. "
        "No test on one release gets below the solid curve; guessing lies on the dashed line.",
        fact,
        f"Across: the chance of a false alarm. Upwards: the chance of a miss. {fact}",
        box,
        areas=(Line("gain", box.path([*lower, (0.0, 1.0)])),),
        lines=(*leaders, *lines, Line("main", box.path(lower))),
        dots=tuple(dot for dot, _ in named),
        labels=tuple(label for _, label in named),
    )


def _fact(tradeoff: Tradeoff) -> str:
    least = percent_below(Fraction(tradeoff.at(ALARMS).lower))
    return f"A test with {100 * ALARMS} % false alarms has at least {least} misses."


def _named(box: Box, kind: str, place: Point, text: str) -> tuple[Dot, Label]:
    """A place on a curve, and the curve's name at its height."""
    x, y = box.place(*place)
    right, _ = box.place(min(1 - place[1], 1 - _ROOM), 0.0)
    return Dot(kind, x, y, text), Label(kind, right + 14, min(y + 4, box.bottom - 6), text)


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
