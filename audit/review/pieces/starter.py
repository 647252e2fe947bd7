"""The process that starts pieces: copies of itself, so that what they import is imported once.

It is started as ``python -P -c`` with `serve` and talks to whoever started it in lines of JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
from typing import Any, NoReturn

MODULES = (
    *("audit.cli.main", "audit.cli.certify", "audit.cli.trying", "audit.cli.utility"),
    *("audit.cli.writeup", "audit.cli.release", "audit.report.certificate.terminal"),
    "audit.report.utility.terminal",
)
"""What the commands of pieces import."""


def serve() -> None:
    """Start a command for each line of standard input, one after the other.

    A line is an object of ``words``, ``folder``, where the command starts, and ``log``, a file for
    its standard error. The answers are its process, as soon as it runs, and then its exit code
    (minus the signal it died by) with the kilobytes, or bytes, of its largest process.
    """
    _end_with_parent()
    # Who started this one decides when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in MODULES:
        importlib.import_module(name)
    _say({"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(request)
        _say({"process": child})
        _, status, used = os.wait4(child, 0)
        _say({"exit": os.waitstatus_to_exitcode(status), "memory": used.ru_maxrss})


def _run(request: dict[str, Any]) -> NoReturn:
    """In the copy: the command, as if it were typed in its folder."""
    code = 70
    try:
        os.setsid()
        _end_with_parent()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(request["folder"])
        nothing = os.open(os.devnull, os.O_RDWR)
        log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for stream, target in ((0, nothing), (1, nothing), (2, log)):
            os.dup2(target, stream)
        sys.argv = ["dp-audit", *request["words"]]
        runpy.run_module("dp_audit", run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        sys.stderr.flush()
        os._exit(code)


def _end_with_parent() -> None:
    if sys.platform == "linux":
        from audit.subjects.system_calls import die_with_parent

        die_with_parent(signal.SIGKILL)


def _say(word: dict[str, Any]) -> None:
    print(json.dumps(word), flush=True)
