"""Numbers beside the edges of bins, as JSON has them."""

from __future__ import annotations

import math
from fractions import Fraction


def at_or_above(edge: Fraction) -> int | float:
    """The edge itself where it is whole, or the double next to it that is not below."""
    if edge.denominator == 1:
        return int(edge)
    near = float(edge)
    return near if Fraction(repr(near)) >= edge else math.nextafter(near, math.inf)


def below(edge: Fraction) -> float:
    """The double next to the edge that is below it."""
    near = float(edge)
    return near if Fraction(repr(near)) < edge else math.nextafter(near, -math.inf)
