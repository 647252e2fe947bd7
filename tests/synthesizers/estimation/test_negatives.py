"""Norm-sub and norm-cut against hand computations, and what both keep."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from synthesizers.estimation.negatives import FloatArray, cut_norm, norm_sub

COUNTS = arrays(np.float64, (3, 2), elements=st.floats(-50, 50, width=32))


def test_norm_cut_by_hand() -> None:
    # 5 owed: 1 and 3 go whole, 1 of the boundary's 4 as well.
    assert cut_norm(np.array([-5.0, 4, 1, 10, 3])).tolist() == [0, 3, 0, 10, 0]
    # Equal counts: the first cell is cut first.
    assert cut_norm(np.array([2.0, 2, -1])).tolist() == [1, 2, 0]


def test_norm_sub_by_hand() -> None:
    # 13 are kept: 10 - 5/3, 4 - 5/3, 3 - 5/3 would leave 1 - 5/3 negative, so three share.
    found = norm_sub(np.array([-5.0, 4, 1, 10, 3]))
    assert found.tolist() == pytest.approx([0, 4 - 4 / 3, 0, 10 - 4 / 3, 3 - 4 / 3])


@pytest.mark.parametrize("way", [cut_norm, norm_sub])
@given(counts=COUNTS)
def test_the_total_is_kept_and_nothing_is_negative(
    way: Callable[[FloatArray], FloatArray], counts: FloatArray
) -> None:
    found = way(counts)
    assert found.shape == counts.shape and found.min() >= 0
    assert found.sum() == pytest.approx(max(counts.sum(), 0), abs=1e-6)
    if counts.min() >= 0:
        assert found == pytest.approx(counts)


@given(counts=COUNTS)
def test_norm_cut_changes_the_smallest_counts_alone(counts: FloatArray) -> None:
    found = cut_norm(counts)
    cut = (found < counts - 1e-9) & (counts > 0)
    kept = found[(found > 0) & ~cut]
    partly = cut & (found > 0)
    assert partly.sum() <= 1
    if cut.any() and kept.size:
        assert counts[cut].max() <= kept.min() + 1e-9
