"""Tables on Dask: the same counts and scores as in memory, whatever the partitions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.utility import cluster
from audit.utility.cluster import Distributed
from audit.utility.pair import NeedsRecords, Pair
from audit.utility.records import of_dataset
from audit.utility.total_variation import TotalVariation
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.tables import to_frame, write_table
from tests.audit.utility.slow_counts import both, drawn, listed, nominal, slow_counts

DOMAIN = nominal((3, 4, 50, 2000))
DATASET = Dataset(DOMAIN, drawn(DOMAIN, 1003, 1).codes)
WHOLE = of_dataset(DATASET)
FRAME = to_frame(DATASET)
SETS = tuple(s for k in (1, 2, 3) for s in combinations(DOMAIN.names, k))


@pytest.fixture
def frames() -> Iterator[Any]:
    """Dask's data frames, computed by two threads of this process."""
    dask = pytest.importorskip("dask", reason="needs dask")
    module = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    with dask.config.set(scheduler="threads", num_workers=2):
        yield module


@pytest.mark.parametrize("partitions", [1, 2, 4, 5, 17])
def test_partitions_add_up_to_the_whole_table(frames: Any, partitions: int) -> None:
    table = Distributed(frames.from_pandas(FRAME, npartitions=partitions), DOMAIN)
    assert (table.records, table.shape) == (WHOLE.records, WHOLE.shape)
    for names, counts in zip(SETS, table.counts(SETS, table.shape), strict=True):
        assert listed(counts) == slow_counts(WHOLE, names)


def test_scores_are_those_of_the_table_in_memory(frames: Any) -> None:
    table = Distributed(frames.from_pandas(FRAME, npartitions=6), DOMAIN)
    other = drawn(DOMAIN, 300, 2)
    metric = TotalVariation()
    assert metric(table, other, DOMAIN) == metric(WHOLE, other, DOMAIN)
    pair, expected = Pair.of(other, table, DOMAIN), Pair.of(other, WHOLE, DOMAIN)
    for found, wanted in zip(pair.marginals(SETS), expected.marginals(SETS), strict=True):
        assert both(found) == both(wanted)


def test_a_parquet_file_and_a_folder_of_them_are_read(frames: Any, tmp_path: Path) -> None:
    write_table(DATASET, tmp_path / "one.parquet")
    frames.from_pandas(FRAME.assign(other=1), npartitions=3).to_parquet(tmp_path / "many")
    for path in (tmp_path / "one.parquet", str(tmp_path / "many")):
        table = Distributed(path, DOMAIN)
        for names, counts in zip(SETS, table.counts(SETS, table.shape), strict=True):
            assert listed(counts) == slow_counts(WHOLE, names)


def test_empty_partitions_and_several_passes_change_nothing(
    frames: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "MOST_BYTES_A_TASK", 5000)
    parts = [FRAME.iloc[:0], FRAME.iloc[:900], FRAME.iloc[:0], FRAME.iloc[900:]]
    table = Distributed(
        frames.concat([frames.from_pandas(part, npartitions=1) for part in parts]), DOMAIN
    )
    for names, counts in zip(SETS, table.counts(SETS, table.shape), strict=True):
        assert listed(counts) == slow_counts(WHOLE, names)


def test_values_outside_the_domain_are_counted_or_refused(frames: Any) -> None:
    domain = nominal((3, 2))
    frame = pd.DataFrame({"a0": ["0", "2", "xyzzy"], "a1": ["1", "0", "1"], "id": [1, 2, 3]})
    table = Distributed(frames.from_pandas(frame, npartitions=3), domain, "cell")
    assert table.shape == (4, 2)
    (counts,) = table.counts((("a0", "a1"),), table.shape)
    assert listed(counts) == {(0, 1): 1, (2, 0): 1, (3, 1): 1}
    with pytest.raises(InputError, match=r"'a0'.*does not declare") as caught:
        _ = Distributed(frames.from_pandas(frame, npartitions=3), domain).records
    assert "xyzzy" not in str(caught.value)


def test_what_is_no_table_of_the_domain_is_refused(frames: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Dask data frame"):
        Distributed(FRAME, DOMAIN)
    with pytest.raises(InputError, match="one column 'a3', found 0"):
        Distributed(frames.from_pandas(FRAME.drop(columns="a3"), npartitions=2), DOMAIN)
    with pytest.raises(InputError, match="cannot be read"):
        Distributed(tmp_path / "absent.parquet", DOMAIN)
    with pytest.raises(InputError, match="no records"):
        _ = Distributed(frames.from_pandas(FRAME.iloc[:0], npartitions=1), DOMAIN).records


def test_persons_are_not_looked_at(frames: Any) -> None:
    domain = Domain(DOMAIN.name, DOMAIN.attributes, individual="id")
    frame = FRAME.assign(id=np.arange(len(FRAME)))
    table = Distributed(frames.from_pandas(frame, npartitions=2), domain)
    assert table.records == WHOLE.records
    with pytest.raises(NeedsRecords):
        _ = Pair.of(table, table, domain).tables
    assert repr(table) == "Distributed(domain='sizes')"


def test_without_dask_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(InputError, match=r"pip install 'dp-audit\[dask\]'"):
        Distributed("table.parquet", DOMAIN)


@pytest.mark.slow
def test_the_workers_of_a_cluster_are_processes_that_get_only_their_partitions(
    tmp_path: Path,
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs dask[distributed]")
    frames = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    frames.from_pandas(FRAME, npartitions=7).to_parquet(tmp_path / "many")
    workers = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with workers, distributed.Client(workers):
        table = Distributed(tmp_path / "many", DOMAIN)
        for names, counts in zip(SETS, table.counts(SETS, table.shape), strict=True):
            assert listed(counts) == slow_counts(WHOLE, names)
