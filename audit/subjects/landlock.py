"""Landlock: a program of any user gives up the files that it was not given. Linux 5.13 and later.

The standard library alone, as in `audit.subjects.launcher`.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable, Iterator, Sequence

from audit.subjects.system_calls import (
    LANDLOCK_ADD,
    LANDLOCK_CREATE,
    LANDLOCK_RESTRICT,
    call,
)

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_LOOK = _EXECUTE | _READ | _LIST
_ON_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_PATH_BENEATH = 1


def version() -> int:
    """The version of Landlock that the kernel has; 0 for none."""
    try:
        return call("syscall", LANDLOCK_CREATE, 0, 0, 1)
    except OSError:
        return 0


def restrict_files(
    readable: Iterable[str], writable: Iterable[str], hidden: Sequence[str] = ()
) -> None:
    """Give up every file but those at or below the real paths ``readable`` and ``writable``.

    What is ``hidden`` is given up even below them. Raises OSError where there is no Landlock, or a
    path is not there.

    Guarantee
    ---------
    Files are compared as the kernel resolves them, so that no other way to a path helps. It
    can't be undone. Backed by ``tests/audit/subjects/test_landlock.py``.
    """
    found = version()
    files = (1 << 13) - 1
    for least, bit in ((2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL)):
        files |= bit if found >= least else 0
    network = 0b11 if found >= 4 else 0
    scopes = 0b11 if found >= 6 else 0
    size = 24 if found >= 6 else 16 if found >= 4 else 8
    attributes = struct.pack("QQQ", files, network, scopes)
    rules = call("syscall", LANDLOCK_CREATE, attributes, size, 0)
    try:
        for path, access in _allow_paths(readable, writable, hidden, files):
            _allow(rules, path, access)
        call("syscall", LANDLOCK_RESTRICT, rules, 0)
    finally:
        os.close(rules)


def _allow_paths(
    readable: Iterable[str], writable: Iterable[str], hidden: Sequence[str], everything: int
) -> Iterator[tuple[str, int]]:
    for path in readable:
        yield from _around(path, hidden, _LOOK)
    for path in writable:
        yield from _around(path, hidden, everything)


def _around(path: str, hidden: Sequence[str], access: int) -> Iterator[tuple[str, int]]:
    """What to allow so that nothing hidden is allowed: what is allowed holds for all below it."""
    if path in hidden:
        return
    below = [other for other in hidden if other.startswith(path.rstrip("/") + "/")]
    if not below:
        yield path, access
        return
    # Without the names in it, no module is found in a folder; but they are those of all below.
    if not any(os.path.isdir(other) for other in below):
        yield path, _LIST
    for entry in os.scandir(path):
        # A link is not allowed, or what it leads to would be.
        if not entry.is_symlink():
            yield from _around(entry.path, below, access)


def _allow(rules: int, path: str, access: int) -> None:
    held = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(held).st_mode):
            access &= _ON_FILES
        call("syscall", LANDLOCK_ADD, rules, _PATH_BENEATH, struct.pack("=Qi", access, held), 0)
    finally:
        os.close(held)
