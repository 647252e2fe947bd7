"""Multiplicative weights on tables of a few cells."""

from __future__ import annotations

import numpy as np
import pytest

from synthesizers.estimation.multiplicative_weights import reweight


def test_one_update_by_hand() -> None:
    # The part holds 4 of 8 and is to hold 6: times exp(2/16), then all back to 8.
    moved = reweight(np.ones((2, 2)), [((0, slice(None)), 6.0)], 8.0, 1)
    factor = np.exp(1 / 8)
    assert moved == pytest.approx(np.array([[factor] * 2, [1, 1]]) * 8 / (2 + 2 * factor))


def test_many_passes_meet_consistent_counts() -> None:
    start = np.ones((2, 2))
    moved = reweight(start, [((0, slice(None)), 6.0), ((slice(None), 1), 1.0)], 8.0, 100)
    assert moved.sum() == pytest.approx(8)
    assert moved[0].sum() == pytest.approx(6, abs=1e-3)
    assert moved[:, 1].sum() == pytest.approx(1, abs=1e-2)
    assert start.tolist() == [[1, 1], [1, 1]]
