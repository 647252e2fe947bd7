"""Runs in a process of their own, which is started again after each that ends it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from audit.subjects.failures import describe_failure
from audit.subjects.foreign import ReceivedValues
from audit.subjects.frames import BEGUN, REPLY
from audit.subjects.function import CALL, SINGLE, CallRaised, in_two_calls
from audit.subjects.outcomes import Ended, Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.process import START_SECONDS
from audit.subjects.specs import Described, Refused
from audit.subjects.wire import BatchCall, Received, Reply, SingleRuns, read_answer
from synthesizers.errors import CannotFork, ProtocolError

UNENDED = 10
"""So many runs in a row, from a block's first one on and on both databases, that end by force
mean that nothing can be run (at a minute each, ten minutes)."""


class Process(Protocol):
    """A process that runs a subject, seen from the one that started it."""

    @property
    def end(self) -> Callable[[], object]:
        """Ends it with all that it left behind."""
        ...

    def started(self) -> Described:
        """What it found; raises InputError where it can't run the subject."""
        ...

    def received(self) -> Received | ReceivedValues:
        """What takes the outcomes of a job."""
        ...

    def alive(self) -> bool:
        """Whether it is ours and still runs, as far as is known."""
        ...

    def send(self, found: object, /) -> None:
        """Hand something over."""
        ...

    def next(self, until: float, /) -> tuple[int, bytes]:
        """The next frame; an exception of any kind where none comes in time."""
        ...

    def reason(self, error: Exception, /) -> Ended:
        """Why no outcome came."""
        ...


class RunInProcesses(Protocol):
    """A box whose runs are made in a process that it starts."""

    @property
    def name(self) -> str:
        """What a report calls it."""
        ...

    @property
    def form(self) -> Literal["function", "batch", "estimator"]:
        """How it is called."""
        ...

    @property
    def seconds(self) -> float:
        """The most that a run, or a call of the batch form, may take."""
        ...

    def start(self) -> Process:
        """A new process."""
        ...


def draw_runs(
    box: RunInProcesses, processes: Processes, pair: Pair, coins: NDArray[np.bool_], seed: int
) -> Outcomes:
    """One run for each coin, in order; raises ProtocolError where nothing can be run."""

    def call(second: bool, runs: int, place: int) -> Outcomes:
        database = pair.second if second else pair.first
        return processes.call(box, BatchCall(database, runs, seed, (CALL, place)))

    # Whatever interrupts us leaves a process in the middle of its work.
    with processes.end_on_error():
        if box.form == "batch":
            try:
                return in_two_calls(call, coins, seed)
            except CallRaised:
                pass
        return _singly(box, processes, (pair.first, pair.second), coins, seed)


def _singly(
    box: RunInProcesses,
    processes: Processes,
    databases: tuple[Any, Any],
    coins: NDArray[np.bool_],
    seed: int,
) -> Outcomes:
    """One run after the other, in a new process with other random numbers after each end."""
    parts: list[Outcomes] = []
    done, ended = 0, 0
    while done < len(coins):
        job = SingleRuns(databases, coins[done:], seed, (SINGLE, done))
        found, end = processes.runs(box, job)
        parts.append(found)
        done += len(found)
        if end is not None:
            parts.append(Outcomes.of_outputs([end]))
            done, ended = done + 1, ended + 1
            if ended == done and done >= UNENDED and 0 < np.sum(coins[:done]) < done:
                failure = describe_failure(Outcomes.join(parts))
                raise ProtocolError(
                    f"{box.name}: {failure}, on both databases; a "
                    f"run that only needs more than {box.seconds:g} seconds or its memory "
                    "gets them by --seconds and --megabytes"
                )
    return Outcomes.join(parts)


class Processes:
    """The process that serves a box, kept until another box asks or it comes to an end."""

    def __init__(self) -> None:
        self._box: RunInProcesses | None = None
        self._process: Process | None = None

    def of(self, box: RunInProcesses) -> Process:
        """The box's process, started where there is none."""
        process = self._process
        if process is not None and self._box == box and process.alive():
            return process
        self.end()
        process = box.start()
        self._box, self._process = box, process
        with self.end_on_error():
            process.started()
        return process

    def end(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.end()
        self._process = None

    @contextlib.contextmanager
    def end_on_error(self) -> Any:
        """End the process where the block inside is left by an exception."""
        try:
            yield
        except BaseException:
            self.end()
            raise

    def runs(self, box: RunInProcesses, job: SingleRuns) -> tuple[Outcomes, Ended | None]:
        """The outcomes of the first runs, and how the next one ended if not all are there."""
        process = self._hand_over(box, job)
        received = process.received()
        try:
            for _ in range(len(job.coins)):
                receive_outcome(process, received, time.monotonic() + box.seconds)
        except ProtocolError:
            raise
        except Exception as error:
            end = process.reason(error)
            self.end()
            return received.outcomes(), end
        return received.outcomes(), None

    def call(self, box: RunInProcesses, job: BatchCall) -> Outcomes:
        """The outcomes of one call of the batch form; raises CallRaised or ProtocolError."""
        process = self._hand_over(box, job)
        received, until = process.received(), time.monotonic() + box.seconds
        try:
            while len(received) < job.runs:
                reply = receive_outcome(process, received, until, job.runs)
                if reply is not None:
                    break
            else:
                return received.outcomes()
        except ProtocolError:
            raise
        except Exception as error:
            raise ProtocolError(
                f"{box.name}: a call of the batch form was ended ({process.reason(error).reason}; "
                f"it may take {box.seconds:g} seconds); give more, or the form f(database, rng), "
                "in which a run that does not end is an outcome"
            ) from None
        match reply:
            case Raised():
                raise CallRaised
            case Refused(message):
                raise ProtocolError(message)
        raise ProtocolError(f"{box.name}: its process sent something else than outcomes")

    def _hand_over(self, box: RunInProcesses, job: SingleRuns | BatchCall) -> Process:
        """A process that has the job and begins with it."""
        for _ in range(2):
            process = self.of(box)
            try:
                process.send(job)
                if process.next(time.monotonic() + START_SECONDS)[0] == BEGUN:
                    return process
            except CannotFork:
                raise
            except Exception:
                # It came to its end between two blocks.
                pass
            self.end()
        raise ProtocolError(
            f"{box.name}: its process ended as it was handed the databases; allow more memory with "
            "--megabytes"
        )


def receive_outcome(
    process: Process, received: Received | ReceivedValues, until: float, most: int = 0
) -> Reply | None:
    """Wait for the next outcome, or for all of a batch of ``most``; or for an answer in its place.

    Raises an exception of any kind where none comes.
    """
    before = len(received)
    while len(received) == before:
        number, content = process.next(until)
        if number == REPLY and most and not before:
            return read_answer(content)
        received.take(number, content, most)
    return None
