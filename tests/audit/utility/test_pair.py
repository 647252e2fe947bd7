"""Two tables side by side against loops over their records, and what is held of them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.utility import pair as pairs
from audit.utility.counts import Attributes
from audit.utility.pair import HeldCounts, NeedsRecords, Pair, common_shape
from audit.utility.records import Records
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.tables import to_frame, write_table
from tests.audit.utility.slow_counts import (
    Watched,
    both,
    drawn,
    listed,
    nominal,
    slow_counts,
    slow_total_variation,
)


def every_set(domain: Domain) -> list[tuple[str, ...]]:
    return [s for k in (1, 2, 3) for s in combinations(domain.names, k)]


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 3, 4), (300, 5, 70), (60_000, 2, 30_000)])
@pytest.mark.parametrize("records", [(1, 1), (1, 50), (400, 30), (60, 60), (30, 1500)])
@pytest.mark.parametrize("outside", [(False, False), (True, False), (True, True)])
def test_marginals_are_those_of_a_loop(
    sizes: tuple[int, ...], records: tuple[int, int], outside: tuple[bool, bool]
) -> None:
    domain = nominal(sizes)
    real, synthetic = (drawn(domain, records[k], k, outside=outside[k]) for k in (0, 1))
    pair = Pair.of(real, synthetic, domain)
    found = list(pair.marginals(every_set(domain)))
    for names, marginal in zip(every_set(domain), found, strict=True):
        assert marginal.attributes == names
        assert marginal.records == pair.records == records
        slow = slow_counts(real, names), slow_counts(synthetic, names)
        # Total variation first: it must not need the cells.
        exact = slow_total_variation(real, synthetic, names)
        assert marginal.total_variation() == float(exact)
        assert both(marginal) == slow
        assert both(pair.marginal(names[::-1])) == slow
        assert np.abs(marginal.differences).sum() / 2 == pytest.approx(float(exact), abs=1e-12)
        if marginal.size < 10**5:
            for table, cells in zip(marginal.tables(), slow, strict=True):
                assert table.shape == marginal.shape
                assert {
                    tuple(map(int, c)): int(table[tuple(c)]) for c in np.argwhere(table)
                } == cells


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=12),
)
def test_total_variation_is_a_distance_rounded_once(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    domain = nominal((3, 2))
    real, synthetic = (Records(domain, np.array(rows)) for rows in (first, second))
    there = Pair.of(real, synthetic, domain).marginal(domain.names).total_variation()
    back = Pair.of(synthetic, real, domain).marginal(domain.names).total_variation()
    shuffled = Pair.of(real.take(np.arange(len(first))[::-1]), synthetic, domain)
    assert there == back == float(slow_total_variation(real, synthetic, domain.names))
    assert shuffled.marginal(domain.names).total_variation() == there
    assert Pair.of(real, real, domain).marginal(domain.names).total_variation() == 0
    assert 0 <= there <= 1


def test_tables_without_a_common_cell_are_at_distance_one() -> None:
    domain = nominal((70_000, 3))
    real, synthetic = (Records(domain, np.array([[code, 1]] * 3)) for code in (0, 69_999))
    for marginal in Pair.of(real, synthetic, domain).marginals([("a0",), domain.names]):
        assert marginal.total_variation() == 1


def test_sparse_counts_meet_dense_ones() -> None:
    domain = nominal((60_000, 3))
    real, synthetic = drawn(domain, 6_000, 1), drawn(domain, 20, 2)
    marginal = Pair.of(real, synthetic, domain).marginal(domain.names)
    assert [counts.cells is None for counts in marginal.counts] == [True, False]
    assert both(marginal) == (slow_counts(real, domain.names), slow_counts(synthetic, domain.names))
    assert marginal.total_variation() == float(slow_total_variation(real, synthetic, domain.names))


def test_a_table_may_come_in_any_form(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow to write Parquet")
    domain = nominal((4, 5))
    dataset = Dataset(domain, drawn(domain, 60, 1).codes)
    other = drawn(domain, 70, 2)
    write_table(dataset, tmp_path / "t.csv")
    write_table(dataset, tmp_path / "t.parquet")
    expected = Pair.of(dataset, other, domain).marginal(domain.names)
    for source in (to_frame(dataset), tmp_path / "t.csv", str(tmp_path / "t.parquet")):
        assert both(Pair.of(source, other, domain).marginal(domain.names)) == both(expected)


def test_each_marginal_is_counted_once_while_there_is_room() -> None:
    domain = nominal((4, 5, 6))
    tables = Watched(drawn(domain, 60, 1)), Watched(drawn(domain, 70, 2))
    pair = Pair.of(*tables, domain)
    pair.count([("a0",), ("a1", "a2")])
    pair.count([("a1", "a2"), ("a2",), ("a0",)])
    list(pair.marginals([("a0",), ("a2",), ("a2", "a1")]))
    pair.marginal(("a0",))
    pair.marginal(("a1",))
    pair.marginal(("a1",))
    for table in tables:
        assert table.passes == [(("a0",), ("a1", "a2")), (("a2",),), (("a1",),)]


def test_marginals_are_counted_in_one_pass_and_repeated_ones_again() -> None:
    table = drawn(nominal((4, 5, 6)), 60, 1)
    watched = Watched(table)
    wanted: list[Attributes] = [("a0",), ("a1",), ("a0",), ("a0", "a2")]
    for names, counts in zip(wanted, HeldCounts(watched).read(wanted), strict=True):
        assert listed(counts) == slow_counts(table, names)
    assert watched.passes[0] == (("a0",), ("a1",), ("a0", "a2"))


def test_marginals_may_be_read_while_others_are_handed_on() -> None:
    domain = nominal((4, 5, 6))
    real, synthetic = drawn(domain, 60, 1), drawn(domain, 70, 2)
    pair = Pair.of(real, synthetic, domain)
    for names, marginal in zip(every_set(domain), pair.marginals(every_set(domain)), strict=True):
        for other in every_set(domain):
            assert both(pair.marginal(other))[0] == slow_counts(real, other)
        assert both(marginal)[1] == slow_counts(synthetic, names)


@pytest.mark.parametrize("room", [0, 100, 10_000])
def test_no_more_is_held_than_there_is_room_for(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "MAX_HELD", room)
    table = drawn(nominal((4, 5, 60, 70_000)), 60, 1)
    held = HeldCounts(Watched(table))
    sets = every_set(table.domain)
    held.count(sets)
    for names in sets:
        assert listed(held[names]) == slow_counts(table, names)
    kept = held._held
    assert sum(counts.bytes for counts in kept.values()) == held._bytes <= room
    assert bool(kept) == (room > 0)


def test_what_cannot_be_held_is_not_counted_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "MAX_HELD", 8 * (4 + 20))
    watched = Watched(drawn(nominal((4, 5, 60)), 60, 1))
    held = HeldCounts(watched)
    held.count([("a0",), ("a0", "a1"), ("a1", "a2"), ("a1",)])
    assert watched.passes == [(("a0",), ("a0", "a1"))]


def test_tables_that_do_not_fit_are_refused() -> None:
    domain = nominal((2, 3))
    table = drawn(domain, 5, 1)
    with pytest.raises(InputError, match="synthetic table has no records"):
        Pair.of(table, table.take(np.arange(0)), domain)
    with pytest.raises(InputError, match="real table has no records"):
        Pair.of(table.take(np.arange(0)), table, domain)
    with pytest.raises(InputError, match="another domain"):
        Pair.of(table, drawn(nominal((2, 4)), 5, 1), domain)
    with pytest.raises(InputError, match="same domain"):
        Pair(HeldCounts(table), HeldCounts(drawn(nominal((2, 4)), 5, 1)))
    with pytest.raises(InputError, match="same codes"):
        Pair(HeldCounts(table), HeldCounts(table, (3, 4)))


def test_marginals_of_unknown_or_repeated_attributes_are_refused() -> None:
    domain = nominal((2, 3))
    pair = Pair.of(drawn(domain, 5, 1), drawn(domain, 5, 2), domain)
    for names in (("a0", "a0"), ("b",), ()):
        with pytest.raises(InputError):
            pair.marginal(names)
        with pytest.raises(InputError):
            list(pair.marginals([("a1",), names]))


def test_records_one_by_one_need_tables_of_records() -> None:
    domain = nominal((2, 3))
    real, synthetic = drawn(domain, 5, 1), drawn(domain, 6, 2)
    assert Pair.of(real, synthetic, domain).tables == (real, synthetic)
    with pytest.raises(NeedsRecords, match="one by one"):
        _ = Pair.of(real, Watched(synthetic), domain).tables


def test_the_codes_of_all_tables_are_shared() -> None:
    domain = nominal((2, 3))
    inside, outside = drawn(domain, 5, 1), Records(domain, np.array([[2, 0]]))
    assert common_shape([inside, outside]) == (3, 3)
    assert Pair.of(inside, outside, domain).marginal(("a0",)).shape == (3,)
