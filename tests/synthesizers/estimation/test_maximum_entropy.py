"""Iterative proportional fitting: marginals, independence, tables that do not agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.estimation.maximum_entropy import maximum_entropy

COUNTS = st.lists(st.integers(0, 20), min_size=12, max_size=12).filter(any)


@given(COUNTS)
def test_the_marginals_are_those_given_and_the_rest_is_independent(counts: list[int]) -> None:
    whole = np.array(counts, np.float64).reshape(2, 3, 2)
    first, second = whole.sum(axis=2), whole.sum(axis=0)
    found = maximum_entropy((2, 3, 2), [((0, 1), first), ((2, 1), second.T)], 50)
    assert found.sum(axis=2) == pytest.approx(first)
    assert found.sum(axis=0) == pytest.approx(second)
    # Largest entropy: given what is shared, the two are independent.
    shared = whole.sum(axis=(0, 2))
    wanted = np.divide(
        first[:, :, None] * second[None, :, :],
        shared[None, :, None],
        out=np.zeros_like(whole),
        where=shared[None, :, None] > 0,
    )
    assert found == pytest.approx(wanted)


def test_a_cycle_of_pairs_is_fitted() -> None:
    whole = np.array([[[9.0, 1], [2, 3]], [[4, 4], [1, 8]]])
    pairs = [((0, 1), whole.sum(2)), ((1, 2), whole.sum(0)), ((0, 2), whole.sum(1))]
    found = maximum_entropy((2, 2, 2), pairs, 1000)
    for (axes, counts), gone in zip(pairs, (2, 0, 1), strict=True):
        assert found.sum(axis=gone) == pytest.approx(counts, abs=1e-6), axes
    # No interaction of three (Deming & Stephan's fit keeps the start's, which is none).
    odds = found[0] / found[1]
    assert odds[0, 0] * odds[1, 1] == pytest.approx(odds[0, 1] * odds[1, 0], rel=1e-4)


def test_nothing_known_is_spread_evenly() -> None:
    assert maximum_entropy((2, 2), [], 5).tolist() == [[0.25, 0.25], [0.25, 0.25]]
    assert maximum_entropy((2, 2), [((1,), np.array([6.0, 2.0]))], 5).tolist() == [[3, 1], [3, 1]]


def test_negative_counts_and_other_totals_are_brought_in() -> None:
    ones = ((0,), np.array([4.0, -4.0])), ((1,), np.array([1.0, 1.0]))
    assert maximum_entropy((2, 2), ones, 5).tolist() == [[2, 2], [0, 0]]
    for empty in ((0.0, 0.0), (-1.0, 0.0)):
        given_ = [((0,), np.array([4.0, 1.0])), ((1,), np.array(empty))]
        assert not maximum_entropy((2, 2), given_, 5).any()
        assert not maximum_entropy((2, 2), given_[::-1], 5).any()
