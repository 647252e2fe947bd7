"""The same query on exact numbers: whether it is rounding that a pair of databases shows.

Code that adds, multiplies, divides and compares the numbers of records does the same with rational
ones. A float among them, such as a constant, stands for the rational that it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.auditors.sensitivity.answers import (
    Answer,
    Answering,
    Database,
    InProcess,
    Number,
    Outcome,
    Record,
    Seen,
)
from audit.auditors.sensitivity.declaration import Norm
from audit.auditors.sensitivity.enclosed import Rational, math_knows_exact_numbers
from audit.auditors.sensitivity.rounding import CONSTANTS, DEAREST, sum_of_numbers


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
    """A function that is asked about exact records."""

    asked: InProcess

    def answer(self, database: Database) -> Outcome:
        """The answer; of code that takes no exact numbers, none."""
        with math_knows_exact_numbers(self.asked.function):
            return self.asked.answer(exact_records(database))


def keeps_exactly(exactly: Answering, norm: Norm, bound: Fraction, pair: Seen) -> bool | None:
    """Whether a pair keeps to its bound on exact numbers; None where the query takes none.

    It takes none where an answer is still a float, or is further from the answer on floats than any
    rounding brings it: then the code did something else with what it was not made for.

    Guarantee
    ---------
    True only if the answers on exact numbers are so close to those on floats that all of the excess
    is what lies between them, and their change is at most the bound, but for `CONSTANTS` of it.
    Backed by ``tests/audit/auditors/sensitivity/test_rounding.py``.
    """
    found = [exactly.answer(database) for database in (pair.first, pair.second)]
    for answer, rounded, database in zip(
        found, pair.answers, (pair.first, pair.second), strict=True
    ):
        if not _is_the_same(answer, rounded, database):
            return None
    change = Seen(pair.first, pair.second, (found[0], found[1])).size(norm)
    return change <= bound * norm.measure(1 + CONSTANTS)


def _is_the_same(exact: Outcome, rounded: Outcome, database: Sequence[Record]) -> bool:
    if not (isinstance(exact, Answer) and isinstance(rounded, Answer)):
        return False
    if exact.shape != rounded.shape or any(isinstance(one, float) for one in exact.numbers):
        return False
    whole = sum_of_numbers(database)
    return all(
        _is_near(Fraction(one), other, whole)
        for one, other in zip(exact.numbers, rounded.numbers, strict=True)
    )


def _is_near(exact: Fraction, rounded: Number, whole: Fraction) -> bool:
    """Whether a number is the exact one, or a float that rounding may have made of it."""
    if not isinstance(rounded, float):
        return exact == rounded
    if rounded - rounded != 0:
        return False
    return abs(exact - Fraction(rounded)) <= DEAREST * max(abs(exact), whole)
