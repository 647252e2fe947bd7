"""Linear equations over the rationals."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from audit.auditors.components.linear import dot, rank, solve

NUMBERS = st.integers(-3, 3).map(Fraction)
MATRICES = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(NUMBERS, min_size=width, max_size=width), min_size=1, max_size=4
    )
)


@given(MATRICES, st.data())
def test_a_system_that_has_a_solution_is_solved(rows, data):
    x = data.draw(st.lists(NUMBERS, min_size=len(rows[0]), max_size=len(rows[0])))
    right = [dot(row, x) for row in rows]
    found = solve(rows, right)
    assert found is not None
    assert [dot(row, found) for row in rows] == right
    if rank(rows) == len(x):
        assert found == x


def test_a_contradiction_has_none():
    one = Fraction(1)
    assert solve([[one], [one]], [one, 2 * one]) is None
    assert rank([[one, one], [2 * one, 2 * one]]) == 1
