"""Functions that the caller holds as black boxes, run in a copy of the caller's process.

What such a function does to its process, such as ending it, is an outcome of its run, and leaves
the caller's alone. One copy makes all runs, one after the other, as this process would: what the
function keeps from run to run, such as a generator, is kept there.
"""

from __future__ import annotations

import os
import pickle
import select
import sys
import time
import weakref
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from audit.statements.limits import Limits
from audit.subjects.child import Server
from audit.subjects.child_limits import LOWEST_DESCRIPTOR
from audit.subjects.explaining import Failure
from audit.subjects.forked import close, fork
from audit.subjects.frames import REPLY, Frames, frame
from audit.subjects.function import BATCH_BLOCK, SINGLE_BLOCK, FunctionBox
from audit.subjects.outcomes import Ended, Outcomes
from audit.subjects.pair import Pair
from audit.subjects.running import Processes, draw_runs
from audit.subjects.specs import Described
from audit.subjects.started import Started
from audit.subjects.wire import Explanation, Failed, Received, Reply, read_reply
from synthesizers.errors import CannotFork

CALLS = 10
"""So many times what a run may take is what a call of the batch form may take."""


MOVES = 5
"""Runs on other databases before the one of a copy, at most: they move on a generator that the
caller's process holds, which would give each copy the same."""


@dataclass(frozen=True, eq=False)
class CopiedBox:
    """A function that the caller holds, run in a copy of this process.

    ``here``: the same run in this process, where this can't be copied; it is trusted to end then,
    and not to end this process. A run that takes too long is ``Ended("time")``, one whose process
    ends ``Ended("died")``; the next one begins in a new copy.
    """

    here: FunctionBox
    _processes: Processes = field(default_factory=Processes, repr=False)

    @property
    def name(self) -> str:
        """What a report calls it."""
        return self.here.name

    @property
    def block(self) -> int:
        """The most runs of one call."""
        return BATCH_BLOCK if self.here.batch else SINGLE_BLOCK

    @property
    def form(self) -> Literal["function", "batch"]:
        """How it is called."""
        return "batch" if self.here.batch else "function"

    @property
    def seconds(self) -> float:
        """The most that a run, or a call of the batch form, may take."""
        return Limits().seconds * (CALLS if self.here.batch else 1)

    def start(self) -> CopiedProcess:
        """A new copy; raises CannotFork where there can be none."""
        return CopiedProcess(self.here)

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order.

        Raises ProtocolError where no run ever ends, and where a batch form does not end or does not
        return one output a run.

        Guarantee
        ---------
        As of `audit.subjects.isolated.IsolatedBox.draw`, with the random numbers of
        `FunctionBox.draw`. Backed by ``tests/audit/subjects/test_forked.py``.
        """
        try:
            return draw_runs(self, self._processes, pair, coins, seed)
        except CannotFork:
            return self.here.draw(pair, coins, seed)

    def draw_in_copies(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, each in a new copy, after up to `MOVES` runs on other databases.

        Raises CannotFork where there can be no copy.
        """
        seeds = np.random.SeedSequence(seed).generate_state(len(coins), np.uint64)
        found = []
        for place, (coin, own) in enumerate(zip(coins, seeds, strict=True)):
            this, other = (pair.second, pair.first) if coin else (pair.first, pair.second)
            processes = Processes()
            try:
                for database in (*_others(this, other)[: place % (MOVES + 1)], this):
                    alone = Pair(database, database)
                    last = draw_runs(self, processes, alone, np.zeros(1, np.bool_), int(own))
            finally:
                processes.end()
            found.append(last)
        return Outcomes.join(found)

    def explain(self, database: Any, seed: int) -> Failure | None:
        """One run in a new copy; None where it raises nothing."""
        try:
            process = self.start()
        except CannotFork:
            return self.here.explain(database, seed)
        found: Reply | Ended
        try:
            process.send(Explanation(database, seed))
            found = process.reply(time.monotonic() + self.seconds)
        except Exception as error:
            found = process.reason(error)
        finally:
            process.end()
        match found:
            case Failed(name, place, message):
                return Failure("run", f"raised {name}", place, message)
            case Ended(reason):
                return Failure("run", f"ended ({reason})")
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process runs it itself: it is no caller's.
        return type(self.here), (self.here.name, self.here.function, self.here.batch)


