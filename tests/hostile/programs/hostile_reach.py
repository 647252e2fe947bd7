"""Programs that reach for what the box must refuse; what they release is honest.

Each is PROVED at its true epsilon, 1, only if every one of its attacks was refused.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import signal
import socket
import subprocess
import sys
from typing import Any

from hostile_parts import Reached, attacks_once, file_beside, quiet, unseen

from synthesizers.curator import Curator

libc = ctypes.CDLL(None, use_errno=True)


def parent() -> int:
    """The process that judges, by its number outside."""
    return int(file_beside("parent.txt").read_text())


def data() -> str:
    return str(file_beside("private.csv"))


def refuse(result: int) -> int:
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(1)


def write(path: str) -> None:
    with open(path, "r+b", 0) as file:
        file.write(b"!")


def make(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def connect(family: int, kind: int, address: Any) -> None:
    with socket.socket(family, kind) as made:
        made.connect(address)
        made.send(b"!")


def descriptors() -> None:
    """Anything open beside the standard streams and the two pipes."""
    for name in os.listdir("/proc/self/fd"):
        link = os.readlink(f"/proc/self/fd/{name}")
        if link.endswith(".csv"):
            read(f"/proc/self/fd/{name}")
            return
    raise OSError("nothing of the data is open")


def objects() -> None:
    """A curator that answers, or a table, anywhere among the objects of this process."""
    for found in gc.get_objects():
        if type(found).__name__ in ("TrueAnswers", "Dataset", "SystemEntropy", "Certificate"):
            return
    raise OSError("no such object is here")


def referrers() -> None:
    """The same by what refers to the setting, from the frames that led here."""
    frame: Any = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            for found in gc.get_referrers(value):
                if type(found).__name__ in ("TrueAnswers", "ProgramProcess", "Claim"):
                    return
        frame = frame.f_back
    raise OSError("nothing of the parent's is here")


def ptrace() -> None:
    refuse(libc.ptrace(16, parent(), 0, 0))


def first_process() -> None:
    refuse(libc.ptrace(16, 1, 0, 0))


def own_link() -> None:
    os.link(data(), "other-name.csv")
    read("other-name.csv")


def own_symbolic_link() -> None:
    os.symlink(data(), "symbolic.csv")
    read("symbolic.csv")


memory = attacks_once(
    "memory", lambda: read(f"/proc/{parent()}/mem"), lambda: write(f"/proc/{parent()}/mem"),
    lambda: read("/proc/1/mem"), lambda: write("/proc/1/mem"),
)  # fmt: skip
environment = attacks_once(
    "environment", lambda: read(f"/proc/{parent()}/environ"), lambda: read("/proc/1/environ")
)
traces = attacks_once("traces", ptrace, first_process)
reads_data = attacks_once("reads", lambda: read(data()))
reads_data_by_root = attacks_once(
    "by root",
    lambda: read(f"/proc/self/root{data()}"),
    lambda: read(f"/proc/1/root{data()}"),
    lambda: read(f"/proc/{parent()}/root{data()}"),
    lambda: read(f"/proc/{parent()}/cwd/private.csv"),
)
links_data = attacks_once("links", own_link)
points_at_data = attacks_once("points", own_symbolic_link)
writes_data = attacks_once(
    "writes", lambda: write(data()), lambda: os.unlink(data()), lambda: os.rename(data(), "mine"),
    lambda: os.chmod(data(), 0o666),
)  # fmt: skip
inherits = attacks_once("inherits", descriptors)
searches_objects = attacks_once("objects", objects)
searches_referrers = attacks_once("referrers", referrers)
mounts = attacks_once(
    "mounts",
    lambda: refuse(libc.mount(b"none", os.fsencode(os.getcwd()), b"tmpfs", 0, None)),
    lambda: refuse(libc.umount2(os.fsencode(data()), 2)),
    lambda: refuse(libc.unshare(0x10000000 | 0x20000)),
    lambda: refuse(libc.chroot(b"/")),
)
becomes_root = attacks_once(
    "root", lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]),
)  # fmt: skip
listens_tcp = attacks_once(
    "tcp", lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 22)),
    lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("8.8.8.8", 53)),
)  # fmt: skip
sends_udp = attacks_once("udp", lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("8.8.8.8", 53)))
joins_abstract = attacks_once(
    "abstract", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0dp-audit-hostile"),
    lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "/var/run/docker.sock"),
)  # fmt: skip
speaks_netlink = attacks_once(
    "netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()
)
leaves_bytecode = attacks_once(
    "bytecode",
    lambda: os.makedirs(os.path.join(os.path.dirname(__file__), "__pycache__", "new")),
    lambda: make(os.path.join(os.path.dirname(__file__), "numpy.py")),
    lambda: make(os.path.join(os.path.dirname(data()), "usercustomize.py")),
    lambda: write(sys.modules["synthesizers.noise"].__file__ or ""),
)
raises_limits = attacks_once(
    "limits",
    lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (2**20, 2**20)),
    lambda: resource.prlimit(parent(), resource.RLIMIT_CPU, (1, 1)),
)


def leaves_notes(curator: Curator) -> Any:
    """Writes for a later process what only this one knows, where that is allowed at all."""
    unseen()
    for folder in (os.getcwd(), "/tmp", "/dev/shm", "/var/tmp"):
        with contextlib.suppress(OSError):
            if os.path.exists(f"{folder}/dp-audit-note"):
                os.unlink(f"{folder}/dp-audit-note")
                if not _mine:
                    raise Reached
            with open(f"{folder}/dp-audit-note", "w") as file:
                file.write("note")
    _mine.append(1)
    return quiet(curator)


_mine: list[int] = []


def signals_everyone(curator: Curator) -> Any:
    """Kills and stops whatever it can: the parent, its group, the launcher, all."""
    if not _tried:
        _tried.append(1)
        unseen()
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
            for process in (parent(), os.getppid(), 1, -parent()):
                if process not in (0, os.getpid()):
                    with contextlib.suppress(OSError):
                        os.kill(process, number)
        # All but itself and the first process of its namespace, or of its user.
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGSTOP)
    return quiet(curator)


_tried: list[int] = []


def deaf(curator: Curator) -> Any:
    """No signal that can be ignored ends it, and it leaves a daemon behind."""
    if not _tried:
        _tried.append(1)
        unseen()
        for number in range(1, 32):
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)
        marker = file_beside("marker.txt").read_text()
        command = f"import time; time.sleep(600)  # {marker}"
        subprocess.Popen([sys.executable, "-c", command], start_new_session=True)
    return quiet(curator)
