"""What a run says and writes beside its output: streams, logs, warnings, files, processes."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

MOST_READ = 1 << 16
"""Bytes of a file written that are looked at (a log of a run)."""

_CODE = (".py", ".pyc", ".so", ".pyd", ".dll", ".dylib")
_REACHES = ("socket.connect", "subprocess.Popen", "os.system", "os.remove", "os.rename", "os.mkdir")


@dataclass(frozen=True)
class Said:
    """A text that left the run: ``stream`` is stdout, stderr, log or warning."""

    stream: str
    text: str


@dataclass(frozen=True)
class Reached:
    """A file that was opened, or another thing of the system: ``kind`` says which.

    ``name``: the path, a command line, or the audit event's first argument. ``kept``: bytes that a
    file had when it was opened to be appended to, 0 where it is written anew, None where it is
    read.
    """

    kind: str
    name: str
    kept: int | None = None


Told = Callable[[Said | Reached], None]


class _Stream(io.TextIOBase):
    def __init__(self, name: str, told: Told) -> None:
        self._name, self._told = name, told

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._told(Said(self._name, text))
        return len(text)


_listening: list[tuple[int, Told]] = []
_installed = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _listening or (event != "open" and event not in _REACHES):
        return
    thread, told = _listening[-1]
    if threading.get_ident() != thread:
        return
    if event != "open":
        # Of a process its whole command line.
        told(Reached(event, str(arguments[event == "subprocess.Popen"]) if arguments else ""))
        return
    path, mode, flags = arguments
    # Modules that are imported late are code; a descriptor was opened by its path before.
    if isinstance(path, int) or str(path).endswith(_CODE):
        return
    name = os.fsdecode(path) if isinstance(path, bytes) else str(path)
    if not _writes(mode, flags):
        told(Reached("read", name))
        return
    appends = "a" in mode if isinstance(mode, str) else bool((flags or 0) & os.O_APPEND)
    told(Reached("written", name, _size(name) if appends else 0))


def _writes(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def read_written(file: Reached) -> bytes:
    """What a run wrote to a file, up to `MOST_READ` bytes; empty where it is gone."""
    try:
        with open(file.name, "rb") as opened:
            opened.seek(file.kept or 0)
            return opened.read(MOST_READ)
    except (OSError, ValueError):
        return b""


@contextmanager
def overseen(told: Told) -> Iterator[None]:
    """Tell ``told``, in order, of what the code within says and reaches for.

    Logs of every level are asked for, and shown to nobody else; so are the streams of Python.
    """
    global _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    level, disabled = logging.root.level, logging.root.manager.disable

    def heard(logger: logging.Logger, record: logging.LogRecord) -> None:
        told(Said("log", f"{record.levelname} {record.name} {_message(record)}"))

    def warned(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        told(Said("warning", f"{category.__name__} {message}"))

    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(_Stream("stdout", told)))
        stack.enter_context(contextlib.redirect_stderr(_Stream("stderr", told)))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("always")
        warnings.showwarning = warned
        stack.enter_context(mock.patch.object(logging.Logger, "handle", heard))
        logging.root.setLevel(logging.DEBUG)
        logging.disable(logging.NOTSET)
        _listening.append((threading.get_ident(), told))
        try:
            yield
        finally:
            _listening.pop()
            logging.root.setLevel(level)
            logging.disable(disabled)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:
        return str(record.msg)
