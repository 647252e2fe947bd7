"""Copies of the caller's process, in which the caller's own objects run.

A live object, such as the mechanism of a test, can't be started by its name: it is what the
caller made of it. A fork has it as it is, with all that was patched for it, and what it does there
leaves the caller's process alone.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, BinaryIO, NoReturn

from audit.statements.isolation import Isolation
from audit.subjects import system_calls
from audit.subjects.lines import Lines
from audit.subjects.program_child import send_message, serve
from audit.subjects.started import END_SECONDS, Started
from synthesizers.curator import Program
from synthesizers.errors import CannotFork, ProtocolError

Work = Callable[[BinaryIO, BinaryIO], object]
"""What a copy does, given what it reads from and what it writes to."""


@dataclass(frozen=True, eq=False)
class ForkedStart:
    """Starts a copy of the caller's process that serves a live program.

    Raises CannotFork where `fork` does.
    """

    program: Program

    def __call__(self) -> Started:
        """A new process."""
        return fork(partial(serve, lambda: self.program))

    def isolation(self) -> Isolation:
        """It is the caller's own code, and trusted as such."""
        return Isolation("forked", "none", "none")

    def __reduce__(self) -> NoReturn:
        # Whoever unpickled it would run the object's own code where a verdict is made.
        raise CannotFork("a live object stays with the process that made it: use one job")


def fork(work: Work) -> Started:
    """A copy of this process that does the work, and nothing else.

    What it prints goes to standard error. It ends with the caller's thread at the latest, and
    `Started.end` ends it with all that it left behind.

    Raises CannotFork on other systems than Linux, and where this process has other threads: a
    copy has none of them, but the locks that they held. Those of libraries that know how to be
    forked don't count: OpenBLAS ends its own beforehand.

    Guarantee
    ---------
    The copy never returns to the caller's code and runs no handler of its exit; it has no
    descriptor of the caller's but the standard ones. Backed by
    ``tests/audit/subjects/test_forked.py``.
    """
    if sys.platform != "linux" or len(sys._current_frames()) > 1:
        raise CannotFork(_WHY)
    source, to = os.pipe()
    back, target = os.pipe()
    caller = os.getpid()
    # A handler of the caller's must not run in the copy.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        with warnings.catch_warnings():
            # Python 3.12 warns where it sees other threads, which is what we look for.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if not process:
            _do(work, source, target, caller)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(source)
        os.close(target)
    started = Started(os.fdopen(to, "wb"), os.fdopen(back, "rb"), partial(_end, process), process)
    # Only now have libraries ended the threads that they end before a fork.
    if _other_threads():
        os.kill(process, signal.SIGKILL)
        close(started)
        raise CannotFork(_WHY)
    return started


_HARMLESS = frozenset({"jemalloc_bg_thd"})
"""Names of threads that libraries keep over a fork, with locks that they hold ready for it: that of
the allocator that comes with pyarrow."""


def _other_threads() -> bool:
    """Whether threads of other names run beside the caller's."""
    caller = str(threading.get_native_id())
    names = set()
    for thread in os.listdir("/proc/self/task"):
        # One may end meanwhile.
        with contextlib.suppress(OSError), open(f"/proc/self/task/{thread}/comm") as file:
            names |= {file.read().rstrip("\n")} if thread != caller else set()
    return not names <= _HARMLESS


_WHY = "this process has other threads, or its system can't copy it: it can't be forked"


def call_forked(work: Callable[[], object], seconds: float) -> Any:
    """The plain data that a call gives, made in a copy of this process.

    Raises CannotFork as `fork` does, ProtocolError where the copy gives nothing in ``seconds``.
    """

    def say(_: BinaryIO, target: BinaryIO) -> None:
        send_message(target, {"given": work()})

    started = fork(say)
    try:
        return Lines(started.stdin, started.stdout).receive(seconds)["given"]
    except (EOFError, TimeoutError, KeyError):
        raise ProtocolError("a copy of this process ended without what it was asked for") from None
    finally:
        close(started)


def close(started: Started) -> None:
    """End a copy, and all that it left behind."""
    pipes: tuple[IO[bytes], IO[bytes]] = started.stdin, started.stdout
    for pipe in pipes:
        pipe.close()
    started.end()


def _do(work: Work, source: int, target: int, caller: int) -> NoReturn:
    """Do the work in the copy, and end it whatever comes of that."""
    try:
        _leave_caller(source, target, caller)
        work(os.fdopen(source, "rb"), os.fdopen(target, "wb"))
        _save_coverage()
    finally:
        # No handler of an exit runs, and os._exit may be somebody's who watches programs.
        while True:
            os.kill(os.getpid(), signal.SIGKILL)


def _leave_caller(source: int, target: int, caller: int) -> None:
    """Keep nothing of the caller's but its memory."""
    system_calls.die_with_parent(signal.SIGKILL)
    if os.getppid() != caller:
        raise ProcessLookupError
    # A group of its own: Ctrl-C is for the caller, who ends the group.
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    faulthandler.disable()
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        if descriptor > 2 and descriptor not in (source, target):
            with contextlib.suppress(OSError):
                os.close(descriptor)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr = open(  # noqa: SIM115 - it stays open
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )
    # A collection would run finalizers of the caller's objects, which close and remove things.
    gc.freeze()


def _save_coverage() -> None:
    """Save what coverage.py measured here, where each process has a file of its own."""
    coverage = sys.modules.get("coverage")
    with contextlib.suppress(Exception):
        measuring = None if coverage is None else coverage.Coverage.current()
        # Otherwise it would be the caller's file, which each process begins anew.
        if measuring is not None and measuring.get_option("run:parallel"):
            measuring.stop()
            measuring.save()


def _end(process: int) -> None:
    """Wait until a copy ended, for a moment, then end it and what it left behind."""
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(process)
        try:
            select.select([handle], [], [], END_SECONDS)
        finally:
            os.close(handle)
    with contextlib.suppress(ChildProcessError):
        # Until it is waited for, its number is nobody else's.
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        with contextlib.suppress(OSError):
            os.killpg(process, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
