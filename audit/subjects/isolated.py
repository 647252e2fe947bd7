"""Functions and estimators of a user's module as black boxes, run in a process of their own.

A run may raise, hang, take all memory, end its process or leave others behind: each is an outcome
of that run, and the next one goes on. What is handed over is a name, so that the user's module is
imported there alone.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from audit.statements.isolation import Isolation
from audit.subjects.apart import probe_isolation
from audit.subjects.explaining import Failure, LogEnd
from audit.subjects.failures import FAILED, describe_failure, describe_shape
from audit.subjects.foreign import ReceivedValues
from audit.subjects.frames import BEGUN, REPLY
from audit.subjects.function import (
    BATCH_BLOCK,
    CALL,
    SINGLE,
    SINGLE_BLOCK,
    CallRaised,
    in_two_calls,
)
from audit.subjects.interpreters import Interpreter
from audit.subjects.outcomes import Ended, Outcomes, Raised, Shape
from audit.subjects.pair import Pair
from audit.subjects.process import START_SECONDS, ChildProcess, paths_of
from audit.subjects.specs import Described, Refused, Spec
from audit.subjects.wire import (
    BatchCall,
    Explanation,
    Failed,
    Received,
    Reply,
    SingleRuns,
    read_answer,
)
from synthesizers.errors import InputError, ProtocolError

ESTIMATOR_BLOCK = 20
"""Runs of one call of `IsolatedBox.draw` on an estimator (a fit takes
seconds rather than milliseconds, and blocks are what jobs share out)."""

UNENDED = 10
"""So many runs in a row, from a block's first one on and on both databases, that end by force
mean that nothing can be run (at a minute each, ten minutes)."""


@dataclass(frozen=True)
class IsolatedBox:
    """A function, its batch form or an estimator, named as ``module:attribute``.

    ``parameters``: as text, set on a class's constructor or a function. ``folder``: where the
    process works and looks for the module first. ``seconds``: the most that a run, or a call of
    the batch form, may take. ``megabytes``: the memory that the process may take beyond what it
    starts with; None for no limit (kept on Linux alone). ``rows``, ``columns``: an estimator's, as
    in `audit.subjects.estimator.as_function`. ``python``: the interpreter of another environment
    that runs it; by default ours.

    A run that takes too long is ``Ended("time")``, one whose process ends ``Ended("died")``, one
    with an output of more than 64 MiB ``Ended("size")``; all else that goes wrong is ``Raised``.
    Each thread keeps one process from one block to the next.
    """

    name: str
    subject: str
    form: Literal["function", "batch", "estimator"]
    parameters: Mapping[str, str] = field(default_factory=dict)
    folder: str = "."
    seconds: float = 60.0
    megabytes: int | None = 4096
    rows: int | None = None
    columns: tuple[str, ...] | None = None
    python: Interpreter | None = None

    def __post_init__(self) -> None:
        if not (0 < self.seconds < math.inf):
            raise InputError(f"a run needs a limit of more than 0 seconds, found {self.seconds}")
        if self.megabytes is not None and self.megabytes < 1:
            raise InputError(f"a run needs at least one megabyte, found {self.megabytes}")
        # A box is drawn from in processes that may stand elsewhere.
        object.__setattr__(self, "folder", os.path.abspath(self.folder))

    @property
    def block(self) -> int:
        """The most runs of one call."""
        blocks = {"function": SINGLE_BLOCK, "batch": BATCH_BLOCK, "estimator": ESTIMATOR_BLOCK}
        return blocks[self.form]

    @property
    def isolation(self) -> Isolation:
        """What keeps its processes apart, as far as a program that tries to break it found."""
        return probe_isolation(self.paths)

    @property
    def paths(self) -> tuple[str, ...]:
        """What they may read beside the system."""
        return paths_of(self.folder, self.python)

    def check(self) -> None:
        """Start the process; raises InputError where the subject can't be found or made."""
        _kept.processes.of(self)

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order.

        Raises InputError where the subject can't be found or made; ProtocolError where no run
        ever ends, and where a batch form does not end or does not return one output a run.

        Guarantee
        ---------
        An outcome is of its own run on the database of its own coin, whatever became of other
        runs: none is repeated, left out or given another's place, and runs after an end have
        random numbers of their own. Backed by ``tests/audit/subjects/test_isolated_box.py``.
        """
        return self._draw_runs(_kept.processes, pair, coins, seed)

    def draw_afresh(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """The same in a new process, in which the subject has never run."""
        processes = _Processes()
        try:
            return self._draw_runs(processes, pair, coins, seed)
        finally:
            processes.end()

    @property
    def serves(self) -> bool:
        """Its runs owe their randomness to what they are handed, if they are the same again."""
        return False

    def draw_first(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, each the only one of its process."""
        seeds = np.random.SeedSequence(seed).generate_state(len(coins), np.uint64)
        return Outcomes.join(
            [
                self.draw_afresh(pair, coins[place : place + 1], int(own))
                for place, own in enumerate(seeds)
            ]
        )

    def explain(self, database: Any, seed: int) -> Failure | None:
        """One run in a new process, whose standard error is kept; None where it raises nothing."""
        elsewhere = self.python is not None
        one = SingleRuns((database, database), np.zeros(1, np.bool_), seed, (SINGLE, 0))
        found: Reply | Shape | Ended
        with LogEnd() as log:
            process = ChildProcess(self.spec, self.folder, self.python, log.target)
            try:
                process.started()
                process.send(one if elsewhere else Explanation(database, seed))
                until = time.monotonic() + self.seconds
                found = _outcome(process, until) if elsewhere else process.reply(until)
            except Exception as error:
                found = process.reason(error)
            finally:
                process.end()
        match found:
            case Failed(name, place, message):
                return Failure("run", f"raised {name}", place, message, log=log.text)
            case Ended(reason):
                return Failure("run", f"ended ({reason})", log=log.text)
            case Shape(kind) if kind in FAILED:
                return Failure("run", describe_shape(found), log=log.text)
        return None

    @property
    def spec(self) -> Spec:
        """What its process is told."""
        parameters = dict(self.parameters)
        return Spec(self.subject, self.form, parameters, self.megabytes, self.rows, self.columns)

    def _draw_runs(
        self, processes: _Processes, pair: Pair, coins: NDArray[np.bool_], seed: int
    ) -> Outcomes:
        def call(second: bool, runs: int, place: int) -> Outcomes:
            database = pair.second if second else pair.first
            return processes.call(self, BatchCall(database, runs, seed, (CALL, place)))

        # Whatever interrupts us leaves a process in the middle of its work.
        with processes.end_on_error():
            if self.form == "batch":
                try:
                    return in_two_calls(call, coins, seed)
                except CallRaised:
                    pass
            return self._singly(processes, (pair.first, pair.second), coins, seed)

    def _singly(
        self,
        processes: _Processes,
        databases: tuple[Any, Any],
        coins: NDArray[np.bool_],
        seed: int,
    ) -> Outcomes:
        """One run after the other, in a new process with other random numbers after each end."""
        parts: list[Outcomes] = []
        done, ended = 0, 0
        while done < len(coins):
            job = SingleRuns(databases, coins[done:], seed, (SINGLE, done))
            found, end = processes.runs(self, job)
            parts.append(found)
            done += len(found)
            if end is not None:
                parts.append(Outcomes.of_outputs([end]))
                done, ended = done + 1, ended + 1
                if ended == done and done >= UNENDED and 0 < np.sum(coins[:done]) < done:
                    failure = describe_failure(Outcomes.join(parts))
                    raise ProtocolError(
                        f"{self.name}: {failure}, on both databases; a "
                        f"run that only needs more than {self.seconds:g} seconds or its memory "
                        "gets them by --seconds and --megabytes"
                    )
        return Outcomes.join(parts)


