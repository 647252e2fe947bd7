"""What the process of a subject does to itself before it imports the user's module."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

LOWEST_DESCRIPTOR = 500
"""Where the socket is put: above the descriptors that careless code
closes, and that new files get."""

_STARTS_WITH = 2**31
"""What a process is taken to start with where nothing says it (numpy and
pandas take half of it on a machine of few cores)."""


def move_aside(descriptor: int) -> socket.socket:
    """The socket of a descriptor, under a number that nobody else gets by chance."""
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR)
    os.close(descriptor)
    return socket.socket(fileno=moved)


def limit_memory(megabytes: int | None) -> None:
    """A limit on the memory beyond what is taken by now."""
    import resource

    # Elsewhere such a limit is not kept.
    if megabytes is not None and sys.platform == "linux":
        limit = _memory_in_use(resource.getpagesize()) + megabytes * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _memory_in_use(page: int) -> int:
    """The addresses that this process has by now, in bytes."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * page
    except OSError:
        # A box without a root of its own does not show /proc.
        return _STARTS_WITH
