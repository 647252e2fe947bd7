"""A filter that refuses system calls by which a program could leave its box.

The standard library alone, as in `audit.subjects.launcher`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

from audit.subjects.system_calls import MACHINES, PR_SET_SECCOMP, call

REFUSED_CALLS = {
    # (x86_64, aarch64); None where there is no such call.
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "migrate_pages": (256, 238),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "socket": (41, 198),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""The calls that a confined program is refused. ``socket`` refuses all networks and the sockets
in the file system; pairs of sockets stay."""

_CLONE, _CLONE3 = (56, 220), (435, 435)
_AUDIT_ARCHITECTURES = (0xC000003E, 0xC00000B7)
_X32 = 0x40000000
"""On x86_64, calls from this number on are those of a second table."""

NEW_NAMESPACES = 0x7E020080
"""All CLONE_NEW… flags of clone(2)."""


def knows_machine() -> bool:
    """Whether the filter can be made here: it is made of this machine's numbers."""
    return sys.platform == "linux" and os.uname().machine in MACHINES


def filter_calls() -> None:
    """Refuse `REFUSED_CALLS`, and clone(2) with new namespaces, from here on.

    Guarantee
    ---------
    The filter is inherited and can't be taken off. Calls of another architecture's table end the
    process. Backed by ``tests/audit/subjects/test_seccomp.py``.
    """
    here = MACHINES.index(os.uname().machine)
    program = _Filter()
    refused = program.error(errno.EPERM)
    program.load(4)
    program.unless_equal(_AUDIT_ARCHITECTURES[here], 0x80000000)
    program.load(0)
    if here == 0:
        program.if_at_least(_X32, refused)
    for numbers in REFUSED_CALLS.values():
        number = numbers[here]
        if number is not None:
            program.if_equal(number, refused)
    # The C library then takes clone(2), whose flags can be read.
    program.if_equal(_CLONE3[here], program.error(errno.ENOSYS))
    program.unless_equal(_CLONE[here], program.ALLOW)
    program.load(16)
    program.if_any(NEW_NAMESPACES, refused)
    program.answer(program.ALLOW)
    program.install()


class _Filter:
    """A program of the kernel's packet filter, written step by step."""

    ALLOW = 0x7FFF0000

    def __init__(self) -> None:
        self._code: list[bytes] = []

    def error(self, number: int) -> int:
        """The answer that fails a call with an error number."""
        return 0x00050000 | number

    def load(self, offset: int) -> None:
        self._add(0x20, 0, 0, offset)

    def answer(self, answer: int) -> None:
        self._add(0x06, 0, 0, answer)

    def if_equal(self, value: int, answer: int) -> None:
        self._add(0x15, 0, 1, value)
        self.answer(answer)

    def unless_equal(self, value: int, answer: int) -> None:
        self._add(0x15, 1, 0, value)
        self.answer(answer)

    def if_at_least(self, value: int, answer: int) -> None:
        self._add(0x35, 0, 1, value)
        self.answer(answer)

    def if_any(self, bits: int, answer: int) -> None:
        self._add(0x45, 0, 1, bits)
        self.answer(answer)

    def _add(self, code: int, true: int, false: int, value: int) -> None:
        self._code.append(struct.pack("HBBI", code, true, false, value))

    def install(self) -> None:
        code = ctypes.create_string_buffer(b"".join(self._code))
        head = struct.pack("HxxxxxxP", len(self._code), ctypes.addressof(code))
        held = ctypes.create_string_buffer(head)
        call("prctl", PR_SET_SECCOMP, 2, ctypes.addressof(held), 0, 0)
