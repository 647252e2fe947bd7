"""Counting against a loop over the records, dense and sparse, and sums of counts."""

from __future__ import annotations

from functools import reduce
from itertools import combinations, pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.utility.counts import (
    MOST_DENSE_CELLS,
    Counts,
    count_records,
    is_dense,
    l1,
    marginal_shape,
    most_bytes,
    no_counts,
    nonempty,
    order_attributes,
    union,
)
from synthesizers.errors import InputError, TooLargeError
from tests.audit.utility.slow_counts import drawn, listed, nominal, slow_counts

SIZES = [(1,), (2, 3), (1, 1, 1), (2, 5, 3, 4), (300, 4, 2, 7), (70_000, 3, 2), (50_000, 50_000, 3)]


def every_set(names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(s for k in range(1, len(names) + 1) for s in combinations(names, k))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("records", [0, 1, 2, 57, 1000])
@pytest.mark.parametrize("outside", [False, True])
def test_counts_are_those_of_a_loop(sizes: tuple[int, ...], records: int, outside: bool) -> None:
    table = drawn(nominal(sizes), records, 1, outside=outside)
    shape = tuple(size + 1 for size in sizes) if outside else sizes
    sets = every_set(table.domain.names)
    found = list(table.counts(sets, shape))
    assert len(found) == len(sets)
    for names, counts in zip(sets, found, strict=True):
        assert counts.shape == marginal_shape(names, table.domain, shape)
        assert (counts.cells is None) == is_dense(counts.size, records)
        assert listed(counts) == slow_counts(table, names)
        assert counts.bytes <= most_bytes(counts.size, records)
        if counts.size < 10**6:
            full = counts.full().reshape(counts.shape)
            assert full.sum() == records
            assert all(full[cell] == n for cell, n in slow_counts(table, names).items())


def test_both_ways_of_counting_occur_in_these_tests() -> None:
    assert is_dense(300 * 4 * 2 * 7, 1)
    assert not is_dense(70_000 * 3, 57)
    assert is_dense(70_000 * 3, 100_000)
    assert not is_dense(MOST_DENSE_CELLS + 1, 10**9)
    # Cell numbers need eight bytes from here on.
    assert 50_000 * 50_000 > 2**31


def test_the_order_of_the_sets_is_kept_and_may_repeat() -> None:
    table = drawn(nominal((3, 4, 70_000)), 40, 2)
    sets = (("a1", "a2"), ("a0", "a1"), ("a1", "a2"), ("a0",), ("a0", "a1", "a2"), ("a0", "a2"))
    for names, counts in zip(sets, table.counts(sets, table.shape), strict=True):
        assert listed(counts) == slow_counts(table, names)


def test_sets_of_one_prefix_may_need_cell_numbers_of_four_and_of_eight_bytes() -> None:
    table = drawn(nominal((50_000, 50_000, 3)), 200, 3)
    for sets in ((("a0", "a2"), ("a0", "a1")), (("a0", "a1"), ("a0", "a2"))):
        for names, counts in zip(sets, table.counts(sets, table.shape), strict=True):
            assert listed(counts) == slow_counts(table, names)


def test_a_marginal_as_large_as_can_be_numbered_is_counted() -> None:
    table = drawn(nominal((2, 3)), 30, 3)
    # 2^63 - 1 = 7² · 73 · 127 · 337 · 92737 · 649657, cut in two.
    shape = (7 * 7 * 73 * 127 * 337, 92_737 * 649_657)
    assert shape[0] * shape[1] == 2**63 - 1
    (counts,) = table.counts((("a0", "a1"),), shape)
    assert listed(counts) == slow_counts(table, ("a0", "a1"))


def test_a_marginal_of_two_to_the_63_cells_is_refused_by_name() -> None:
    table = drawn(nominal((2, 3, 2)), 5, 4)
    with pytest.raises(TooLargeError, match=r"a0 × a2 has about 10\^18 cells.*fewer attributes"):
        list(table.counts((("a0", "a2"),), (2**32, 3, 2**31)))
    list(table.counts((("a1", "a2"),), (2**32, 3, 2**31)))


def test_codes_of_any_layout_and_width_are_counted_alike() -> None:
    table = drawn(nominal((5, 6, 7)), 200, 5)
    sets = every_set(table.domain.names)
    for codes in (
        np.ascontiguousarray(table.codes),
        np.repeat(table.codes, 2, axis=0)[::2],
        table.codes.astype(np.int8),
    ):
        for names, counts in zip(
            sets, count_records(codes, table.domain, sets, table.shape), strict=True
        ):
            assert listed(counts) == slow_counts(table, names)


@pytest.mark.parametrize("sizes", [(4, 3), (70_000, 3), (50_000, 50_000)])
@pytest.mark.parametrize("cuts", [(0, 1), (10,), (1, 2, 3, 300), (299, 299)])
def test_counts_of_parts_add_up_to_those_of_the_whole(
    sizes: tuple[int, ...], cuts: tuple[int, ...]
) -> None:
    table = drawn(nominal(sizes), 300, 6)
    names = table.domain.names
    places = [0, *cuts, 300]
    parts = [table.take(np.arange(start, end)) for start, end in pairwise(places)]
    counts = [next(part.counts((names,), table.shape)) for part in parts]
    assert listed(reduce(add, counts)) == slow_counts(table, names)
    assert listed(reduce(add, reversed(counts))) == slow_counts(table, names)
    for records in (0, 300, 10**7):
        assert listed(reduce(add, counts, no_counts(table.shape, records))) == slow_counts(
            table, names
        )


def test_dense_and_sparse_counts_add_up_in_either_order() -> None:
    dense = Counts((2, 3), np.array([1, 0, 0, 2, 0, 5]))
    sparse = Counts((2, 3), np.array([4, 7], dtype=np.int32), np.array([1, 3]))
    for total in (dense + sparse, sparse + dense):
        assert total.full().tolist() == [1, 4, 0, 9, 0, 5]
    assert dense.counts.tolist() == [1, 0, 0, 2, 0, 5]
    assert (sparse + sparse).full().tolist() == [0, 8, 0, 14, 0, 0]


def test_sums_beyond_four_bytes_are_right() -> None:
    large = np.array([2**31 - 1, 1], dtype=np.int32)
    for cells in (None, np.array([0, 1])):
        counts = Counts((2,), large, cells)
        assert (counts + counts + counts).full().tolist() == [3 * (2**31 - 1), 3]


def test_counts_of_different_marginals_are_not_added() -> None:
    with pytest.raises(InputError, match="different marginals"):
        Counts((2, 3), np.zeros(6, dtype=np.int64)) + Counts((3, 2), np.zeros(6, dtype=np.int64))


@pytest.mark.parametrize(
    ("names", "message"),
    [(("a0", "a0"), "a0 × a0 names an attribute twice"), (("b",), "'b'"), ((), "at least one")],
)
def test_marginals_of_no_distinct_known_attributes_are_refused(
    names: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        order_attributes(names, nominal((2, 2)))
    assert order_attributes(("a1", "a0"), nominal((2, 2))) == ("a0", "a1")


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=30),
    st.sampled_from([(1, 1), (3, 3), (2, 6), (7, 5), (2**31, 2**31), (2**62, 3)]),
)
def test_the_distance_is_exact(pairs: list[tuple[int, int]], records: tuple[int, int]) -> None:
    first, second = np.array(pairs, dtype=np.int64).T
    expected = sum(abs(records[0] * b - records[1] * a) for a, b in pairs)
    assert l1(first, second, records) == expected
    assert l1(first.astype(np.int32), second.astype(np.int32), records) == expected


@given(st.sets(st.integers(0, 50)), st.sets(st.integers(0, 50)))
def test_unions_ascend(first: set[int], second: set[int]) -> None:
    lists = [np.array(sorted(cells), dtype=np.int64) for cells in (first, second)]
    assert union(*lists).tolist() == sorted(first | second)


def test_cells_with_records_are_found_across_blocks() -> None:
    first, second = (np.zeros(200_000, dtype=np.int32) for _ in range(2))
    first[[0, 65_535, 65_536]] = 1
    second[[65_536, 131_072, 199_999]] = 2
    assert nonempty(first, second).tolist() == [0, 65_535, 65_536, 131_072, 199_999]
