"""Hulls of doubles and fractions against all chords; the highest of curves against each of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.convex as convex
from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.measures.convex import Hull, Numbers, Point, height, highest, hull_of, vertices

F = Fraction
UNIT = F(UNIT_ROUNDOFF)

numbers = st.one_of(
    st.integers(0, 8).map(lambda n: n / 8),
    st.floats(0, 1).map(lambda x: x if x > 1e-300 else 0.0),
    st.floats(1e-300, 1e-290),
    st.builds(lambda n, k: n * 2.0**-50 + k / 8, st.integers(0, 8), st.integers(0, 7)),
)
clouds = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12)


def lowest_chord(points: list[Point], x: Fraction) -> Fraction:
    """The least height at x over all chords of two points and all points."""
    heights = [b for a, b in points if a == x]
    for (a0, b0), (a1, b1) in combinations(sorted(points), 2):
        if a0 < x < a1:
            heights.append(b0 + (b1 - b0) * (x - a0) / (a1 - a0))
    return min(heights)


def exact(points: list[tuple[float, float]]) -> list[Point]:
    return [(F(x), F(y)) for x, y in points]


def of_kind(values: list[float], kind: type) -> Numbers:
    return np.array([F(v) for v in values] if kind is object else values, kind)


def gathered(clouds: list[list[tuple[float, float]]], kind: type) -> Hull:
    """The hull of (0, 1), (1, 0) and of all clouds, one after the other; labels count points."""
    unit = F(0) if kind is object else UNIT
    hull = Hull(of_kind([0, 1], kind), of_kind([1, 0], kind), np.array([-1, -2]), unit)
    first = 0
    for cloud in clouds:
        x, y = (of_kind([point[side] for point in cloud], kind) for side in (0, 1))
        hull = hull.including(x, y, first + np.arange(len(cloud)))
        first += len(cloud)
    return hull


@given(st.lists(clouds, min_size=1, max_size=4))
def test_hull_of_fractions_is_the_lowest_of_all_chords(
    many: list[list[tuple[float, float]]],
) -> None:
    hull = gathered(many, object)
    points = [(F(0), F(1)), (F(1), F(0)), *(point for cloud in many for point in exact(cloud))]
    assert hull.slack == 0
    curve = hull.lower_curve(F(1))
    for x, y in points:
        assert height(curve, x) <= y
    for x, y in curve:
        assert lowest_chord(points, x) == y
    slopes = [(b1 - b0) / (a1 - a0) for (a0, b0), (a1, b1) in pairwise(curve)]
    assert slopes == sorted(set(slopes))
    for (x, y), label in zip(curve, hull.labels.tolist(), strict=True):
        assert points[label + 2 if label >= 0 else -label - 1] == (x, y)
    assert hull_of(points) == curve


@given(st.lists(clouds, min_size=1, max_size=4))
def test_hull_of_doubles_is_below_all_points_and_hardly_lower(
    many: list[list[tuple[float, float]]],
) -> None:
    hull, truth = gathered(many, float), gathered(many, object).lower_curve(F(1))
    assert 0 < hull.slack <= 60 * (len(many) + 1) * UNIT
    curve = hull.lower_curve(F(1))
    for cloud in many:
        for x, y in exact(cloud):
            assert height(curve, x) <= y
    for x, y in curve:
        assert y >= height(truth, x) * (1 - hull.slack)


def test_points_to_the_right_of_the_hull_prolong_it() -> None:
    for kind in (float, object):
        hull = gathered([[(1.5, 0.25), (0.5, 0.5)], [(1.25, 0.0), (2.0, 0.125)]], kind)
        assert hull.x.tolist() == [0, 1, 1.25, 2]
        assert hull.y.tolist() == [1, 0, 0, 0.125]
        assert hull.heights(of_kind([3.0], kind)).tolist() == [float("inf")]


def test_a_point_dropped_by_a_rounding_is_above_all_the_same() -> None:
    random = np.random.default_rng(7)
    hull = gathered([[(0.1, 0.7), (0.3, 0.4), (0.6, 0.15)]], float)
    bare = Hull(hull.x, hull.y, hull.labels, UNIT)
    x = random.random(200)
    y = bare.heights(x)
    assert any(F(b) < height(bare.lower_curve(F(1)), F(a)) for a, b in zip(x, y, strict=True))
    curve = bare.including(x, y, np.arange(200)).lower_curve(F(1))
    for a, b in zip(x, y, strict=True):
        assert height(curve, F(a)) <= F(b)


@pytest.mark.parametrize("kind", [float, object])
def test_what_the_hull_lost_lowers_it(monkeypatch: pytest.MonkeyPatch, kind: type) -> None:
    def careless(x: Numbers, y: Numbers) -> Numbers:
        ends = vertices(x, y)[[0, -1]]
        return np.asarray(ends)

    monkeypatch.setattr(convex, "vertices", careless)
    hull = gathered([[(0.5, 0.125), (0.25, 0.5)]], kind)
    assert hull.x.tolist() == [0, 1]
    curve = hull.lower_curve(F(1))
    assert height(curve, F(1, 2)) <= F(1, 8) and height(curve, F(1, 4)) <= F(1, 2)


@pytest.mark.parametrize("kind", [float, object])
def test_many_points_are_thinned_without_loss(monkeypatch: pytest.MonkeyPatch, kind: type) -> None:
    random = np.random.default_rng(20)
    x = random.random(400)
    y = (1 - x) ** 2 + np.where(random.random(400) < 0.7, random.random(400), 0.0)
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    whole = gathered([points], kind)
    monkeypatch.setattr(convex, "FEW", 2)
    assert gathered([points], kind).x.tolist() == whole.x.tolist()
    assert len(whole.x) > 50


falling = st.lists(
    st.tuples(st.fractions(0, 1, max_denominator=9), st.fractions(0, 1, max_denominator=9)),
    max_size=5,
)


@settings(max_examples=60)
@given(st.lists(falling, max_size=4), st.fractions(0, 1, max_denominator=30))
def test_highest_is_the_largest_of_all_lines(clouds: list[list[Point]], x: Fraction) -> None:
    # Below 1 - x at the ends, as errors are, so that nothing is above 0 at x = 1.
    curves = [hull_of([(F(0), F(1)), (F(1), F(0)), *cloud]) for cloud in clouds]
    found = highest(curves)
    assert (found[0][0], found[-1]) == (0, (F(1), F(0)))
    lines = [F(0)]
    for curve in curves:
        for (x0, y0), (x1, y1) in pairwise(curve):
            if y1 < y0:
                lines.append(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    if x < 1:
        assert height(found, x) == max(lines)
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(found)]
    assert slopes == sorted(set(slopes))


def test_of_parallel_lines_the_upper_is_the_highest() -> None:
    upper, lower = ((F(0), F(1)), (F(1), F(0))), ((F(0), F(1, 2)), (F(1, 2), F(0)))
    assert highest([upper, lower]) == highest([lower, upper]) == upper


def test_highest_of_curves_that_are_not_quite_convex_is_below_them() -> None:
    dent = ((F(0), F(1)), (F(1, 2), F(1, 4)), (F(1, 2) + F(1, 100), F(1, 5)), (F(1), F(0)))
    found = highest([dent])
    for x, y in dent:
        assert height(found, x) <= y


def test_height_between_and_at_breakpoints() -> None:
    curve = ((F(0), F(1)), (F(1, 2), F(1, 4)), (F(1), F(0)))
    assert [height(curve, F(n, 4)) for n in range(5)] == [1, F(5, 8), F(1, 4), F(1, 8), 0]
