"""What runs first in a confined process: it builds the box, starts the command in it, and ends it.

`audit.subjects.confinement` starts it with one end of a socket. The standard library alone: until
the box is built it has all the rights of whoever started it. Its descendants::

    launcher        outside, waits for the command's end, or for that of whoever started it
      first         in the namespaces, builds the root, adopts orphans; all inside dies with it
        command     without rights, under its limits

Without namespaces there is no ``first``, and the launcher ends what the command left behind.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress

from audit.subjects import counting, landlock, own_root, seccomp, system_calls
from audit.subjects.ending import end_group, end_user, reap_all, unused_user
from audit.subjects.steps import Step, fork_work, step

TYPE_CHECKING = False
"""The module `typing` takes a fifth of the time until the command runs."""

if TYPE_CHECKING:
    from typing import Any, NoReturn

_NAMESPACES = 0x10000000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000
"""CLONE_NEWUSER, NEWPID, NEWNET, NEWIPC and NEWUTS; the mounts follow in the first process."""

_NEWNS = 0x00020000
_INSIDE = 1000
"""The user id inside of a namespace that root makes: no program is root there."""

_LOOKS = 0.05
"""Seconds between two looks at the number of processes, where nothing else counts them."""

START = "start"
"""The step at which the command itself could not be started."""

_ENDED_BY_US = -signal.SIGKILL


def main(descriptor: int) -> NoReturn:
    """Serve one start: the configuration comes over the socket, word of the start goes back.

    It exits with the command's exit code, or dies by the command's signal.
    """
    control = socket.socket(fileno=descriptor)
    control.set_inheritable(False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Those that were blocked where we were started would be here too.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with control.makefile("rb") as source:
        line = source.readline()
    if not line.endswith(b"\n"):
        # Whoever started us has come to its end already.
        os._exit(1)
    configuration = json.loads(line)
    code = _Launch(control, configuration).run()
    if code < 0:
        with suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)


class _Launch:
    def __init__(self, control: socket.socket, configuration: Mapping[str, Any]) -> None:
        self._control = control
        self._of = configuration
        self._namespaces = configuration["process"] == "namespaces"
        self._user: int | None = None
        self._group: str | None = None
        self._scratch: str | None = None
        self._counter = ""

    def run(self) -> int:
        """Start the command, wait for its end, leave nothing behind."""
        wake, waker = socket.socketpair()
        waker.setblocking(False)
        signal.set_wakeup_fd(waker.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        report, reporter = os.pipe()
        result, teller = os.pipe()
        child = 0
        try:
            try:
                self._prepare()
                go, starter = os.pipe()
                child = fork_work(lambda: self._inside(go, starter, reporter, teller), reporter)
                os.close(go)
                if self._group is not None:
                    with step("join a control group"):
                        counting.join_group(self._group, child)
                # A child that could not even wait has said why.
                with suppress(BrokenPipeError):
                    os.write(starter, b"!")
                os.close(starter)
            except Step as error:
                self._say({"failed": error.word})
                return 1
            finally:
                os.close(reporter)
                os.close(teller)
            self._leave_descriptors()
            failed = _all_of(report)
            if failed:
                self._say({"failed": json.loads(failed)})
                return 1
            self._say({"group": self._group, "counter": self._counter})
            return self._await(child, wake, result)
        finally:
            self._end(child)

    def _say(self, word: Mapping[str, Any]) -> None:
        with suppress(OSError):
            self._control.sendall(json.dumps(word).encode() + b"\n")

    def _prepare(self) -> None:
        """All that has to be done with the rights that we have."""
        most = self._of["limits"]["processes"]
        if self._of["process"] == "other user":
            self._user = unused_user()
        own = os.getuid() if self._user is None else self._user
        for counter in self._of["counters"]:
            if counter == "rlimit" and counting.rlimit_counts(own) and self._apart:
                self._counter = counter
            elif counter == "cgroup":
                # The first process is in it as well.
                self._group = counting.make_group(most + self._namespaces)
                self._counter = counter if self._group is not None else ""
            elif counter == "watch" and self._namespaces:
                self._counter = counter
            if self._counter:
                break
        if self._namespaces:
            with step("make namespaces"):
                user, group = os.getuid(), os.getgid()
                if user == 0:
                    os.setgroups([])
                system_calls.call("unshare", _NAMESPACES)
                _write("/proc/self/setgroups", "deny")
                _write("/proc/self/uid_map", f"{user or _INSIDE} {user} 1")
                _write("/proc/self/gid_map", f"{group or _INSIDE} {group} 1")
            return
        with step("make a folder"):
            place = os.environ.get("TMPDIR") or "/tmp"
            self._scratch = os.path.join(place, f"dp-audit-box-{os.urandom(8).hex()}")
            os.mkdir(self._scratch, 0o700)
            if self._user is not None:
                for folder in (self._scratch, *self._of["writable"]):
                    os.chown(folder, self._user, self._user)
        if sys.platform == "linux":
            system_calls.adopt_orphans()

    @property
    def _apart(self) -> bool:
        """Whether the command's user, or its namespace, has no processes but those inside."""
        return self._of["process"] in ("namespaces", "other user")

    def _leave_descriptors(self) -> None:
        """Close our copies of what is the command's, so that its end is the end of them."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        for passed in self._of["pass"]:
            os.close(passed)

    def _inside(self, go: int, starter: int, reporter: int, teller: int) -> int:
        signal.set_wakeup_fd(-1)
        self._control.close()
        os.close(starter)
        if sys.platform == "linux":
            system_calls.die_with_parent(signal.SIGKILL)
        if not os.read(go, 1):
            return 1
        if not self._namespaces:
            os.close(teller)
            return self._command(reporter)
        with step("build a root"):
            system_calls.forbid_tracing()
            system_calls.call("unshare", _NEWNS)
            own_root.build_root(
                self._of["readable"],
                self._of["links"],
                self._of["writable"],
                self._of["hidden"],
                self._of["limits"]["scratch_bytes"],
            )
        with step("drop capabilities"):
            os.umask(0o022)
            system_calls.forbid_privileges()
            system_calls.drop_bounding_set()
            system_calls.drop_capabilities()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        command = fork_work(lambda: self._command(reporter), reporter)
        os.close(reporter)
        self._leave_descriptors()
        os.write(teller, struct.pack("i", self._reap(command)))
        return 0

    def _reap(self, command: int) -> int:
        """Wait, as the first process of a namespace, for the end of the command."""
        most = self._of["limits"]["processes"] + 1
        while True:
            if self._counter == "watch":
                signal.sigtimedwait({signal.SIGCHLD}, _LOOKS)
                if counting.count_processes() > most:
                    return _ENDED_BY_US
            else:
                signal.sigwait({signal.SIGCHLD})
            with suppress(ChildProcessError):
                while True:
                    process, status = os.waitpid(-1, os.WNOHANG)
                    if process == command:
                        return os.waitstatus_to_exitcode(status)
                    if not process:
                        break

    def _command(self, reporter: int) -> int:
        """Become the command; every right is given up on the way."""
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored, signal.SIG_DFL)
        with suppress(PermissionError):
            os.setsid()
        if self._user is not None:
            with step("become another user"):
                system_calls.drop_bounding_set()
                os.setgroups([])
                os.setresgid(self._user, self._user, self._user)
                os.setresuid(self._user, self._user, self._user)
                system_calls.drop_capabilities()
                # A new user is sent no word of a parent's end until it asks again.
                system_calls.die_with_parent(signal.SIGKILL)
        scratch = self._scratch or own_root.SCRATCH
        with step("enter the folder"):
            os.chdir(self._of["folder"] or scratch)
        if sys.platform == "linux":
            with step("give up privileges"):
                system_calls.forbid_privileges()
            self._restrict(scratch)
        for passed in self._of["pass"]:
            os.set_inheritable(passed, True)
        environment = {"HOME": scratch, "TMPDIR": scratch, **self._of["environment"]}
        command = self._of["command"]
        with step("set limits"):
            self._limit()
        with step(START):
            os.execve(_program(command[0], environment.get("PATH", "")), command, environment)

    def _restrict(self, scratch: str) -> None:
        of = self._of
        if self._namespaces and landlock.version():
            with step("restrict files"):
                inside = [scratch, "/dev", *of["writable"]]
                landlock.restrict_files(["/"], inside)
        elif of["filesystem"] == "landlock":
            with step("restrict files"):
                writable = [scratch, *own_root.DEVICES, *of["writable"]]
                landlock.restrict_files(of["readable"], writable, of["hidden"])
        if (self._namespaces and seccomp.knows_machine()) or of["network"] == "seccomp":
            with step("filter calls"):
                seccomp.filter_calls()

    def _limit(self) -> None:
        limits = self._of["limits"]
        wanted = {
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_NOFILE: limits["open_files"],
            resource.RLIMIT_FSIZE: limits["file_bytes"],
        }
        # Elsewhere such a limit is not kept.
        if limits["megabytes"] is not None and sys.platform == "linux":
            wanted[resource.RLIMIT_AS] = limits["megabytes"] * 2**20
        if self._counter == "rlimit":
            # In the namespace the launcher and the first process count as well.
            wanted[resource.RLIMIT_NPROC] = limits["processes"] + 2 * self._namespaces
        for kind, most in wanted.items():
            _, allowed = resource.getrlimit(kind)
            most = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
            resource.setrlimit(kind, (most, most))

    def _await(self, child: int, wake: socket.socket, result: int) -> int:
        """The command's exit code, or minus its signal; an end by us if nobody waits for it."""
        waiting = select.poll()
        waiting.register(self._control, select.POLLIN)
        waiting.register(wake, select.POLLIN)
        if hasattr(os, "pidfd_open"):
            with suppress(OSError):
                waiting.register(os.pidfd_open(self._of["parent"]), select.POLLIN)
        while True:
            if any(ready != wake.fileno() for ready, _ in waiting.poll()):
                return _ENDED_BY_US
            wake.recv(4096)
            with suppress(ChildProcessError):
                while True:
                    process, status = os.waitpid(-1, os.WNOHANG)
                    if process == child:
                        if not self._namespaces:
                            return os.waitstatus_to_exitcode(status)
                        told = os.read(result, 4)
                        return int(struct.unpack("i", told)[0]) if len(told) == 4 else _ENDED_BY_US
                    if not process:
                        break

    def _end(self, child: int) -> None:
        """End all that is left; when we end, nothing of it runs any more."""
        if child:
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
            if self._user is not None:
                end_user(self._user)
            elif not self._namespaces:
                end_group(child)
            reap_all(self._namespaces or self._user is not None)
        if self._scratch is not None:
            # Rarely needed, and slow to import.
            from shutil import rmtree

            # Folders too deep to follow are left, rather than said to be the command's end.
            with suppress(RecursionError):
                rmtree(self._scratch, ignore_errors=True)
        if self._group is not None:
            with suppress(OSError):
                os.rmdir(self._group)


def _program(name: str, path: str) -> str:
    """The program that a shell would start for a name."""
    if "/" not in name:
        for folder in path.split(":"):
            place = os.path.join(folder, name)
            if folder and os.access(place, os.X_OK) and not os.path.isdir(place):
                return place
    return name


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _all_of(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 4096):
        parts.append(part)
    return b"".join(parts)
