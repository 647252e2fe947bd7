"""What a confined process must find refused: this program tries it and says how it went.

It runs inside the box, as the whole text of ``python -I -S -c``, and imports the standard library
alone. It reads a request and writes, for each probe, "refused", "open", or why it was not tried.
Nothing that it tries does harm where it succeeds.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import socket
import stat
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

REFUSALS = {
    *(errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.ESRCH),
    *(errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTUNREACH, errno.ECONNREFUSED),
    *(errno.ENXIO, errno.ENODEV, errno.EXDEV),
}
"""Errors by which the system refuses, or has no such thing; by others nothing was tried."""

_SEIZE, _CLONE_NEWUSER, _CLONE_NEWNS = 0x4206, 0x10000000, 0x20000
_GET_NO_NEW_PRIVS, _READ_BOUND, _CAPABILITY_VERSION = 39, 23, 0x20080522
_CAPABILITIES = 64
_DETACH = 2
_UNTRIED = 255
_DESCRIPTORS = 4096
"""So many are looked at, from 0 on; more than a process has by default."""

Probe = Callable[[], object]
"""What is tried; it returns if it succeeded, and raises OSError if not."""


def probes(request: dict[str, Any]) -> dict[str, Probe]:
    """All of them, by name."""
    parent, witness = request["parent"], request["witness"]
    found: dict[str, Probe] = {}
    for whose, process in (("the parent", parent), ("another process", witness)):
        found[f"signal {whose}"] = partial(_on, process, partial(os.kill, process["number"], 0))
        for name, probe in _inside(process["number"]).items():
            found[f"{name} of {whose}"] = partial(_on, process, probe)
    for name, probe in _inside(1).items():
        # In a namespace that root made its numbers can be seen, and none of them opened.
        if name != "see the descriptors":
            found[f"{name} of the first process"] = probe
    for path in request["hidden"]:
        found |= _hide_probes(path, parent)
    for device in request["devices"]:
        found[f"open {device}"] = partial(_open, device, os.O_RDONLY | os.O_NONBLOCK)
    return found | {
        "become root and mount": partial(_aside, _mount, as_root=True),
        "mount": partial(_aside, _mount),
        "make a namespace": partial(_aside, _make_namespace),
        "hold a capability": _hold_capability,
        "gain privileges": _gain_privileges,
        "make a device": _make_device,
        "use another descriptor": partial(_other_descriptor, request["descriptors"]),
        "connect over TCP": partial(_connect, socket.SOCK_STREAM, tuple(request["tcp"])),
        "send over UDP": partial(_connect, socket.SOCK_DGRAM, tuple(request["udp"])),
        "connect to an abstract socket": partial(_connect_local, "\0" + request["abstract"]),
        "connect to a socket in a folder": partial(_connect_local, request["pathname"]),
    }


def _inside(number: int) -> dict[str, Probe]:
    """Ways into a process: its memory, its environment, what it has open."""
    folder = f"/proc/{number}"
    return {
        "take hold": partial(_call, "ptrace", _SEIZE, number, 0, 0),
        "read the memory": partial(_open, f"{folder}/mem", os.O_RDONLY),
        "write the memory": partial(_open, f"{folder}/mem", os.O_RDWR),
        "read the environment": partial(_read, f"{folder}/environ"),
        "see the descriptors": partial(os.listdir, f"{folder}/fd"),
        "open a descriptor": partial(_read, f"{folder}/fd/0"),
        "see the files": partial(os.listdir, f"{folder}/root/"),
    }


def _hide_probes(path: str, parent: dict[str, Any]) -> dict[str, Probe]:
    return {
        f"read {path}": partial(_read, path),
        f"read {path} by its own root": partial(_read, "/proc/self/root" + path),
        f"read {path} by the first process's root": partial(_read, "/proc/1/root" + path),
        f"read {path} by the parent's root": partial(_read, f"/proc/{parent['number']}/root{path}"),
        f"read {path} by a symbolic link": partial(_read_through, os.symlink, path),
        f"read {path} by another name": partial(_read_through, os.link, path),
    }


def _on(process: dict[str, Any], probe: Probe) -> object:
    """Probe a process, unless it is another one that has its number in here."""
    try:
        with open(f"/proc/{process['number']}/stat", encoding="utf-8", errors="replace") as file:
            began = file.read().rpartition(")")[2].split()[19]
    except OSError:
        began = process["began"]
    if began != process["began"]:
        raise ProcessLookupError(errno.ESRCH, "another process has its number here")
    return probe()


def _read_through(name: Callable[[str, str], None], path: str) -> object:
    """Read what was given a name in our own folder."""
    own = f"name-{len(os.listdir())}"
    name(path, own)
    try:
        return _read(own)
    finally:
        os.unlink(own)


def _read(path: str) -> object:
    if os.path.isdir(path):
        return os.listdir(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(descriptor, 1)
    finally:
        os.close(descriptor)


def _open(path: str, flags: int) -> None:
    os.close(os.open(path, flags))


def _call(name: str, *words: int | bytes | None) -> int:
    given = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    result = int(getattr(ctypes.CDLL(None, use_errno=True), name)(*given))
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return result


def _aside(probe: Callable[..., None], **words: bool) -> None:
    """Probe in a process of its own, which is changed by it; raises its error."""
    process = os.fork()
    if not process:
        code = _UNTRIED
        try:
            probe(**words)
            code = 0
        except OSError as error:
            code = error.errno or _UNTRIED
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code:
        raise OSError(code, "aside")


def _mount(as_root: bool = False) -> None:
    here = os.fsencode(os.getcwd())
    if as_root:
        with contextlib.suppress(OSError):
            os.setuid(0)
    _call("mount", b"none", here, b"tmpfs", 0, None)
    _call("umount2", here, _DETACH)


def _make_namespace() -> None:
    _call("unshare", _CLONE_NEWUSER | _CLONE_NEWNS)


def _make_device() -> None:
    os.mknod("device", stat.S_IFBLK | 0o600, os.makedev(7, 0))
    os.unlink("device")


def _hold_capability() -> None:
    held = ctypes.create_string_buffer(24)
    head = _CAPABILITY_VERSION.to_bytes(4, sys.byteorder) + bytes(4)
    _call("capget", head, ctypes.addressof(held))
    bounds = (_is_in_bounding_set(capability) for capability in range(_CAPABILITIES))
    if not any(held.raw) and not any(bounds):
        raise PermissionError(errno.EPERM, "no capability")


def _is_in_bounding_set(capability: int) -> bool:
    """Whether a program that is started could have it."""
    try:
        return _call("prctl", _READ_BOUND, capability, 0, 0, 0) == 1
    except OSError:
        # The kernel has no such capability.
        return False


def _gain_privileges() -> None:
    if _call("prctl", _GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1:
        raise PermissionError(errno.EPERM, "no new privileges")


def _other_descriptor(passed: list[int]) -> int:
    for descriptor in range(_DESCRIPTORS):
        if descriptor not in passed:
            try:
                os.fstat(descriptor)
            except OSError:
                continue
            return descriptor
    raise PermissionError(errno.EPERM, "no other descriptor")


def _connect(kind: int, address: tuple[str, int]) -> None:
    with socket.socket(socket.AF_INET, kind) as made:
        made.connect(address)
        made.send(b"!")


def _connect_local(address: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
        made.connect(address)


def outcome(probe: Probe) -> str:
    """How a probe went: "refused", "open", or the error by which it could not be tried."""
    try:
        probe()
    except OSError as error:
        number = error.errno or 0
        return "refused" if number in REFUSALS else f"not tried: {os.strerror(number)}"
    except Exception as error:
        return f"not tried: {type(error).__name__}"
    return "open"


def main() -> None:
    """Answer the request on standard input."""
    found = probes(json.loads(sys.stdin.readline()))
    print(json.dumps({name: outcome(probe) for name, probe in found.items()}))


if __name__ == "__main__":
    main()
