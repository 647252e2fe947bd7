"""Processes that can do no harm on purpose: they see what they are given, and reach nothing else.

`audit.subjects.launcher` builds the box from within; this module says what is in it, starts it,
and ends it. Linux alone offers the means; elsewhere a process is a plain one.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from audit.statements.isolation import PLAIN, Isolation
from audit.subjects.box_paths import box_paths, python_paths
from audit.subjects.counting import COUNTERS
from audit.subjects.probing import find_permitted, weaken
from synthesizers.errors import InputError

START_SECONDS = 60.0
"""How long the box may take to be built (it takes milliseconds)."""

END_SECONDS = 10.0
"""How long the end of all processes inside may take before it is forced."""

BEST_FIRST = (
    Isolation("namespaces", "own root", "namespace"),
    Isolation("other user", "landlock", "seccomp"),
    Isolation("other user", "permissions", "seccomp"),
    Isolation("plain", "landlock", "seccomp"),
    Isolation("plain", "none", "seccomp"),
    Isolation("plain", "landlock", "none"),
    PLAIN,
)
"""What a launcher can build, in the order in which it is tried."""

_LAUNCHERS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR")
"""What the launcher needs of our environment; the rest is none of its business."""

_ROOT = str(Path(__file__).resolve().parents[2])

_START = """
import sys
sys.path.append(sys.argv[1])
from audit.subjects.launcher import main
main(int(sys.argv[2]))
"""


class ConfinementError(InputError):
    """The box that was asked for can't be built on this machine, or with these paths."""


@dataclass(frozen=True)
class ChildLimits:
    """What a process and its children may take; the parent keeps the clock.

    ``megabytes`` of addresses for each process (None: no limit; kept on Linux alone),
    ``processes`` with their threads (kept where the process is not a plain one), ``open_files``
    for each process, ``file_bytes`` for each file, ``scratch_bytes`` for the files of the working
    folder and of /dev/shm (kept in a root of its own). InputError below 1.
    """

    megabytes: int | None = 4096
    processes: int = 256
    open_files: int = 1024
    file_bytes: int = 2**30
    scratch_bytes: int = 2**30

    def __post_init__(self) -> None:
        if any(limit is not None and limit < 1 for limit in asdict(self).values()):
            raise InputError("each limit of a process must be at least 1")


@dataclass(frozen=True)
class Confinement:
    """What a confined process may touch.

    ``readable``: files and folders that it may read and execute, beside `SYSTEM_PATHS`.
    ``hidden``: what it can't open even below a readable folder, by this or the real path; a second
    hard link of a file is another file. ``writable``: folders that it may
    change; without any it writes in its own empty folder alone, which goes when it ends.
    ``folder``: where it starts, None for that empty folder.
    """

    readable: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    limits: ChildLimits = field(default_factory=ChildLimits)
    writable: tuple[str, ...] = ()
    folder: str | None = None


class ConfinedProcess:
    """A running process in its box.

    ``process``: its launcher, which ends with the command's exit code or by its signal, and has
    its standard streams. ``isolation``: what keeps it apart. ``counter``: what limits the number
    of its processes, "" for nothing.

    All of it ends when this object, this process or the command ends, whichever is first.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], control: socket.socket, isolation: Isolation
    ) -> None:
        self.process = process
        self.isolation = isolation
        self.counter = ""
        self._control = control
        self._groups: list[str] = []
        self._end = weakref.finalize(self, _end, process, control, self._groups, os.getpid())

    def wait(self, seconds: float) -> int:
        """The command's exit code, minus the signal it died by; TimeoutError after ``seconds``."""
        # The launcher closes its end as it ends, which is seen at once.
        ending = select.poll()
        ending.register(self._control, select.POLLIN)
        if not ending.poll(seconds * 1000):
            raise TimeoutError
        return self.process.wait()

    def kill(self) -> None:
        """End everything inside. When it returns, nothing of it runs."""
        self._end()

    def started(self, word: Mapping[str, Any]) -> None:
        """Take note of what the launcher said of its start."""
        self.counter = word["counter"]
        if word["group"] is not None:
            self._groups.append(word["group"])


