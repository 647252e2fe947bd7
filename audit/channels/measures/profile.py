"""The privacy profile of a channel as a curve: δ as a function of ε, and its limit at infinity."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from audit.channels.columns import Columns
from audit.channels.measures.delta import delta, epsilon_at, rough_delta
from audit.channels.measures.epsilon import epsilon as smallest_epsilon
from audit.channels.measures.impossible import impossible_mass
from audit.statements.decimals import Enclosure
from synthesizers.errors import InputError
from synthesizers.intervals import exp_interval

NEGLIGIBLE = Fraction(1, 10**12)
"""What δ need not be followed below, counted from its limit."""

FARTHEST = 1024
"""The ε at which a profile ends at the latest."""

MOST, FEWEST, WORK = 40, 12, 200_000_000
"""How many δ are computed at most, at most for the largest channels, and over how many chances in
all between the two (choices of this project)."""

FEW = 2_000
"""The most chances that are compared exactly at each point: a curve has
many points, and needs no equality."""

FLAT = 0.005
"""The gap between two bounds, relative to δ, that a picture doesn't show."""


@dataclass(frozen=True)
class Profile:
    """δ(ε) of a channel, the largest Σ (P - e^ε·Q)₊ over neighbours, as points of a curve.

    ``points``: ε in nats, from 0 upwards, with the enclosure of δ(ε). ``limit``: of δ(ε) for
    growing ε, the largest chance of outputs that are impossible under a neighbour; at the last
    point δ has come within `NEGLIGIBLE` of it, or ε has reached `FARTHEST`.

    δ falls with ε and is convex in e^ε: between two points it lies on or below the straight line
    in e^ε (not in ε) through their upper ends. `ceiling` is that line, for pictures.
    """

    columns: Columns
    points: tuple[tuple[Fraction, Enclosure], ...]
    limit: Enclosure

    def at(self, epsilon: Fraction) -> Enclosure:
        """δ(``epsilon``)."""
        return delta(self.columns, epsilon).enclosure

    def ceiling(self, epsilon: Fraction) -> Fraction:
        """An upper bound on δ(``epsilon``) from the points alone.

        Raises InputError for a negative ``epsilon``.

        Guarantee
        ---------
        δ is a largest of sums of (P - t·Q)₊, hence convex in t = e^ε: it lies nowhere above its
        chords. Backed by ``tests/audit/channels/measures/test_profile.py``.
        """
        if epsilon < 0:
            raise InputError("a profile begins at epsilon = 0")
        right = bisect_left(self.points, epsilon, key=lambda point: point[0])
        if right == len(self.points):
            return Fraction(self.points[-1][1].upper)
        after, high = self.points[right]
        if after == epsilon:
            return Fraction(high.upper)
        before, low = self.points[right - 1]
        share = (1 - exp_interval(epsilon - after)) / (1 - exp_interval(before - after))
        chord = share * Fraction(low.upper) + (1 - share) * Fraction(high.upper)
        return min(chord.upper, Fraction(low.upper))

    def epsilon_at(self, limit: Fraction) -> Enclosure:
        """The smallest ε with δ(ε) <= ``limit``."""
        return epsilon_at(self.columns, limit)


def profile(columns: Columns) -> Profile:
    """The privacy profile of a channel, at points that show its bends.

    Guarantee
    ---------
    Each enclosure is that of `delta` or `rough_delta`, or 0 at an ε for which the channel is
    certainly differentially private; ``limit`` encloses the limit. Where the points lie is not
    trusted. Backed by ``tests/audit/channels/measures/test_profile.py``.
    """
    limit = impossible_mass(columns)
    found = _span(columns, Fraction(limit.upper) + NEGLIGIBLE)
    terms = 2 * len(columns.pairs) * len(columns.outputs)
    while len(found) < min(MOST, max(FEWEST, WORK // max(terms, 1))):
        bends = [found[place] for place in sorted(found)]
        gap, place = max((_gap(*both) for both in pairwise(bends)), default=(0.0, Fraction(0)))
        if gap < FLAT or place in found:
            break
        found[place] = _measure(columns, place)
    return Profile(columns, tuple((e, found[e].delta) for e in sorted(found)), limit)


def _span(columns: Columns, enough: Fraction) -> dict[Fraction, _Bend]:
    """ε = 0, 1, 2, 4, … until δ is at most ``enough``, or to the smallest ε of the channel."""
    pure = smallest_epsilon(columns).enclosure.upper
    found = {Fraction(0): _measure(columns, Fraction(0))}
    end = Fraction(1)
    while end < min(pure, FARTHEST):
        found[end] = _measure(columns, end)
        if found[end].delta.upper <= enough:
            return found
        end *= 2
    if pure <= FARTHEST:
        end = Fraction(pure)
        found[end] = _Bend(end, Enclosure(Fraction(0), Fraction(0)), 0.0, 0.0)
    else:
        found[end] = _measure(columns, end)
    return found


@dataclass(frozen=True, slots=True)
class _Bend:
    """A point of the profile, with the line ``likely`` - e^ε·``unlikely`` nowhere above it."""

    epsilon: Fraction
    delta: Enclosure
    likely: float
    unlikely: float


def _measure(columns: Columns, epsilon: Fraction) -> _Bend:
    """δ at one ε, with the event that attains it: it gives a lower bound at every other ε."""
    few = 2 * len(columns.pairs) * len(columns.outputs) <= FEW
    extreme = delta(columns, epsilon) if few else rough_delta(columns, epsilon)
    if extreme.witness is None:
        return _Bend(epsilon, extreme.enclosure, 0.0, 0.0)
    likely, unlikely = (float(ends.lower) for ends in extreme.witness.probabilities)
    return _Bend(epsilon, extreme.enclosure, likely, unlikely)


def _gap(left: _Bend, right: _Bend) -> tuple[float, Fraction]:
    """The largest gap between what two points leave open, relative to δ, and where it is.

    Above is the straight line in e^ε through the points, below are the lines of their events,
    lowest where these meet.
    """
    middle = (left.epsilon + right.epsilon) / 2
    place = middle
    if left.unlikely > right.unlikely and left.likely > right.likely:
        meeting = math.log(left.likely - right.likely) - math.log(left.unlikely - right.unlikely)
        place = Fraction(meeting).limit_denominator(10**6)
    if not left.epsilon < place < right.epsilon:
        place = middle
    # e^ε counted from the right end, so that it stays in the range of doubles.
    here, start = (math.expm1(float(e - right.epsilon)) for e in (place, left.epsilon))
    share = here / start
    above = float(left.delta.upper) * share + float(right.delta.upper) * (1 - share)
    gap = above - max(_line(left, place), _line(right, place), 0.0)
    return (gap / above if gap > NEGLIGIBLE else 0.0), place


def _line(bend: _Bend, epsilon: Fraction) -> float:
    if not bend.unlikely:
        return bend.likely
    return bend.likely - math.exp(min(math.log(bend.unlikely) + float(epsilon), 1.0))
