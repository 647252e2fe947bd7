"""Tables counted part by part: the same counts and the same scores as read whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.parallel import Map, cluster, here, local
from audit.utility import parts
from audit.utility.counts import marginal_shape, most_bytes
from audit.utility.pair import NeedsRecords, Pair
from audit.utility.parts import Parts, passes
from audit.utility.records import of_dataset, read_records
from audit.utility.total_variation import TotalVariation
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.tables import to_frame, write_table
from tests.audit.utility.slow_counts import both, drawn, listed, nominal, slow_counts

DOMAIN = nominal((3, 4, 50, 2000))
ROWS = 100
DATASET = Dataset(DOMAIN, drawn(DOMAIN, 10 * ROWS + 1, 1).codes)
WHOLE = of_dataset(DATASET)
FRAME = to_frame(DATASET)
SETS = tuple(s for k in (1, 2, 3) for s in combinations(DOMAIN.names, k))


@pytest.fixture(params=[".csv", ".parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table ten times as long as a chunk, and the last chunk not full."""
    if request.param == ".parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow to write Parquet")
    target = tmp_path / f"t{request.param}"
    write_table(DATASET, target)
    return target


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The table in a folder of Parquet files, one of them empty and one in a folder inside."""
    pytest.importorskip("pyarrow", reason="needs pyarrow to write Parquet")
    many = tmp_path / "many"
    (many / "inner").mkdir(parents=True)
    for name, rows in (("a", slice(0, 400)), ("b", slice(0)), ("inner/c", slice(400, None))):
        FRAME.iloc[rows].assign(other=1).to_parquet(many / f"{name}.parquet")
    return many


@pytest.fixture
def frames() -> Any:
    return pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")


def assert_counted(table: Parts) -> None:
    """The table has the extent and the counts of the one in memory."""
    assert (table.records, table.shape) == (WHOLE.records, WHOLE.shape)
    for names, counts in zip(SETS, table.counts(SETS, table.shape), strict=True):
        assert listed(counts) == slow_counts(WHOLE, names)


@pytest.mark.parametrize("rows", [ROWS, 7, 1001, 10_000])
def test_the_length_of_a_chunk_does_not_matter(path: Path, rows: int) -> None:
    assert_counted(Parts.of_file(path, DOMAIN, rows))


@pytest.mark.parametrize("share", [here, local(2)])
def test_parts_are_counted_alike_in_this_process_and_in_others(
    share: Map, path: Path, folder: Path, frames: Any
) -> None:
    assert_counted(Parts.of_file(path, DOMAIN, ROWS, share=share))
    assert_counted(Parts.of_file(folder, DOMAIN, share=share))
    assert_counted(Parts.of_dask(frames.from_pandas(FRAME, npartitions=5), DOMAIN, share=share))


@pytest.mark.parametrize("partitions", [1, 2, 4, 17])
def test_partitions_add_up_to_the_whole_table(frames: Any, partitions: int) -> None:
    assert_counted(Parts.of_dask(frames.from_pandas(FRAME, npartitions=partitions), DOMAIN))


def test_a_partition_is_sent_without_the_others(frames: Any) -> None:
    pickle = pytest.importorskip("cloudpickle")
    table = Parts.of_dask(frames.from_pandas(FRAME, npartitions=10), DOMAIN)
    whole = len(pickle.dumps(FRAME))
    assert max(len(pickle.dumps(part)) for part in table.parts()) < whole / 4


def test_scores_are_those_of_the_table_read_whole(path: Path) -> None:
    whole, other = read_records(path, DOMAIN), drawn(DOMAIN, 300, 2)
    table = Parts.of_file(path, DOMAIN, ROWS)
    metric = TotalVariation()
    assert metric(table, other, DOMAIN) == metric(whole, other, DOMAIN)
    assert metric(other, table, DOMAIN) == metric(other, whole, DOMAIN)
    assert metric(table, table, DOMAIN).value == 0
    pair, expected = Pair.of(table, other, DOMAIN), Pair.of(whole, other, DOMAIN)
    for found, wanted in zip(pair.marginals(SETS), expected.marginals(SETS), strict=True):
        assert both(found) == both(wanted)
        assert found.total_variation() == wanted.total_variation()


def test_all_marginals_take_one_pass_after_the_first(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    frames = parts.table_frames

    def watched(*arguments: Any) -> Iterator[Any]:
        read.append(arguments)
        return frames(*arguments)

    monkeypatch.setattr(parts, "table_frames", watched)
    pair = Pair.of(Parts.of_file(path, DOMAIN, ROWS), drawn(DOMAIN, 30, 1), DOMAIN)
    pair.count(SETS)
    list(pair.marginals(SETS))
    assert len(read) == 2


@pytest.mark.parametrize(
    ("share", "limit"), [(here, "MOST_BYTES_A_PASS"), (local(2), "MOST_BYTES_ELSEWHERE")]
)
def test_more_counts_than_one_pass_may_gather_take_several(
    share: Map, limit: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, limit, 5000)
    table = Parts.of_file(path, DOMAIN, ROWS, share=share)
    several = list(passes(SETS, DOMAIN, table.shape, table.records, 5000))
    assert 2 < len(several) < len(SETS)
    assert tuple(names for part in several for names in part) == SETS
    for part in several:
        sizes = [math.prod(marginal_shape(names, DOMAIN, table.shape)) for names in part]
        needed = sum(most_bytes(size, table.records) for size in sizes)
        assert len(part) == 1 or needed <= 5000
    passed: list[object] = []

    def counting(function: Any, calls: Any) -> Iterator[Any]:
        passed.append(function)
        return share(function, calls)

    counted = Parts(table.parts, DOMAIN, "refuse", share if share is here else counting)
    assert_counted(counted)
    assert share is here or len(passed) == 1 + len(several)


def test_values_outside_the_domain_are_counted_in_any_part(tmp_path: Path, frames: Any) -> None:
    domain = nominal((3, 2))
    lines = ["a0,a1", *["0,1"] * 25, "7,1", *["2,0"] * 25]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    frame = pd.read_csv(tmp_path / "t.csv", dtype=str)
    sources = [
        partial(Parts.of_file, tmp_path / "t.csv", domain, 1),
        partial(Parts.of_dask, frames.from_pandas(frame, npartitions=3), domain),
    ]
    for source in sources:
        table = source(outside="cell")
        assert table.shape == (4, 2)
        (counts,) = table.counts((("a0", "a1"),), table.shape)
        assert listed(counts) == {(0, 1): 25, (3, 1): 1, (2, 0): 25}
        with pytest.raises(InputError, match=r"'a0'.*does not declare") as caught:
            _ = source().records
        assert "7" not in str(caught.value)


def test_an_id_column_is_no_obstacle_and_is_not_looked_at(tmp_path: Path, frames: Any) -> None:
    domain = Domain("d", nominal((3, 2)).attributes, individual="id")
    (tmp_path / "t.csv").write_text("a0,id,a1\n0,x,1\n1,x,1\n2,y,0\n")
    frame = pd.read_csv(tmp_path / "t.csv", dtype=str)
    for table in (
        Parts.of_file(tmp_path / "t.csv", domain, 2),
        Parts.of_dask(frames.from_pandas(frame, npartitions=2), domain),
    ):
        assert table.records == 3
        assert table.domain.individual == "id"
        with pytest.raises(NeedsRecords):
            _ = Pair.of(table, table, domain).tables


@pytest.mark.parametrize("rows", [0, -1, True, 2.0])
def test_chunks_need_a_positive_number_of_rows(rows: Any) -> None:
    with pytest.raises(InputError, match="positive integer"):
        Parts.of_file("t.csv", DOMAIN, rows)


def test_what_cannot_be_read_is_refused(tmp_path: Path, frames: Any) -> None:
    with pytest.raises(InputError, match="standard input"):
        Parts.of_file("-", DOMAIN)
    with pytest.raises(InputError, match=r"no file that ends in \.parquet"):
        Parts.of_file(tmp_path, DOMAIN)
    with pytest.raises(InputError, match="cannot be read"):
        _ = Parts.of_file(tmp_path / "absent.csv", DOMAIN).records
    (tmp_path / "empty.csv").write_text("a0,a1,a2,a3\n")
    with pytest.raises(InputError, match="no records"):
        _ = Parts.of_file(tmp_path / "empty.csv", DOMAIN).shape
    (tmp_path / "short.csv").write_text("a0,a1,a2\n0,0,0\n")
    with pytest.raises(InputError, match=r"lacks the columns 'a3'"):
        _ = Parts.of_file(tmp_path / "short.csv", DOMAIN).records
    with pytest.raises(InputError, match="Dask data frame"):
        Parts.of_dask(FRAME, DOMAIN)
    with pytest.raises(InputError, match=r"one part of the table: .* lacks the columns 'a3'"):
        short = frames.from_pandas(FRAME.drop(columns="a3"), npartitions=2)
        _ = Parts.of_dask(short, DOMAIN).records
    with pytest.raises(InputError, match="no records"):
        _ = Parts.of_dask(frames.from_pandas(FRAME.iloc[:0], npartitions=1), DOMAIN).records


def test_a_file_of_a_folder_that_cannot_be_read_is_named(folder: Path) -> None:
    (folder / "inner" / "broken.parquet").write_text("no Parquet")
    with pytest.raises(InputError, match=r"broken\.parquet"):
        Parts.of_file(folder, DOMAIN).measure()


def test_a_marginal_that_cannot_be_numbered_is_refused_before_reading(path: Path) -> None:
    table = Parts.of_file(path, DOMAIN, ROWS)
    with pytest.raises(TooLargeError, match="a0 × a1"):
        list(table.counts((("a2",), ("a0", "a1")), (2**32, 2**32, 50, 2000)))


def test_records_one_by_one_are_refused_and_nothing_private_is_shown(path: Path) -> None:
    table = Parts.of_file(path, DOMAIN, ROWS)
    with pytest.raises(NeedsRecords):
        _ = Pair.of(table, table, DOMAIN).tables
    assert repr(table) == "Parts(domain='sizes')"
    np.testing.assert_equal(table.records, 1001)


def test_the_counts_of_a_pass_are_added_up() -> None:
    # Fifty cells of eight bytes each: two such marginals fit 1000 bytes, three do not.
    parted = passes([("a2",)] * 7, DOMAIN, DOMAIN.shape, 10, 1000)
    assert [len(part) for part in parted] == [2, 2, 2, 1]
    assert [len(part) for part in passes([("a2",)] * 3, DOMAIN, DOMAIN.shape, 10, 1)] == [1, 1, 1]


def test_a_fault_of_the_table_is_found_when_it_is_measured(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a0,a1,a2,a3\n0,0,0,0\n0,0,0,9999\n")
    table = Parts.of_file(tmp_path / "t.csv", DOMAIN, 1)
    with pytest.raises(InputError, match="attribute 'a3'"):
        table.measure()
    counted = Parts.of_file(tmp_path / "t.csv", DOMAIN, 1, "cell")
    counted.measure()
    assert counted.records == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("error:Sending large graph")
def test_the_workers_of_a_cluster_count_what_is_sent_and_what_they_read(
    folder: Path, frames: Any
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs dask[distributed]")
    frames.from_pandas(FRAME, npartitions=7).to_parquet(folder.parent / "by_dask")
    workers = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with workers:
        share = cluster(workers.scheduler_address)
        long = pd.concat([FRAME] * 1000)
        assert Parts(lambda: [long], DOMAIN, share=share).records == 1000 * len(FRAME)
        read = frames.read_parquet(folder.parent / "by_dask")
        assert_counted(Parts(lambda: [FRAME[:400], FRAME[400:]], DOMAIN, share=share))
        assert_counted(Parts.of_file(folder, DOMAIN, share=share))
        assert_counted(Parts.of_dask(read, DOMAIN, share=share))
