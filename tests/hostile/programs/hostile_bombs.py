"""Programs that take all there is of something: time, memory, processes, descriptors, output."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
import threading
import time
from typing import Any

from hostile_parts import quiet, to_parent, unseen, write_line

from synthesizers.curator import Curator

_once: list[int] = []


def first_time() -> bool:
    _once.append(1)
    unseen()
    return len(_once) == 1


def hangs(curator: Curator) -> Any:
    quiet(curator)
    while True:
        time.sleep(1)


def spins(curator: Curator) -> Any:
    while True:
        pass


def never_reads(curator: Curator) -> Any:
    """It stops reading in the middle of the conversation, and goes on writing."""
    while True:
        write_line({"spent": True})


def memory(curator: Curator) -> Any:
    return [len(bytearray(2**40))]


def recursion(curator: Curator) -> Any:
    return recursion(curator)


def deep_recursion(curator: Curator) -> Any:
    """So deep that the interpreter itself ends."""
    sys.setrecursionlimit(10**9)

    def down(level: int) -> int:
        return down(level + 1) + 1

    return [down(0)]


def forks(curator: Curator) -> Any:
    """As many processes as it may have, all of which stay."""
    if first_time():
        with contextlib.suppress(OSError):
            while True:
                if os.fork() == 0:
                    time.sleep(600)
                    os._exit(0)
    return quiet(curator)


def fork_answers_too(curator: Curator) -> Any:
    """A copy of the process writes what the process will write, before it does."""
    if first_time():
        process = os.fork()
        if process == 0:
            server = _server()
            server._process = os.getpid()
            write_line({"questions": [], "played": [[[], "output", {"values": [0]}]]})
            os._exit(0)
        os.waitpid(process, 0)
    return quiet(curator)


def fork_comes_back(curator: Curator) -> Any:
    """A copy goes on with the run; only one of the two may speak."""
    if first_time() and os.fork() == 0:
        return [0]
    return quiet(curator)


def _server() -> Any:
    frame: Any = sys._getframe()
    while frame.f_code.co_name != "serve" or "self" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["self"]


def descriptors(curator: Curator) -> Any:
    """It takes every descriptor that it may have."""
    if first_time():
        with contextlib.suppress(OSError):
            while True:
                _held.append(os.open("/dev/null", os.O_RDONLY))
    return quiet(curator)


_held: list[int] = []


def threads(curator: Curator) -> Any:
    if first_time():
        with contextlib.suppress(RuntimeError):
            while True:
                threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    return quiet(curator)


def fills_its_folder(curator: Curator) -> Any:
    """It writes until nothing more can be written: it may write so much, and there alone."""
    if first_time():
        for folder in (os.getcwd(), "/dev/shm"):
            with contextlib.suppress(OSError):
                file = os.open(f"{folder}/filler", os.O_CREAT | os.O_WRONLY)
                # Places in a file system of memory are taken at once, and not filled.
                os.posix_fallocate(file, 0, 2**40)
    return quiet(curator)


def talks_without_end(curator: Curator) -> Any:
    """It says more on standard output and standard error than any pipe holds."""
    if first_time():
        for _ in range(64):
            os.write(1, b"x" * 2**16)
            os.write(2, b"x" * 2**16)
            print("x" * 2**16)
    return quiet(curator)


def exits(curator: Curator) -> Any:
    sys.exit(0)


def ends(curator: Curator) -> Any:
    unseen()
    os.kill(os.getpid(), 9)


def ends_its_group(curator: Curator) -> Any:
    unseen()
    os.killpg(0, 9)


def stops_itself(curator: Curator) -> Any:
    unseen()
    os.kill(os.getpid(), 19)
    return quiet(curator)


def becomes_another(curator: Curator) -> Any:
    """Another program takes the place of this one, and is silent."""
    unseen()
    os.execv("/bin/sleep", ["sleep", "600"])


def becomes_an_echo(curator: Curator) -> Any:
    """Another program takes its place, which repeats what it reads."""
    unseen()
    server = _server()
    os.dup2(server._source.fileno(), 0)
    os.dup2(server._target.fileno(), 1)
    os.execv("/bin/cat", ["cat"])


def closes_everything(curator: Curator) -> Any:
    os.closerange(0, 1024)
    return quiet(curator)


def closes_its_pipe(curator: Curator) -> Any:
    to_parent().close()
    return quiet(curator)


def reads_standard_input(curator: Curator) -> Any:
    """Nothing is there to be read."""
    if os.read(0, 1):
        return [0]
    return quiet(curator)


def takes_the_pipes(curator: Curator) -> Any:
    """It speaks for the child's server: it never asked anything, whatever was played."""
    unseen()
    source, target = _server()._source, to_parent()
    target.write(b'{"output": {"values": [0]}}\n')
    target.flush()
    for line in source:
        released: Any = {"output": {"values": [0]}}
        scripts = json.loads(line).get("play")
        if scripts is not None:
            played = [[[], "output", {"values": [0]}] for _ in scripts]
            released = {"questions": [], "played": played}
        target.write(json.dumps(released).encode() + b"\n")
        target.flush()
    os._exit(0)


def steals_from_the_pipe(curator: Curator) -> Any:
    """It waits for the parent's next message itself."""
    os.read(_server()._source.fileno(), 1)
    return quiet(curator)


def segmentation(curator: Curator) -> Any:
    ctypes.string_at(0)


def raises_secret(curator: Curator) -> Any:
    """An exception whose class and text quote the answer."""
    answer = int(quiet(curator)[0])
    kind = type(f"Answer{answer}", (Exception,), {"__str__": lambda self: f"it is {answer}"})
    raise kind


def raises_liar(curator: Curator) -> Any:
    """An exception that fails when it is shown."""

    class Liar(BaseException):
        def __str__(self) -> str:
            raise self

        __repr__ = __str__

    raise Liar


def ends_scripts_itself(curator: Curator) -> Any:
    """It raises what ends a script, where none has ended."""
    from synthesizers.playing import ScriptEnds

    raise ScriptEnds


def catches_everything(curator: Curator) -> Any:
    """It goes on after whatever is raised at it."""
    while True:
        try:
            return quiet(curator)
        except BaseException:
            if len(_once) > 10_000:
                return [0]
            _once.append(1)


def at_exit(curator: Curator) -> Any:
    """What it registered for its end writes past the protocol."""
    import atexit

    if first_time():
        stream = to_parent()
        atexit.register(lambda: (stream.write(b'{"output": {"values": [0]}}\n'), stream.flush()))
    return quiet(curator)


class Clinging:
    """Its finaliser writes past the protocol."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.stream.write(b'{"output": {"values": [0]}}\n')
            self.stream.flush()


def finaliser(curator: Curator) -> Any:
    answer = quiet(curator)
    _ = Clinging(to_parent())
    return answer


class Quiet:
    """A program whose instances lie about their class."""

    def __call__(self, curator: Curator) -> Any:
        return quiet(curator)

    @property
    def __class__(self) -> Any:
        return int


liar_of_class = Quiet()
