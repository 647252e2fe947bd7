"""The process that runs a subject: `audit.subjects.process` starts it and listens.

It imports the user's module, is handed databases, and sends each outcome as soon as its run ends.
Whatever the subject prints goes nowhere. It is kept from doing harm by accident, not on purpose:
it runs as the user who started it.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audit.attack.outcomes import Ended, Outcomes, Raised, Shape
from audit.subjects.function import batch_outcomes, fresh, generator, one_of
from audit.subjects.loading import described, prepared
from audit.subjects.wire import (
    BEGUN,
    LARGEST_OUTCOME,
    REPLY,
    SHAPE,
    BatchCall,
    Described,
    Refused,
    SingleRuns,
    Spec,
    content_of,
    framed,
    next_frame,
    readable,
)
from synthesizers.errors import InputError, ProtocolError

_LOWEST_DESCRIPTOR = 500
"""Where the socket is put (a choice of this project): above the descriptors that careless code
closes, and that new files get."""

_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl(2)."""


def main(descriptor: int, parent: int) -> None:
    """Serve the socket until it is closed, then end all processes of the group."""
    process = os.getpid()
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == parent:
            _Server(_put_away(descriptor), process).serve()
    finally:
        if os.getpid() == process:
            os.killpg(0, signal.SIGKILL)
        os._exit(0)


def _put_away(descriptor: int) -> socket.socket:
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR)
    os.close(descriptor)
    return socket.socket(fileno=moved)


def _confine(megabytes: int | None) -> None:
    """No core files, and a limit on the memory beyond what is taken by now."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Elsewhere such a limit is not kept.
    if megabytes is not None and sys.platform == "linux":
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit = taken + megabytes * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


class _Server:
    """The child's end of the socket, and the subject behind it."""

    def __init__(self, channel: socket.socket, process: int) -> None:
        self._channel = channel
        self._process = process
        self._numbers: dict[Shape, int] = {}

    def serve(self) -> None:
        """Say what the subject is; then run it as often as it is asked."""
        source = self._channel.makefile("rb")
        spec: Spec = pickle.loads(next_frame(source)[1])
        _confine(spec.megabytes)
        try:
            if spec.form is None:
                self._reply(described(spec))
                return
            function = prepared(spec)
        except InputError as error:
            self._reply(Refused(str(error)))
            return
        self._reply(Described(spec.form, None))
        single = one_of(function) if spec.form == "batch" else function
        while True:
            job = pickle.loads(next_frame(source)[1])
            if isinstance(job, BatchCall):
                self._batch(job, function, spec.subject)
            else:
                self._single(job, single)

    def _single(self, job: SingleRuns, function: Callable[..., Any]) -> None:
        copies = [fresh(database) for database in job.databases]
        rng = generator(job.seed, *job.purpose)
        self._numbers = {}
        self._send(framed(BEGUN, b""))
        for second in job.coins.tolist():
            self._send(self._run(function, copies[second], rng))

    def _run(self, function: Callable[..., Any], copy: Callable[[], Any], rng: object) -> bytes:
        try:
            return self._told(function(copy(), rng))
        except BaseException as error:
            raised = Raised(type(error).__name__)
        # Out here the exception has let go of what filled the memory.
        return self._told(raised)

    def _told(self, output: object) -> bytes:
        """The frames of an outcome."""
        shape, content = content_of(Outcomes.of_outputs([output]))
        if len(content) > LARGEST_OUTCOME:
            return self._told(Ended("size"))
        number = self._numbers.get(shape)
        if number is not None:
            return framed(number, content)
        number = self._numbers[shape] = len(self._numbers)
        return framed(SHAPE, pickle.dumps(shape)) + framed(number, content)

    def _batch(self, job: BatchCall, function: Callable[..., Any], name: str) -> None:
        database, rng = fresh(job.database)(), generator(job.seed, *job.purpose)
        self._send(framed(BEGUN, b""))
        try:
            outputs = function(database, rng, job.runs)
        except BaseException as error:
            raised = Raised(type(error).__name__)
        else:
            self._send(framed(REPLY, _batch_reply(name, outputs, job.runs)))
            return
        self._reply(raised)

    def _reply(self, found: object) -> None:
        self._send(framed(REPLY, pickle.dumps(found)))

    def _send(self, frames: bytes) -> None:
        # A process that the subject forked may come back from the run, too.
        if os.getpid() != self._process:
            os._exit(0)
        self._channel.sendall(frames)


def _batch_reply(name: str, outputs: object, runs: int) -> bytes:
    try:
        packed = readable(batch_outcomes(name, outputs, runs))
    except ProtocolError as error:
        return pickle.dumps(Refused(str(error)))
    return packed or pickle.dumps(Refused(f"{name} returned tables that hold more than plain data"))
