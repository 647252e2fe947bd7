"""The process that runs a subject: `audit.subjects.process` starts it, in a box, and listens.

It imports the user's module, is handed databases, and sends each outcome as soon as its run ends.
Whatever the subject prints goes nowhere.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
import traceback
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from audit.subjects.child_limits import limit_memory, move_aside
from audit.subjects.explaining import place_of, words_of
from audit.subjects.forms import Form
from audit.subjects.frames import BEGUN, REPLY, Channel, Frames, frame
from audit.subjects.function import SINGLE, batch_outcomes, fresh, generator, one_of
from audit.subjects.loading import describe, prepare
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.specs import Described, Refused, Spec
from audit.subjects.wire import (
    BatchCall,
    Explanation,
    Failed,
    Reply,
    SingleRuns,
    Writer,
    answer,
)
from synthesizers.errors import InputError, ProtocolError


def main(descriptor: str) -> NoReturn:
    """Serve the socket until it is closed."""
    try:
        Server(move_aside(int(descriptor)), os.getpid()).serve()
    finally:
        os._exit(0)


class _Jobs(pickle.Unpickler):
    """What the parent sends: its classes are ours, whatever modules the user has."""

    _OURS: ClassVar = {
        (own.__module__, own.__name__): own for own in (BatchCall, Explanation, SingleRuns, Spec)
    }

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))

    def find_class(self, module: str, name: str) -> Any:
        """A class or function by its name."""
        return self._OURS.get((module, name)) or super().find_class(module, name)


class Server:
    """A child's end of its channel, and the subject behind it."""

    def __init__(self, channel: Channel, process: int) -> None:
        self._channel = channel
        self._process = process
        self._writer = Writer()

    def serve(self) -> None:
        """Say what the subject is; then run it as often as it is asked."""
        source = Frames(self._channel)
        spec: Spec = _Jobs(source.next()[1]).load()
        limit_memory(spec.megabytes)
        try:
            if spec.form is None:
                self._reply(describe(spec))
                return
            function = prepare(spec)
        except InputError as error:
            self._reply(Refused(str(error)))
            return
        self._reply(Described(spec.form))
        self.answer_jobs(source, function, spec.form, spec.subject)

    def answer_jobs(
        self, source: Frames, function: Callable[..., Any], form: Form, name: str
    ) -> NoReturn:
        """Run a subject as often as it is asked; EOFError where nobody asks any more."""
        single = one_of(function) if form == "batch" else function
        while True:
            job = _Jobs(source.next()[1]).load()
            if isinstance(job, BatchCall):
                self._batch(job, function, name)
            elif isinstance(job, Explanation):
                self._explain(job, single, form)
            else:
                self._single(job, single)

    def _single(self, job: SingleRuns, function: Callable[..., Any]) -> None:
        copies = [fresh(database) for database in job.databases]
        rng = generator(job.seed, *job.purpose)
        self._begin()
        for second in job.coins.tolist():
            self._send(self._run(function, copies[second], rng))

    def _explain(self, job: Explanation, function: Callable[..., Any], form: Form) -> None:
        """One run; its traceback goes where the subject's own words go."""
        try:
            function(fresh(job.database)(), generator(job.seed, SINGLE, 0))
        except BaseException as error:
            own = None if error.__traceback__ is None else error.__traceback__.tb_next
            traceback.print_exception(type(error), error, own)
            sys.stderr.flush()
            self._reply(Failed(type(error).__name__, place_of(error), words_of(error)))
        else:
            self._reply(Described(form))

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

    def _reply(self, said: Reply) -> None:
        self._send(frame(REPLY, answer(said)))

    def _send(self, frames: bytes) -> None:
        # A process that the subject forked may come back from the run, too.
        if os.getpid() != self._process:
            os._exit(0)
        self._channel.sendall(frames)
