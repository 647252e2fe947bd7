"""Calls of a function shared out: over processes of this machine, or over a Dask cluster.

A `Map` says where calls are made; `here`, `local` and `cluster` are the three there are. Processes
leave Ctrl-C and SIGTERM to the one that started them.
"""

from __future__ import annotations

import asyncio
import functools
import os
import re
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import starmap
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Protocol

from synthesizers.errors import InputError, ProtocolError

Map = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], Iterator[Any]]
"""Calls of a function with each tuple of arguments, somewhere; the results in their order."""

CALLS_A_WORKER = 2
"""Calls in flight for each worker: one at work and one at hand."""

IDLE_SECONDS = 300
"""How long a process waits for the next call before it ends (joblib's own figure)."""

WORTH_SECONDS = 1.0
"""What is left to do must take one process so long that further ones earn their start (one takes
some tenths of a second to import what it needs)."""

ANSWER_SECONDS = 10
"""How long a scheduler, and its first worker, may take to answer."""

_DIED = "a process died in a call: its memory ran out, or what it ran crashed"

_THREADED = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA")

_EXTRA = "runs on a cluster need Dask: pip install 'dp-audit[dask]', or leave out --cluster"

_ADDRESS = re.compile(r"[a-z]+://.+:[0-9]+")

_one_at_a_time = threading.Lock()


def divide(
    jobs: int,
    function: Callable[..., Any],
    elsewhere: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    seconds: float = 0.0,
) -> Iterator[Any]:
    """The results of calls, in their order, from this process and ``jobs`` - 1 others.

    ``function``: what is called here, ``elsewhere`` there. ``seconds``: what this process would
    need for all calls, or less.

    The others are started where the calls take longer than `WORTH_SECONDS`. If ``seconds`` does not
    say so, this process makes the first call alone, to see. They stay for the next series, as those
    of `local` do, and end in the same way.

    Raises ProtocolError where a process dies.
    """
    left = deque(calls)
    others = _others(jobs - 1)
    if others.executor is None and left and (jobs == 1 or seconds < WORTH_SECONDS):
        begun = time.monotonic()
        yield function(*left.popleft())
        if jobs == 1 or (time.monotonic() - begun) * len(left) < WORTH_SECONDS:
            yield from here(function, left)
            return
    theirs: list[Future] = []

    def submit(arguments: tuple[Any, ...]) -> Future:
        theirs[:] = [future for future in theirs if not future.done()]
        if len(theirs) == CALLS_A_WORKER * (jobs - 1):
            return _call_here(function, arguments)
        theirs.append(others.submit(elsewhere, arguments))
        return theirs[-1]

    yield from others.series(submit, left, lambda waiting: waiting[0].done())


def hand_out(
    jobs: int,
    function: Callable[..., Any],
    elsewhere: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    seconds: float,
) -> Iterator[Any]:
    """The results of a few calls of unlike length, the longest first, in their order.

    As `divide`, but all calls are made by ``jobs`` other processes, so that none waits while this
    one is at work; here, one after the other, where ``seconds`` are not worth it.

    Raises ProtocolError where a process dies.
    """
    if jobs == 1 or seconds < WORTH_SECONDS:
        return here(function, calls)
    others = _others(jobs)
    submit = functools.partial(others.submit, elsewhere)
    return others.series(submit, calls, at_most(CALLS_A_WORKER * jobs))


@functools.cache
def _others(jobs: int) -> _Processes:
    return _Processes(jobs)


