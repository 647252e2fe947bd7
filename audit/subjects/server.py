"""A submission that serves: one process, asked for a run a line by version 2 of its protocol.

docs/reference/submission-protocol.md is what submitters are given; this module keeps its other
side.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any

from audit.statements.limits import Limits
from audit.subjects.apart import isolation_for, limits_of, program_environment, program_paths
from audit.subjects.command import describe_ending
from audit.subjects.confinement import ConfinedProcess, Confinement, start_confined
from audit.subjects.outcomes import Ended
from audit.subjects.removing import remove_tree
from synthesizers.errors import ProtocolError

SERVING = 2
"""The version of the protocol with a served form."""

NAME = "dp-audit/submission"
"""What the first line of a submission that serves calls the protocol."""

HELLO_SECONDS = 10.0
"""How long a program may take to say that it serves: to load a large package takes seconds. One
that says nothing is started anew for each run, and this is the most that finding it out costs."""

LINE_BYTES = 4096
"""The longest line that a submission may say: an answer holds two numbers."""

SERVER_RUNS = 1000
"""The runs after which a server is started anew: what piles up in it has an end, and so has the
processor time that it may take."""

TRIES = 3
"""Starts in a row without a first line, after which nothing more is asked of a submission."""

MOST_CODE = 255
"""The largest exit code, and more than the number of any signal."""

_READ_BYTES = 2**16


class Serving(Enum):
    """How a submission offers to serve.

    NOT: it does not. SHARING: it says nothing of its processes. ALONE: it says that it makes each
    run in a new process, and leaves nothing of a run for the next one.
    """

    NOT = "not"
    SHARING = "sharing"
    ALONE = "alone"

    @classmethod
    def of_subject(cls, subject: Mapping[str, Any]) -> Serving:
        """How a certificate says that its subject served."""
        if subject.get("serves") is not True:
            return cls.NOT
        return cls.ALONE if subject.get("new_process") is True else cls.SHARING

    def to_json(self) -> dict[str, bool]:
        """The members that say so in a certificate's subject."""
        members = {Serving.NOT: (), Serving.SHARING: ("serves",)}
        return dict.fromkeys(members.get(self, ("serves", "new_process")), True)


class Garbled(Exception):
    """What was said is no line of the protocol."""