def describe(
    subject: str,
    parameters: Mapping[str, str] | None = None,
    folder: str = ".",
    python: Interpreter | None = None,
) -> Described:
    """What ``module:attribute`` is, found out in a process of its own; raises InputError."""
    process = ChildProcess(Spec(subject, None, dict(parameters or {})), folder, python)
    try:
        return process.started()
    finally:
        process.end()


class _Processes:
    """The process that serves a box, kept until another box asks or it comes to an end."""

    def __init__(self) -> None:
        self._box: IsolatedBox | None = None
        self._process: ChildProcess | None = None

    def of(self, box: IsolatedBox) -> ChildProcess:
        """The box's process, started where there is none."""
        process = self._process
        if process is not None and self._box == box and process.alive():
            return process
        self.end()
        process = ChildProcess(box.spec, box.folder, box.python)
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

    def runs(self, box: IsolatedBox, job: SingleRuns) -> tuple[Outcomes, Ended | None]:
        """The outcomes of the first runs, and how the next one ended if not all are there."""
        process = self._hand_over(box, job)
        received = process.received()
        try:
            for _ in range(len(job.coins)):
                _receive(process, received, time.monotonic() + box.seconds)
        except ProtocolError:
            raise
        except Exception as error:
            end = process.reason(error)
            self.end()
            return received.outcomes(), end
        return received.outcomes(), None

    def call(self, box: IsolatedBox, job: BatchCall) -> Outcomes:
        """The outcomes of one call of the batch form; raises CallRaised or ProtocolError."""
        process = self._hand_over(box, job)
        received, until = process.received(), time.monotonic() + box.seconds
        try:
            while len(received) < job.runs:
                reply = _receive(process, received, until, job.runs)
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

    def _hand_over(self, box: IsolatedBox, job: SingleRuns | BatchCall) -> ChildProcess:
        """A process that has the job and begins with it."""
        for _ in range(2):
            process = self.of(box)
            try:
                process.send(job)
                if process.next(time.monotonic() + START_SECONDS)[0] == BEGUN:
                    return process
            except Exception:
                # It came to its end between two blocks.
                pass
            self.end()
        raise ProtocolError(
            f"{box.name}: its process ended as it was handed the databases; allow more memory with "
            "--megabytes"
        )


def _receive(
    process: ChildProcess, received: Received | ReceivedValues, until: float, most: int = 0
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


def _outcome(process: ChildProcess, until: float) -> Shape:
    """What kind of thing the one run of a job gave."""
    if process.next(until)[0] != BEGUN:
        raise ValueError
    received = process.received()
    _receive(process, received, until)
    return received.outcomes().shapes[0]


class _Kept(threading.local):
    """Of each thread, its process."""

    def __init__(self) -> None:
        self.processes = _Processes()


_kept = _Kept()
