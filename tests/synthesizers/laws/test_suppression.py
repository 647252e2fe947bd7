"""Cell suppression against a slow version in dictionaries, and examples by hand."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.errors import InputError
from synthesizers.laws.suppression import SUPPRESSED, CellSuppression
from synthesizers.neighbours import AddRemove, databases

Shape = tuple[int, ...]


def lines(shape: Shape) -> list[list[Shape]]:
    """Every line of two or more cells, attribute by attribute."""
    found = []
    for axis, size in enumerate(shape):
        others = [range(n) for place, n in enumerate(shape) if place != axis]
        for fixed in itertools.product(*others):
            line = [(*fixed[:axis], code, *fixed[axis:]) for code in range(size)]
            if size > 1:
                found.append(line)
    return found


def slowly(counts: tuple[int, ...], shape: Shape, threshold: int, complementary: bool) -> list[int]:
    """The rule read aloud: line after line, until a whole round changes nothing."""
    cells = list(itertools.product(*map(range, shape)))
    table = dict(zip(cells, counts, strict=True))
    hidden = {cell for cell in cells if 0 < table[cell] < threshold}
    changed = complementary
    while changed:
        changed = False
        for line in lines(shape):
            if sum(cell in hidden for cell in line) == 1:
                open_cells = [cell for cell in line if cell not in hidden]
                positive = [cell for cell in open_cells if table[cell] > 0]
                # min returns the first of equals, and a line is in the order of the cells.
                hidden.add(min(positive or open_cells, key=table.__getitem__))
                changed = True
    return [SUPPRESSED if cell in hidden else table[cell] for cell in cells]


@pytest.mark.parametrize(
    ("shape", "records"),
    [((1,), 4), ((2,), 5), ((4,), 5), ((2, 2), 5), ((2, 3), 4), ((3, 1), 4), ((2, 2, 2), 4),
     ((1, 1, 1), 3)],
)  # fmt: skip
@pytest.mark.parametrize("threshold", [1, 2, 3])
@pytest.mark.parametrize("complementary", [True, False])
def test_every_small_table(shape: Shape, records: int, threshold: int, complementary: bool) -> None:
    law = CellSuppression(shape, threshold, complementary)
    for row in databases(AddRemove(), math.prod(shape), records):
        wanted = slowly(tuple(row.tolist()), shape, threshold, complementary)
        assert law.image(row).tolist() == wanted


@given(st.data())
def test_larger_tables(data: Any) -> None:
    shape = data.draw(st.sampled_from([(5,), (3, 4), (4, 4), (2, 3, 3), (2, 2, 2, 2)]))
    counts = data.draw(
        st.lists(st.integers(0, 9), min_size=math.prod(shape), max_size=math.prod(shape))
    )
    threshold = data.draw(st.integers(1, 6))
    shown = CellSuppression(shape, threshold).image(np.array(counts))
    assert shown.tolist() == slowly(tuple(counts), shape, threshold, True)
    assert all(s in (c, SUPPRESSED) for s, c in zip(shown.tolist(), counts, strict=True))
    assert not any(0 < count < threshold for count in shown.tolist())
    table = shown.reshape(shape)
    for line in lines(shape):
        assert sum(table[cell] == SUPPRESSED for cell in line) != 1


X = SUPPRESSED


@pytest.mark.parametrize(
    ("shape", "threshold", "counts", "shown"),
    [
        # One small count: the smallest other goes with it, not the zero.
        ((4,), 3, (2, 9, 0, 5), (X, 9, 0, X)),
        # Of two equals the first.
        ((4,), 3, (2, 5, 0, 5), (X, X, 0, 5)),
        # Two small counts hide each other.
        ((4,), 3, (2, 5, 1, 5), (X, 5, X, 5)),
        # A zero where there is nothing else.
        ((3,), 3, (0, 2, 0), (X, X, 0)),
        # A rectangle: the row's partner, then the column's, then theirs.
        ((2, 2), 3, (1, 7, 8, 9), (X, X, X, X)),
        ((3, 3), 3, (1, 7, 8, 9, 6, 5, 4, 3, 7), (X, X, 8, 9, 6, 5, X, X, 7)),
        # Nothing to go with it: no other cell, or an attribute of one value.
        ((1,), 3, (2,), (X,)),
        ((1, 3), 3, (2, 6, 7), (X, X, 7)),
        # Nothing is small: nothing is hidden.
        ((2, 2), 3, (0, 3, 3, 0), (0, 3, 3, 0)),
        ((2, 2), 1, (0, 1, 1, 0), (0, 1, 1, 0)),
        ((2, 2), 5, (0, 0, 0, 0), (0, 0, 0, 0)),
    ],
)  # fmt: skip
def test_by_hand(
    shape: Shape, threshold: int, counts: tuple[int, ...], shown: tuple[int, ...]
) -> None:
    assert tuple(CellSuppression(shape, threshold).image(np.array(counts)).tolist()) == shown


def test_several_totals_together_may_still_tell_a_cell() -> None:
    """What the card warns of: no line has one suppressed cell alone, and yet one follows.

    Rows 0 and 1 less columns 0 and 1 leave the cell (0, 2), and nothing else unknown.
    """
    table = np.full((4, 4), 8)
    for cell in ((0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 3), (3, 2), (3, 3), (0, 2)):
        table[cell] = 2
    shown = CellSuppression((4, 4), 3).image(table.ravel()).reshape(4, 4)
    hidden = shown == SUPPRESSED
    assert hidden.sum() == 9
    known = np.where(hidden, 0, table)
    rows, columns = (table - known).sum(axis=1), (table - known).sum(axis=0)
    assert rows[:2].sum() - columns[:2].sum() == table[0, 2] == 2


def test_ranks_are_not_overtaken_by_large_counts() -> None:
    counts = np.array([1, 2**62, 2**61, 0])
    assert CellSuppression((4,), 2).image(counts).tolist() == [X, 2**62, X, 0]


@pytest.mark.parametrize(
    ("shape", "threshold", "words"),
    [
        ((2, 2), 0, "at least 1"),
        ((2, 2), -1, "nonnegative"),
        ((2, 2), 1.5, "nonnegative integer"),
        ((), 2, "shape"),
        ((0,), 2, "shape"),
    ],
)
def test_parameters_are_checked(shape: Any, threshold: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        CellSuppression(shape, threshold)


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(InputError, match="4 cells"):
        CellSuppression((2, 2), 2).image(np.zeros(5, np.int64))
