"""What the process that runs a subject, and the one that listens, say to each other.

Frames over one socket: a job in one direction; in the other each outcome as soon as its run
ends, so that nothing is lost when the next run never does. The job is ours, and pickled. What comes
back is a stranger's: plain data that is looked at piece by piece, and never unpickled.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from audit.subjects import plain_data
from audit.subjects.forms import Form
from audit.subjects.frames import BLOCK, LARGEST_BLOCK, LARGEST_OUTCOME, REPLY, SHAPE, frame
from audit.subjects.lines import require_shallow
from audit.subjects.outcomes import MOST_NUMBERS, Block, Ended, Outcomes, Raised, Shape
from audit.subjects.specs import Described, Refused
from audit.subjects.writing import write_table
from synthesizers.errors import ProtocolError

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("numbers", "text", "table", "data", "nothing", "raised", "ended", "other")
"""The kinds of shape."""

MOST_WORDS = 500
"""The most characters of a process's own words that are read."""

_LENGTHS = re.compile(r"\d{1,18}(x\d{1,18})*")
"""The last word of the shape of numbers."""


@dataclass(frozen=True, eq=False)
class SingleRuns:
    """One run for each coin, in order; ``purpose`` as of `audit.subjects.function.generator`."""

    databases: tuple[Any, Any]
    coins: NDArray[np.bool_]
    seed: int
    purpose: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class BatchCall:
    """One call of the batch form: its outcomes come, or Refused or Raised."""

    database: Any
    runs: int
    seed: int
    purpose: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Explanation:
    """One run whose exception is told: Failed comes, or Described where there is none."""

    database: Any
    seed: int


@dataclass(frozen=True)
class Failed:
    """An exception of a run: its type, the line of the subject's code, and what it says."""

    type_name: str
    place: str
    message: str


Reply = Described | Refused | Raised | Failed
"""An answer in words."""


def answer(said: Reply) -> bytes:
    """The content of a reply in words."""
    document: dict[str, str]
    match said:
        case Described(form):
            document = {"form": str(form)}
        case Refused(message):
            document = {"refused": message}
        case Raised(name):
            document = {"raised": name}
        case Failed(name, place, message):
            document = {"raised": name, "at": place, "message": message}
    return json.dumps(document).encode("ascii")


def read_reply(number: int, content: bytes) -> Reply:
    """The answer in a frame with this number; raises ValueError for any other frame."""
    if number != REPLY:
        raise ValueError
    return read_answer(content)


def read_answer(content: bytes) -> Reply:
    """The reply; raises ValueError for anything else."""
    match json.loads(content):
        case {"form": str(form), **rest} if not rest and form in get_args(Form):
            return Described(cast(Form, form))
        case {"refused": str(message), **rest} if not rest:
            return Refused(printable(message))
        case {"raised": str(name), **rest} if not rest:
            return Raised(printable(name))
        case {"raised": str(name), "at": str(place), "message": str(message), **rest} if not rest:
            return Failed(*map(printable, (name, place, message)))
    raise ValueError("no answer")


def printable(words: str) -> str:
    """A process's own words, short and without control characters."""
    return "".join(c if c.isprintable() else "?" for c in words[:MOST_WORDS])


def too_large() -> ProtocolError:
    """The outcomes of a block can't be held together."""
    return ProtocolError(
        f"the outputs of one block of runs take more than {LARGEST_BLOCK // 2**30} GiB; return "
        "less, such as statistics of a table in place of the table"
    )


class Writer:
    """Outcomes as frames; a shape is told once."""

    def __init__(self) -> None:
        self._numbers: dict[Shape, int] = {}

    def frames(self, outcomes: Outcomes) -> bytes:
        """The frames of outcomes, in order; those of numbers of one shape are one."""
        if len(outcomes) > 1 and [shape.kind for shape in outcomes.shapes] == ["numbers"]:
            rows = np.ascontiguousarray(np.asarray(outcomes.blocks[0])[outcomes.places()])
            return self._frames(outcomes.shapes[0], rows.tobytes(), BLOCK)
        # Of a single outcome the places are known, and to look for them takes as long as a run.
        places = [0] if len(outcomes) == 1 else outcomes.places().tolist()
        runs = zip(outcomes.of.tolist(), places, strict=True)
        return b"".join(
            self._frames(*_content(outcomes.shapes[number], outcomes.blocks[number], place))
            for number, place in runs
        )

    def _frames(self, shape: Shape, content: bytes, kind: int | None = None) -> bytes:
        number = self._numbers.get(shape)
        told = b""
        if number is None:
            told = json.dumps([shape.kind, shape.detail]).encode("ascii")
        if kind is None and max(len(content), len(told)) > LARGEST_OUTCOME:
            return self.frames(Outcomes.of_outputs([Ended("size")]))
        if number is None:
            number = self._numbers[shape] = len(self._numbers)
            told = frame(SHAPE, told)
        return told + frame(number if kind is None else kind, content)


