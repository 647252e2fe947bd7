"""Losses of pairs in doubles against high precision; what is assumed of numpy's functions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.channels.measures.losses import BOUNDLESS, FUNCTION_ERROR, Corner, vagueness, ways

chances = st.one_of(
    st.floats(2.0**-1020, 1.0), st.sampled_from([0.0, 2.0**-1020, 0.5, 0.5 + 2.0**-53, 1.0])
)


def row(*values: float) -> np.ndarray:
    return np.array([values])


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p"])
def test_numpy_keeps_the_assumed_precision_of(name: str) -> None:
    # Half of what is assumed, so that a numpy that gets worse is noticed before it matters.
    functions: dict[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
        "exp": mpmath.exp,
        "expm1": mpmath.expm1,
        "log": mpmath.log,
        "log1p": mpmath.log1p,
    }
    rng = np.random.default_rng(20260707)
    small = np.exp(rng.uniform(-60, 6, 1500))
    points = {
        "exp": np.concatenate([rng.uniform(-700, 700, 1500), small, -small]),
        "expm1": np.concatenate([rng.uniform(-700, 700, 1500), small, -small]),
        "log": np.concatenate([np.exp(rng.uniform(-700, 700, 1500)), 1 + small, 1 / (1 + small)]),
        "log1p": np.exp(rng.uniform(-60, 700, 3000)),
    }[name]
    found = getattr(np, name)(points)
    with mpmath.workdps(40):
        for point, value in zip(points.tolist(), found.tolist(), strict=True):
            truth = functions[name](mpmath.mpf(point))
            assert abs(value - truth) <= abs(truth) * FUNCTION_ERROR / 2


@given(st.lists(st.tuples(chances, chances), min_size=1, max_size=5))
def test_losses_keep_their_relative_precision(pairs: list[tuple[float, float]]) -> None:
    p, q = (np.array([side]) for side in zip(*pairs, strict=True))
    corner = Corner.of(p, q)
    with mpmath.workdps(40):
        for place, (first, second) in enumerate(pairs):
            loss = float(corner.loss[0, place])
            if min(first, second) == 0:
                assert loss == BOUNDLESS * np.sign(first - second)
                continue
            truth = mpmath.log(mpmath.mpf(first) / mpmath.mpf(second))
            assert abs(loss - truth) <= 2 * FUNCTION_ERROR * abs(truth)
    back = corner.swap()
    assert np.array_equal(back.loss, -corner.loss)
    assert np.array_equal(back.gap, q - p)
    assert back.p is corner.q
    assert back.q is corner.p


def test_both_ways_of_boxes() -> None:
    # P in [0.2, 0.3] and [0.1, 0.5]; Q in [0.25, 0.4] and [0.6, 0.7].
    low = Corner.of(row(0.2, 0.1), row(0.4, 0.7))
    high = Corner.of(row(0.3, 0.5), row(0.25, 0.6))
    there, back = ways(low, high, 0.0)
    assert there.level is not None
    assert there.level.tolist() == [[True, False]]
    assert there.distance.tolist() == pytest.approx([0.2 + 0.6])
    assert there.top[0] == pytest.approx(np.log(0.3 / 0.25))
    assert back.top[0] == pytest.approx(np.log(7))
    assert back.low.p.tolist() == [[0.25, 0.6]]
    assert back.low.q.tolist() == [[0.3, 0.5]]
    assert back.high.p.tolist() == [[0.4, 0.7]]
    assert not there.unbounded.any()
    assert not back.unbounded.any()


def test_a_chance_that_may_be_zero_leaves_the_other_way_unbounded() -> None:
    low = Corner.of(row(0.5, 0.4), row(0.5, 0.1))
    high = Corner.of(row(0.5, 0.4), row(0.5, 0.0))
    there, back = ways(low, high, 0.0)
    assert there.unbounded.tolist() == [True]
    assert there.high.loss[0, 1] == there.low.loss[0, 1]
    assert there.high.q[0, 1] == 0.1
    assert back.unbounded.tolist() == [False]
    assert back.high.p[0, 1] == 0.1
    # A zero on both sides is nothing.
    nothing = Corner.of(row(1.0, 0.0), row(1.0, 0.0))
    for losses in ways(nothing, Corner.of(row(1.0, 0.0), row(1.0, 0.0)), 0.0):
        assert losses.top.tolist() == [0.0]


def test_one_corner_both_ways() -> None:
    corner = Corner.of(row(0.6, 0.4), row(0.5, 0.5))
    there, back = ways(corner, corner, 1e-7)
    for losses, ratio in ((there, 1.2), (back, 1.25)):
        assert losses.low is losses.high
        assert losses.level is None
        assert losses.blur == 1e-7
        assert losses.top[0] == pytest.approx(np.log(ratio))
        assert losses.distance[0] == pytest.approx(0.2)


@given(
    st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=1, max_size=4),
    st.floats(0, 0.5),
)
def test_vagueness_covers_all_between_the_ends(values: list[Fraction], share: float) -> None:
    lower = np.array([[float(v) * (1 - share) for v in values]])
    upper = np.array([[float(v) * (1 + share) for v in values]])
    error, centre = Fraction(vagueness(lower, upper)), (lower + upper) / 2
    for place in range(len(values)):
        middle = Fraction(centre[0, place])
        for end in (lower[0, place], upper[0, place]):
            assert abs(Fraction(end) - middle) <= error * middle
    assert error <= share + 1e-15
