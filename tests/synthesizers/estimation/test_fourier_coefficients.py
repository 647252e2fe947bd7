"""Fourier coefficients of binary attributes: closures, characters, marginals, nearest tables."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthesizers.estimation.fourier import (
    characters,
    downward_closure,
    marginal_of,
    nearest_table,
)

PAIRS = list(combinations(range(3), 2))
TABLES = st.lists(st.integers(0, 30), min_size=8, max_size=8)


def coefficients_of(table: list[int]) -> dict[tuple[int, ...], float]:
    """By the definition, cell by cell."""
    found = {}
    for members in downward_closure([(0, 1, 2)]):
        found[members] = float(sum(
            count * (-1) ** sum(cell[position] for position in members)
            for cell, count in zip(product((0, 1), repeat=3), table, strict=True)
        ))  # fmt: skip
    return found


def test_the_closure_holds_all_subsets_small_before_large() -> None:
    assert downward_closure([(0, 2), (1,)]) == ((), (0,), (1,), (2,), (0, 2))
    # All pairs of three attributes: 1 + 3 + 3 coefficients.
    assert len(downward_closure(PAIRS)) == 7
    assert downward_closure([(1, 0)]) == downward_closure([(0, 1)])


def test_characters_are_signs_of_parities() -> None:
    assert characters([(), (0,), (1,), (0, 1)], 2).tolist() == [
        [1, 1, 1, 1],
        [1, 1, -1, -1],
        [1, -1, 1, -1],
        [1, -1, -1, 1],
    ]


@given(TABLES)
def test_marginals_are_found_again(table: list[int]) -> None:
    whole = np.array(table, np.float64).reshape(2, 2, 2)
    coefficients = coefficients_of(table)
    for names in downward_closure([(0, 1, 2)]):
        gone = tuple(axis for axis in range(3) if axis not in names)
        wanted = whole.sum(axis=gone).ravel()
        assert marginal_of(coefficients, names) == pytest.approx(wanted)


@settings(deadline=None, max_examples=40)
@given(TABLES, st.lists(st.integers(-20, 20), min_size=7, max_size=7), st.booleans())
def test_a_table_is_within_twice_the_largest_error(
    table: list[int], noise: list[int], exact: bool
) -> None:
    true = coefficients_of(table)
    sets = downward_closure(PAIRS)
    if exact:
        noise[0] = 0
    noisy = {members: true[members] + z for members, z in zip(sets, noise, strict=True)}
    found = nearest_table(noisy, 3, exact)
    assert found.min() >= 0
    largest = max(map(abs, noise))
    own = dict(zip(sets, characters(sets, 3) @ found, strict=True))
    assert all(abs(own[b] - noisy[b]) <= largest + 1e-6 for b in sets)
    assert all(abs(own[b] - true[b]) <= 2 * largest + 1e-6 for b in sets)
    if exact:
        assert own[()] == pytest.approx(true[()], abs=1e-6)


def test_the_largest_difference_is_the_least_possible() -> None:
    # x0 + x1 = 4 and x0 - x1 = 10: with x1 = 0 and x0 = 7 both are missed by 3, never by less.
    found = nearest_table({(): 4.0, (0,): 10.0}, 1, exact=False)
    assert found == pytest.approx([7, 0])
    assert nearest_table({(): 4.0, (0,): 10.0}, 1, exact=True) == pytest.approx([4, 0])
    assert nearest_table({(): -5.0, (0,): 0.0}, 1, exact=False) == pytest.approx([0, 0])


def test_coefficients_of_any_size_have_a_table() -> None:
    for scale in (1e-3, 1.0, 1e12):
        given_ = {(): 4 * scale, (0,): 10 * scale}
        assert nearest_table(given_, 1, exact=False) == pytest.approx([7 * scale, 0])
