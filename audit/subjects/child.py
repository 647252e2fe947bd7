"""The process that runs a subject: `audit.subjects.process` starts it, in a box, and listens.

It imports the user's module, is handed databases, and sends each outcome as soon as its run ends.
Whatever the subject prints goes nowhere.
"""

from __future__ import annotations

import io
import os
import pickle
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from audit.subjects.function import batch_outcomes, fresh, generator, one_of
from audit.subjects.loading import describe, prepare
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.wire import (
    BEGUN,
    REPLY,
    BatchCall,
    Described,
    Frames,
    Refused,
    SingleRuns,
    Spec,
    Writer,
    answer,
    frame,
)
from synthesizers.errors import InputError, ProtocolError

_LOWEST_DESCRIPTOR = 500
"""Where the socket is put: above the descriptors that careless code
closes, and that new files get."""

_STARTS_WITH = 2**31
"""What a process is taken to start with where nothing says it (numpy and
pandas take half of it on a machine of few cores)."""


def main(descriptor: str) -> NoReturn:
    """Serve the socket until it is closed."""
    try:
        _Server(_move_aside(int(descriptor)), os.getpid()).serve()
    finally:
        os._exit(0)


def _move_aside(descriptor: int) -> socket.socket:
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR)
    os.close(descriptor)
    return socket.socket(fileno=moved)


def _limit_memory(megabytes: int | None) -> None:
    """A limit on the memory beyond what is taken by now."""
    import resource

    # Elsewhere such a limit is not kept.
    if megabytes is not None and sys.platform == "linux":
        limit = _memory_in_use(resource.getpagesize()) + megabytes * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _memory_in_use(page: int) -> int:
    """The addresses that this process has by now, in bytes."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * page
    except OSError:
        # A box without a root of its own does not show /proc.
        return _STARTS_WITH


class _Jobs(pickle.Unpickler):
    """What the parent sends: its classes are ours, whatever modules the user has."""

    _OURS: ClassVar = {(own.__module__, own.__name__): own for own in (BatchCall, SingleRuns, Spec)}

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))

    def find_class(self, module: str, name: str) -> Any:
        """A class or function by its name."""
        return self._OURS.get((module, name)) or super().find_class(module, name)


class _Server:
    """The child's end of the socket, and the subject behind it."""

    def __init__(self, channel: socket.socket, process: int) -> None:
        self._channel = channel
        self._process = process
        self._writer = Writer()

    def serve(self) -> None:
        """Say what the subject is; then run it as often as it is asked."""
        source = Frames(self._channel)
        spec: Spec = _Jobs(source.next()[1]).load()
        _limit_memory(spec.megabytes)
        try:
            if spec.form is None:
                self._reply(describe(spec))
                return
            function = prepare(spec)
        except InputError as error:
            self._reply(Refused(str(error)))
            return
        self._reply(Described(spec.form))
        single = one_of(function) if spec.form == "batch" else function
        while True:
            job = _Jobs(source.next()[1]).load()
            if isinstance(job, BatchCall):
                self._batch(job, function, spec.subject)
            else:
                self._single(job, single)

    def _single(self, job: SingleRuns, function: Callable[..., Any]) -> None:
        copies = [fresh(database) for database in job.databases]
        rng = generator(job.seed, *job.purpose)
        self._begin()
        for second in job.coins.tolist():
            self._send(self._run(function, copies[second], rng))

    def _run(self, function: Callable[..., Any], copy: Callable[[], Any], rng: object) -> bytes:
        try:
            return self._encode_output(function(copy(), rng))
        except BaseException as error:
            raised = Raised(type(error).__name__)
        # Out here the exception has let go of what filled the memory.
        return self._encode_output(raised)

    def _encode_output(self, output: object) -> bytes:
        return self._writer.frames(Outcomes.of_outputs([output]))

    def _begin(self) -> None:
        self._writer = Writer()
        self._send(frame(BEGUN, b""))

    def _batch(self, job: BatchCall, function: Callable[..., Any], name: str) -> None:
        database, rng = fresh(job.database)(), generator(job.seed, *job.purpose)
        self._begin()
        try:
            outputs = function(database, rng, job.runs)
        except BaseException as error:
            raised = Raised(type(error).__name__)
        else:
            self._send(self._batch_frames(name, outputs, job.runs))
            return
        self._reply(raised)

    def _batch_frames(self, name: str, outputs: object, runs: int) -> bytes:
        try:
            return self._writer.frames(batch_outcomes(name, outputs, runs))
        except ProtocolError as error:
            return frame(REPLY, answer(Refused(str(error))))

    def _reply(self, said: Described | Refused | Raised) -> None:
        self._send(frame(REPLY, answer(said)))

    def _send(self, frames: bytes) -> None:
        # A process that the subject forked may come back from the run, too.
        if os.getpid() != self._process:
            os._exit(0)
        self._channel.sendall(frames)
