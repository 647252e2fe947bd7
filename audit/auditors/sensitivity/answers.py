"""Answers of a function, held exactly, and how far two of them lie apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from audit.auditors.sensitivity.declaration import Norm, Size
from audit.auditors.sensitivity.enclosed import Enclosed

Number = int | float | Fraction
"""A rational, or a float, which is one too unless it is infinite or no number at all."""

Record = dict[str, Any]
Database = Sequence[Record]


@dataclass(frozen=True, slots=True)
class Answer:
    """A number or numbers: ``numbers``, flattened, and their ``shape``."""

    numbers: tuple[Number, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there are no numbers: ``raised ValueError``, ``returned str``, ``took too long``."""

    why: str


Outcome = Answer | NoAnswer


class Answering(Protocol):
    """Whatever answers a database."""

    def answer(self, database: Database) -> Outcome:
        """What it gives; what goes wrong is an outcome."""
        ...


@dataclass(frozen=True)
class InProcess:
    """A function of Python, run in this process and trusted to end: f(records) -> number(s)."""

    function: Callable[[list[Record]], object]

    def answer(self, database: Database) -> Outcome:
        """What the function gives for a copy of the records, which it may do to what it likes."""
        try:
            return read_outcome(self.function([dict(record) for record in database]))
        except (Exception, SystemExit) as error:
            return NoAnswer(f"raised {type(error).__name__}")


def read_outcome(found: object) -> Outcome:
    """What a function returned: a number, an array or nested lists of numbers; or no answer."""
    single = _number(found)
    if single is not None:
        return Answer((single,), ())
    if isinstance(found, np.ndarray):
        shape, items = tuple(found.shape), found.ravel().tolist()
        if found.dtype.kind not in "biufO":
            return NoAnswer("returned an array of other things than numbers")
        if found.dtype.itemsize > 8 and found.dtype.kind == "f":
            items = list(found.ravel())
    elif isinstance(found, list | tuple):
        parts = [read_outcome(item) for item in found]
        for part in parts:
            if isinstance(part, NoAnswer):
                return NoAnswer("returned other things than numbers")
        inner = {part.shape for part in parts if isinstance(part, Answer)}
        if len(inner) > 1:
            return NoAnswer("returned lists of unequal lengths")
        shape = (len(parts), *next(iter(inner), ()))
        items = [n for part in parts if isinstance(part, Answer) for n in part.numbers]
    else:
        return NoAnswer(f"returned {type(found).__name__}")
    numbers = [_number(item) for item in items]
    if any(number is None for number in numbers):
        return NoAnswer("returned an array of other things than numbers")
    return Answer(tuple(number for number in numbers if number is not None), shape)


def _number(found: object) -> Number | None:
    """A number exactly; None for anything else."""
    if isinstance(found, bool | np.bool_):
        return int(found)
    if isinstance(found, np.generic) and not isinstance(found, np.longdouble):
        found = found.item()
    if isinstance(found, int):
        return int(found)
    if isinstance(found, Fraction):
        return Fraction(found)
    if isinstance(found, float):
        return float(found)
    if isinstance(found, Enclosed):
        return found.middle
    if isinstance(found, Decimal | np.longdouble):
        return Fraction(*found.as_integer_ratio()) if _finite(found) else float(found)
    return None


def _finite(number: Decimal | np.longdouble) -> bool:
    return number.is_finite() if isinstance(number, Decimal) else bool(np.isfinite(number))


def changes(first: Outcome, second: Outcome) -> tuple[Size, ...]:
    """How far the answers lie apart, coordinate by coordinate, exactly.

    Infinite where one is a number and the other is infinite or no number; a single infinity where
    one database has no answer and the other has, or has one of another shape: no noise hides that.
    Two databases without an answer, or a coordinate that is no number on both, lie 0 apart.

    Guarantee
    ---------
    The differences of the very numbers that were returned: a float is the rational that it is.
    Backed by ``tests/audit/auditors/sensitivity/test_answers.py``.
    """
    if isinstance(first, NoAnswer) or isinstance(second, NoAnswer):
        both = isinstance(first, NoAnswer) and isinstance(second, NoAnswer)
        return (Fraction(0),) if both else (math.inf,)
    if first.shape != second.shape:
        return (math.inf,)
    return tuple(map(_apart, first.numbers, second.numbers))


_ZERO = Fraction(0)


def _apart(left: Number, right: Number) -> Size:
    # Python compares integers, floats and fractions exactly.
    if left == right or (left != left and right != right):
        return _ZERO
    if _infinite(left) or _infinite(right):
        return math.inf
    return abs(Fraction(left) - Fraction(right))


def _infinite(number: Number) -> bool:
    # An integer may be too large for a double and is finite all the same.
    return isinstance(number, float) and not math.isfinite(number)


@dataclass(frozen=True)
class Seen:
    """Two neighbours, as they were given to the function, and how far its answers lie apart."""

    first: tuple[Record, ...]
    second: tuple[Record, ...]
    answers: tuple[Outcome, Outcome]

    @property
    def answered(self) -> bool:
        """Whether there are numbers of at least one of them."""
        return any(isinstance(answer, Answer) for answer in self.answers)

    @property
    def changes(self) -> tuple[Size, ...]:
        """Coordinate by coordinate."""
        return changes(*self.answers)

    def size(self, norm: Norm) -> Size:
        """The norm of the change, as `Norm.of` measures it."""
        return norm.of(self.changes)

    @property
    def responsible(self) -> str:
        """What changes most, in words: a coordinate, or what one database alone brings about."""
        first, second = self.answers
        for own, other in ((first, second), (second, first)):
            if isinstance(own, NoAnswer) and isinstance(other, Answer):
                return f"{own.why} on one of the two databases alone"
        if isinstance(first, NoAnswer) or isinstance(second, NoAnswer):
            return "nothing: there is no answer on either database"
        if first.shape != second.shape:
            return f"the shape of the answer: {_shape(first)} beside {_shape(second)}"
        found = self.changes
        if not any(found):
            return "nothing: the answers are equal"
        place = max(range(len(found)), key=found.__getitem__)
        told = f"{_spell(first.numbers[place])} beside {_spell(second.numbers[place])}"
        return f"the answer: {told}" if not first.shape else f"coordinate {place}: {told}"

    @property
    def weight(self) -> tuple[int, int, int, list[str]]:
        """What is less is easier to read: records, distinct ones, their text's length, the text."""
        texts = [repr(record) for record in (*self.first, *self.second)]
        return len(texts), len(set(texts)), sum(map(len, texts)), texts


@dataclass
class Noted:
    """Something that answers, and whether it ever gave a number, infinite or not; if not, why."""

    answering: Answering
    answered: bool = False
    reasons: dict[str, None] = field(default_factory=dict)

    def answer(self, database: Database) -> Outcome:
        """What the other gives."""
        found = self.answering.answer(database)
        if isinstance(found, Answer):
            nan = found.numbers and all(number != number for number in found.numbers)
            if nan:
                self.reasons["returned NaN"] = None
            self.answered = self.answered or not nan
        else:
            self.reasons[found.why] = None
        return found


def see(answering: Answering, first: Sequence[Record], second: Sequence[Record]) -> Seen:
    """Two databases asked."""
    return Seen(tuple(first), tuple(second), (answering.answer(first), answering.answer(second)))


def _shape(answer: Answer) -> str:
    return "x".join(map(str, answer.shape)) or "a single number"


def _spell(number: Number) -> str:
    return repr(number) if isinstance(number, float) else str(number)
