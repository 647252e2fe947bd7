"""Compression: rare values are merged by noisy counts alone, and spread evenly."""

from __future__ import annotations

import numpy as np
import pytest

from synthesizers.estimation.compression import Compression, compression_of
from synthesizers.estimation.models import NoisyMarginal

MERGED = Compression({"a": (0, 2, 1, 2), "b": (0, 1)})


def test_values_below_three_deviations_are_merged() -> None:
    # σ = 2, so that 6 is kept and 5.9 is not.
    histograms = [
        NoisyMarginal(("a",), np.array([6.0, 5.9, 40.0, -3.0]), 4.0),
        NoisyMarginal(("b",), np.array([6.0, 7.0]), 4.0),
        NoisyMarginal(("c",), np.array([1.0, 2.0]), 4.0),
    ]
    found = compression_of(histograms, 3)
    assert found.groups == {"a": (0, 2, 1, 2), "b": (0, 1), "c": (0, 0)}
    assert found.shape == {"a": 3, "b": 2, "c": 1}
    assert compression_of(histograms, 3, ("a",)).groups["a"] == (0, 1, 2, 3)


def test_one_rare_value_changes_places() -> None:
    one = NoisyMarginal(("a",), np.array([9.0, 1.0, 8.0]), 1.0)
    merged = compression_of([one], 3).merge_codes(one)
    assert merged.matrix is None
    assert merged.counts.tolist() == [9.0, 8.0, 1.0]


def test_a_merged_sum_keeps_the_variance_of_one_value() -> None:
    merged = MERGED.merge_codes(NoisyMarginal(("a",), np.array([10.0, 1.0, 20.0, 3.0]), 4.0))
    assert merged.matrix is not None
    assert merged.variance == 4.0
    assert merged.counts == pytest.approx([10, 20, 4 / np.sqrt(2)])
    assert merged.matrix @ np.array([10.0, 20.0, 4.0]) == pytest.approx(merged.counts)


def test_the_question_is_recoded() -> None:
    query = MERGED.marginal(("b", "a"))
    assert query.groups == ((0, 1), (0, 2, 1, 2)) and query.shape == (2, 3)


def test_a_table_is_spread_evenly() -> None:
    table = MERGED.spread_table(np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])).reshape(4, 2)
    assert table.tolist() == [[1, 2], [3, 4], [3, 4], [3, 4]]
    assert MERGED.spread_table(np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])).sum() == 24


def test_records_are_spread_evenly() -> None:
    # 2000 fair coins within 6 standard deviations: chance of failing below 1e-8.
    codes = np.array([[2, 1]] * 2000 + [[0, 0], [1, 1]])
    spread = MERGED.spread_records(codes, np.random.default_rng(3))
    assert set(spread[:2000, 0].tolist()) == {1, 3}
    assert abs((spread[:2000, 0] == 1).sum() - 1000) < 6 * np.sqrt(500)
    assert spread[2000:].tolist() == [[0, 0], [2, 1]] and (spread[:2000, 1] == 1).all()
