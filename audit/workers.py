"""Work shared out over processes that leave Ctrl-C to the one that started them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import joblib


def shared_out(jobs: int, calls: Iterable[Any]) -> Iterator[Any]:
    """The results of ``joblib.delayed`` calls, in their order, from ``jobs`` processes."""
    with _interrupts_wait():
        results: Iterator[Any] = joblib.Parallel(n_jobs=jobs, return_as="generator")(calls)
        return results


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Hold Ctrl-C back, for good in processes that start meanwhile.

    Interrupted while it starts, a process would print a traceback, and joblib ends it anyhow.
    """
    if os.name != "posix":
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    # To start it lets interrupts through again.
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
