"""A copy of this process from before the first run, which keeps nothing that runs keep.

What a run keeps for the next ones, such as noise for each database, is the same in all runs of a
process, and looks as if it had been settled before anything random. In copies it is made anew.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import BinaryIO

from audit.auditors.data_independence.looking import Look, look_in_a_copy
from audit.auditors.data_independence.recorded_draws import Listener
from audit.auditors.data_independence.subjects import AuditedFunction
from audit.subjects.forked import close, fork
from synthesizers.errors import ProtocolError


class Untouched:
    """A process in which a subject has not run; each look is a run in a copy of it.

    ``listener``: who hears of draws. Raises CannotFork where this process can't be copied.
    """

    def __init__(self, subject: AuditedFunction, listener: Listener) -> None:
        self._started = fork(partial(_serve, subject, listener))

    def look(
        self, before: Sequence[object], database: object, seed: int, run: int, lines: bool
    ) -> Look | None:
        """A run after runs on other databases; None where it ended its process."""
        try:
            asked = pickle.dumps((before, database, seed, run, lines), pickle.HIGHEST_PROTOCOL)
            self._started.stdin.write(asked)
            self._started.stdin.flush()
            found = pickle.load(self._started.stdout)
        except (OSError, EOFError, pickle.PickleError, AttributeError, TypeError):
            return None
        return found if isinstance(found, Look) else None

    def end(self) -> None:
        """End it."""
        close(self._started)


def _serve(
    subject: AuditedFunction, listener: Listener, source: BinaryIO, target: BinaryIO
) -> None:
    """Answer until nobody asks."""
    while True:
        try:
            before, database, seed, run, lines = pickle.load(source)
        except EOFError:
            return
        found: Look | None = None
        with suppress(ProtocolError):
            found = look_in_a_copy(subject, database, seed, run, listener, lines, before)
        target.write(pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
        target.flush()