def start_confined(
    command: Sequence[str],
    confinement: Confinement,
    *,
    environment: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
    stdin: int | IO[Any] | None = subprocess.DEVNULL,
    stdout: int | IO[Any] | None = subprocess.DEVNULL,
    stderr: int | IO[Any] | None = subprocess.DEVNULL,
    isolation: Isolation | None = None,
    counters: Sequence[str] = COUNTERS,
) -> ConfinedProcess:
    """Start a command in a box; it returns when the command runs, or could not be started.

    It has PATH, LANG, LC_ALL, HOME and TMPDIR, those of ``environment`` and no other variables;
    of our descriptors it has ``pass_fds``, under their numbers, and its standard streams. Hand it
    pipes and sockets: a file or folder that it has open is a way out of the box.
    ``isolation``: what is to be built, one of `BEST_FIRST`; by default the best there is.
    ``counters``: the ways to limit the number of processes that may be used.

    Raises OSError where the command can't be started; ConfinementError where the box can't be
    built, InputError where a path is not there or is to be read and hidden.

    Guarantee
    ---------
    Where ``isolation`` is sufficient, what is refused is what `require_minimum` tries, and the
    command begins after all of it is in place. Backed by
    ``tests/audit/subjects/test_confinement.py``.
    """
    if os.name != "posix":
        raise InputError("programs are run in processes of their own on POSIX systems alone")
    isolation = isolation or available_isolation()
    configuration = {
        "parent": os.getpid(),
        "command": list(command),
        "environment": {**_base_environment(), **(environment or {})},
        "pass": list(pass_fds),
        **isolation.to_json(),
        **asdict(box_paths(confinement.readable, confinement.writable, confinement.hidden)),
        "folder": None if confinement.folder is None else os.path.abspath(confinement.folder),
        "limits": asdict(confinement.limits),
        "counters": list(counters),
    }
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            launcher = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _START, _ROOT, str(theirs.fileno())],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env={name: os.environ[name] for name in _LAUNCHERS if name in os.environ},
                pass_fds=[theirs.fileno(), *pass_fds],
                start_new_session=True,
            )
    except BaseException:
        ours.close()
        raise
    confined = ConfinedProcess(launcher, ours, isolation)
    try:
        confined.started(_start(ours, configuration))
    except BaseException as error:
        confined.kill()
        if isinstance(error, _NotStarted):
            raise OSError(error.number, os.strerror(error.number), command[0]) from None
        raise
    return confined


class _NotStarted(Exception):
    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _start(control: socket.socket, configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    """Hand the launcher its configuration, and hear that the command runs."""
    control.settimeout(START_SECONDS)
    try:
        control.sendall(json.dumps(configuration).encode() + b"\n")
        with control.makefile("rb") as source:
            word: dict[str, Any] = json.loads(source.readline())
    except (OSError, ValueError):
        raise ConfinementError(
            "the launcher of a confined process ended or did not answer"
        ) from None
    failed = word.get("failed")
    if failed is None:
        return word
    if failed["step"] == "start":
        raise _NotStarted(failed["number"])
    what = " ".join(filter(None, (failed["step"], failed["path"])))
    why = f": {os.strerror(failed['number'])}" if failed["number"] else ""
    raise ConfinementError(f"this process can't be confined; it could not {what}{why}")


def _end(
    process: subprocess.Popen[bytes], control: socket.socket, groups: Sequence[str], owner: int
) -> None:
    if os.getpid() != owner:
        control.close()
        return
    # Copies of the socket may be in processes that were forked from this one.
    with contextlib.suppress(OSError):
        control.shutdown(socket.SHUT_RDWR)
    control.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        # One that the system can't end is left to it.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
    for group in groups:
        with contextlib.suppress(OSError):
            os.rmdir(group)


@functools.cache
def available_isolation() -> Isolation:
    """The best isolation that this machine offers, found by building it; once a process."""
    return next(filter(can_be_built, BEST_FIRST))


def can_be_built(isolation: Isolation) -> bool:
    """Whether this machine offers an isolation, found by building it; once a process."""
    return isolation == PLAIN or (sys.platform == "linux" and _is_built(isolation))


@functools.cache
def _is_built(isolation: Isolation) -> bool:
    try:
        confined = start_confined(["/bin/true"], Confinement(()), isolation=isolation)
    except (OSError, InputError):
        return False
    code = confined.process.wait(START_SECONDS)
    confined.kill()
    return code == 0


def require_minimum(hidden: Sequence[str]) -> Isolation:
    """The isolation that programs have here, less what a program that tries to break it can do.

    ``hidden``: the files and folders of private data. It is `Isolation.sufficient` only if a
    program in the box tried all of `audit.subjects.probes` and found it refused. Tried once a
    process and set of paths. Raises InputError where a path is not there: what is not there can't
    be tried.
    """
    return _minimum(tuple(sorted(os.path.abspath(path) for path in hidden)))


@functools.cache
def _minimum(hidden: tuple[str, ...]) -> Isolation:
    for path in hidden:
        if not os.path.exists(path):
            raise InputError(f"{path}, which is to be hidden from programs, is not there")
    isolation = available_isolation()
    if not isolation.sufficient:
        return isolation
    return weaken(isolation, find_permitted_probes(isolation, hidden))


def find_permitted_probes(
    isolation: Isolation, hidden: Sequence[str], python: str = sys.executable
) -> tuple[str, ...]:
    """What a program can do in such a box that it must not be able to; see `require_minimum`."""
    with contextlib.ExitStack() as boxes:

        def start(
            command: Sequence[str], readable: Sequence[str], secret: Sequence[str]
        ) -> subprocess.Popen[bytes]:
            own = python_paths() if python == sys.executable else ()
            box = Confinement((*own, *readable), tuple(secret))
            pipe = subprocess.PIPE
            confined = start_confined(command, box, stdin=pipe, stdout=pipe, isolation=isolation)
            boxes.callback(confined.kill)
            return confined.process

        return find_permitted(start, hidden, python)


def search_path() -> str:
    """Where a confined process looks for programs: PATH, with this Python's folder first."""
    folder = os.path.dirname(sys.executable)
    return ":".join([*([folder] if folder else []), "/usr/local/bin", "/usr/bin", "/bin"])


def _base_environment() -> dict[str, str]:
    return {"PATH": search_path(), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
