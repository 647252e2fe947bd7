"""Sees a program that reaches for files, sockets or processes while it runs.

Python cannot enforce that a program looks at nothing but its curator; this
notices the plain ways of doing otherwise. What it cannot see stays on the list
of assumptions.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from synthesizers.errors import ProtocolError

_WATCHED = (
    "open",
    "socket.connect",
    "sqlite3.connect",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
)
_CODE = (".py", ".pyc", ".so", ".pyd", ".dll", ".dylib")


@dataclass(eq=False)
class Reach:
    """What a watched program reached for: the kinds of access, never the names.

    ``strangers``: the threads that ran before the program did, those of a cluster's client for
    instance. What they do is not the program's doing; threads that it starts count as the program.
    """

    strangers: frozenset[int | None]
    seen: list[str] = field(default_factory=list)

    def message(self) -> str:
        """The error for the user."""
        return (
            f"the program reached past the curator while it ran ({self.seen[0]}); "
            "a program reads no file, socket or process: it asks the curator"
        )


_active: list[Reach | None] = []
_installed = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    reach = _active[-1] if _active else None
    if reach is None or event not in _WATCHED:
        return
    if event == "open":
        path = arguments[0]
        # Modules that the program imports late are code, not data.
        if isinstance(path, int) or str(path).endswith(_CODE):
            return
    if threading.get_ident() in reach.strangers:
        return
    reach.seen.append(event)
    raise ProtocolError(reach.message())


@contextmanager
def watch() -> Iterator[Reach]:
    """Watch the code inside the block; ``seen`` lists what it reached for."""
    global _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    around = next((reach for reach in reversed(_active) if reach is not None), None)
    reach = Reach(_other_threads() if around is None else around.strangers)
    _active.append(reach)
    leave = os._exit
    # It would end the whole process with an exit code of the program's choice.
    os._exit = _refuse_exit
    # A collection would run the finalizers of others, which may close and remove files of theirs.
    collects = gc.isenabled()
    gc.disable()
    try:
        yield reach
    finally:
        os._exit = leave
        if collects:
            gc.enable()
        _active.remove(reach)


@contextmanager
def pause_watch() -> Iterator[None]:
    """What the block does is the suite's own doing: it starts the process of a program."""
    _active.append(None)
    try:
        yield
    finally:
        _active.remove(None)


def _other_threads() -> frozenset[int | None]:
    running = frozenset(thread.ident for thread in threading.enumerate())
    return running - {threading.get_ident()}


def _refuse_exit(status: int) -> NoReturn:
    raise ProtocolError("the program tried to end the process; a program returns its output")
