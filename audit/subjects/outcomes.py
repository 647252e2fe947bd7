"""Outcomes: what runs of a black box gave, whatever it was.

An output may be numbers, text, a table or plain nested data; an exception, an end by force and
nothing at all are outcomes too. What kind of thing an outcome is, its `Shape`, is part of it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Raised:
    """A run that ended in an exception: the name of its type; its message may be private."""

    type_name: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that was ended from outside: ``reason`` is "time", "memory", "died" and the like."""

    reason: str


@dataclass(frozen=True, slots=True)
class Shape:
    """What kind of thing an outcome is.

    ``kind``: numbers, text, table, data, nothing, raised, ended or other. ``detail``: the type
    and length of numbers, the columns and dtypes of a table, the type of an exception, …
    """

    kind: str
    detail: str


Block = NDArray[np.float64] | tuple[Any, ...]
"""The contents of the outcomes of one shape, in order: [outcomes, length] for numbers, the
texts or data frames themselves, and an empty tuple for a shape that says all."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of runs, in order.

    ``of``: [runs], which of ``shapes`` each run has. ``blocks``: for each shape, the contents
    of its runs in order.
    """

    shapes: tuple[Shape, ...]
    of: NDArray[np.intp]
    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        return len(self.of)

    @classmethod
    def of_outputs(cls, outputs: Iterable[object]) -> Outcomes:
        """The outcomes of single outputs, each looked at before the next one is asked for."""
        numbers: dict[Shape, int] = {}
        contents: list[list[Any]] = []
        of: list[int] = []
        for output in outputs:
            shape, content = _describe(output)
            place = numbers.setdefault(shape, len(numbers))
            if place == len(contents):
                contents.append([])
            contents[place].append(content)
            of.append(place)
        blocks = tuple(map(_block, numbers, contents))
        return cls(tuple(numbers), np.array(of, np.intp), blocks)

    @classmethod
    def of_batch(cls, batch: object, runs: int) -> Outcomes:
        """The outcomes of a batch form's return value: one item a run, along the first axis.

        Raises InputError unless it holds ``runs`` of them.
        """
        table = _table(batch)
        items = _items(batch if table is None else table.to_numpy())
        if items is None or len(items) != runs:
            found = type(batch).__name__ if items is None else f"{len(items)} items"
            raise InputError(
                f"the batch form must return a list or an array of {runs} outputs, one a run; "
                f"found {found}"
            )
        if isinstance(items, np.ndarray) and runs and _fits_doubles(items):
            rows = _look_at(items.reshape(runs, -1)).astype(np.float64)
            return cls((_number_shape(items[0]),), np.zeros(runs, np.intp), (rows,))
        return cls.of_outputs(list(items))

    @classmethod
    def join(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """The outcomes of one part after the other."""
        numbers: dict[Shape, int] = {}
        for part in parts:
            for shape in part.shapes:
                numbers.setdefault(shape, len(numbers))
        of = [
            np.array([numbers[shape] for shape in part.shapes], np.intp)[part.of]
            for part in parts
            if len(part)
        ]
        blocks = [
            _join([b for p in parts for s, b in zip(p.shapes, p.blocks, strict=True) if s == shape])
            for shape in numbers
        ]
        whole = np.concatenate(of) if of else np.zeros(0, np.intp)
        return cls(tuple(numbers), whole, tuple(blocks))

    @classmethod
    def regroup(
        cls, shapes: Sequence[Shape], of: NDArray[np.intp], blocks: Sequence[Block]
    ) -> Outcomes:
        """The outcomes of blocks whose shapes may be equal: those of one shape become one block."""
        kept = list(dict.fromkeys(shapes))
        if len(kept) == len(shapes):
            return cls(tuple(shapes), of, tuple(blocks))
        numbers = np.array([kept.index(shape) for shape in shapes], np.intp)
        joined: list[Block] = []
        for shape in kept:
            places = [place for place, other in enumerate(shapes) if other == shape]
            runs = np.concatenate([np.flatnonzero(of == place) for place in places])
            whole = _join([blocks[place] for place in places])
            joined.append(_take(whole, np.argsort(runs), shape))
        return cls(tuple(kept), numbers[of], tuple(joined))

    def take(self, runs: NDArray[Any]) -> Outcomes:
        """The outcomes of some runs: a mask, or numbers of runs in any order."""
        chosen = np.arange(len(self))[runs]
        within = self.places()
        of = self.of[chosen]
        blocks = tuple(
            _take(block, within[chosen[of == place]], self.shapes[place])
            for place, block in enumerate(self.blocks)
        )
        return Outcomes(self.shapes, of, blocks)

    def places(self) -> NDArray[np.intp]:
        """[runs], the place of each run within the block of its shape."""
        within = np.empty(len(self), np.intp)
        for place in range(len(self.shapes)):
            mask = self.of == place
            within[mask] = np.arange(np.count_nonzero(mask))
        return within

    def codes(self) -> NDArray[np.uint64]:
        """[runs], a 64-bit digest of the whole outcome: equal outcomes have equal codes.

        Numbers are compared bit by bit, so that -0.0 is not 0.0. Two different outcomes share a
        code with a chance of about 2^-64.
        """
        found = np.empty(len(self), np.uint64)
        for place, (shape, block) in enumerate(zip(self.shapes, self.blocks, strict=True)):
            head = _digest(f"{shape.kind}\0{shape.detail}".encode())
            mask = self.of == place
            if shape.kind == "numbers":
                assert isinstance(block, np.ndarray)
                found[mask] = _mix(block, head)
            elif shape.kind in ("text", "data", "table"):
                texts = [_content(shape, c).encode("utf-8", "surrogatepass") for c in block]
                found[mask] = [_digest(head.to_bytes(8, "big") + text) for text in texts]
            else:
                found[mask] = head
        return found

    def text(self, run: int, limit: int = 80) -> str:
        """One outcome in words, for a report; cut to ``limit`` characters."""
        shape = self.shapes[self.of[run]]
        block = self.blocks[self.of[run]]
        place = int(self.places()[run])
        match shape.kind:
            case "numbers":
                row = np.asarray(block)[place].tolist()
                told = repr(row[0]) if len(row) == 1 else repr(tuple(row))
            case "text" | "data":
                told = repr(block[place])
            case "table":
                told = f"a table of {len(block[place])} rows"
            case "raised":
                told = f"raised {shape.detail}"
            case "ended":
                told = f"ended: {shape.detail}"
            case _:
                told = shape.kind if not shape.detail else f"{shape.kind}: {shape.detail}"
        return told if len(told) <= limit else told[: limit - 1] + "…"


MOST_NUMBERS = 2**17
"""Numbers of an output that are looked at (a hundred runs of as many take 100 MB); of longer ones
as many are, evenly spread from the first to the last."""


def places_looked_at(length: int) -> NDArray[np.intp]:
    """The places of the numbers that are looked at in an output of so many."""
    if length <= MOST_NUMBERS:
        return np.arange(length)
    return np.arange(MOST_NUMBERS) * (length - 1) // (MOST_NUMBERS - 1)


def count_numbers(outcomes: Outcomes) -> tuple[int, int] | None:
    """How many of how many numbers of an output are looked at; None where all are of all outputs.

    Of outputs of several lengths that of the longest.
    """
    longest = max(map(number_length, outcomes.shapes), default=0)
    return (MOST_NUMBERS, longest) if longest > MOST_NUMBERS else None


def number_length(shape: Shape) -> int:
    """How many numbers an output of a shape holds; 0 of other shapes."""
    if shape.kind != "numbers":
        return 0
    return math.prod(map(int, shape.detail.split()[-1].split("x")))


def _look_at(rows: NDArray[Any]) -> NDArray[Any]:
    length = rows.shape[1]
    return rows if length <= MOST_NUMBERS else rows[:, places_looked_at(length)]


def _describe(output: object) -> tuple[Shape, Any]:
    if output is None:
        return Shape("nothing", ""), None
    if isinstance(output, Raised):
        return Shape("raised", output.type_name), None
    if isinstance(output, Ended):
        return Shape("ended", output.reason), None
    if isinstance(output, str | bytes):
        text = output if isinstance(output, str) else output.decode("utf-8", "backslashreplace")
        return Shape("text", type(output).__name__), text
    table = _table(output)
    if table is not None:
        columns = [[str(name), str(dtype)] for name, dtype in table.dtypes.items()]
        return Shape("table", json.dumps(columns)), table.reset_index(drop=True)
    numbers = _numbers(output)
    if numbers is not None:
        return _number_shape(output), numbers
    try:
        text = json.dumps(_plain(output), sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return Shape("other", type(output).__name__), None
    return Shape("data", type(output).__name__), text


def _table(output: object) -> pd.DataFrame | None:
    """A table of pandas, or a column as a table; None for any other output."""
    # Whoever made one has imported pandas; nobody else waits for it, or needs it.
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    frame: pd.DataFrame | None = None
    if isinstance(output, pandas.Series):
        frame = output.to_frame()
    elif isinstance(output, pandas.DataFrame):
        frame = output
    return frame


def _numbers(output: object) -> NDArray[np.float64] | None:
    """An output as numbers in doubles, where it is made of numbers that doubles hold."""
    if isinstance(output, list | tuple) and not all(
        isinstance(item, bool | int | float | np.number) for item in output
    ):
        return None
    if not isinstance(
        output, bool | int | float | np.number | np.ndarray | np.bool_ | list | tuple
    ):
        return None
    try:
        array = np.asarray(output)
    except (ValueError, OverflowError):
        return None
    if not _fits_doubles(array):
        return None
    return np.asarray(_look_at(array.reshape(1, -1))[0].astype(np.float64))


def _items(batch: object) -> Sequence[object] | NDArray[Any] | None:
    """What a batch holds, one item a run; None if it holds no items."""
    if isinstance(batch, np.ndarray):
        return batch if batch.ndim else None
    return batch if isinstance(batch, Sequence) and not isinstance(batch, str | bytes) else None


def _fits_doubles(array: NDArray[Any]) -> bool:
    """Whether every number is a double, or a whole number that doubles tell from its neighbours."""
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        return False
    return array.dtype.kind in "bf" or bool((abs(array.astype(np.float64)) < 2.0**53).all())


def _number_shape(output: object) -> Shape:
    array = np.asarray(output)
    held = type(output).__name__ if not isinstance(output, np.ndarray) else "array"
    if isinstance(output, list | tuple):
        names = {type(item).__name__ for item in output}
        held += f" of {', '.join(sorted(names))}" if len(names) > 1 else ""
    return _shape_of_numbers(held, array.dtype, array.shape)


@functools.lru_cache(maxsize=1024)
def _shape_of_numbers(held: str, dtype: np.dtype[Any], lengths: tuple[int, ...]) -> Shape:
    # Remembered, because numpy takes longer to spell a dtype than to hold a number.
    return Shape("numbers", f"{held} {dtype} {'x'.join(map(str, lengths)) or '1'}")


def _plain(value: object) -> Any:
    """Nested plain data with its types; raises TypeError for anything else."""
    if isinstance(value, dict):
        return {"dict": sorted([json.dumps(_plain(k)), _plain(v)] for k, v in value.items())}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_plain(item) for item in value]}
    if isinstance(value, set | frozenset):
        return {"set": sorted(json.dumps(_plain(item), sort_keys=True) for item in value)}
    if isinstance(value, np.ndarray):
        return {"array": [str(value.dtype), value.shape, _plain(value.ravel().tolist())]}
    if isinstance(value, np.generic):
        return _plain(value.item())
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return {"int": hex(value)}
    if isinstance(value, float):
        return {"float": value.hex() if math.isfinite(value) else repr(value)}
    if isinstance(value, complex):
        return {"complex": [_plain(value.real), _plain(value.imag)]}
    raise TypeError(type(value).__name__)


