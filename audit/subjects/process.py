"""A process that runs a subject, seen from the one that started it; no wait for it is endless."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

from audit.attack.outcomes import Ended
from audit.subjects.wire import REPLY, Described, Refused, Spec, framed, next_frame
from synthesizers.errors import InputError

START_SECONDS = 120.0
"""How long a process may take to import a module, or to be handed databases (a choice of this
project: large packages take half a minute from a cold disk)."""

_ROOT = str(Path(__file__).resolve().parents[2])

_START = """
import os, sys
sys.path.insert(0, sys.argv[1])
from audit.subjects.child import main
sys.path.append(sys.path.pop(0))
sys.path.insert(0, os.getcwd())
main(int(sys.argv[2]), int(sys.argv[3]))
"""
"""Our own package first, then it stands last: the user's folder comes before everything."""


class ChildProcess:
    """A running child and our end of the socket to it.

    ``end`` ends it with all that it left behind; so does whatever ends this object, this process
    or, on Linux, the thread that made it. Raises InputError for a folder that is not there.
    """

    def __init__(self, spec: Spec, folder: str) -> None:
        if os.name != "posix":
            raise InputError("functions are run in processes of their own on POSIX systems alone")
        if not Path(folder).is_dir():
            raise InputError(f"there is no folder {folder!r} to run the subject in")
        self._name = spec.subject
        self._owner = os.getpid()
        ours, theirs = socket.socketpair()
        words = [_ROOT, str(theirs.fileno()), str(os.getpid())]
        with theirs:
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, *words],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._socket = ours
        self._source = ours.makefile("rb")
        self.end = weakref.finalize(self, _end, self._child, ours, self._owner)
        self.send(spec)

    def started(self) -> Described:
        """What the child found; raises InputError where it can't run the subject."""
        try:
            reply = self.reply(START_SECONDS)
        except TimeoutError:
            raise InputError(
                f"{self._name}: its module was not imported within {START_SECONDS:g} seconds"
            ) from None
        except Exception:
            raise InputError(
                f"{self._name}: the process ended while it imported the module, or made the subject"
            ) from None
        if isinstance(reply, Refused):
            raise InputError(reply.message)
        if not isinstance(reply, Described):
            raise InputError(f"{self._name}: its process did not say what it is")
        return reply

    def alive(self) -> bool:
        """Whether it is ours and still runs."""
        return self._owner == os.getpid() and self._child.poll() is None

    def send(self, found: object) -> None:
        """Hand something over; a child that has come to its end is seen when it does not reply."""
        self._wait(START_SECONDS)
        with contextlib.suppress(OSError):
            self._socket.sendall(framed(REPLY, pickle.dumps(found)))

    def next(self, seconds: float) -> tuple[int, bytes]:
        """The next frame; TimeoutError after ``seconds`` without a byte, or another error."""
        self._wait(seconds)
        return next_frame(self._source)

    def _wait(self, seconds: float) -> None:
        # To set it is a call of the system, which for each frame would be felt.
        if self._socket.gettimeout() != seconds:
            self._socket.settimeout(seconds)

    def reply(self, seconds: float) -> Any:
        """The next frame as an object."""
        number, content = self.next(seconds)
        if number != REPLY:
            raise ValueError
        return pickle.loads(content)

    def reason(self, error: Exception) -> Ended:
        """Why no outcome came: its time was over, or its process is not there any more."""
        over = isinstance(error, TimeoutError) and self.alive()
        return Ended("time" if over else "died")


def _end(child: subprocess.Popen[bytes], channel: socket.socket, owner: int) -> None:
    """End the child and all processes of its group."""
    channel.close()
    if os.getpid() != owner:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    # One that the system can't end is left to it.
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(START_SECONDS)