def _content(shape: Shape, block: Block, place: int) -> tuple[Shape, bytes]:
    """Of an outcome its shape and its content, as far as plain data can say it."""
    try:
        match shape.kind:
            case "numbers":
                return shape, block[place].tobytes()
            case "text":
                return shape, block[place].encode("utf-8", "surrogatepass")
            case "data":
                require_shallow(json.loads(block[place]))
                return shape, block[place].encode("ascii")
            case "table":
                import pandas as pd

                return shape, write_table(pd.DataFrame(block[place]))
    except Exception:
        return Shape("other", "table" if shape.kind == "table" else shape.detail), b""
    return shape, b""


class Received:
    """Outcomes one after the other, as their frames arrive; each is looked at before it is kept.

    A frame that can't be read raises an exception of any kind. ProtocolError: the outcomes are too
    large to be held together.

    Guarantee
    ---------
    What is kept is of the form that its shape says, so that whoever reads it meets nothing but
    what `Outcomes` of this process could hold. Backed by ``tests/audit/subjects/test_wire.py``.
    """

    def __init__(self) -> None:
        self._shapes: dict[Shape, int] = {}
        self._kinds: list[tuple[str, int]] = []
        self._contents: list[list[Any]] = []
        self._of: list[int] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._of)

    def take(self, number: int, content: bytes, most: int) -> None:
        """A frame: a shape, an outcome of a shape, or a block of at most ``most`` outcomes."""
        self._bytes += len(content)
        if self._bytes > LARGEST_BLOCK:
            raise too_large()
        if number == SHAPE:
            self._shape(content)
        elif number == BLOCK:
            self._block(content, most)
        elif 0 <= number < len(self._kinds):
            held = self._contents[number]
            held.append(_read(*self._kinds[number], content, held[0] if held else None))
            self._of.append(number)
        else:
            raise ValueError("no frame")

    def _shape(self, content: bytes) -> None:
        kind, detail = json.loads(content)
        shape = Shape(kind, detail)
        if kind not in KINDS or type(detail) is not str or shape in self._shapes:
            raise ValueError("no shape")
        if kind != "table" and not (detail.isprintable() and len(detail) <= MOST_WORDS):
            raise ValueError("no shape")
        if self._contents and not self._contents[-1]:
            raise ValueError("a shape of no outcome")
        self._shapes[shape] = len(self._shapes)
        self._kinds.append((kind, 8 * _length(shape) if kind == "numbers" else 0))
        self._contents.append([])

    def _block(self, content: bytes, most: int) -> None:
        """All outcomes at once, of the one shape that was told."""
        ((kind, row),) = self._kinds
        if kind != "numbers" or self._of or len(content) != row * most:
            raise ValueError("no block")
        self._contents[0].append(content)
        self._of = [0] * most

    def outcomes(self) -> Outcomes:
        """All of them."""
        of = np.array(self._of, np.intp)
        counts = np.bincount(of, minlength=len(self._kinds)).tolist()
        # A last shape that no outcome followed is not there.
        known = [shape for shape, number in self._shapes.items() if counts[number]]
        blocks = map(_block_of, self._kinds, self._contents, counts[: len(known)])
        return Outcomes(tuple(known), of, tuple(blocks))


def _read(kind: str, size: int, content: bytes, first: Any) -> Any:
    """The content of an outcome of a kind; ``first``: that of the first one of its shape."""
    match kind:
        case "numbers":
            if len(content) != size:
                raise ValueError("no numbers")
            return content
        case "text":
            return content.decode("utf-8", "surrogatepass")
        case "data":
            text = content.decode("ascii")
            require_shallow(json.loads(text))
            # Whoever reads it later meets no surprise then.
            plain_data.leaves(text)
            return text
        case "table":
            # Here, not above: pandas comes with it.
            from audit.subjects.plain_tables import read_table

            table = read_table(content)
            if first is not None and _columns(table) != _columns(first):
                raise ValueError("tables of one shape differ")
            return table
    if content:
        raise ValueError("more than a shape")
    return None


def _length(shape: Shape) -> int:
    """How many numbers an outcome of a shape has; ValueError where it does not say so."""
    last = shape.detail.rpartition(" ")[2]
    if not _LENGTHS.fullmatch(last):
        raise ValueError("no shape of numbers")
    lengths = [int(length) for length in last.split("x")]
    # One that holds nothing is no excuse for another that nobody can count to.
    if math.prod(max(length, 1) for length in lengths) > LARGEST_OUTCOME:
        raise ValueError("numbers of no size")
    return min(math.prod(lengths), MOST_NUMBERS)


def _columns(table: pd.DataFrame) -> list[tuple[str, str]]:
    return [(str(name), str(dtype)) for name, dtype in table.dtypes.items()]


def _block_of(of: tuple[str, int], contents: list[Any], count: int) -> Block:
    kind, size = of
    if kind == "numbers":
        numbers = np.frombuffer(b"".join(contents), np.float64)
        return numbers.reshape(count, size // 8).copy()
    return tuple(contents) if kind in ("text", "data", "table") else ()
