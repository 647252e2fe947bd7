"""The end of processes that a command left behind, where no namespace ends them with it.

The standard library alone, as in `audit.subjects.launcher`.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from contextlib import suppress

from audit.subjects.steps import Step, fork_work

_USERS = ((2**30, 2**20), (61184, 4336))
"""Where other users' ids are taken from, and how many: far above all others, or, where those are
not there, those that systemd keeps for services of the moment."""


def unused_user() -> int:
    """A user id that nothing runs under, and that exists in our namespace."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        maps = [tuple(map(int, line.split())) for line in file]
    used = set()
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError):
                used.add(os.stat(f"/proc/{name}").st_uid)
    for first, number in _USERS:
        if any(start <= first and first + number <= start + size for start, _, size in maps):
            while True:
                user = first + int.from_bytes(os.urandom(8), "little") % number
                if user not in used:
                    return user
    raise Step("find another user", OSError(errno.ENOENT, "none is free"))


def end_user(user: int) -> None:
    """Kill all processes of a user at once: none can fork in between."""

    def kill() -> int:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        os.kill(-1, signal.SIGKILL)
        return 0

    unheard, speaker = os.pipe()
    process = fork_work(kill, speaker)
    os.close(speaker)
    os.close(unheard)
    with suppress(ChildProcessError):
        os.waitpid(process, 0)


def end_group(group: int) -> None:
    """Kill a group of processes, and what left it and is our child by now."""
    with suppress(OSError):
        os.killpg(group, signal.SIGKILL)
    # Those that left the group are our children by now, or are those of our children.
    for _ in range(_ROUNDS):
        children = _children()
        for child in children:
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        if not children:
            return
        time.sleep(_ROUND)


_ROUNDS, _ROUND = 200, 0.01
"""How often, and how many seconds apart, what ran away is looked for."""


def _children() -> list[int]:
    """Our children that still run."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def reap_all(certain: bool) -> None:
    """Wait for our children, which were killed; not where one may have got away."""
    with suppress(ChildProcessError):
        while True:
            if not os.waitpid(-1, 0 if certain else os.WNOHANG)[0]:
                return
