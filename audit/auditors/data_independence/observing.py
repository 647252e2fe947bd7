"""One run of a subject, with everything that can be seen of it."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from audit.auditors.data_independence.facets import Observed
from audit.auditors.data_independence.recorded_draws import (
    HANDED,
    Draw,
    Listener,
    Seeding,
    recording,
)
from audit.auditors.data_independence.subjects import AuditedFunction, Left
from audit.auditors.data_independence.surroundings import Reached, Said, overseen
from audit.subjects.function import fresh, generator


def observe(
    subject: AuditedFunction, database: Any, seed: int, run: int, listener: Listener, lines: bool
) -> Observed:
    """One run on a fresh copy of a database; an exception is part of what is seen.

    ``seed``, ``run``: all randomness that the subject is handed follows from them, and so do the
    global generators of numpy and Python, which are left as they were. ``listener``: of
    `overheard`, around this. ``lines``: count how often each line of the subject's own runs.
    """
    events: list[Draw | Seeding | Said | Reached] = []
    counted: Counter[str] = Counter()
    left, error = Left(None), None
    copy = fresh(database)()
    rng = recording(generator(seed, run).bit_generator, events.append)
    with seed_globals(seed, run):
        before = _states()
        listener.note = events.append
        try:
            with overseen(events.append), _counting(subject.home if lines else None, counted):
                try:
                    left = subject.run(copy, rng)
                except (Exception, SystemExit) as raised:
                    error = raised.with_traceback(None)
        finally:
            listener.note = None
        hidden = _states() != before and not any(map(_is_shared, events))
    own = tuple(e for e in events if not (isinstance(e, Draw) and e.place == HANDED))
    return Observed(left.output, error, left.fitted, own, counted, hidden)


@contextmanager
def seed_globals(seed: int, run: int) -> Iterator[None]:
    """The global generators of numpy and Python follow from a seed, and are then as before."""
    kept = random.getstate(), np.random.get_state()
    random.seed(seed * 1_000_003 + run)
    np.random.seed((seed * 1_000_003 + run) % 2**32)
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])


def _states() -> tuple[Any, ...]:
    name, key, *rest = np.random.get_state(legacy=True)
    return random.getstate(), name, np.asarray(key).tobytes(), *rest


def _is_shared(event: Draw | Seeding | Said | Reached) -> bool:
    return isinstance(event, Seeding) or (isinstance(event, Draw) and event.shared)


@contextmanager
def _counting(home: str | None, counted: Counter[str]) -> Iterator[None]:
    """Count the lines that run in the files below ``home``."""
    if home is None:
        yield
        return

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            counted[f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}"] += 1
        return line

    def call(frame: FrameType, event: str, _: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(home) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)