class CopiedProcess:
    """A running copy, and our end of the pipes to it."""

    def __init__(self, box: FunctionBox) -> None:
        started = fork(partial(_serve, box))
        self._owner = os.getpid()
        assert started.number is not None
        ended = os.pidfd_open(started.number)
        self._channel = _Channel(started.stdout.fileno(), started.stdin.fileno(), ended)
        self._frames = Frames(self._channel)
        self.end = weakref.finalize(self, _close, started, ended)

    def started(self) -> Described:
        """It has the function from the start."""
        return Described("function")

    def received(self) -> Received:
        """What takes the outcomes of a job."""
        return Received()

    def alive(self) -> bool:
        """Whether it is ours; that it came to its end is seen when it is asked."""
        return self._owner == os.getpid() and self.end.alive

    def send(self, found: object) -> None:
        """Hand something over."""
        self._channel.sendall(frame(REPLY, pickle.dumps(found)))

    def next(self, until: float) -> tuple[int, bytes]:
        """The next frame; TimeoutError where it is not there in time, or another error."""
        return self._frames.next(until)

    def reply(self, until: float) -> Reply:
        """The next frame as an answer in words."""
        return read_reply(*self.next(until))

    def reason(self, error: Exception) -> Ended:
        """Why no outcome came."""
        return Ended("time" if isinstance(error, TimeoutError) else "died")


class _Channel:
    """Two pipes, as a socket is read and written.

    ``ended``: can be read once the process at their other ends is no more, whoever else holds them.
    """

    def __init__(self, source: int, target: int, ended: int | None = None) -> None:
        self._source, self._target, self._ended = source, target, ended
        self._seconds: float | None = None

    def settimeout(self, seconds: float | None) -> None:
        """How long what follows may wait."""
        self._seconds = seconds

    def recv(self, most: int) -> bytes:
        """What has come, at most so many bytes; TimeoutError where nothing comes in time."""
        watched = [self._source] if self._ended is None else [self._source, self._ended]
        ready = select.select(watched, [], [], self._seconds)[0]
        if not ready:
            raise TimeoutError
        return os.read(self._source, most) if self._source in ready else b""

    def sendall(self, content: bytes) -> None:
        """Write all of it."""
        left = memoryview(content)
        while left:
            left = left[os.write(self._target, left) :]


def _others(this: Any, other: Any) -> list[Any]:
    """The other database of a pair, and some of other sizes where they are lists."""
    found = [other]
    longest = max(this, other, key=lambda one: len(one) if isinstance(one, list) else 0)
    if isinstance(longest, list):
        found += [longest[:1] * size for size in range(MOVES + 1)]
    return [one for one in found if one != this]


def _close(started: Started, ended: int) -> None:
    os.close(ended)
    close(started)


def _serve(box: FunctionBox, source: BinaryIO, target: BinaryIO) -> None:
    """Answer until nobody asks; what the function prints goes nowhere."""
    channel = _Channel(*(_move_aside(pipe.fileno()) for pipe in (source, target)))
    nothing = os.open(os.devnull, os.O_WRONLY)
    for standard in (1, 2):
        os.dup2(nothing, standard)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it stays open
    form: Literal["function", "batch"] = "batch" if box.batch else "function"
    Server(channel, os.getpid()).answer_jobs(Frames(channel), box.function, form, box.name)


def _move_aside(descriptor: int) -> int:
    """The same under a number that careless code does not close."""
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR)
