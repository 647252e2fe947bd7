"""Functions and estimators of a user's module as black boxes, run in a process of their own.

A run may raise, hang, take all memory, end its process or leave others behind: each is an outcome
of that run, and the next one goes on. What is handed over is a name, so that the user's module is
imported there alone.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from audit.statements.isolation import Isolation
from audit.subjects.apart import probe_isolation
from audit.subjects.explaining import Failure, LogEnd
from audit.subjects.failures import FAILED, describe_shape
from audit.subjects.frames import BEGUN
from audit.subjects.function import (
    BATCH_BLOCK,
    SINGLE,
    SINGLE_BLOCK,
)
from audit.subjects.interpreters import Interpreter
from audit.subjects.outcomes import Ended, Outcomes, Shape
from audit.subjects.pair import Pair
from audit.subjects.process import START_SECONDS, ChildProcess, paths_of
from audit.subjects.running import Processes, draw_runs, receive_outcome
from audit.subjects.specs import Described, Spec
from audit.subjects.wire import (
    Explanation,
    Failed,
    Reply,
    SingleRuns,
)
from synthesizers.errors import InputError, ProtocolError

ESTIMATOR_BLOCK = 20
"""Runs of one call of `IsolatedBox.draw` on an estimator (a fit takes
seconds rather than milliseconds, and blocks are what jobs share out)."""


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

    def start(self) -> ChildProcess:
        """A new process."""
        return ChildProcess(self.spec, self.folder, self.python)

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
        return draw_runs(self, _kept.processes, pair, coins, seed)

    def draw_afresh(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """The same in a new process, in which the subject has never run."""
        processes = Processes()
        try:
            return draw_runs(self, processes, pair, coins, seed)
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


def put_inside(box: IsolatedBox, inside: type, seconds: float) -> IsolatedBox:
    """A box that runs a class of ours in the subject's place, in the same confinement."""
    return replace(
        box,
        subject=f"{inside.__module__}:{inside.__name__}",
        form="function",
        parameters={},
        rows=None,
        columns=None,
        seconds=seconds,
    )


def read_text(outcomes: Outcomes, seconds: float) -> str:
    """The text of one run of such a box; raises ProtocolError where it came to no end."""
    shape = outcomes.shapes[0]
    if shape.kind != "text":
        over = f"it took more than {seconds:g} seconds; give more with --seconds"
        raise ProtocolError(
            over if shape.detail == "time" else f"the examined process ended: {shape.detail}"
        )
    return str(outcomes.blocks[0][0])


def describe(
    subject: str,
    parameters: Mapping[str, str] | None = None,
    folder: str = ".",
    python: Interpreter | None = None,
    seconds: float = START_SECONDS,
) -> Described:
    """What ``module:attribute`` is, found out in a process of its own; raises InputError.

    ``seconds``: how long that may take.
    """
    process = ChildProcess(Spec(subject, None, dict(parameters or {})), folder, python)
    try:
        return process.started(seconds)
    finally:
        process.end()


def _outcome(process: ChildProcess, until: float) -> Shape:
    """What kind of thing the one run of a job gave."""
    if process.next(until)[0] != BEGUN:
        raise ValueError
    received = process.received()
    receive_outcome(process, received, until)
    return received.outcomes().shapes[0]


class _Kept(threading.local):
    """Of each thread, its process."""

    def __init__(self) -> None:
        self.processes = Processes()


_kept = _Kept()
