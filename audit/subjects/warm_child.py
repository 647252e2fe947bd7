"""A process that has imported what a Python script imports, and runs the script in a copy a run.

Started by the script's own interpreter as ``warm_child.py SCRIPT --protocol 2 --serve``: it answers
by version 2 of the submission protocol for a script that knows version 1 alone. It needs nothing
but the standard library of Python 3.9 or later. Of the script nothing runs before the copy: what is
imported beforehand are installed packages, and none of the modules that lie beside the script.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import json
import os
import runpy
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

HELLO = {"protocol": "dp-audit/submission", "version": 2, "serve": True}

_ASIDE = 500
"""Where our pipes are put: above the descriptors that a script closes, or gets."""

_HARMLESS = frozenset({"jemalloc_bg_thd"})
"""Threads that know how to be copied: that of the allocator that comes with pyarrow."""

_THREADED = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA")
"""Libraries that start threads where they are loaded, unless they are told to have one."""

_OURS = ("run", "folder")
"""What a request has beside the options of the script."""


def main() -> None:
    """Serve requests; in a copy for one of them, run the script and end as it does."""
    script = sys.argv[1]
    for library in _THREADED:
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    asked, said = _move_aside(0), _move_aside(1)
    # Where the script would find its own folder, if its interpreter is not isolated, is ours now.
    own = [os.path.dirname(os.path.realpath(script))]
    if sys.path[:1] == [os.path.dirname(os.path.abspath(__file__))]:
        del sys.path[0]
    else:
        own = []
    for name in sorted(_list_imported(script, own)):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    if _other_threads():
        # A copy would not have them, but the locks that they held.
        return
    sys.path[:0] = own
    gc.collect()
    gc.freeze()
    _say(said, HELLO)
    for line in _lines(asked):
        request = json.loads(line)
        child = os.fork()
        if not child:
            os.close(asked)
            os.close(said)
            _run(script, request)
            return
        _say(said, {"run": request["run"], "exit": _exit_code(os.waitpid(child, 0)[1])})


def _run(script: str, request: dict[str, str]) -> None:
    """The script, as its interpreter would run it in a new process."""
    folder = request["folder"]
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = folder
    # Whoever asked for them before the copy was made has told it where they are.
    tempfile.tempdir = None
    if "numpy.random" in sys.modules:
        # It took its entropy when it was imported; Python's own generator does so in each copy.
        sys.modules["numpy.random"].seed()
    options = {key: value for key, value in request.items() if key not in _OURS}
    words = ((f"--{key.replace('_', '-')}", value) for key, value in options.items())
    sys.argv = [script, *(word for option in words for word in option)]
    runpy.run_path(script, run_name="__main__")


def _list_imported(script: str, own: list[str]) -> set[str]:
    """What a script and its modules in ``own`` folders import, but for these modules."""
    found: set[str] = set()
    files, seen = [script], set()
    while files:
        file = files.pop()
        if file in seen:
            continue
        seen.add(file)
        try:
            with open(file, "rb") as opened:
                nodes = list(ast.walk(ast.parse(opened.read())))
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        for name in (name for node in nodes for name in _names(node)):
            spec = PathFinder.find_spec(name.partition(".")[0], own) if own else None
            if spec is None:
                found.add(name)
            elif spec.origin and spec.origin.endswith(".py"):
                files.append(spec.origin)
                files += map(str, Path(spec.origin).parent.glob("*.py"))
    # Some versions load it at its first use only, which would be in each copy.
    return found | ({"numpy.random"} if "numpy" in found else set())


def _names(node: ast.AST) -> list[str]:
    """The modules that an import names; what is imported of one may be a module, too."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def _move_aside(number: int) -> int:
    """A standard stream of ours under another number; the script has none."""
    import fcntl

    moved = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _ASIDE)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, number)
    os.close(nothing)
    return moved


def _lines(asked: int) -> Iterator[bytes]:
    """The requests; the next one comes after the answer to the last."""
    held = b""
    while True:
        more = os.read(asked, 2**16)
        if not more:
            return
        held += more
        if held.endswith(b"\n"):
            yield held
            held = b""


def _say(said: int, message: dict[str, object]) -> None:
    os.write(said, json.dumps(message).encode("ascii") + b"\n")


def _exit_code(status: int) -> int:
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _other_threads() -> bool:
    """Whether an import has started threads that go on."""
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        return threading.active_count() > 1
    names = [(task / "comm").read_text().rstrip() for task in tasks.iterdir()]
    return len([name for name in names if name not in _HARMLESS]) > 1


if __name__ == "__main__":
    main()
