"""The files that a confined process sees: which real ones, and by which names."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from synthesizers.errors import InputError

SYSTEM_PATHS = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"),
    *("/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/R", "/etc/fonts"),
)
"""What every program may read, where it is there: programs, libraries and their public settings.
Not the rest of /etc, which holds secrets."""


def python_paths() -> tuple[str, ...]:
    """What our own Python needs to run and to import what is installed."""
    places = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, sys.executable}
    installed = {path for path in sys.path if "site-packages" in path or "dist-packages" in path}
    return tuple(sorted(filter(os.path.exists, places | installed)))


@dataclass(frozen=True)
class BoxPaths:
    """Real paths to read and to write, the links that lead to them, and what is hidden."""

    readable: tuple[str, ...]
    writable: tuple[str, ...]
    hidden: tuple[str, ...]
    links: dict[str, str]


def box_paths(readable: Sequence[str], writable: Sequence[str], hidden: Sequence[str]) -> BoxPaths:
    """Resolve the paths, those of the system among them.

    Raises InputError where one is not there, or is to be read and lies in a hidden one.
    """
    links: dict[str, str] = {}
    system = [path for path in SYSTEM_PATHS if os.path.exists(path)]
    read = [_follow(path, links) for path in (*system, *readable)]
    written = [_follow(path, links) for path in writable]
    absolute = {os.path.abspath(path) for path in hidden}
    secret = absolute | {os.path.realpath(path) for path in absolute}
    if "/" in (*read, *written):
        raise InputError("a program is given no whole file system; name the folders it needs")
    for path in (*read, *written):
        for other in secret:
            if path == other or path.startswith(other + "/"):
                raise InputError(
                    f"{path} is to be read by a program and lies in {other}, which is to be hidden "
                    "from it; keep programs and private data apart"
                )
    return BoxPaths(tuple(read), tuple(written), tuple(sorted(secret)), links)


def _follow(path: str, links: dict[str, str]) -> str:
    """The real path of ``path``; the links on the way go to ``links``."""
    path = os.path.abspath(path)
    try:
        os.path.realpath(path, strict=True)
    except OSError as error:
        raise InputError(f"{path} can't be read: {os.strerror(error.errno or 0)}") from None
    rest, here = path.split("/")[::-1], "/"
    while rest:
        name = rest.pop()
        place = os.path.join(here, name)
        if name == "..":
            here = os.path.dirname(here)
        elif os.path.islink(place):
            links[place] = os.readlink(place)
            rest += links[place].split("/")[::-1]
            here = "/" if links[place].startswith("/") else here
        elif name not in ("", "."):
            here = place
    return here
