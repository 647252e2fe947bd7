"""A file system of its own for a program: what it is given, read-only, and an empty folder.

The standard library alone, as in `audit.subjects.launcher`; Linux 5.12 and later.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Mapping, Sequence

from audit.subjects.system_calls import MOUNT_SETATTR, PIVOT_ROOT, call, system_call_number

SCRATCH = "/confined"
"""Where the empty folder is inside."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""The devices that a program may open."""

_BASE = "/proc"
"""Where it is built: a folder that every Linux has, and nothing below which is given."""

_ROOT_SIZE = "size=1m,nr_inodes=16384,mode=755"
_NOSUID, _NODEV, _NOEXEC, _RDONLY, _BIND, _REC, _PRIVATE = 2, 4, 8, 1, 4096, 16384, 1 << 18
_DETACH = 2
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_HIDDEN = "/.hidden"


def build_root(
    readable: Sequence[str],
    links: Mapping[str, str],
    writable: Sequence[str],
    hidden: Sequence[str],
    scratch_bytes: int,
) -> None:
    """Make a root of its own that of this process, in a mount namespace of its own.

    ``readable`` and ``writable``: real paths; ``links``: symbolic links that lead to them.
    ``hidden``: nothing can be opened there, through links either. Raises OSError.

    Guarantee
    ---------
    Outside of ``readable`` there is no file of the machine but `DEVICES`; only ``writable``, the
    scratch folder and /dev/shm can be written, the last two up to ``scratch_bytes`` each; of
    /proc there are only the processes of this namespace. Backed by
    ``tests/audit/subjects/test_confinement.py``.
    """
    call("mount", b"none", b"/", None, _REC | _PRIVATE, None)
    _tmpfs(_BASE, _ROOT_SIZE)
    for link, target in links.items():
        os.makedirs(os.path.dirname(_BASE + link), exist_ok=True)
        if not os.path.lexists(_BASE + link):
            os.symlink(target, _BASE + link)
    for path in outermost(readable):
        _bind(path)
        _set_attributes(_BASE + path, _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV)
    for path in outermost(writable):
        _bind(path)
        _set_attributes(_BASE + path, _ATTR_NOSUID | _ATTR_NODEV)
    _devices(scratch_bytes)
    _scratch(SCRATCH, scratch_bytes)
    os.makedirs(_BASE + "/proc", exist_ok=True)
    flags = _NOSUID | _NODEV | _NOEXEC | _RDONLY
    call("mount", b"proc", os.fsencode(_BASE + "/proc"), b"proc", flags, b"subset=pid")
    _unreadable()
    os.chdir(_BASE)
    call("syscall", system_call_number(PIVOT_ROOT), b".", b".")
    call("umount2", b".", _DETACH)
    os.chdir("/")
    # From here on links lead to where they lead inside.
    for path in hidden:
        _hide(path)
    _set_attributes("/", _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, recursive=False)


def outermost(paths: Iterable[str]) -> list[str]:
    """The paths without those that lie in another one."""
    kept: list[str] = []
    for path in sorted(set(paths), key=len):
        if not any(path.startswith(other.rstrip("/") + "/") for other in kept):
            kept.append(path)
    return kept


def _tmpfs(place: str, options: str) -> None:
    call("mount", b"tmpfs", os.fsencode(place), b"tmpfs", _NOSUID | _NODEV, options.encode())


def _scratch(path: str, size: int) -> None:
    os.makedirs(_BASE + path, exist_ok=True)
    _tmpfs(_BASE + path, f"size={size},mode=700")


def _bind(path: str) -> None:
    place = _BASE + path
    if not os.path.lexists(place):
        if os.path.isdir(path):
            os.makedirs(place)
        else:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    call("mount", os.fsencode(path), os.fsencode(place), None, _BIND | _REC, None)


def _set_attributes(place: str, attributes: int, *, recursive: bool = True) -> None:
    words = struct.pack("QQQQ", attributes, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    call("syscall", MOUNT_SETATTR, _AT_FDCWD, os.fsencode(place), flags, words, len(words))


def _devices(scratch_bytes: int) -> None:
    for device in DEVICES:
        _bind(device)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{_BASE}/dev/{name}")
    _scratch("/dev/shm", scratch_bytes)


def _unreadable() -> None:
    os.mkdir(_BASE + _HIDDEN)
    os.mkdir(_BASE + _HIDDEN + "/folder", 0)
    os.close(os.open(_BASE + _HIDDEN + "/file", os.O_CREAT | os.O_WRONLY, 0))


def _hide(path: str) -> None:
    if not os.path.exists(path):
        return
    blank = _HIDDEN + ("/folder" if os.path.isdir(path) else "/file")
    call("mount", os.fsencode(blank), os.fsencode(path), None, _BIND, None)
    _set_attributes(path, _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV)