class Server:
    """A running submission, started to serve, and our ends of its pipes.

    ``folder``: the one in which it may write, and the folders of its runs are made.
    ``end`` ends it with all that it left behind; so does whatever ends this object or this process.
    ``asked``: start it only to hear its first line; its input is empty, as that of any run.
    ``by``: the words of the program that serves in its place, and ``its``: what that has to read.
    Raises OSError where the program can't be started.
    """

    def __init__(
        self,
        path: str,
        limits: Limits,
        asked: bool = False,
        by: Sequence[str] = (),
        its: Sequence[str] = (),
    ) -> None:
        self._owner = os.getpid()
        self._runs = 0
        self._said = b""
        self.folder = tempfile.mkdtemp(prefix="dp-audit-")
        readable = (*program_paths(path), *its)
        try:
            self._confined = start_confined(
                [*by, path, "--protocol", str(SERVING), "--serve"],
                Confinement(readable, limits=limits_of(limits.megabytes), writable=(self.folder,)),
                environment=program_environment(None),
                stdin=subprocess.DEVNULL if asked else subprocess.PIPE,
                stdout=subprocess.PIPE,
                isolation=isolation_for(readable),
            )
        except BaseException:
            remove_tree(self.folder)
            raise
        self._process = self._confined.process
        self.end = weakref.finalize(self, _end, self._confined, self.folder, self._owner)

    @property
    def ready(self) -> bool:
        """Whether it is ours, still runs, and may be asked for a further run."""
        mine = self._owner == os.getpid() and self._process.poll() is None
        return mine and self._runs < SERVER_RUNS

    def greet(self, seconds: float = HELLO_SECONDS) -> Serving:
        """How it serves, by its first line; NOT where that does not come within so many seconds.

        Raises ProtocolError where it serves another version than it was asked for.

        Guarantee
        ---------
        NOT for any program whose first line is not the whole sentence, or comes late: it is never
        taken to serve by accident, nor to make new processes where it does not say so. Backed by
        ``tests/audit/subjects/test_served_box.py``.
        """
        try:
            said = _object(self._line(seconds))
        except (Garbled, TimeoutError, EOFError):
            return Serving.NOT
        if said.get("protocol") != NAME or said.get("serve") is not True:
            return Serving.NOT
        version = said.get("version")
        if type(version) is not int or version != SERVING:
            raise ProtocolError(
                f"the submission was started with --protocol {SERVING} --serve and answers in "
                f"another version; its first line must say version {SERVING}"
            )
        return Serving.ALONE if said.get("new_process") is True else Serving.SHARING

    def run(self, request: Mapping[str, Any], seconds: float) -> Ended | None:
        """Ask for a run; the reason why there is no output table, None where there may be one.

        Guarantee
        ---------
        An answer is that to this request: a line that names another run, or a second line, is
        this run's outcome, and the server is ended. Backed by
        ``tests/audit/subjects/test_served_box.py``.
        """
        self._runs += 1
        deadline = time.monotonic() + seconds
        line = json.dumps({**request, "run": self._runs}) + "\n"
        assert self._process.stdin is not None
        try:
            # What it closed or left is seen when it does not answer.
            with suppress(OSError):
                self._process.stdin.write(line.encode())
                self._process.stdin.flush()
            answer = _object(self._line(seconds))
            run, code = answer.get("run"), answer.get("exit")
            if type(run) is not int or type(code) is not int:
                raise Garbled
            if run != self._runs or abs(code) > MOST_CODE:
                raise Garbled
            return describe_ending(code)
        except TimeoutError:
            found = Ended("time")
        except EOFError:
            found = self._last_words(deadline)
        except Garbled:
            found = Ended("unreadable answer")
        self.end()
        return found

    def clear(self) -> bool:
        """Remove what runs left where the next one's folder will be; whether that was possible."""
        with os.scandir(self.folder) as entries:
            left = list(entries)
        for entry in left:
            if entry.is_dir(follow_symlinks=False):
                remove_tree(entry.path)
            else:
                with suppress(OSError):
                    os.remove(entry.path)
        return not os.listdir(self.folder)

    def _line(self, seconds: float) -> bytes:
        """The next line, where it is all that was said; TimeoutError, EOFError or Garbled."""
        assert self._process.stdout is not None
        source = self._process.stdout.fileno()
        deadline = time.monotonic() + seconds
        poll = select.poll()
        poll.register(source, select.POLLIN)
        while b"\n" not in self._said and len(self._said) <= LINE_BYTES:
            left = deadline - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                raise TimeoutError
            more = os.read(source, _READ_BYTES)
            if not more:
                raise EOFError
            self._said += more
        line, _, rest = self._said.partition(b"\n")
        self._said = b""
        if rest or len(line) > LINE_BYTES:
            raise Garbled
        return line

    def _last_words(self, deadline: float) -> Ended:
        """How a server ended that closed its output instead of answering."""
        try:
            code = self._confined.wait(max(deadline - time.monotonic(), 0))
        except TimeoutError:
            return Ended("time")
        return describe_ending(code) or Ended("no answer")


def ask_serving(path: str, limits: Limits) -> Serving:
    """How the program at a path says that it serves; found out by one short start.

    Raises ProtocolError where it can't be started, or serves another version.
    """
    try:
        server = Server(path, limits, asked=True)
    except OSError:
        # As what it is, it will be started for each run, and said to be no program.
        return Serving.NOT
    try:
        return server.greet()
    finally:
        server.end()


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise Garbled from None
    if not isinstance(found, dict):
        raise Garbled
    return found


def _end(confined: ConfinedProcess, folder: str, owner: int) -> None:
    """End a server with all that it left behind, and remove its folder."""
    for pipe in (confined.process.stdin, confined.process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    if os.getpid() == owner:
        confined.kill()
        remove_tree(folder, ended=True)
