from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.metrics.mgd.matrix import aemc_of_matrix
from synthesizers.errors import InputError
from tests.audit.metrics.mgd.exact_plans import least_cost


@st.composite
def _matrices(draw: st.DrawFn) -> tuple[list[list[Any]], list[int], list[int], Fraction]:
    cells = draw(st.integers(1, 5))
    entry = st.one_of(st.just("infinite"), st.fractions(0, 1, max_denominator=6), st.integers(0, 1))
    rows = [[0 if i == j else draw(entry) for j in range(cells)] for i in range(cells)]
    counts = st.lists(st.integers(0, 9), min_size=cells, max_size=cells)
    tolerance = draw(st.fractions(0, 4, max_denominator=3))
    return rows, draw(counts), draw(counts), tolerance


@given(_matrices())
@settings(max_examples=100)
def test_any_matrix_is_solved_exactly(
    case: tuple[list[list[Any]], list[int], list[int], Fraction],
) -> None:
    rows, synthetic, real, tolerance = case
    unit, scale = 60, tolerance.denominator
    distances = {
        (i, j): int(entry * unit)
        for i, row in enumerate(rows)
        for j, entry in enumerate(row)
        if entry != "infinite"
    }
    tables = [[count * scale for count in table] for table in (synthetic, real)]
    cost = least_cost(distances, *tables, int(tolerance * scale), unit)
    found = aemc_of_matrix(rows, np.array(synthetic), np.array(real), tolerance)
    if sum(real):
        assert found == Fraction(cost, unit * scale * sum(real))
    else:
        assert found == (None if cost else 0)


def test_a_way_round_may_be_cheaper_than_the_direct_one_and_is_not_taken() -> None:
    # From the first cell to the last: 1 directly, 1/10 + 1/10 over the middle one, which no
    # single record is moved along. One way only: the matrix is not symmetric.
    tenth = Fraction(1, 10)
    rows = [[0, tenth, 1], ["infinite", 0, tenth], ["infinite", "infinite", 0]]
    counts = np.array([1, 0, 0]), np.array([0, 0, 1])
    assert aemc_of_matrix(rows, *counts) == 1
    assert aemc_of_matrix(rows, counts[1], counts[0]) == 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1]], "one row and one column"),
        ([[0, 1], [1]], "one row and one column"),
        ([[0, 0.5], [1, 0]], "exact"),
        ([[0, 2], [1, 0]], "from 0 to 1"),
        ([[0, -1], [1, 0]], "from 0 to 1"),
        ([[1, 1], [1, 0]], "diagonal"),
        ([["infinite", 1], [1, 0]], "diagonal"),
    ],
)
def test_what_is_no_distance_matrix_is_refused(rows: list[list[Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        aemc_of_matrix(rows, np.array([1, 2]), np.array([2, 1]))


def test_a_tolerance_that_is_not_exact_or_negative_is_refused() -> None:
    for tolerance in (0.5, -1):
        with pytest.raises(InputError):
            aemc_of_matrix([[0]], np.array([1]), np.array([1]), tolerance)  # type: ignore[arg-type]
