"""Ripple: totals stay, nothing below the threshold, deficits go to the cells around."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.estimation.ripple import ripple


def test_a_deficit_is_shared_by_the_cells_around() -> None:
    table = np.array([[-6.0, 10.0], [10.0, 20.0]])
    assert ripple(table, 0.5).tolist() == [[0.0, 7.0], [7.0, 20.0]]
    assert table[0, 0] == -6.0
    # One attribute of three values: two cells around each.
    assert ripple(np.array([9.0, -4.0, 5.0]), 0.5).tolist() == [7.0, 0.0, 3.0]


def test_two_deficits_cross() -> None:
    # Each gets half of the other's -1, then gives it up to the cells above 0.
    found = ripple(np.array([-4.0, -4.0, 20.0]), 0.5)
    assert found.sum() == pytest.approx(12)
    assert found.min() >= -0.5 and found[2] == found.max()


@given(
    st.sampled_from([(4,), (2, 3), (2, 2, 2), (3, 1, 2)]),
    st.lists(st.integers(-9, 9), min_size=8, max_size=8),
    st.sampled_from([0.25, 1.0]),
)
def test_the_total_stays_and_what_is_negative_is_small(
    shape: tuple[int, ...], values: list[int], threshold: float
) -> None:
    table = np.array(values[: int(np.prod(shape))], np.float64).reshape(shape)
    found = ripple(table, threshold)
    assert found.sum() == pytest.approx(table.sum())
    if table.sum() >= 0:
        assert found.min() >= -threshold
    else:
        assert found.tolist() == table.tolist()


def test_what_is_not_negative_is_left_alone() -> None:
    for table in (np.array([3.0, -0.5, 0.0]), np.array([[-7.0]]), np.array(4.0)):
        assert ripple(table, 0.5).tolist() == table.tolist()
