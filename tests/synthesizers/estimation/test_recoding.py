"""Recoding by noisy counts, and back."""

from __future__ import annotations

import numpy as np
import pytest

from synthesizers.estimation.recoding import Recoding


@pytest.mark.parametrize(
    ("counts", "drop", "groups"),
    [
        ([9, 2, 5, 1], False, (0, 2, 1, 2)),
        # 3 in all is below the threshold of 4.
        ([9, 2, 5, 1], True, (0, -1, 1, -1)),
        # 4 in all reaches it.
        ([9, 2, 5, 2], True, (0, 2, 1, 2)),
        ([4, 4], True, (0, 1)),
        ([1, 2, -7], True, (0, 0, 0)),
        ([9, -3, -2], True, (0, -1, -1)),
        ([9, -3, -2], False, (0, 1, 1)),
    ],
)
def test_groups(counts: list[float], drop: bool, groups: tuple[int, ...]) -> None:
    recoding = Recoding.of(np.array(counts, float), 4.0, drop=drop)
    assert recoding.groups == groups
    assert recoding.size == max(groups) + 1


def test_counts_are_summed_by_group() -> None:
    recoding = Recoding((0, 2, 1, 2, -1))
    assert recoding.grouped(np.array([1.0, 2, 3, 4, 50])).tolist() == [1, 3, 6]
    assert Recoding.identity(3).groups == (0, 1, 2)


def test_groups_are_undone_in_proportion_to_positive_counts() -> None:
    recoding = Recoding((0, 1, 1, 1, -1))
    values = np.repeat([0, 1], [10, 3000])
    codes = recoding.undone(values, np.array([9.0, 2, 1, -4, 8]), np.random.default_rng(0))
    found = np.bincount(codes, minlength=5)
    # Binomial(3000, 2/3): 130 or more from 2000 with chance below 1e-6 (Hoeffding: 2e^(-11.2)).
    assert found[0] == 10 and found[3] == found[4] == 0
    assert abs(found[1] - 2000) < 130


def test_a_group_of_no_counts_takes_its_codes_as_equal() -> None:
    codes = Recoding((0, 0)).undone(
        np.zeros(400, int), np.array([-1.0, 0]), np.random.default_rng(0)
    )
    # Binomial(400, 1/2): 80 or more from 200 with chance below 1e-13 (Hoeffding).
    assert abs(codes.sum() - 200) < 80
