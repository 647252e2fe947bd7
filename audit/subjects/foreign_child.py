"""The process that runs a subject by an interpreter of another environment.

The other side of `audit.subjects.process`, as `audit.subjects.child` is, with nothing but the
standard library of Python 3.9 or later and what the subject brings: dp-audit need not be installed
there. Jobs come as JSON, outputs go as plain data.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import pkgutil
import random
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from audit.subjects.child_limits import limit_memory, move_aside
from audit.subjects.frames import (
    BEGUN,
    LARGEST_BLOCK,
    LARGEST_OUTCOME,
    RAISED,
    REPLY,
    TABLE,
    TOO_LARGE,
    VALUE,
    Frames,
    frame,
)
from audit.subjects.loading import describe, prepare
from audit.subjects.own_sources import OURS, read_sources
from audit.subjects.specs import Spec
from audit.subjects.writing import write_table, write_value
from synthesizers.errors import InputError


def main(descriptor: str, folder: str, ours: str = "") -> NoReturn:
    """Serve the socket until it is closed; the user's modules are looked for in ``folder`` first.

    Our own modules leave no name behind: a module of the user's may have any of theirs. ``ours``:
    what runs in the subject's place, a class of ours that needs nothing but numpy beside.
    """
    made = pkgutil.resolve_name(ours)() if ours else None
    read_sources([folder])
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    sys.path[:1] = [folder]
    try:
        _Server(move_aside(int(descriptor)), os.getpid()).serve(made)
    finally:
        os._exit(0)


class _Server:
    """The child's end of the socket, and the subject behind it."""

    def __init__(self, channel: socket.socket, process: int) -> None:
        self._channel = channel
        self._process = process

    def serve(self, ours: Callable[..., Any] | None = None) -> None:
        """Say what the subject is; then run it, or what stands in its place, when it is asked."""
        source = Frames(self._channel)
        given = json.loads(source.next()[1])
        columns = given["columns"]
        spec = Spec(**{**given, "columns": None if columns is None else tuple(columns)})
        limit_memory(spec.megabytes)
        try:
            if spec.form is None:
                self._reply(form=describe(spec).form)
                return
            function = prepare(spec) if ours is None else ours
        except InputError as error:
            self._reply(refused=str(error))
            return
        self._reply(form=spec.form)
        single = _one_of(function) if spec.form == "batch" else function
        while True:
            job = json.loads(source.next()[1])
            if "runs" in job:
                self._batch(job, function)
            else:
                self._single(job, single)

    def _single(self, job: dict[str, Any], function: Callable[..., Any]) -> None:
        # Each run has the database untouched by whoever had it before.
        copies = [pickle.dumps(database) for database in job["databases"]]
        rng = generator(job["seed"], job["purpose"])
        self._send(frame(BEGUN, b""))
        for second in job["coins"]:
            self._send(_run(function, pickle.loads(copies[second]), rng))

    def _batch(self, job: dict[str, Any], function: Callable[..., Any]) -> None:
        rng = generator(job["seed"], job["purpose"])
        self._send(frame(BEGUN, b""))
        try:
            outputs = function(job["database"], rng, job["runs"])
        except BaseException as error:
            self._reply(raised=type(error).__name__)
            return
        self._send(_tell(outputs, LARGEST_BLOCK))

    def _reply(self, **said: str) -> None:
        self._send(frame(REPLY, json.dumps(said).encode("ascii")))

    def _send(self, frames: bytes) -> None:
        # A process that the subject forked may come back from the run, too.
        if os.getpid() != self._process:
            os._exit(0)
        self._channel.sendall(frames)


def generator(seed: int, purpose: list[int]) -> Any:
    """The random numbers of a block: numpy's, the same as here, or those of the standard library.

    The latter where no numpy of version 1.17 or later is installed.
    """
    try:
        from numpy.random import SeedSequence, default_rng
    except ImportError:
        return random.Random(f"{seed} {purpose}")
    return default_rng(SeedSequence(seed, spawn_key=tuple(purpose)))


def _one_of(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """A batch form as a function: called for one output at a time."""
    return lambda database, rng: function(database, rng, 1)[0]


def _run(function: Callable[..., Any], database: Any, rng: Any) -> bytes:
    try:
        output = function(database, rng)
    except BaseException as error:
        # Nobody reads it but whoever wants to know why a run fails.
        traceback.print_exc()
        raised = type(error).__name__
    else:
        return _tell(output, LARGEST_OUTCOME)
    # Out here the exception has let go of what filled the memory.
    return frame(RAISED, raised.encode("utf-8", "replace"))


def _tell(output: Any, most: int) -> bytes:
    """A frame with an output; with the name of its type alone where it can't be told."""
    pandas = sys.modules.get("pandas")
    number, content = VALUE, b""
    with contextlib.suppress(Exception):
        if pandas is not None and isinstance(output, pandas.Series):
            output = output.to_frame()
        if pandas is not None and isinstance(output, pandas.DataFrame):
            number, content = TABLE, write_table(output)
        else:
            content = write_value(output)
    if not content:
        number, content = VALUE, json.dumps({"other": type(output).__name__}).encode("ascii")
    return frame(number, content) if len(content) <= most else frame(TOO_LARGE, b"")
