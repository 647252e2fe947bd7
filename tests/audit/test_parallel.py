"""Processes that share work: results in order, and interrupts left to the one that asked."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from audit import parallel
from audit.parallel import CALLS_A_WORKER, at_most, divide, hand_out, in_order, local
from synthesizers.errors import InputError, ProtocolError
from tests.audit.far_calls import crash, linger, place_and_process, refuse, slow_square


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_divided_results_come_in_the_order_of_the_calls(
    jobs: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "WORTH_SECONDS", 0.0)
    for count in (0, 1, 9):
        calls = [(number,) for number in range(count)]
        found = divide(jobs, slow_square, slow_square, calls, seconds)
        assert list(found) == [number * number for number in range(count)]


def test_this_process_makes_calls_beside_others_where_they_earn_their_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parallel._others(1).kill()
    calls = [(number,) for number in range(8)]
    monkeypatch.setattr(parallel, "WORTH_SECONDS", 1000.0)
    alone = list(divide(2, place_and_process, refuse, calls))
    assert {found[1] for found in alone} == {os.getpid()}
    monkeypatch.setattr(parallel, "WORTH_SECONDS", 0.0)
    shared = list(divide(2, place_and_process, place_and_process, calls))
    assert os.getpid() in {found[1] for found in shared}
    assert len({found[1] for found in shared}) == 2
    others = {found[1] for found in shared} - {os.getpid()}
    # They stay for the next series.
    again = list(divide(2, place_and_process, place_and_process, calls))
    assert {found[1] for found in again} == {os.getpid()} | others


def test_calls_that_are_handed_out_are_made_by_others_and_come_in_their_order() -> None:
    calls = [(number,) for number in range(7)]
    alone = list(hand_out(2, place_and_process, refuse, calls, parallel.WORTH_SECONDS / 2))
    assert {found[1] for found in alone} == {os.getpid()}
    for jobs in (2, 3):
        handed = list(hand_out(jobs, refuse, place_and_process, calls, parallel.WORTH_SECONDS))
        processes = {found[1] for found in handed}
        assert os.getpid() not in processes and len(processes) <= jobs
        squares = hand_out(jobs, refuse, slow_square, calls, parallel.WORTH_SECONDS)
        assert list(squares) == [number * number for number in range(7)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_of_a_divided_call_is_raised_where_its_result_would_be(
    jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "WORTH_SECONDS", 0.0)
    results = divide(jobs, refuse, refuse, [(number,) for number in range(6)])
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(InputError, match="number 2 is refused"):
        next(results)
    assert list(divide(jobs, refuse, refuse, [(3,), (4,)])) == [3, 4]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_process_that_dies_in_a_divided_call_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "WORTH_SECONDS", 0.0)
    with pytest.raises(ProtocolError, match="a process died"):
        list(divide(2, slow_square, crash, [(2,)] * 4))
    assert parallel._others(1).executor is None
    assert list(divide(2, refuse, refuse, [(3,), (4,)])) == [3, 4]


@pytest.mark.skipif(os.name != "posix", reason="needs masks of signals")
def test_further_processes_hold_interrupts_back_and_this_one_does_not() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    calls = [(signal.SIG_BLOCK, ())] * 4
    stopping = {signal.SIGINT, signal.SIGTERM}
    assert all(stopping <= held for held in local(2)(signal.pthread_sigmask, calls))
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
    assert not stopping & before


def await_that(holds: Callable[[], bool]) -> None:
    """Return when it holds; a minute is for a machine that is busy."""
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never held")


def running(process: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_local_results_come_in_the_order_of_the_calls(jobs: int) -> None:
    share = local(jobs)
    for _ in range(2):
        assert list(share(slow_square, ((n,) for n in range(20)))) == [n * n for n in range(20)]
    assert list(share(slow_square, iter(()))) == []


def test_one_job_is_this_process_and_two_are_others_that_stay() -> None:
    assert {found[1] for found in local(1)(place_and_process, [(0,), (1,)])} == {os.getpid()}
    share = local(2)
    first = list(share(place_and_process, [(n,) for n in range(8)]))
    again = list(share(place_and_process, [(n,) for n in range(8)]))
    assert os.getpid() not in {found[1] for found in first + again}
    assert len({found[1] for found in first + again}) <= 2
    assert {found[2] for found in first} == {"1"}
    assert {found[3] for found in first} == {True}
    assert (
        len({found[0] for found in first})
        == 1
        != len({found[0] for found in first} & {tempfile.gettempdir()})
    )


def test_calls_are_taken_lazily() -> None:
    taken: list[int] = []

    def calls() -> Iterator[tuple[int]]:
        while True:
            taken.append(len(taken))
            yield (len(taken) - 1,)

    for jobs, ahead in ((1, 1), (2, 2 * CALLS_A_WORKER)):
        taken.clear()
        results = local(jobs)(slow_square, calls())
        assert taken == []
        assert [next(results) for _ in range(3)] == [0, 1, 4]
        assert len(taken) <= 2 + ahead
        results.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_of_a_call_is_raised_where_its_result_would_be(jobs: int) -> None:
    share = local(jobs)
    results = share(refuse, ((n,) for n in range(6)))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(InputError, match="number 2 is refused"):
        next(results)
    assert list(share(refuse, [(3,), (4,)])) == [3, 4]


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_process_that_dies_is_the_subjects_fault_and_the_next_series_has_others() -> None:
    share = local(2)
    with pytest.raises(ProtocolError, match="a process died"):
        list(share(crash, ((n,) for n in range(6))))
    assert list(share(crash, [(3,), (4,)])) == [3, 4]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads processes' states")
@pytest.mark.parametrize("interrupted", [False, True])
def test_results_that_are_left_take_processes_their_children_and_their_files_along(
    tmp_path: Path, interrupted: bool
) -> None:
    note = str(tmp_path / "note")
    results: Any = local(2)(linger, ((n, note) for n in range(9)))
    assert next(results) == 0
    await_that(lambda: sum(p.read_text().endswith("\n") for p in tmp_path.iterdir()) == 2)
    notes = [path.read_text().split() for path in tmp_path.iterdir()]
    if interrupted:
        with pytest.raises(KeyboardInterrupt):
            results.throw(KeyboardInterrupt)
    else:
        results.close()
    for worker, child, folder in notes:
        await_that(lambda worker=worker: not running(int(worker)))
        await_that(lambda child=child: not running(int(child)))
        assert not Path(folder).exists()
    assert len(list(tmp_path.iterdir())) == 2


class Later:
    """A call that is made when its result is asked for."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        self.cancelled = False

    def done(self) -> bool:
        return False

    def result(self) -> Any:
        return self.function()

    def cancel(self) -> None:
        self.cancelled = True


def test_what_is_in_flight_is_bounded_and_cancelled_when_it_is_left() -> None:
    made: list[Later] = []
    fetched = 0

    def submit(arguments: tuple[Any, ...]) -> Later:
        made.append(Later(lambda: arguments[0]))
        assert len(made) - fetched <= 3
        return made[-1]

    results: Any = in_order(submit, ((n,) for n in range(100)), at_most(3))
    for expected in range(5):
        assert next(results) == expected
        fetched += 1
    results.close()
    assert [later.cancelled for later in made] == [False] * 5 + [True] * 2
