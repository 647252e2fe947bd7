"""Linux's system calls that Python does not offer.

The standard library alone: the launcher imports this before anything else runs.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

MACHINES = ("x86_64", "aarch64")
"""The machines whose numbers of system calls are known here."""

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
MOUNT_SETATTR = 442
PIVOT_ROOT = (155, 41)

_PR_SET_DUMPABLE, PR_SET_SECCOMP, _PR_CAPBSET_READ, _PR_CAPBSET_DROP = 4, 22, 23, 24
_PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR = 38, 47, 4
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_CAPABILITY_VERSION = 0x20080522

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def call(name: str, *words: int | bytes | None) -> int:
    """A function of the C library; raises OSError. Whole numbers are handed over as longs."""
    function = getattr(_LIBC, name)
    given = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    result = int(function(*given))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return result


def system_call_number(numbers: tuple[int, int]) -> int:
    """The number of a system call on this machine; raises OSError on others."""
    return numbers[MACHINES.index(os.uname().machine)]


def die_with_parent(signal: int) -> None:
    """Have the kernel send us ``signal`` when the thread that started us ends."""
    call("prctl", _PR_SET_PDEATHSIG, signal, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of all descendants that lose theirs."""
    call("prctl", _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def forbid_tracing() -> None:
    """Keep processes of the same user from opening this one's memory and descriptors."""
    call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)


def forbid_privileges() -> None:
    """Nothing that is started from here on gains privileges by it (``no_new_privs``)."""
    call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def drop_bounding_set() -> None:
    """Empty the set that bounds the capabilities of whatever is started from here on."""
    call("prctl", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR, 0, 0, 0)
    capability = 0
    while _is_known(capability):
        call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
        capability += 1


def _is_known(capability: int) -> bool:
    try:
        return call("prctl", _PR_CAPBSET_READ, capability, 0, 0, 0) >= 0
    except OSError:
        return False


def drop_capabilities() -> None:
    """Give up the effective, permitted and inheritable capabilities."""
    call("capset", struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24))
