"""Covering designs: every set is covered, the limits hold, the paper's example."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.estimation.covering import covering_design


def test_three_views_cover_all_pairs_of_twelve_attributes() -> None:
    # Example 1 of Li, Zhang & Wang 2021, section 3.2.
    assert covering_design([2] * 12, 2, 8, 256) == [
        (0, 1, 2, 3, 4, 5, 6, 7),
        (0, 1, 2, 3, 8, 9, 10, 11),
        (4, 5, 6, 7, 8, 9, 10, 11),
    ]


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=9),
    st.integers(1, 3),
    st.integers(1, 6),
    st.sampled_from([1, 8, 60, 1000]),
)
def test_every_set_is_covered_within_the_limits(
    sizes: list[int], strength: int, length: int, cells: int
) -> None:
    blocks = covering_design(sizes, strength, length, cells)
    strength = min(strength, len(sizes))
    sets = [set(chosen) for chosen in combinations(range(len(sizes)), strength)]
    assert all(any(chosen <= set(block) for block in blocks) for chosen in sets)
    for block in blocks:
        assert list(block) == sorted(set(block))
        assert len(block) <= max(length, strength)
        held = math.prod(sizes[position] for position in block)
        assert held <= cells or len(block) == strength
        # Each is needed: some set lies in no other.
        others = [set(other) for other in blocks if other != block]
        assert any(
            chosen <= set(block) and not any(chosen <= other for other in others) for chosen in sets
        )


@pytest.mark.parametrize(("width", "strength", "most"), [(16, 2, 6), (30, 2, 26), (16, 3, 20)])
def test_the_greedy_design_stays_as_small_as_it_was(width: int, strength: int, most: int) -> None:
    assert len(covering_design([2] * width, strength, 8, 256)) <= most


def test_one_block_holds_all_that_fits() -> None:
    assert covering_design([2, 2, 2], 2, 8, 8) == [(0, 1, 2)]
    assert covering_design([5], 2, 8, 1) == [(0,)]