def _block(shape: Shape, contents: list[Any]) -> Block:
    if shape.kind == "numbers":
        return np.array(contents, np.float64).reshape(len(contents), -1)
    return tuple(contents) if shape.kind in ("text", "data", "table") else ()


def _join(blocks: list[Block]) -> Block:
    if isinstance(blocks[0], np.ndarray):
        return np.concatenate([np.asarray(block) for block in blocks])
    return tuple(content for block in blocks for content in block)


def _take(block: Block, places: NDArray[np.intp], shape: Shape) -> Block:
    if isinstance(block, np.ndarray):
        return np.asarray(block[places])
    if shape.kind not in ("text", "data", "table"):
        return ()
    return tuple(block[place] for place in places)


def _content(shape: Shape, content: Any) -> str:
    if shape.kind == "table":
        return str(content.to_csv(index=False, float_format="%.17g"))
    return str(content)


def _digest(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")


_ODD = np.uint64(0x9E3779B97F4A7C15)

WIDE = 4096
"""Numbers of an output from which on its digest is one of all its bytes (value by value, two
million take half a minute)."""


def _mix(block: NDArray[np.float64], head: int) -> NDArray[np.uint64]:
    """A digest of each row's bits: Steele, Lea & Flood's SplitMix64 (2014), value by value.

    Of wide rows that of `_digest`.
    """
    bits = np.ascontiguousarray(block).view(np.uint64)
    if bits.shape[1] > WIDE:
        start = head.to_bytes(8, "big")
        return np.array([_digest(start + row.tobytes()) for row in bits], np.uint64)
    found = np.full(len(block), head, np.uint64)
    with np.errstate(over="ignore"):
        for column in range(bits.shape[1]):
            found = (found ^ bits[:, column]) + _ODD
            found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            found = found ^ (found >> np.uint64(31))
    return found
