"""Outputs that someone has already drawn, one file a database."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from audit.subjects.digests import file_sha256
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import STAGES, Runs, Seeds
from synthesizers.csv_files import open_csv
from synthesizers.errors import InputError

RAN_OUT = 1e-12
"""The most that fair coins may ask for more outputs than a file has (a
thousandth of the smallest error that a verdict rests on)."""

BLOCKS = 100
"""Blocks of one call (a bettor learns between blocks, and to cut one out
takes time in all runs)."""


@dataclass(frozen=True, eq=False)
class OutputsBox:
    """The outputs of two files, drawn independently on two neighbouring databases.

    That they were is the word of whoever drew them. `read_outputs` reads one.
    """

    name: str
    first: Outcomes
    second: Outcomes
    digests: tuple[str, str]

    @property
    def pair(self) -> Pair:
        """What is known of the databases: which file has their outputs."""
        first, second = ({"outputs": f"sha256:{digest}"} for digest in self.digests)
        return Pair(first, second, pattern="outputs in files")

    @cached_property
    def runs(self) -> int:
        """The most runs with fair coins that the files serve, over both databases.

        Some outputs are left over: the coins may favour one file. They ask for more than it has
        with a chance of at most `RAN_OUT`.
        """
        held = (len(self.first), len(self.second))

        def chance(runs: int) -> float:
            return float(sum(binom.sf(most, runs, 0.5) for most in held))

        return bisect_right(range(sum(held) + 1), RAN_OUT, key=chance) - 1


@dataclass(eq=False)
class GivenRuns:
    """Where runs come from when they are given: `Drawing`'s calls, which walk through the files.

    Every call has the next runs, whatever it asks them for: a coin falls, and the run is the next
    output of that file. Nothing is used twice, so that what was learned on some runs is tested
    on others.

    **Guarantee.** If the outputs are independent draws, so are the runs, with coins whose law is
    within `RAN_OUT` of fair ones in total variation. Backed by
    ``tests/audit/subjects/test_outputs_box.py``.
    """

    box: OutputsBox
    seeds: Seeds
    used: int = field(default=0, init=False)

    @cached_property
    def whole(self) -> Runs:
        """All runs that the files serve."""
        generator, _ = self.seeds.block(STAGES[0], 0, 0)
        sides = (self.box.first, self.box.second)
        while True:
            coins = generator.integers(0, 2, self.box.runs).astype(np.bool_)
            heads = int(np.count_nonzero(coins))
            if heads <= len(sides[1]) and len(coins) - heads <= len(sides[0]):
                break
        places = np.where(coins, np.cumsum(coins) - 1 + len(sides[0]), np.cumsum(~coins) - 1)
        return Runs(Outcomes.join(sides).take(places), coins)

    def blocks(
        self, stage: str, pair: Pair, number: int, runs: int, start: int = 0
    ) -> Iterator[Runs]:
        """The next ``runs`` runs, in blocks. Raises InputError where so many are not left."""
        left = self.box.runs - self.used
        if runs > left:
            raise InputError(
                f"{self.box.name}: the files serve {self.box.runs} runs in all, and {left} are "
                f"left where {runs} are needed; ask for fewer --runs, or draw more outputs"
            )
        begin, end = self.used, self.used + runs
        self.used = end
        step = max(-(-runs // BLOCKS), 1)
        return (
            self.whole.take(np.arange(edge, min(edge + step, end)))
            for edge in range(begin, end, step)
        )

    def runs(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Runs:
        """The same, joined."""
        return Runs.join(self.blocks(stage, pair, number, runs, start))


def read_outputs(first: str, second: str) -> OutputsBox:
    """The outputs of two files of one form; raises InputError for anything else.

    ``.json``: a list of outputs, any JSON. ``.jsonl``: an output a line. ``.csv``: a header, then
    an output a row; a field is a number where it reads as one, otherwise text. ``.npy``: an
    output a place of the first axis. A JSON number is a double: how a file spells whole numbers
    is its writer's habit and not the mechanism's. A list of records, objects of the same keys, is a
    table. What an output is read as never depends on other outputs.
    """
    suffixes = {Path(path).suffix for path in (first, second)}
    reader = _READERS.get(min(suffixes))
    if len(suffixes) > 1 or reader is None:
        raise InputError(
            f"outputs come in two files of one form, which their names end in: "
            f"{', '.join(_READERS)}; found {' and '.join(sorted(suffixes))}"
        )
    held = (reader(first), reader(second))
    if held[0].kind != held[1].kind:
        raise InputError(
            f"{first} and {second} must hold outputs of one kind: found {held[0].kind} and "
            f"{held[1].kind}"
        )
    for path, outputs in zip((first, second), held, strict=True):
        if not len(outputs.outcomes):
            raise InputError(f"{path} holds no outputs; expected one a run")
    digests = (file_sha256(first), file_sha256(second))
    name = f"outputs:{Path(first).name},{Path(second).name}"
    return OutputsBox(name, held[0].outcomes, held[1].outcomes, digests)


@dataclass(frozen=True, eq=False)
class _Read:
    """Outputs, and what their file says of all of them: names of columns, a type and a shape."""

    outcomes: Outcomes
    kind: str = ""


def _json(path: str) -> _Read:
    document = _parse(_text(path), path)
    if not isinstance(document, list):
        raise InputError(f"{path} must hold a JSON list of outputs, one a run")
    return _Read(Outcomes.of_outputs([_output(item) for item in document]))


def _json_lines(path: str) -> _Read:
    # Not splitlines: a JSON text may hold other separators of lines.
    lines = _text(path).removesuffix("\n").split("\n")
    return _Read(Outcomes.of_outputs([_output(_parse(line, path)) for line in lines]))


def _csv(path: str) -> _Read:
    with open_csv(path) as table:
        names = list(table.names)
        frames = list(table.frames(None))
    if any(isinstance(_field(name), float) for name in names):
        raise InputError(
            f"{path}: its first line must name the columns, and holds a number; add such a line"
        )
    rows = [_row(row) for frame in frames for row in frame.itertuples(index=False, name=None)]
    return _Read(Outcomes.of_outputs(rows), f"columns {', '.join(names)}")


def _npy(path: str) -> _Read:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise InputError(f"{path} cannot be read as a NumPy array of numbers or text") from None
    plain = isinstance(array, np.ndarray) and array.ndim and array.dtype.kind in "biufU"
    if not plain or (array.dtype.kind != "U" and array.dtype.itemsize > 8):
        raise InputError(f"{path} must hold an array of numbers or text, with an output a run")
    text = array.dtype.kind == "U"
    kind = f"{'text' if text else array.dtype} of shape {array.shape[1:]}"
    return _Read(Outcomes.of_batch(array.tolist() if text else array, len(array)), kind)


_READERS: dict[str, Callable[[str], _Read]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".csv": _csv,
    ".npy": _npy,
}


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"{path} cannot be read: {reason}") from None


def _parse(text: str, path: str) -> Any:
    try:
        return json.loads(text, parse_int=_number)
    except (ValueError, RecursionError):
        raise InputError(
            f"{path} is not JSON; a .jsonl file holds an output in each line"
        ) from None


def _number(text: str) -> int | float:
    """A whole number as a double where that is exact."""
    whole = int(text)
    return float(whole) if abs(whole) <= 2**53 else whole


def _output(item: Any) -> Any:
    """An output of JSON: a list of records as a table."""
    if not isinstance(item, list) or not item or not isinstance(item[0], dict):
        return item
    alike = all(isinstance(r, dict) and r.keys() == item[0].keys() for r in item)
    if not alike or any(isinstance(v, dict | list) for r in item for v in r.values()):
        return item
    return pd.DataFrame(item)


def _row(texts: Sequence[str]) -> float | str | list[float | str]:
    fields = [_field(text) for text in texts]
    return fields[0] if len(fields) == 1 else fields


def _field(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
