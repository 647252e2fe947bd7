"""Answers are read exactly, and so is how far two of them lie apart."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from audit.auditors.sensitivity.answers import (
    Answer,
    InProcess,
    NoAnswer,
    changes,
    read_outcome,
    see,
)

pytestmark = pytest.mark.smoke

F = Fraction


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (3, Answer((3,), ())),
        (True, Answer((1,), ())),
        (0.1, Answer((0.1,), ())),
        (F(1, 3), Answer((F(1, 3),), ())),
        (Decimal("0.1"), Answer((F(1, 10),), ())),
        (np.int8(-3), Answer((-3,), ())),
        (np.float32(0.1), Answer((float(np.float32(0.1)),), ())),
        ([1, 2.5], Answer((1, 2.5), (2,))),
        (((1, 2), (3, 4)), Answer((1, 2, 3, 4), (2, 2))),
        (np.arange(4).reshape(2, 2), Answer((0, 1, 2, 3), (2, 2))),
        (np.array([True, False]), Answer((1, 0), (2,))),
        (np.array([F(1, 3), 2], object), Answer((F(1, 3), 2), (2,))),
        ([], Answer((), (0,))),
        (10**400, Answer((10**400,), ())),
    ],
)
def test_numbers_of_all_kinds_are_read(found: object, expected: Answer) -> None:
    assert read_outcome(found) == expected


@pytest.mark.parametrize(
    "found", ["1", None, {"a": 1}, [1, "2"], [[1], [2, 3]], 1j, np.array(["1"]), [1, [2]], {1}]
)
def test_what_is_no_number_is_no_answer(found: object) -> None:
    assert isinstance(read_outcome(found), NoAnswer)


def test_long_doubles_keep_their_digits() -> None:
    long = np.longdouble(1) + np.finfo(np.longdouble).eps
    (number,) = read_outcome(np.array([long])).numbers
    assert number == F(*long.as_integer_ratio()) and number > 1


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        (1, 3, (F(2),)),
        (0.1, F(1, 10), (abs(F(0.1) - F(1, 10)),)),
        (2**60, 2**60 + 1, (F(1),)),
        (float(2**60), 2**60 + 1, (F(1),)),
        (0.0, -0.0, (F(0),)),
        (5e-324, 0.0, (F(1, 2**1074),)),
        (math.inf, math.inf, (F(0),)),
        (math.inf, -math.inf, (math.inf,)),
        (math.inf, 10**400, (math.inf,)),
        (math.nan, math.nan, (F(0),)),
        (math.nan, 0, (math.inf,)),
        ([1, 2], [1, 4], (F(0), F(2))),
        ([1, 2], [1, 2, 3], (math.inf,)),
        ([1], 1, (math.inf,)),
        (1, "one", (math.inf,)),
        ("one", None, (F(0),)),
    ],
)
def test_differences_are_those_of_the_very_numbers(
    first: object, second: object, apart: tuple[object, ...]
) -> None:
    assert changes(read_outcome(first), read_outcome(second)) == apart
    assert changes(read_outcome(second), read_outcome(first)) == apart


def test_a_function_gets_copies_and_its_exceptions_are_outcomes() -> None:
    def spoils(records: list[dict[str, int]]) -> int:
        found = len(records)
        records.append({"x": 2})
        records[0]["x"] = 9
        return found

    database = ({"x": 1},)
    assert InProcess(spoils).answer(database) == InProcess(spoils).answer(database)
    assert database == ({"x": 1},)
    assert InProcess(lambda records: 1 // len(records)).answer(()) == NoAnswer(
        "raised ZeroDivisionError"
    )


def test_what_is_responsible_is_named() -> None:
    def f(function: object, first: int, second: int) -> str:
        answering = InProcess(function)
        return see(answering, [{}] * first, [{}] * second).responsible

    assert f(lambda r: [0, 3 * len(r), len(r)], 0, 1) == "coordinate 1: 0 beside 3"
    assert f(lambda r: 1 / len(r), 0, 1) == (
        "raised ZeroDivisionError on one of the two databases alone"
    )
    assert f(lambda r: [0] * len(r), 1, 2) == "the shape of the answer: 1 beside 2"
    assert f(lambda r: 1, 1, 2) == "nothing: the answers are equal"
