"""Tables counted chunk by chunk: the same counts and the same scores as read whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.utility import chunks
from audit.utility.chunks import Chunks, passes
from audit.utility.counts import marginal_shape, most_bytes
from audit.utility.pair import NeedsRecords, Pair
from audit.utility.records import read_records
from audit.utility.total_variation import TotalVariation
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.tables import write_table
from tests.audit.utility.slow_counts import both, drawn, listed, nominal, slow_counts

DOMAIN = nominal((3, 4, 50, 2000))
ROWS = 100


def every_set(domain: Domain) -> tuple[tuple[str, ...], ...]:
    return tuple(s for k in (1, 2, 3) for s in combinations(domain.names, k))


@pytest.fixture(params=[".csv", ".parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table ten times as long as a chunk, and the last chunk not full."""
    if request.param == ".parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow to write Parquet")
    target = tmp_path / f"t{request.param}"
    write_table(Dataset(DOMAIN, drawn(DOMAIN, 10 * ROWS + 1, 1).codes), target)
    return target


def test_a_table_ten_times_the_chunk_has_the_same_counts(path: Path) -> None:
    whole, table = read_records(path, DOMAIN), Chunks(path, DOMAIN, ROWS)
    assert (table.records, table.shape) == (whole.records, whole.shape)
    sets = every_set(DOMAIN)
    for names, counts in zip(sets, table.counts(sets, table.shape), strict=True):
        assert listed(counts) == slow_counts(whole, names)


@pytest.mark.parametrize("rows", [7, 1001, 10_000])
def test_the_length_of_a_chunk_does_not_matter(path: Path, rows: int) -> None:
    domain = DOMAIN.project(("a0", "a2"))
    table = Chunks(path, domain, rows)
    sets = every_set(domain)
    for names, counts in zip(sets, table.counts(sets, table.shape), strict=True):
        assert listed(counts) == slow_counts(read_records(path, domain), names)


def test_scores_are_those_of_the_table_read_whole(path: Path) -> None:
    whole, other = read_records(path, DOMAIN), drawn(DOMAIN, 300, 2)
    table = Chunks(path, DOMAIN, ROWS)
    metric = TotalVariation()
    assert metric(table, other, DOMAIN) == metric(whole, other, DOMAIN)
    assert metric(other, table, DOMAIN) == metric(other, whole, DOMAIN)
    assert metric(table, table, DOMAIN).value == 0
    sets = every_set(DOMAIN)
    pair, expected = Pair.of(table, other, DOMAIN), Pair.of(whole, other, DOMAIN)
    for found, wanted in zip(pair.marginals(sets), expected.marginals(sets), strict=True):
        assert both(found) == both(wanted)
        assert found.total_variation() == wanted.total_variation()


