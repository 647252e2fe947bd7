"""Work shared out over a Dask cluster. With `audit.utility.cluster`, all that needs Dask."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from audit.parallel import CALLS_A_WORKER, Map, in_order
from synthesizers.errors import InputError, ProtocolError

_EXTRA = "runs on a cluster need Dask: pip install 'dp-audit[dask]', or leave out --cluster"

ANSWER_SECONDS = 10
"""How long a scheduler, and its first worker, may take to answer (a choice of this project)."""

_ADDRESS = re.compile(r"[a-z]+://.+:[0-9]+")

_one_at_a_time = threading.Lock()


def cluster(address: str) -> Map:
    """Calls made by the workers of the Dask scheduler at ``address``, such as tcp://host:8786.

    At most `CALLS_A_WORKER` calls a worker are in flight or waiting to be fetched. The calls of a
    worker that dies are made again by another. A connection is opened for each series of calls,
    and closed at its end or when its results are left.

    Raises InputError where Dask is absent, or no scheduler with a worker answers within
    `ANSWER_SECONDS` each; in a series of calls also ProtocolError where a call took several
    workers down.
    """
    distributed = _distributed()
    with _connected(distributed, address):
        pass

    def share(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        with _connected(distributed, address) as client:
            workers = len(client.nthreads())

            def submit(arguments: tuple[Any, ...]) -> Any:
                return client.submit(_alone, function, arguments, pure=False)

            try:
                yield from in_order(submit, calls, CALLS_A_WORKER * workers)
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
def _connected(distributed: ModuleType, address: str) -> Iterator[Any]:
    if _ADDRESS.fullmatch(address) is None:
        raise InputError(
            f"the address of a cluster reads tcp://host:8786, its scheduler's; found {address!r}"
        )
    try:
        # Aside, since this thread may run an event loop of its own, as notebooks do.
        with ThreadPoolExecutor(1) as aside:
            aside.submit(asyncio.run, _greeted(distributed, address)).result()
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


async def _greeted(distributed: ModuleType, address: str) -> None:
    """Shake hands with a scheduler: a client would wait forever for one that says nothing."""
    greeting = distributed.comm.connect(address, timeout=ANSWER_SECONDS)
    connection = await asyncio.wait_for(greeting, ANSWER_SECONDS)
    await connection.close()


def _distributed() -> ModuleType:
    try:
        import distributed
        import distributed.comm
        import distributed.scheduler
    except ImportError as error:
        raise InputError(_EXTRA) from error
    return distributed
