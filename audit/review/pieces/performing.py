"""Running one piece: a command of this program in a process of its own, measured and ended."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from audit.review.pieces.boxes import keeps_apart
from audit.review.pieces.piece import DATA, DOCUMENT, TABLE, Outcome, Piece
from audit.review.pieces.results import Results
from audit.review.scratch import make_scratch
from audit.subjects.explaining import LOG_BYTES, LOG_LINES, readable
from synthesizers.errors import InputError

MOST_BYTES = 256 * 2**20
"""The largest JSON of a piece that is kept."""

ROOM_BYTES = 2**20
"""What must find room where a piece left no document: larger than most documents."""

_POLL_SECONDS = 0.05

_START = "from audit.review.pieces.starter import serve; serve()"


class Stopped(Exception):
    """The review was interrupted while a piece ran."""


def perform(piece: Piece, review: str, stop: threading.Event | None = None) -> Outcome:
    """Run a piece and keep its result in the review's folder; what is kept already is read.

    ``stop``: ends its process once it is set, and raises `Stopped`. Raises InputError where the
    result can't be written; nothing is then left behind.

    Guarantee
    ---------
    What a full disk cut short is no result: the piece is done again. Backed by
    ``tests/audit/review/pieces/test_performing.py``.
    """
    place = Path(review)
    results = Results(place / "pieces")
    done = results.read(piece)
    if done is not None:
        return done
    with make_scratch(results.folder) as scratch:
        document, table = Path(scratch, "document.json"), Path(scratch, "table.csv")
        named = {DOCUMENT: str(document), TABLE: str(table)}
        for file in place.glob("data*"):
            named[DATA] = str(file.resolve())
        for number, need in enumerate(piece.needs):
            named[f"{{release {number}}}"] = str(results.table(need).resolve())
        words = [named.get(word, word) for word in piece.words]
        outcome = _run(piece, words, place / piece.folder, document, stop)
        if outcome.document is None:
            _require_room(Path(scratch))
        if table.exists():
            os.replace(table, results.table(piece))
        results.write(outcome)
    return outcome


def spell(piece: Piece) -> str:
    """The command as a reviewer types it in the piece's folder, without our scratch files."""
    return "dp-audit " + shlex.join(piece.words)


def _run(
    piece: Piece,
    words: Sequence[str],
    folder: Path,
    document: Path,
    stop: threading.Event | None,
) -> Outcome:
    log = document.with_name("log")
    apart = keeps_apart(folder)
    begun = time.monotonic()
    try:
        ending = _starter().run(words, folder, log, begun + piece.seconds, stop)
    except _StarterEnded:
        # Killed for want of memory, with the command: that ends this piece, and no other.
        ending = (-signal.SIGKILL, 0)
    if stop is not None and stop.is_set():
        raise Stopped
    seconds = time.monotonic() - begun
    code, megabytes = ending
    return Outcome(
        piece.digest, spell(piece), code, seconds, megabytes, _read_end(log), _read(document), apart
    )


class _StarterEnded(Exception):
    """The process that starts commands is gone."""


class _Starter:
    """A process that starts commands, one after the other; it ends with the thread it serves."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            # Without -P, what lies in a submission's folder would be imported in place of ours.
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # A word that waits in a buffer would not be seen.
            bufsize=0,
            start_new_session=True,
        )
        weakref.finalize(self, self._process.kill)
        try:
            self._hear(None)
        except _StarterEnded:
            raise InputError(
                "no process that runs pieces can be started: it ends at once, perhaps for want of "
                "memory"
            ) from None

    @property
    def lives(self) -> bool:
        """Whether it can start a command."""
        return self._process.poll() is None

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        log: Path,
        end: float,
        stop: threading.Event | None,
    ) -> tuple[int | None, int]:
        """The exit code, None where its time ran out; the megabytes of its largest process."""
        request = {"words": list(words), "folder": str(folder), "log": str(log)}
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
        except OSError:
            raise _StarterEnded from None
        process = self._hear(None)["process"]
        late = False
        while (word := self._hear(_POLL_SECONDS)) is None:
            if not late and (time.monotonic() > end or (stop is not None and stop.is_set())):
                late = True
                # Its subjects' boxes end with it.
                _kill(process)
        # What it left behind.
        _kill(process)
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return None if late else word["exit"], word["memory"] // unit

    def _hear(self, seconds: float | None) -> Any:
        """Its next word; None where it says none in so many seconds."""
        assert self._process.stdout is not None
        if seconds is not None and not select.select([self._process.stdout], [], [], seconds)[0]:
            return None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise _StarterEnded
        return json.loads(line)


_of_thread = threading.local()


def _starter() -> _Starter:
    """That of this thread."""
    known: _Starter | None = getattr(_of_thread, "starter", None)
    if known is None or not known.lives:
        known = _of_thread.starter = _Starter()
    return known


def _kill(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _require_room(folder: Path) -> None:
    """Raise InputError unless a file of some size can be written into a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM_BYTES))
    except OSError as error:
        reason = error.strerror or "an error"
        raise InputError(f"{folder.parent} can't be written: {reason}") from None


def _read_end(log: Path) -> str:
    """The end of what a command said."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - LOG_BYTES))
            text = readable(file.read().decode("utf-8", "replace"))
    except OSError:
        return ""
    return "\n".join(text.rstrip().splitlines()[-LOG_LINES:])


def _read(document: Path) -> dict[str, object] | None:
    try:
        if document.stat().st_size > MOST_BYTES:
            return None
        found = json.loads(document.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
