"""Runs on a Dask cluster: the same as here, whoever dies on the way."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audit import parallel
from audit.parallel import CALLS_A_WORKER, cluster, local
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from synthesizers.errors import InputError, ProtocolError
from tests.audit.far_calls import alone, crash, noted, refuse, slow_square

distributed = pytest.importorskip("distributed", reason="needs dask[distributed]")


@dataclass(frozen=True)
class Noisy:
    """A number and noise; the first run after so many kills its process, unless it is ours."""

    marker: str
    ours: int
    name: str = "noisy"
    block: int = 10

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        rng = np.random.default_rng(seed)
        truth = np.where(coins, pair.second, pair.first)
        if os.getpid() != self.ours and seed % 4 == 0:
            try:
                os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return Outcomes.of_batch(truth + rng.laplace(size=len(coins)), len(coins))


def started(workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=2, processes=True, dashboard_address=":0"
    )


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a scheduler with two worker processes of two threads each."""
    with started(2) as workers:
        yield str(workers.scheduler_address)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "ANSWER_SECONDS", 1)


def on_scheduler(address: str, function: Any) -> Any:
    with distributed.Client(address, set_as_default=False) as client:
        return client.run_on_scheduler(function)


def clients(dask_scheduler: Any) -> int:
    return sum(name.startswith("Client") for name in dask_scheduler.clients)


def test_runs_are_the_same_here_in_processes_and_on_a_cluster_that_loses_a_worker(
    address: str, tmp_path: Path
) -> None:
    pair = Pair(0.0, 1.0)
    found = []
    for share, name in ((local(1), "a"), (local(2), "b"), (cluster(address), "c")):
        marker = tmp_path / name
        if name == "b":
            marker.touch()
        drawing = Drawing(Noisy(str(marker), os.getpid()), Seeds(7), share)
        found.append(drawing.runs("certify", pair, 0, 405))
        assert marker.exists() == (name != "a")
    for runs in found[1:]:
        assert np.array_equal(runs.coins, found[0].coins)
        assert np.array_equal(runs.outcomes.blocks[0], found[0].outcomes.blocks[0])


def test_results_come_in_order_and_series_of_calls_leave_no_client(address: str) -> None:
    share = cluster(address)
    for _ in range(2):
        assert list(share(slow_square, ((n,) for n in range(12)))) == [n * n for n in range(12)]
    assert list(share(slow_square, iter(()))) == []
    assert on_scheduler(address, clients) == 1  # the one that asks


def test_a_call_has_its_process_to_itself(address: str) -> None:
    assert all(cluster(address)(alone, ((n,) for n in range(16))))


def test_equal_calls_are_made_each(address: str) -> None:
    assert len(set(cluster(address)(os.urandom, [(8,)] * 6))) == 6


def test_calls_are_taken_lazily_and_what_is_left_is_not_made(address: str, tmp_path: Path) -> None:
    taken: list[int] = []

    def calls() -> Iterator[tuple[int, str]]:
        while True:
            taken.append(len(taken))
            yield len(taken) - 1, str(tmp_path)

    results: Any = cluster(address)(noted, calls())
    assert taken == []
    assert [next(results) for _ in range(5)] == list(range(5))
    with distributed.Client(address, set_as_default=False) as client:
        most = CALLS_A_WORKER * len(client.nthreads())
    assert len(taken) <= 4 + most
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)
    assert on_scheduler(address, clients) == 1
    assert len(list(tmp_path.iterdir())) <= len(taken)


def test_an_exception_of_a_call_is_raised_where_its_result_would_be(address: str) -> None:
    results = cluster(address)(refuse, ((n,) for n in range(6)))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(InputError, match="number 2 is refused"):
        next(results)


def test_a_call_that_takes_workers_down_is_the_subjects_fault(address: str) -> None:
    def at_once(dask_scheduler: Any) -> None:
        dask_scheduler.allowed_failures = 0

    on_scheduler(address, at_once)
    with pytest.raises(ProtocolError, match="took down"):
        list(cluster(address)(crash, ((n,) for n in range(6))))


@pytest.mark.slow
def test_a_cluster_that_goes_away_is_told(tmp_path: Path) -> None:
    with started(1) as workers:
        share = cluster(workers.scheduler_address)
        results = share(noted, ((n, str(tmp_path)) for n in range(1000)))
        assert next(results) == 0
    with pytest.raises(InputError, match="went away"):
        list(results)


@pytest.mark.usefixtures("impatient")
def test_a_cluster_without_workers_is_refused() -> None:
    with started(0) as workers, pytest.raises(InputError, match="has no worker"):
        cluster(workers.scheduler_address)


@pytest.mark.parametrize("address", ["", "localhost", "localhost:8786", "tcp://", "tcp://host"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="reads tcp://host:8786"):
        cluster(address)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("answers", [None, b"", b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9])
def test_an_address_where_no_scheduler_answers_is_refused(answers: bytes | None) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        if answers is not None:
            listening.listen()
        with pytest.raises(InputError, match="no Dask scheduler answers"):
            cluster(f"tcp://127.0.0.1:{port}")


def test_a_scheme_that_dask_does_not_know_is_refused() -> None:
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        cluster("ftp://127.0.0.1:9")


def test_without_dask_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'dp-audit\[dask\]'"):
        cluster("tcp://127.0.0.1:9")
