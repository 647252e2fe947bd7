"""Functions of a user's module, asked in a process of their own: they may hang, print or crash.

The process is that of `audit.subjects.isolated`; answers come back as text that is exact.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from audit.auditors.sensitivity.answers import (
    Answer,
    Answering,
    Database,
    InProcess,
    NoAnswer,
    Number,
    Outcome,
)
from audit.auditors.sensitivity.exactly import OnExactNumbers
from audit.subjects.importing import import_attribute
from audit.subjects.isolated import IsolatedBox
from audit.subjects.pair import Pair
from synthesizers.errors import InputError, ProtocolError

SECONDS = 10.0
"""The most that a call may take where nothing is said (databases of
thousands of records take milliseconds)."""

MOST_ENDED = 10
"""So many calls that end by force are enough (at ten seconds each,
two minutes)."""


@dataclass
class IsolatedFunction:
    """A function named as ``module:attribute``, looked for in ``folder`` first.

    A call that takes more than ``seconds``, or ends its process, is no answer; after `MOST_ENDED`
    of them ProtocolError is raised. ``megabytes``: as in `audit.subjects.isolated.IsolatedBox`.
    ``exact``: floats of the records come as the rationals that they are.
    """

    subject: str
    folder: str = "."
    seconds: float = SECONDS
    megabytes: int | None = 4096
    exact: bool = False
    ended: int = field(default=0, init=False)

    @property
    def box(self) -> IsolatedBox:
        """The process that is asked."""
        return IsolatedBox(
            self.subject,
            f"{InChild.__module__}:{(ExactlyInChild if self.exact else InChild).__name__}",
            "function",
            {"name": self.subject},
            self.folder,
            self.seconds,
            self.megabytes,
        )

    def check(self) -> None:
        """Start the process; raises InputError where the function can't be found."""
        self.box.check()

    def answer(self, database: Database) -> Outcome:
        """What the function gives for a copy of the records, exactly."""
        found = self.box.draw(Pair(list(database), None), np.zeros(1, np.bool_), 0)
        shape, block = found.shapes[0], found.blocks[0]
        if shape.kind == "text":
            return _read(str(block[0]))
        if shape.kind == "ended":
            self.ended += 1
            if self.ended >= MOST_ENDED:
                raise ProtocolError(
                    f"{self.subject}: {self.ended} calls were ended by force ({shape.detail}); a "
                    f"call may take {self.seconds:g} seconds: give more with --seconds"
                )
            return NoAnswer("took too long" if shape.detail == "time" else f"ended: {shape.detail}")
        return NoAnswer(f"raised {shape.detail}")


class InChild:
    """What runs in that process: a function that is asked for its answer as text."""

    def __init__(self, name: str) -> None:
        function = import_attribute(name)
        if not callable(function):
            raise InputError(f"{name} can't be called; expected f(records) -> a number or numbers")
        self._asked = InProcess(function)
        self._answering: Answering = self._asked

    def __call__(self, database: Any, rng: Any) -> str:
        """The function's answer, its exceptions included."""
        found = self._answering.answer(database)
        if isinstance(found, NoAnswer):
            return json.dumps(found.why)
        return json.dumps([list(found.shape), [_write(number) for number in found.numbers]])


class ExactlyInChild(InChild):
    """The same, whose records hold exact numbers."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._answering = OnExactNumbers(self._asked)


def _write(number: Number) -> list[str]:
    """Hexadecimal, which is exact and knows no longest number."""
    if isinstance(number, float):
        return [number.hex()]
    whole = ["", hex(number.numerator)]
    return whole if isinstance(number, int) else [*whole, hex(number.denominator)]


def _read(text: str) -> Outcome:
    found = json.loads(text)
    if isinstance(found, str):
        return NoAnswer(found)
    shape, numbers = found
    return Answer(tuple(map(_number, numbers)), tuple(shape))


def _number(parts: list[str]) -> Number:
    if len(parts) == 1:
        return float.fromhex(parts[0])
    whole = int(parts[1], 16)
    return whole if len(parts) == 2 else Fraction(whole, int(parts[2], 16))
