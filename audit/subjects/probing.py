"""The minimum isolation, found by trying: a box is started whose program tries to leave it."""

from __future__ import annotations

import contextlib
import glob
import itertools
import json
import os
import secrets
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from audit.statements.isolation import Isolation
from audit.subjects.probes import probes

Start = Callable[[Sequence[str], Sequence[str], Sequence[str]], "subprocess.Popen[bytes]"]
"""Starts a command with what it may read and what is hidden from it, in the box that is tried."""

PROBING_SECONDS = 30.0
"""How long the probes may take (they take milliseconds)."""

UNKNOWN = "try anything"
"""The probe that stands for all, where the program that tries did not answer."""

_DEVICES = ("/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/kvm")
"""Devices that show memory. /dev/fuse, open to all users by default, shows nothing before a mount,
and mounting has probes of its own."""

_MOST_DEVICES = 4
"""So many of the machine's disks are tried."""

_MOST_INSIDE = 8
"""So many files of a hidden folder are tried."""

_NETWORK = ("connect", "send over")
_FILES = ("read /", "open /dev")


def find_permitted(
    start: Start, hidden: Sequence[str], python: str = sys.executable
) -> tuple[str, ...]:
    """The probes that the box did not refuse, by name; none if it is the minimum isolation.

    A probe that could not be carried out was not refused.

    Guarantee
    ---------
    Empty only if `audit.subjects.probes` was run in the box and found each access refused, and no
    listener of this process was reached. Backed by ``tests/audit/subjects/test_probing.py``.
    """
    with _listeners() as (request, reached), _witness() as witness:
        request |= {
            "parent": _identify(os.getpid()),
            "witness": _identify(witness),
            "hidden": [found for path in hidden for found in _parts(os.path.abspath(path))],
            "descriptors": [0, 1, 2],
            "devices": _devices(),
        }
        program = Path(__file__).with_name("probes.py").read_text("utf-8")
        folder = os.path.dirname(request["pathname"])
        try:
            process = start([python, "-I", "-S", "-c", program], [folder], hidden)
            text = json.dumps(request).encode() + b"\n"
            output = process.communicate(text, PROBING_SECONDS)[0]
            outcomes: object = json.loads(output)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return (UNKNOWN,)
        names = probes(request).keys()
        if process.returncode or not isinstance(outcomes, dict) or outcomes.keys() != names:
            return (UNKNOWN,)
        open_ones = [name for name in names if outcomes[name] != "refused"]
        return tuple(dict.fromkeys((*open_ones, *reached())))


def weaken(isolation: Isolation, names: Sequence[str]) -> Isolation:
    """What an isolation is worth, of which these probes were not refused."""
    process, filesystem, network = isolation.process, isolation.filesystem, isolation.network
    for name in names:
        if name.startswith(_NETWORK):
            network = "none"
        elif name.startswith(_FILES):
            filesystem = "none"
        else:
            process = "plain"
    return Isolation(process, filesystem, network)


def _identify(process: int) -> dict[str, Any]:
    """A process's number and when it began, which together are its own."""
    text = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    return {"number": process, "began": text.rpartition(")")[2].split()[19]}


def _parts(path: str) -> list[str]:
    """A hidden path, and some of the files in it if it is a folder."""
    if not os.path.isdir(path):
        return [path]
    inside = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    return [path, *itertools.islice(inside, _MOST_INSIDE)]


def _devices() -> list[str]:
    """Devices by which all memory or all files could be read."""
    disks = [path for path in sorted(glob.glob("/dev/*")) if _is_disk(path)]
    return [path for path in _DEVICES if os.path.exists(path)] + disks[:_MOST_DEVICES]


def _is_disk(path: str) -> bool:
    try:
        return stat.S_ISBLK(os.stat(path).st_mode)
    except OSError:
        return False


@contextlib.contextmanager
def _witness() -> Iterator[int]:
    """A process outside of the box, which is neither this one nor of it."""
    process = subprocess.Popen(["/bin/sleep", str(2 * PROBING_SECONDS)], stdin=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def _listeners() -> Iterator[tuple[dict[str, Any], Callable[[], list[str]]]]:
    """Sockets that listen on this machine: where, and which of them heard something."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="dp-audit-"))
        os.chmod(folder, 0o755)

        def bound(family: int, kind: int, address: Any) -> socket.socket:
            made = stack.enter_context(socket.socket(family, kind))
            made.bind(address)
            if kind == socket.SOCK_STREAM:
                made.listen()
            made.setblocking(False)
            return made

        abstract, pathname = f"dp-audit-{secrets.token_hex(8)}", os.path.join(folder, "socket")
        tcp = bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        udp = bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        listening = {
            "connect over TCP": tcp,
            "connect to an abstract socket": bound(
                socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract
            ),
            "connect to a socket in a folder": bound(socket.AF_UNIX, socket.SOCK_STREAM, pathname),
        }
        os.chmod(pathname, 0o666)

        def reached() -> list[str]:
            names = []
            for name, listener in listening.items():
                with contextlib.suppress(BlockingIOError):
                    listener.accept()[0].close()
                    names.append(name)
            with contextlib.suppress(BlockingIOError):
                udp.recv(1)
                names.append("send over UDP")
            return names

        request = {
            "tcp": tcp.getsockname(),
            "udp": udp.getsockname(),
            "abstract": abstract,
            "pathname": pathname,
        }
        yield request, reached
