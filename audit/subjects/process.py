"""A process that runs a subject, seen from the one that started it; no wait for it is endless."""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import subprocess
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from audit.subjects.apart import isolation_for, limits_of, module_environment, module_paths
from audit.subjects.confinement import Confinement, start_confined
from audit.subjects.foreign import ReceivedValues, as_json
from audit.subjects.frames import REPLY, Frames, frame
from audit.subjects.interpreters import Interpreter
from audit.subjects.outcomes import Ended
from audit.subjects.specs import Described, Refused, Spec
from audit.subjects.started import OWN_PACKAGES, OWN_ROOT, own_paths, python_command
from audit.subjects.wire import Received, Reply, read_reply
from synthesizers.errors import InputError

START_SECONDS = 120.0
"""How long a process may take to import a module, or to be handed databases (large packages take
half a minute from a cold disk)."""


def paths_of(folder: str, python: Interpreter | None = None) -> tuple[str, ...]:
    """What the process of a subject in a folder may read; ``python``: of another environment."""
    if python is not None:
        return tuple(sorted({*python.paths, *OWN_PACKAGES, folder}))
    return tuple(sorted({*own_paths(), *module_paths(folder)}))


_FOREIGN = """
import importlib, sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
for name in ("synthesizers", "audit"):
    spec = PathFinder.find_spec(name, [sys.argv[1]])
    sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
importlib.import_module("audit.subjects.foreign_child").main(*sys.argv[2:5])
"""
"""Our packages by their folder, which is never a place where anything else is looked for."""


def _foreign_command(python: Interpreter, word: str, folder: str, subject: str) -> tuple[str, ...]:
    ours = (subject,) if subject in OF_OURS else ()
    return (python.path, "-c", _FOREIGN, OWN_ROOT, word, folder, *ours)


OF_OURS = (
    "audit.auditors.components.recording.inside:Inside",
    "audit.auditors.stability.inside:Inside",
)
"""What of ours runs in another environment in the place of a subject, which it looks into."""


class ChildProcess:
    """A running child and our end of the socket to it.

    It reads ``folder``, where it works, and what can be imported, and writes in an empty folder of
    its own. ``end`` ends it with all that it left behind; so does whatever ends this object or this
    process. ``python``: runs it, in place of our own. ``log``: where its standard error goes.

    Raises InputError for a folder that is not there.
    """

    def __init__(
        self,
        spec: Spec,
        folder: str,
        python: Interpreter | None = None,
        log: int = subprocess.DEVNULL,
    ) -> None:
        if os.name != "posix":
            raise InputError("functions are run in processes of their own on POSIX systems alone")
        if not Path(folder).is_dir():
            raise InputError(f"there is no folder {folder!r} to run the subject in")
        self._name = spec.subject
        self._owner = os.getpid()
        folder = os.path.abspath(folder)
        readable = paths_of(folder, python)
        self._python = python
        # What it may take beyond what it starts with, it limits itself before the module is there.
        box = Confinement(readable, limits=limits_of(None), folder=folder)
        ours, theirs = socket.socketpair()
        with theirs:
            self._child = start_confined(
                python_command("audit.subjects.child", str(theirs.fileno()), (folder,))
                if python is None
                else _foreign_command(python, str(theirs.fileno()), folder, spec.subject),
                box,
                environment=module_environment(foreign=python is not None),
                pass_fds=[theirs.fileno()],
                stderr=log,
                isolation=isolation_for(readable),
            )
        self._socket = ours
        self._frames = Frames(ours)
        self.end = weakref.finalize(self, _end, self._child.kill, ours)
        self.send(spec)

    def started(self, seconds: float = START_SECONDS) -> Described:
        """What the child found; raises InputError where it can't run the subject.

        ``seconds``: how long it may take to import its module and to make the subject.
        """
        try:
            reply = self.reply(time.monotonic() + seconds)
        except TimeoutError:
            raise InputError(
                f"{self._name}: its module was not imported within {seconds:g} seconds"
            ) from None
        except (OSError, EOFError):
            raise InputError(
                f"{self._name}: the process ended while it imported the module, or made the subject"
            ) from None
        except Exception:
            reply = None
        if isinstance(reply, Refused):
            raise InputError(reply.message)
        if not isinstance(reply, Described):
            raise InputError(f"{self._name}: its process did not say what it is")
        return reply

    def received(self) -> Received | ReceivedValues:
        """What takes the outcomes of a job, as this process sends them."""
        return Received() if self._python is None else ReceivedValues(self._name)

    def alive(self) -> bool:
        """Whether it is ours and still runs."""
        return self._owner == os.getpid() and self._child.process.poll() is None

    def send(self, found: object) -> None:
        """Hand something over; a child that has come to its end is seen when it does not reply."""
        self._socket.settimeout(START_SECONDS)
        with contextlib.suppress(OSError):
            told = pickle.dumps(found) if self._python is None else as_json(found)
            self._socket.sendall(frame(REPLY, told))

    def next(self, until: float) -> tuple[int, bytes]:
        """The next frame; TimeoutError where it is not there in time, or another error."""
        return self._frames.next(until)

    def reply(self, until: float) -> Reply:
        """The next frame as an answer in words."""
        return read_reply(*self.next(until))

    def reason(self, error: Exception) -> Ended:
        """Why no outcome came: its time was over, or its process is not there any more."""
        over = isinstance(error, TimeoutError) and self.alive()
        return Ended("time" if over else "died")


def _end(kill: Callable[[], None], channel: socket.socket) -> None:
    channel.close()
    kill()
