"""Why a run gave no output, for whoever has to mend the subject.

None of it is part of an outcome: what a subject says of itself may hold private values, and differs
from run to run. It is shown for databases that are invented or public, see `Failure.words`.
"""

from __future__ import annotations

import importlib
import os
import select
import threading
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, runtime_checkable

from audit.subjects.digests import is_installed

LOG_BYTES = 2000
LOG_LINES = 20
"""The end of a log that is shown: a screen of it, which holds the last frames of a traceback."""

LATE_SECONDS = 1.0
"""How long the end of a log may be on its way when its process has come to its end."""

_NOBODYS = (Path(__file__).resolve().parents[1], Path(importlib.__file__).parent)
"""Our own code, and Python's way to import: what every subject passes."""


@dataclass(frozen=True)
class Failure:
    """A run that gave no output.

    ``phase``: "run", or "output" where what it gave can't be read. ``ending``: its exit code, the
    type of its exception, or how it was ended. ``place``: the file and the line of the subject's
    own code. The rest may quote the database: ``message``, of an exception; ``command``, as it was
    started; ``log``, the end of its standard error.
    """

    phase: str
    ending: str
    place: str = ""
    message: str = ""
    command: str = ""
    log: str = ""

    def words(self, shown: bool) -> str:
        """What is said of it; ``shown``: also what may quote the database.

        Guarantee
        ---------
        Unless ``shown``, these are phase, exit code or type of exception, and line. Backed by
        ``tests/audit/subjects/test_explaining.py``.
        """
        place = f" at {self.place}" if self.place else ""
        told = f"{self.ending}{place} in phase {self.phase}"
        if not shown:
            return told
        if self.message:
            told += f": {self.message}"
        if self.command:
            told += f"; command: {self.command}"
        if self.log:
            lines = "\n".join(f"  | {line}" for line in self.log.splitlines())
            told += f"; the end of its log:\n{lines}"
        return told


@runtime_checkable
class Explains(Protocol):
    """A black box that can say why a run fails."""

    def explain(self, database: Any, seed: int) -> Failure | None:
        """One more run, of which is kept what a failure says; None where it gives an output."""
        ...


def explain_exception(error: BaseException) -> Failure:
    """An exception of a run in this process."""
    message = readable(words_of(error))
    return Failure("run", f"raised {type(error).__name__}", place_of(error), message)


def words_of(error: BaseException) -> str:
    """What an exception says; nothing where that, too, raises."""
    try:
        return str(error)
    except Exception:
        return ""


def place_of(error: BaseException) -> str:
    """Where an exception was raised: the last line of the subject's own code that it passed.

    The line of a package where no other code was passed; nothing where none was.
    """
    frames = [
        (Path(frame.f_code.co_filename), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        # Code that lies in no file.
        if not frame.f_code.co_filename.startswith("<")
    ]
    foreign = [one for one in frames if not any(map(one[0].is_relative_to, _NOBODYS))]
    own = [(path, line) for path, line in foreign if not is_installed(path.parent)]
    passed = own or foreign
    return f"{passed[-1][0].name}:{passed[-1][1]}" if passed else ""


def readable(text: str) -> str:
    """Text with its lines, without characters that move a cursor or hide what follows."""
    spaced = text.expandtabs(4).replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in spaced)


class LogEnd:
    r"""The end of what processes write to ``target``, which is read so that none of them waits.

    >>> with LogEnd() as log:
    ...     _ = os.write(log.target, b"first\nlast\n")
    >>> log.text
    'first\nlast'
    """

    def __init__(self) -> None:
        self.target = -1
        self._source = -1
        self._ended = False
        self._kept = b""
        self._reader = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> LogEnd:
        self._source, self.target = os.pipe()
        self._reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self.target)
        # Who left the process behind may still hold its end.
        self._reader.join(LATE_SECONDS)
        self._ended = True
        self._reader.join()
        os.close(self._source)

    @property
    def text(self) -> str:
        """Its last lines."""
        found = readable(self._kept.decode("utf-8", "replace"))
        return "\n".join(found.rstrip().splitlines()[-LOG_LINES:])

    def _read(self) -> None:
        waiting = select.poll()
        waiting.register(self._source, select.POLLIN)
        while not self._ended:
            if not waiting.poll(LATE_SECONDS * 100):
                continue
            with suppress(OSError):
                more = os.read(self._source, 2**16)
                if not more:
                    return
                self._kept = (self._kept + more)[-LOG_BYTES:]