def test_all_marginals_take_one_pass_after_the_first(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    frames = chunks.table_frames

    def watched(*arguments: Any) -> Iterator[Any]:
        read.append(arguments)
        return frames(*arguments)

    monkeypatch.setattr(chunks, "table_frames", watched)
    pair = Pair.of(Chunks(path, DOMAIN, ROWS), drawn(DOMAIN, 30, 1), DOMAIN)
    pair.count(every_set(DOMAIN))
    list(pair.marginals(every_set(DOMAIN)))
    assert len(read) == 2


def test_more_counts_than_one_pass_may_gather_take_several(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "MOST_BYTES_A_PASS", 5000)
    table, whole = Chunks(path, DOMAIN, ROWS), read_records(path, DOMAIN)
    sets = every_set(DOMAIN)
    parts = list(passes(sets, DOMAIN, table.shape, table.records, 5000))
    assert 2 < len(parts) < len(sets)
    assert tuple(names for part in parts for names in part) == sets
    for part in parts:
        sizes = [math.prod(marginal_shape(names, DOMAIN, table.shape)) for names in part]
        needed = sum(most_bytes(size, table.records) for size in sizes)
        assert len(part) == 1 or needed <= 5000
    for names, counts in zip(sets, table.counts(sets, table.shape), strict=True):
        assert listed(counts) == slow_counts(whole, names)


def test_values_outside_the_domain_are_counted_in_any_chunk(tmp_path: Path) -> None:
    domain = nominal((3, 2))
    lines = ["a0,a1", *["0,1"] * 25, "7,1", *["2,0"] * 25]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    table = Chunks(tmp_path / "t.csv", domain, 1, "cell")
    assert table.shape == (4, 2)
    (counts,) = table.counts((("a0", "a1"),), table.shape)
    assert listed(counts) == {(0, 1): 25, (3, 1): 1, (2, 0): 25}
    with pytest.raises(InputError, match=r"'a0'.*does not declare") as caught:
        _ = Chunks(tmp_path / "t.csv", domain, 10).records
    assert "7" not in str(caught.value)


def test_an_id_column_is_no_obstacle(tmp_path: Path) -> None:
    domain = nominal((3, 2))
    (tmp_path / "t.csv").write_text("a0,id,a1\n0,x,1\n1,x,1\n2,y,0\n")
    table = Chunks(tmp_path / "t.csv", Domain("d", domain.attributes, individual="id"), 2)
    assert table.records == 3
    assert table.domain.individual == "id"


@pytest.mark.parametrize("rows", [0, -1, True, 2.0])
def test_chunks_need_a_positive_number_of_rows(rows: Any) -> None:
    with pytest.raises(InputError, match="positive integer"):
        Chunks("t.csv", DOMAIN, rows)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="standard input"):
        Chunks("-", DOMAIN)
    with pytest.raises(InputError, match="cannot be read"):
        _ = Chunks(tmp_path / "absent.csv", DOMAIN).records
    (tmp_path / "empty.csv").write_text("a0,a1,a2,a3\n")
    with pytest.raises(InputError, match="no records"):
        _ = Chunks(tmp_path / "empty.csv", DOMAIN).shape
    (tmp_path / "short.csv").write_text("a0,a1,a2\n0,0,0\n")
    with pytest.raises(InputError, match=r"lacks the columns 'a3'"):
        _ = Chunks(tmp_path / "short.csv", DOMAIN).records


def test_a_marginal_that_cannot_be_numbered_is_refused_before_reading(path: Path) -> None:
    table = Chunks(path, DOMAIN, ROWS)
    with pytest.raises(TooLargeError, match="a0 × a1"):
        list(table.counts((("a2",), ("a0", "a1")), (2**32, 2**32, 50, 2000)))


def test_records_one_by_one_are_refused_and_nothing_private_is_shown(path: Path) -> None:
    table = Chunks(path, DOMAIN, ROWS)
    with pytest.raises(NeedsRecords):
        _ = Pair.of(table, table, DOMAIN).tables
    assert repr(table) == "Chunks(domain='sizes')"
    np.testing.assert_equal(table.records, 1001)


def test_the_counts_of_a_pass_are_added_up() -> None:
    # Fifty cells of eight bytes each: two such marginals fit 1000 bytes, three do not.
    parts = passes([("a2",)] * 7, DOMAIN, DOMAIN.shape, 10, 1000)
    assert [len(part) for part in parts] == [2, 2, 2, 1]
    assert [len(part) for part in passes([("a2",)] * 3, DOMAIN, DOMAIN.shape, 10, 1)] == [1, 1, 1]


def test_a_fault_of_the_table_is_found_when_it_is_measured(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a0,a1,a2,a3\n0,0,0,0\n0,0,0,9999\n")
    table = Chunks(tmp_path / "t.csv", DOMAIN, 1)
    with pytest.raises(InputError, match="attribute 'a3'"):
        table.measure()
    counted = Chunks(tmp_path / "t.csv", DOMAIN, 1, "cell")
    counted.measure()
    assert counted.records == 2
