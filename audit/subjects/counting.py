"""A limit on the number of processes that binds root too.

RLIMIT_NPROC does not bind the machine's root, in a user namespace neither; for all others it
counts a user's processes by namespace since Linux 5.14. Where it does not serve, a control group
counts, or the first process of a namespace looks and ends it. The standard library alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

COUNTERS = ("rlimit", "cgroup", "watch")
"""Ways to count, best first."""

_PER_NAMESPACE = (5, 14)


def rlimit_counts(user: int) -> bool:
    """Whether RLIMIT_NPROC counts the processes of a namespace of ``user``, and those alone."""
    version = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return user != 0 and version is not None and tuple(map(int, version.groups())) >= _PER_NAMESPACE


def make_group(most: int) -> str | None:
    """A control group for ``most`` processes, as its folder; None where none can be made."""
    for place in _places():
        group = os.path.join(place, f"dp-audit-{os.urandom(8).hex()}")
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            with open(os.path.join(group, "pids.max"), "r+", encoding="ascii") as file:
                file.write(str(most))
            return group
        except OSError:
            os.rmdir(group)
    return None


def join_group(group: str, process: int) -> None:
    """Put a process into a control group; its children will be in it."""
    with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as file:
        file.write(str(process))


def count_processes() -> int:
    """The processes and threads of this namespace, by its /proc."""
    tasks = 0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                tasks += os.stat(f"/proc/{name}/task").st_nlink - 2
            except OSError:
                continue
    return tasks


def _places() -> Sequence[str]:
    """Folders in which a group that counts processes may be made: our own group's, and the top."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="replace") as file:
            mounts = [line.split() for line in file]
        with open("/proc/self/cgroup", encoding="utf-8", errors="replace") as file:
            groups = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return ()
    places = []
    for _, mounted, kind, options, *_ in mounts:
        old = kind == "cgroup" and "pids" in options.split(",")
        if old or kind == "cgroup2":
            for _, controllers, path in groups:
                if ("pids" in controllers.split(",")) if old else not controllers:
                    places += [mounted + path.rstrip("/"), mounted]
    return places