def _call_here(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Future:
    """A call made here; what it raises waits for its turn."""
    made: futures.Future[Any] = futures.Future()
    try:
        made.set_result(function(*arguments))
    except Exception as error:
        made.set_exception(error)
    return made


def here(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Every call in this process, one after the other."""
    yield from starmap(function, calls)


def local(jobs: int) -> Map:
    """Calls made by ``jobs`` processes of this machine; by this process where that is one.

    At most `CALLS_A_WORKER` calls a process are in flight or waiting to be fetched, so that
    whoever stops early has not made many calls in vain. The processes stay for the next series
    of calls, one series at a time. Where results are left before the last, or a call raises an
    exception, they are killed with all that they started, and their temporary files removed.

    In a series, raises ProtocolError where a process dies.
    """
    if jobs == 1:
        return here
    processes = _Processes(jobs)

    def share(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        submit = functools.partial(processes.submit, function)
        return processes.series(submit, calls, at_most(CALLS_A_WORKER * jobs))

    return share


class _Processes:
    """Processes that make calls, started when there are some, and a folder for what they write.

    A process that is killed can't remove its temporary files; they may hold private tables.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.executor: Any = None
        self.folder: TemporaryDirectory[str] | None = None

    def submit(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Future:
        # Here, not above: what runs in one process alone does without it.
        from joblib.externals.loky import ProcessPoolExecutor

        with _interrupts_wait():
            if self.executor is None:
                self.folder = TemporaryDirectory(prefix="dp-audit-", ignore_cleanup_errors=True)
                # These processes are the parallelism; libraries shall not add threads to it.
                alone = {f"{library}_NUM_THREADS": "1" for library in _THREADED}
                self.executor = ProcessPoolExecutor(
                    self.jobs, timeout=IDLE_SECONDS, env={**alone, "TMPDIR": self.folder.name}
                )
            future: Future = self.executor.submit(function, *arguments)
            return future

    def series(
        self,
        submit: Callable[[tuple[Any, ...]], Future],
        calls: Iterable[tuple[Any, ...]],
        ready: Callable[[deque[Future]], bool],
    ) -> Iterator[Any]:
        """`in_order`; kill the processes where results are left before the last."""
        whole = False
        try:
            yield from in_order(submit, calls, ready)
            whole = True
        except BrokenProcessPool:
            raise ProtocolError(_DIED) from None
        finally:
            if not whole:
                self.kill()

    def kill(self) -> None:
        if self.executor is not None and self.folder is not None:
            # One that goes on when its children are killed may start further ones before its turn.
            workers = dict(self.executor._processes)
            for process in workers if os.name == "posix" else ():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGSTOP)
            self.executor.shutdown(wait=True, kill_workers=True)
            # A pool that broke leaves its other processes as they are: stopped, for good.
            for process, worker in workers.items() if os.name == "posix" else ():
                if worker.exitcode is None:
                    with suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
            self.folder.cleanup()
        self.executor = self.folder = None


class Future(Protocol):
    """What a call will have given, once it is made."""

    def done(self) -> bool:
        """Whether the call was made."""
        ...

    def result(self) -> Any:
        """Wait for the result; raises what the call raised."""
        ...

    def cancel(self) -> object:
        """Don't make the call if it has not begun."""
        ...


def in_order(
    submit: Callable[[tuple[Any, ...]], Future],
    calls: Iterable[tuple[Any, ...]],
    ready: Callable[[deque[Future]], bool],
) -> Iterator[Any]:
    """The results of calls in their order; the first that waits is fetched once they are `ready`.

    Calls that have not begun are cancelled when the results are left before the last.
    """
    waiting: deque[Future] = deque()
    try:
        for arguments in calls:
            waiting.append(submit(arguments))
            while waiting and ready(waiting):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def at_most(most: int) -> Callable[[deque[Future]], bool]:
    """Fetch a result once so many calls are in flight or waiting to be fetched."""
    return lambda waiting: len(waiting) == most


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back, for good in processes that start meanwhile.

    Both may be sent to a whole group of processes, of which the first then ends the others.
    Interrupted while it starts, a process would print a traceback, and joblib ends it anyhow.
    """
    if os.name != "posix":
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    # To start it lets interrupts through again.
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def cluster(address: str) -> Map:
    """Calls made by the workers of the Dask scheduler at ``address``, such as tcp://host:8786.

    At most `CALLS_A_WORKER` calls a worker are in flight or waiting to be fetched. The calls of a
    worker that dies are made again by another. A connection is opened for each series of calls,
    and closed at its end or when its results are left.

    Raises InputError where Dask is absent, or no scheduler with a worker answers within
    `ANSWER_SECONDS` each; in a series of calls also ProtocolError where a call took several
    workers down.
    """
    distributed = _import_distributed()
    with _connect(distributed, address):
        pass

    def share(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        with _connect(distributed, address) as client:
            workers = len(client.nthreads())

            def submit(arguments: tuple[Any, ...]) -> Any:
                with warnings.catch_warnings():
                    # Parts of a table are meant to be sent, however large.
                    warnings.filterwarnings("ignore", "Sending large graph")
                    return client.submit(_alone, function, arguments, pure=False)

            try:
                yield from in_order(submit, calls, at_most(CALLS_A_WORKER * workers))
            except distributed.scheduler.KilledWorker:
                raise ProtocolError(
                    "a call took down every worker that made it; see the workers' logs for memory "
                    "that ran out or a crash"
                ) from None
            except distributed.CancelledError:
                raise InputError(
                    f"the cluster at {address} went away; start it again, or leave out --cluster"
                ) from None

    return share


def _alone(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """A call that has its process to itself: what is run may keep its randomness in globals."""
    with _one_at_a_time:
        return function(*arguments)


@contextmanager
def _connect(distributed: ModuleType, address: str) -> Iterator[Any]:
    if _ADDRESS.fullmatch(address) is None:
        raise InputError(
            f"the address of a cluster reads tcp://host:8786, its scheduler's; found {address!r}"
        )
    try:
        # Aside, since this thread may run an event loop of its own, as notebooks do.
        with ThreadPoolExecutor(1) as aside:
            aside.submit(asyncio.run, _greet(distributed, address)).result()
        client = distributed.Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    # What answers may be anything that listens there, and garbage breaks Dask in many ways.
    except Exception:
        raise InputError(
            f"no Dask scheduler answers at {address}; start one with `dask scheduler`, and give "
            "the address that it prints"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=ANSWER_SECONDS)
        except TimeoutError:
            raise InputError(
                f"the cluster at {address} has no worker; start some with `dask worker {address}`"
            ) from None
        yield client


async def _greet(distributed: ModuleType, address: str) -> None:
    """Shake hands with a scheduler: a client would wait forever for one that says nothing."""
    greeting = distributed.comm.connect(address, timeout=ANSWER_SECONDS)
    connection = await asyncio.wait_for(greeting, ANSWER_SECONDS)
    await connection.close()


def _import_distributed() -> ModuleType:
    try:
        import distributed
        import distributed.comm
        import distributed.scheduler
    except ImportError as error:
        raise InputError(_EXTRA) from error
    return distributed
