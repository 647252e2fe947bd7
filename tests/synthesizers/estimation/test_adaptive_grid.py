"""AdaGrid's queries: against sparse matrices of the write-up, and the norm of every column."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.estimation.adaptive_grid import Below, Grid, grid, least_plausible, lightest
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.queries import LinearQueries, Marginal

FloatArray = NDArray[np.float64]


def _pattern(asked: Grid, bits: int) -> Below:
    """The fine cells of a grid that are plausible: those of the bits that are set."""
    chosen = np.array([bool(bits >> cell & 1) for cell in range(len(asked.fine))])
    return Below(asked, asked.fine & chosen)


def _dense(asked: Grid) -> FloatArray:
    """The queries in units, [answers, cells]; the whole marginal too."""
    if asked.matrix is None:
        return np.eye(len(asked.fine))
    return asked.matrix.toarray()


def _slow(domain: Domain, asked: Grid, below: list[Below], unit: int) -> FloatArray:
    """The matrix of the write-up, cell by cell: fine rows, and each sub-marginal's on the rest.

    Its rows without a cell are left out; the root is rounded as ours is.
    """
    names = asked.attributes
    codes = domain.project(names).codes()

    def place(member: Below, cell: int) -> int:
        axes = [names.index(name) for name in member.grid.attributes]
        part = domain.project(member.grid.attributes)
        return int(part.cells_of(codes[cell : cell + 1, axes])[0])

    cells = range(len(codes))
    fine = [all(m.plausible[place(m, cell)] for m in below) for cell in cells]
    rows = [[float(other == cell) for other in cells] for cell in cells if fine[cell]]
    for member in below:
        for row in _dense(member.grid):
            lighter = [
                0.0 if fine[cell] else
                math.floor(round(row[place(member, cell)] * unit) / math.sqrt(len(below)) + 1e-9)
                / unit
                for cell in cells
            ]  # fmt: skip
            if any(lighter):
                rows.append(lighter)
    return np.array(rows)


def _same_rows(found: FloatArray, wanted: FloatArray) -> bool:
    return sorted(map(tuple, found.round(12))) == sorted(map(tuple, wanted.round(12)))


@given(st.data())
def test_a_pair_is_the_matrix_of_the_write_up_and_no_column_is_longer_than_1(
    data: st.DataObject,
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=2))
    unit = data.draw(st.integers(2, 3000))
    domain = Domain.from_cells("x".join(map(str, sizes)))
    below = [
        _pattern(grid(domain, (name,), [], unit), data.draw(st.integers(0, 2**size - 1)))
        for name, size in zip(domain.names, sizes, strict=True)
    ]
    asked = grid(domain, domain.names, below, unit)
    _require_norms(domain, asked)
    assert _same_rows(_dense(asked), _slow(domain, asked, below, unit))


@given(st.data())
def test_grids_on_grids_with_a_target_keep_their_norms_for_every_pattern(
    data: st.DataObject,
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=3, max_size=3))
    unit = data.draw(st.integers(4, 3000))
    domain = Domain.from_cells("x".join(map(str, sizes)))
    bits = st.integers(0, 2**9 - 1)
    ones = {
        name: _pattern(grid(domain, (name,), [], unit), data.draw(bits)) for name in domain.names
    }
    pairs = []
    for free in ("a1", "a3"):
        asked = grid(domain, (free, "a2"), [ones[free], ones["a2"]], unit)
        _require_norms(domain, asked)
        pairs.append(_pattern(asked, data.draw(bits)))
    asked = grid(domain, domain.names, pairs, unit)
    _require_norms(domain, asked)
    assert _same_rows(_dense(asked), _slow(domain, asked, pairs, unit))


def _require_norms(domain: Domain, asked: Grid) -> None:
    matrix = _dense(asked)
    assert (matrix != 0).any(axis=1).all()
    norms = (matrix**2).sum(axis=0)
    assert norms.max() <= 1 + 1e-12
    # What is asked says so itself, in whole numbers, and has the columns of the matrix.
    query = asked.query
    m = 3
    sensitivity = query.sensitivity(domain, AddRemove(Unit("person", m)))
    assert sensitivity.l2_squared <= (m * asked.weight) ** 2
    assert sensitivity.l2_squared == round(norms.max() * (m * asked.weight) ** 2)
    every = domain.codes()
    answers = query.answers(domain, every, np.eye(len(every), dtype=np.int64))
    part = domain.project(asked.attributes)
    axes = [domain.names.index(name) for name in asked.attributes]
    assert (answers == (matrix * asked.weight).round().T[part.cells_of(every[:, axes])]).all()


def test_a_pair_by_hand() -> None:
    # Of 2 x 2 cells, with the second value of each attribute not plausible: one fine cell, and each
    # attribute's counts on the other three. 7 over the root of 2 is 4.95, rounded down to 4.
    domain = Domain.from_cells("2x2")
    below = [_pattern(grid(domain, (name,), [], 7), 0b01) for name in domain.names]
    asked = grid(domain, ("a1", "a2"), below, 7)
    assert asked.fine.tolist() == [True, False, False, False]
    assert isinstance(asked.query, LinearQueries) and asked.weight == 7
    # Answers: the fine cell; a1 = 0 and a1 = 1 on the rest; a2 = 0 and a2 = 1 on the rest.
    wanted = [[7, 0, 0, 0], [0, 4, 0, 0], [0, 0, 4, 4], [0, 0, 4, 0], [0, 4, 0, 4]]
    assert (_dense(asked) * 7).round(9).tolist() == wanted
    sensitivity = asked.query.sensitivity(domain, AddRemove())
    assert sensitivity.l2_squared == 49
    assert asked.query.sensitivity(domain, ReplaceOne()).l2_squared == 2 * 49
    assert asked.plausible(np.array([5, 9, 9, 9, 9]), 5).tolist() == [True, False, False, False]
    assert not asked.plausible(np.array([4, 9, 9, 9, 9]), 5).any()


def test_all_plausible_is_the_marginal_and_none_is_sums_alone() -> None:
    domain = Domain.from_cells("3x2")
    ones = [grid(domain, (name,), [], 16) for name in domain.names]
    assert [one.query for one in ones] == [Marginal(("a1",)), Marginal(("a2",))]
    assert [one.matrix for one in ones] == [None, None]
    whole = grid(domain, ("a2", "a1"), [_pattern(one, 0b111) for one in ones], 16)
    assert whole.query == Marginal(("a1", "a2")) and whole.weight == 1
    sums = grid(domain, ("a1", "a2"), [_pattern(one, 0) for one in ones], 16)
    assert not sums.fine.any() and sums.query.size(domain) == 5
    assert not sums.plausible(np.full(5, 99), 0).any()
    # Only a1's value 1 is plausible, and all of a2: cells 2 and 3 are fine.
    some = grid(domain, ("a1", "a2"), [_pattern(ones[0], 0b010), _pattern(ones[1], 0b11)], 16)
    assert np.flatnonzero(some.fine).tolist() == [2, 3]
    assert some.plausible(np.array([3, 8, 0, 0, 0, 0]), 4).tolist() == [0, 0, 0, 1, 0, 0]


def test_every_pattern_of_two_by_three_keeps_its_norms() -> None:
    domain = Domain.from_cells("2x3")
    for first, second in itertools.product(range(4), range(8)):
        below = [
            _pattern(grid(domain, ("a1",), [], 1024), first),
            _pattern(grid(domain, ("a2",), [], 1024), second),
        ]
        _require_norms(domain, grid(domain, domain.names, below, 1024))


@pytest.mark.parametrize("threshold", ["0", "1/2", "1", "5", "7/3"])
@pytest.mark.parametrize("variance", ["1/9", "1", "2", "400", "1000/7"])
def test_plausible_is_at_least_the_threshold(threshold: str, variance: str) -> None:
    times, square = Fraction(threshold), Fraction(variance)
    least = least_plausible(times, square)
    assert least >= 0 and least**2 >= times**2 * square
    assert least == 0 or (least - 1) ** 2 < times**2 * square


def test_what_is_left_of_a_unit() -> None:
    # 1024 / root 2 = 724.08; 724 / root 2 = 511.9; 2 / root 2 = 1.4, and 1 / root 2 is nothing.
    assert lightest(1024, [2]) == 724
    assert lightest(1024, [2, 2]) == 511
    assert lightest(2, [2]) == 1
    assert lightest(2, [2, 2]) == 0
    domain = Domain.from_cells("2x2")
    below = [_pattern(grid(domain, (name,), [], 1), 0) for name in domain.names]
    with pytest.raises(InputError, match="weight of a layer"):
        _ = grid(domain, domain.names, below, 1).query
