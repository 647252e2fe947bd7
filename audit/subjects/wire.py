"""What the process that runs a subject, and the one that listens, say to each other.

Frames over one socket: a job in one direction; in the other each outcome as soon as its run
ends, so that nothing is lost when the next run never does.
"""

from __future__ import annotations

import io
import pickle
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.attack.outcomes import Block, Outcomes, Shape
from audit.subjects.function import Form

HEAD = struct.Struct("<iQ")
"""Before each frame: a shape's number or one of the following, and the length."""

SHAPE, BEGUN, REPLY = -1, -2, -3
"""A new shape, which takes the next number; the databases have arrived; an object."""

LARGEST_OUTCOME = 2**26
"""In bytes, as it is sent (a choice of this project: a table of eight million numbers)."""

LARGEST_FRAME = 2**32
"""In bytes (a choice of this project: 50 000 outputs of ten thousand numbers); more is garbage."""

_READABLE = sys.stdlib_module_names | {"numpy", "pandas", "pyarrow", "audit"}
"""Packages whose objects can be read without the user's module."""


@dataclass(frozen=True)
class Spec:
    """What is run, and how; without a form, the question of what it is."""

    subject: str
    form: Form | None
    parameters: Mapping[str, str]
    megabytes: int | None = None
    rows: int | None = None
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Described:
    """What a subject is: its form, and the digest of the file of its module."""

    form: Form
    source_sha256: str | None


@dataclass(frozen=True)
class Refused:
    """Why there is nothing to run, for the user."""

    message: str


@dataclass(frozen=True, eq=False)
class SingleRuns:
    """One run for each coin, in order; ``purpose`` as of `audit.subjects.function.generator`."""

    databases: tuple[Any, Any]
    coins: NDArray[np.bool_]
    seed: int
    purpose: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class BatchCall:
    """One call of the batch form. The reply is Outcomes, Refused or Raised."""

    database: Any
    runs: int
    seed: int
    purpose: tuple[int, ...]


def framed(number: int, content: bytes) -> bytes:
    """A frame: its head and its content."""
    return HEAD.pack(number, len(content)) + content


def next_frame(source: BinaryIO) -> tuple[int, bytes]:
    """The next frame; EOFError where it ends early, ValueError for garbage."""
    number, length = HEAD.unpack(_exactly(source, HEAD.size))
    if length > LARGEST_FRAME:
        raise ValueError
    return number, _exactly(source, length)


def _exactly(source: BinaryIO, length: int) -> bytes:
    found = source.read(length)
    if len(found) < length:
        raise EOFError
    return found


def content_of(outcome: Outcomes) -> tuple[Shape, bytes]:
    """The shape and the content of a single outcome."""
    (shape,), (block,) = outcome.shapes, outcome.blocks
    match shape.kind:
        case "numbers":
            return shape, np.asarray(block).tobytes()
        case "text" | "data":
            return shape, block[0].encode("utf-8", "surrogatepass")
        case "table":
            # Of a class of the user's it would not be read; with such columns, its cells may be.
            table = pd.DataFrame(block[0])
            packed = readable(table) or readable(table.astype(object))
            return (Shape("other", "table"), b"") if packed is None else (shape, packed)
    return shape, b""


class Received:
    """Outcomes one after the other, as their frames arrive."""

    def __init__(self) -> None:
        self._shapes: list[Shape] = []
        self._contents: list[list[Any]] = []
        self._of: list[int] = []

    def __len__(self) -> int:
        return len(self._of)

    def shape(self, content: bytes) -> None:
        """A new shape."""
        self._shapes.append(pickle.loads(content))
        self._contents.append([])

    def outcome(self, number: int, content: bytes) -> None:
        """An outcome; raises an exception of any kind where it can't be read."""
        kind, found = self._shapes[number].kind, self._contents[number]
        match kind:
            case "numbers":
                if len(content) % 8 or (found and len(found[0]) != len(content)):
                    raise ValueError
                found.append(content)
            case "text" | "data":
                found.append(content.decode("utf-8", "surrogatepass"))
            case "table":
                found.append(pickle.loads(content))
            case _:
                found.append(None)
        self._of.append(number)

    def outcomes(self) -> Outcomes:
        """All of them."""
        blocks = map(_block, self._shapes, self._contents)
        return Outcomes(tuple(self._shapes), np.array(self._of, np.intp), tuple(blocks))


def _block(shape: Shape, contents: list[Any]) -> Block:
    match shape.kind:
        case "numbers":
            numbers = np.frombuffer(b"".join(contents), np.float64)
            return numbers.reshape(len(contents), -1).copy()
        case "text" | "data" | "table":
            return tuple(contents)
    return ()


def readable(found: Any) -> bytes | None:
    """A table or Outcomes, pickled so that it can be read without the user's module.

    Whatever is of that module becomes the name of its type; None where nothing is left then.
    """
    written = io.BytesIO()
    pickler = _Readable(written)
    pickler.dump(found)
    if pickler.changed:
        try:
            again = pickle.loads(written.getvalue())
        except Exception:
            return None
        if not isinstance(again, pd.DataFrame | Outcomes):
            return None
    return written.getvalue()


class _Readable(pickle.Pickler):
    changed = False

    def reducer_override(self, found: Any) -> Any:
        owner = found if isinstance(found, type) or callable(found) else type(found)
        module = getattr(owner, "__module__", None) or "builtins"
        if str(module).partition(".")[0] in _READABLE:
            return NotImplemented
        self.changed = True
        return str, (type(found).__name__,)
