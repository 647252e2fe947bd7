"""The filter of system calls: its numbers are the system's, and each call is refused."""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path

import pytest

from audit.subjects import seccomp
from tests.audit.subjects.boxes import NAMESPACES, OTHER_USER, SYSTEM_PYTHON, require, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's")

HEADERS = (
    "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "/usr/include/asm-generic/unistd.h",
)


@pytest.mark.parametrize("machine", [0, 1], ids=seccomp.MACHINES)
def test_the_numbers_are_those_of_the_kernels_headers(machine: int) -> None:
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip(f"there is no {header} on this machine")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    ours = {
        **seccomp.REFUSED_CALLS,
        "clone": seccomp._CLONE,
        "clone3": seccomp._CLONE3,
    }
    for name, numbers in ours.items():
        number = numbers[machine]
        if number is not None and name in defined:
            assert int(defined[name]) == number, name
        assert number is None or name in defined or number > 430, name


TRY = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def number_of(call, *words):
    result = libc.syscall(*(ctypes.c_long(word) for word in (call, *words)))
    return ctypes.get_errno() if result == -1 else 0
found = {name: number_of(number, 0, 0, 0, 0, 0, 0) for name, number in json.loads(sys.argv[1])}
found["clone3"] = number_of(435, 0, 0)
clone, flags = int(sys.argv[2]), json.loads(sys.argv[3])
found["clone"] = [number_of(clone, flag | 17, 0, 0, 0, 0) for flag in flags]
found["x32"] = number_of(0x40000000 + 39)
if not os.fork():
    os._exit(0)
os.wait()
print(json.dumps(found))
"""


@pytest.mark.skipif(not os.path.exists(SYSTEM_PYTHON), reason="no Python of the system's")
@pytest.mark.parametrize("isolation", [NAMESPACES, OTHER_USER], ids=lambda one: one.process)
def test_each_call_is_refused_in_a_box(isolation: object) -> None:
    import json

    if not seccomp.knows_machine():
        pytest.skip("this machine's numbers are not known")
    here = seccomp.MACHINES.index(os.uname().machine)
    calls = [
        (name, numbers[here])
        for name, numbers in seccomp.REFUSED_CALLS.items()
        if numbers[here] is not None
    ]
    flags = [1 << bit for bit in range(32) if 1 << bit & 0x7E020080]
    assert len(flags) == 8
    words = [json.dumps(calls), str(seccomp._CLONE[here]), json.dumps(flags)]
    require(isolation)  # type: ignore[arg-type]
    code, text = run([SYSTEM_PYTHON, "-I", "-c", TRY, *words], isolation=isolation)
    assert code == 0, text
    found = json.loads(text)
    assert found.pop("clone3") == errno.ENOSYS
    assert found.pop("clone") == [errno.EPERM] * len(flags)
    assert here or found.pop("x32") == errno.EPERM
    found.pop("x32", None)
    assert found == dict.fromkeys(seccomp.REFUSED_CALLS if not here else found, errno.EPERM)


def test_a_call_of_another_machine_ends_the_process() -> None:
    """On x86_64, int 0x80 asks by the table of 32 bits, whose 20 is getpid."""
    if os.uname().machine != "x86_64" or not os.path.exists(SYSTEM_PYTHON):
        pytest.skip("this is about x86_64")
    program = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
    code, _ = run([SYSTEM_PYTHON, "-I", "-c", program], isolation=require(NAMESPACES))
    assert code < 0
