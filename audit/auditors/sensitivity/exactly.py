"""The same query on exact numbers: whether it is rounding that a pair of databases shows.

Code that adds, multiplies, divides and compares the numbers of records does the same with rational
ones. A float among them, such as a constant, stands for the rational that it is.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from audit.auditors.sensitivity.answers import Answer, Answering, Database, Outcome, Record, Seen
from audit.auditors.sensitivity.declaration import Norm, Size
from audit.auditors.sensitivity.rounding import DEAREST, sum_of_numbers


class Rational(Fraction):
    """A rational that stays one beside floats, and refuses to become a float."""

    __slots__ = ()

    def __float__(self) -> float:
        raise TypeError("an exact number is no float")

    __hash__ = Fraction.__hash__


def _operation(name: str, swapped: bool) -> Callable[[Rational, Any], Any]:
    act = getattr(operator, name)

    def operate(self: Rational, other: Any) -> Any:
        if isinstance(other, np.floating):
            other = float(other)
        if not isinstance(other, numbers.Rational | float) or other != other:
            return NotImplemented
        try:
            own, its = Fraction(self), Fraction(other)
        except OverflowError:
            return NotImplemented
        return Rational(act(its, own) if swapped else act(own, its))

    return operate


def _unary(name: str) -> Callable[[Rational], Rational]:
    act = getattr(operator, name)
    return lambda own: Rational(act(Fraction(own)))


for _name in ("add", "sub", "mul", "truediv", "mod"):
    setattr(Rational, f"__{_name}__", _operation(_name, False))
    setattr(Rational, f"__r{_name}__", _operation(_name, True))
for _name in ("neg", "pos", "abs"):
    setattr(Rational, f"__{_name}__", _unary(_name))


def exact_records(database: Database) -> list[Record]:
    """A copy of the records with every finite float as the rational that it is."""
    return [
        {
            name: Rational(value) if isinstance(value, float) and value - value == 0 else value
            for name, value in record.items()
        }
        for record in database
    ]


@dataclass(frozen=True)
class OnExactNumbers:
    """What answers, asked about exact records."""

    answering: Answering

    def answer(self, database: Database) -> Outcome:
        """The answer; of code that takes no exact numbers, none."""
        return self.answering.answer(exact_records(database))


def exact_change(exactly: Answering, pair: Seen, norm: Norm) -> Size | None:
    """The norm of a pair's change on exact numbers; None where the query is not exact on them.

    It is not where an answer is still a float, or is further from the answer on floats than any
    rounding brings it: then the code did something else with what it was not made for.
    """
    found = [exactly.answer(database) for database in (pair.first, pair.second)]
    for answer, rounded, database in zip(
        found, pair.answers, (pair.first, pair.second), strict=True
    ):
        if not _is_the_same(answer, rounded, database):
            return None
    return Seen(pair.first, pair.second, (found[0], found[1])).size(norm)


def _is_the_same(exact: Outcome, rounded: Outcome, database: Sequence[Record]) -> bool:
    if not (isinstance(exact, Answer) and isinstance(rounded, Answer)):
        return False
    if exact.shape != rounded.shape or any(isinstance(one, float) for one in exact.numbers):
        return False
    whole = sum_of_numbers(database)
    return all(
        abs(Fraction(one) - Fraction(other)) <= DEAREST * max(abs(Fraction(one)), whole)
        for one, other in zip(exact.numbers, rounded.numbers, strict=True)
    )
