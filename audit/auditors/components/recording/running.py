"""One run of a subject on a database, as a `Recording`."""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from audit.auditors.components.recording.calls import CURRENT
from audit.auditors.components.recording.generators import RecordedGenerator
from audit.auditors.components.recording.held import freeze
from audit.auditors.components.recording.places import line_of
from audit.auditors.components.recording.steps import Recording
from audit.auditors.components.recording.tape import Parted, Tape
from audit.auditors.components.recording.tracers import (
    PLAIN,
    TRACED,
    TracedArray,
    codes_in,
    entry_of,
    strip,
)

DEEPEST = 20
"""The most collections in one another of an output."""


@dataclass(frozen=True)
class Listened:
    """What is run: ``function`` of (database, rng), whose own lines lie in ``home``."""

    function: Callable[[Any, Any], Any]
    home: str | None


def run(listened: Listened, database: Any, seed: int, tape: Tape | None) -> Recording:
    """A run on a fresh copy of a database; all randomness that it is handed follows from ``seed``.

    Within `listen_to`. ``tape``: takes it down; None for a plain run, whose recording has no steps.
    Raises what the tape raises where there are too many steps.
    """
    bits = np.random.PCG64(np.random.SeedSequence(seed))
    generator = np.random.Generator(bits) if tape is None else RecordedGenerator(bits)
    given = pickle.loads(pickle.dumps(database))
    lines: set[str] = set()
    last = [""]
    output, error = None, None
    with nullcontext() if tape is None else freeze(seed), _seed_generators(seed):
        CURRENT.tape = tape
        try:
            with _trace_lines(None if tape is None else listened.home, lines, last):
                output = listened.function(given, generator)
            if tape is not None:
                tape.end()
        except Parted:
            pass
        except (Exception, SystemExit) as raised:
            error = type(raised).__name__
        finally:
            CURRENT.tape = None
    found: list[tuple[Any, Any]] = []
    with np.errstate(all="ignore"):
        _collect(output, found, 0)
    return Recording(
        () if tape is None else tuple(tape.steps),
        tuple(leaf for leaf, _ in found),
        tuple(entry for _, entry in found),
        error,
        None if tape is None else tape.parted,
        tuple(sorted(lines)),
        last[0],
    )


@contextmanager
def _seed_generators(seed: int) -> Iterator[None]:
    """The global generators of numpy, Python and torch follow from a seed, then are as before."""
    torch = sys.modules.get("torch")
    kept = random.getstate(), np.random.get_state()
    kept_by_torch = None if torch is None else torch.get_rng_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    if torch is not None:
        torch.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
        if torch is not None:
            torch.set_rng_state(kept_by_torch)


@contextmanager
def _trace_lines(home: str | None, lines: set[str], last: list[str]) -> Iterator[None]:
    """Note which lines of a file run, and which returns last."""
    if home is None:
        yield
        return

    numbers: set[int] = set()
    returned = [0]

    def line(frame: FrameType, event: str, _: Any) -> Any:
        numbers.add(frame.f_lineno)
        if event == "return":
            returned[0] = frame.f_lineno
        return line

    def call(frame: FrameType, event: str, _: Any) -> Any:
        return line if frame.f_code.co_filename == home else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)
        lines |= {line_of(home, number) for number in numbers}
        last[0] = line_of(home, returned[0]) if returned[0] else ""


def _collect(output: Any, found: list[tuple[Any, Any]], depth: int) -> None:
    """The leaves of an output, each with the entry that it is known to be."""
    kind = type(output).__name__
    if depth > DEEPEST:
        found.append((f"deep {kind}", None))
    elif output is None or isinstance(output, (str, bytes)):
        found.append((repr(output)[:200], None))
    elif isinstance(output, TRACED):
        code = int(codes_in(output))
        entry = None if code == PLAIN else entry_of(code)
        found.append((_plain(strip(output)), entry))
    elif isinstance(output, (bool, int, float, np.generic)):
        found.append((_plain(output), None))
    elif isinstance(output, np.ndarray) and output.dtype.kind in "biuf":
        found.append((f"array {output.dtype} {output.shape}", None))
        codes = codes_in(output).ravel().tolist() if isinstance(output, TracedArray) else None
        values = np.asarray(strip(output)).ravel().tolist()
        entries = [None] * len(values) if codes is None else codes
        for value, code in zip(values, entries):
            found.append((value, None if code in (None, PLAIN) else entry_of(code)))
    elif isinstance(output, np.ndarray):
        _collect_items(
            f"array {output.dtype} {output.shape}", output.ravel().tolist(), found, depth
        )
    elif isinstance(output, Mapping):
        items = [part for pair in output.items() for part in pair]
        _collect_items(f"{kind} {len(output)}", items, found, depth)
    elif isinstance(output, (set, frozenset)):
        _collect_items(f"{kind} {len(output)}", sorted(output, key=repr), found, depth)
    elif isinstance(output, Sequence):
        _collect_items(f"{kind} {len(output)}", list(output), found, depth)
    elif hasattr(output, "to_dict") and hasattr(output, "index"):
        index = [str(one) for one in output.index]
        columns = [output] if not hasattr(output, "columns") else None
        names = [] if columns else [str(name) for name in output.columns]
        columns = columns or [output.iloc[:, place] for place in range(len(names))]
        _collect_items(f"{kind} {len(index)}", [*index, *names], found, depth)
        for column in columns:
            _collect_items(str(column.dtype), column.tolist(), found, depth)
    elif hasattr(output, "tolist"):
        _collect_items(kind, [output.tolist()], found, depth)
    else:
        found.append((f"another {kind}", None))


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, (bool, int, float)) else repr(value)[:200]


def _collect_items(
    name: str, items: Sequence[Any], found: list[tuple[Any, Any]], depth: int
) -> None:
    found.append((name, None))
    for item in items:
        _collect(item, found, depth + 1)
