"""Targets, columns to begin with, and rows drawn by cell."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from synthesizers.estimation.record_targets import (
    RecordTarget,
    copy_rows,
    independent_columns,
    rows_of_cells,
    whole_amounts,
)


def test_a_target_counts_as_the_table_says_and_writes_its_columns_alone() -> None:
    target = RecordTarget.of((2, 0), np.array([[1.0, 3, -2], [0, 2, 2]]), 8)
    assert target.counts.tolist() == [1, 3, 0, 0, 2, 2]
    codes = np.array([[0, 7, 0], [1, 8, 0], [2, 9, 1]], np.int32, order="F")
    assert target.cells(codes).tolist() == [0, 1, 5]
    assert target.distance(codes) == pytest.approx((0 + 2 + 0 + 0 + 2 + 1) / 3)
    target.write(codes, np.array([0, 2]), np.array([5, 1]))
    assert codes.tolist() == [[2, 7, 1], [1, 8, 0], [1, 9, 0]]
    copy_rows(codes, np.array([1]), np.array([0]))
    assert codes.tolist() == [[2, 7, 1], [2, 7, 1], [1, 9, 0]]


def test_a_table_without_counts_is_taken_as_equal() -> None:
    assert RecordTarget.of((0,), np.array([-1.0, 0]), 4).counts.tolist() == [2, 2]
    assert RecordTarget.of((0,), np.array([1.0, 1]), 0).counts.tolist() == [0, 0]


def test_columns_follow_their_tables() -> None:
    tables = [np.array([1.0, 3]), np.array([2.0, 1, 1])]
    codes = independent_columns(tables, 400, np.random.default_rng(0))
    assert np.bincount(codes[:, 0]).tolist() == [100, 300]
    assert np.bincount(codes[:, 1]).tolist() == [200, 100, 100]
    both = ((codes[:, 0] == 0) & (codes[:, 1] == 0)).sum()
    # Hypergeometric of mean 50: Hoeffding 2·exp(-2·25²/100) is below 1e-5 at 25.
    assert 25 < both < 75


def test_amounts_are_rounded_down_or_up_and_their_sum_is_kept() -> None:
    amounts = np.array([0.0, 0.3, 2.0, 0.0, 1.7, 0.5, 0.5, 0.0])
    random = np.random.default_rng(0)
    drawn = np.array([whole_amounts(amounts, random) for _ in range(4000)])
    assert (drawn.sum(axis=1) == 5).all()
    assert (drawn >= np.floor(amounts)).all() and (drawn <= np.ceil(amounts)).all()
    # Hoeffding and a union bound over 8: off by 0.06 with chance below 1e-11.
    assert np.abs(drawn.mean(axis=0) - amounts).max() < 0.06


def test_rows_are_drawn_from_their_cells_uniformly_without_replacement() -> None:
    cells = np.array([2, 0, 2, 1, 2, 0], np.int32)
    held, wanted = np.array([2, 1, 3, 0]), np.array([1, 0, 2, 0])
    random = np.random.default_rng(0)
    seen = Counter(tuple(rows_of_cells(cells, held, wanted, random).tolist()) for _ in range(6000))
    # Every ordered choice: 2 of cell 0, then 3·2 of cell 2.
    assert set(seen) == {(a, b, c) for a in (1, 5) for b in (0, 2, 4) for c in (0, 2, 4) if b != c}
    # Each 500 on average: 5.5 sd (118) off with chance below 1e-5 over the 12 (Bernstein).
    assert max(abs(count - 500) for count in seen.values()) < 118


def test_many_rows_are_drawn_as_wanted() -> None:
    random = np.random.default_rng(0)
    cells = random.integers(0, 5, 5000).astype(np.int32)
    held = np.bincount(cells, minlength=5)
    wanted = np.array([0, 10, 700, held[3], 1])
    rows = rows_of_cells(cells, held, wanted, random)
    assert len(set(rows.tolist())) == len(rows)
    assert cells[rows].tolist() == np.repeat(np.arange(5), wanted).tolist()
