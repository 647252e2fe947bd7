"""Running one piece: a command of this program in a process of its own, measured and ended."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from audit.review.pieces.piece import DATA, DOCUMENT, TABLE, Outcome, Piece
from audit.review.pieces.results import Results
from audit.subjects.explaining import LogEnd

MOST_BYTES = 256 * 2**20
"""The largest JSON of a piece that is kept."""

_POLL_SECONDS = 0.02

_SCRATCH = ".piece"

_START = """
import os, runpy, signal, sys
if sys.platform == "linux":
    from audit.subjects.system_calls import die_with_parent
    die_with_parent(signal.SIGKILL)
if os.getppid() != int(sys.argv.pop(1)):
    sys.exit(1)
runpy.run_module("dp_audit", run_name="__main__", alter_sys=True)
"""
"""Starts a command that ends with the process that started it, however that ends."""


class Stopped(Exception):
    """The review was interrupted while a piece ran."""


def perform(piece: Piece, review: str, stop: threading.Event | None = None) -> Outcome:
    """Run a piece and keep its result in the review's folder; what is kept already is read.

    ``stop``: ends its process once it is set, and raises `Stopped`. Raises InputError where the
    result can't be written; nothing is then left behind.
    """
    place = Path(review)
    results = Results(place / "pieces")
    done = results.read(piece)
    if done is not None:
        return done
    with tempfile.TemporaryDirectory(dir=results.folder, prefix=_name_scratch()) as scratch:
        document, table = Path(scratch, "document.json"), Path(scratch, "table.csv")
        named = {DOCUMENT: str(document), TABLE: str(table)}
        for file in place.glob("data.*"):
            named[DATA] = str(file.resolve())
        for number, need in enumerate(piece.needs):
            named[f"{{release {number}}}"] = str(results.table(need).resolve())
        words = [named.get(word, word) for word in piece.words]
        outcome = _run(piece, words, place / piece.folder, document, stop)
        if table.exists():
            os.replace(table, results.table(piece))
        results.write(outcome)
    return outcome


def remove_leftovers(folder: Path) -> None:
    """Remove what pieces of this machine left whose process was killed."""
    for place in folder.glob(f"{_SCRATCH}-{socket.gethostname()}-*"):
        try:
            os.kill(int(place.name.rsplit("-", 2)[1]), 0)
        except ProcessLookupError:
            shutil.rmtree(place, ignore_errors=True)
        except (PermissionError, ValueError):
            # It lives, or is not ours.
            continue


def spell(piece: Piece) -> str:
    """The command as a reviewer types it in the piece's folder, without our scratch files."""
    return "dp-audit " + shlex.join(piece.words)


def _name_scratch() -> str:
    """The beginning of a scratch folder's name: whose it is."""
    return f"{_SCRATCH}-{socket.gethostname()}-{os.getpid()}-"


def _run(
    piece: Piece,
    words: Sequence[str],
    folder: Path,
    document: Path,
    stop: threading.Event | None,
) -> Outcome:
    begun = time.monotonic()
    with LogEnd() as log:
        process = subprocess.Popen(
            # Without -P, what lies in the submission's folder would be imported in place of ours.
            [sys.executable, "-P", "-c", _START, str(os.getpid()), *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log.target,
            start_new_session=True,
        )
        ending, megabytes = _wait(process, begun + piece.seconds, stop)
    if stop is not None and stop.is_set():
        raise Stopped
    seconds = time.monotonic() - begun
    return Outcome(
        piece.digest, spell(piece), ending, seconds, megabytes, log.text, _read(document)
    )


def _wait(
    process: subprocess.Popen[bytes], end: float, stop: threading.Event | None
) -> tuple[int | None, int]:
    """The exit code, and the megabytes of the largest process; None where its time ran out."""
    late = False
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if not late and (time.monotonic() > end or (stop is not None and stop.is_set())):
            late = True
            # Its subjects' boxes end with it.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)
    code = os.waitstatus_to_exitcode(status)
    # The process was waited for behind its back.
    process.returncode = code
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return None if late else code, used.ru_maxrss // (1024 if sys.platform != "darwin" else 2**20)


def _read(document: Path) -> dict[str, object] | None:
    try:
        if document.stat().st_size > MOST_BYTES:
            return None
        found = json.loads(document.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
