"""Parameters of a rule are plain data, and each is read as the kind that the rule expects."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import pytest

from proofs.errors import ProofError
from proofs.parameters import (
    MAX_TEXT,
    Count,
    Known,
    Positive,
    Ranged,
    Setting,
    Whole,
    plain,
    read_fields,
    read_kind,
    read_record,
    reader,
)
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

F = Fraction
TOO_LARGE = 10**4000
LONG = F(10**2001 + 1, 10**2001)
"""Above and below the stroke it has as many digits as a number may have, but not together."""


def test_plain_data_stay_and_numbers_become_text() -> None:
    given = {"a": F(1, 3), "b": [F(2), 3, "4"], "c": {"d": (True, None)}, "n": AddRemove()}
    own = {"neighbours": "add-remove", "unit": "record", "max_records": 1}
    wanted = {"a": "1/3", "b": ["2", 3, "4"], "c": {"d": [True, None]}, "n": own}
    assert plain(given) == wanted


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        [0.5],
        {"a": {"b": 0.5}},
        {1: 2},
        {1},
        b"1",
        1j,
        object(),
        F(1, TOO_LARGE),
        TOO_LARGE,
        LONG,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_plain_data_is_refused(value: Any) -> None:
    with pytest.raises(ProofError):
        plain(value)


def refused(kind: Any, value: Any) -> None:
    with pytest.raises(ProofError, match="r needs x"):
        read_fields({"x": kind}, {"x": value}, "r")


@pytest.mark.parametrize("value", [True, False, 1.0, 0.5, None, [1], {}, "1" * (MAX_TEXT + 1), "x"])
def test_what_is_no_rational_is_refused(value: Any) -> None:
    refused(F, value)
    refused(tuple[F, ...], [value])
    refused(tuple[tuple[F, F], ...], [[1, value]])


@pytest.mark.parametrize("value", [True, -1, "1", 1.0, None])
def test_what_is_no_count_is_refused(value: Any) -> None:
    refused(Whole, value)
    refused(tuple[Whole, ...], [1, value])


def test_counts_of_any_sign_are_still_integers() -> None:
    assert reader(tuple[int, ...])([-1, 2], "x") == (-1, 2)
    refused(tuple[int, ...], [True])


def test_each_type_is_read_as_it_is() -> None:
    person = {"neighbours": "replace-one", "unit": "person", "max_records": 2}
    cases: list[tuple[Any, Any, Any]] = [
        (F, "1/3", F(1, 3)),
        (tuple[F, ...], ["0.5", 2], (F(1, 2), F(2))),
        (list[F], [], []),
        (tuple[tuple[F, F], ...], [[1, "2"]], ((F(1), F(2)),)),
        (Count, 4, 4),
        (bool, True, True),
        (str, "t", "t"),
        (Literal["s", "t"], "t", "t"),
        (dict[str, Any], {"k": 1}, {"k": 1}),
        (dict[str, Count], {"k": 1}, {"k": 1}),
        (Known, None, None),
        (Known, 0, 0),
        (Neighbours, person, ReplaceOne(Unit("person", 2))),
        (Setting, {"attributes": {"a": 2}, "records": None}, Setting({"a": 2}, None)),
        (Any, None, None),
    ]
    for kind, value, expected in cases:
        assert read_fields({"x": kind}, {"x": value}, "r") == {"x": expected}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (bool, 1),
        (bool, "true"),
        (str, 1),
        (dict[str, Any], [1]),
        (dict[str, Count], {"a": 0}),
        (tuple[F, ...], "1"),
        (tuple[F, ...], []),
        (list[F], {}),
        (tuple[tuple[F, F], ...], [[1, 2, 3]]),
        (tuple[tuple[F, F], ...], ["12"]),
        (Positive, 0),
        (Positive, "-1/2"),
        (Count, 0),
        (Known, -1),
        (Literal["s", "t"], "u"),
        (Literal["s", "t"], ["s"]),
        (Setting, {"attributes": {}, "records": None}),
        (Setting, {"attributes": {"a": 1}}),
        (Setting, {"attributes": {"a": 1}, "records": -1}),
        (Setting, [1]),
        (Neighbours, "add-remove"),
        (Neighbours, {"neighbours": "add-remove", "unit": "person"}),
        (Neighbours, {"neighbours": "swap", "unit": "record", "max_records": 1}),
    ],
)
def test_another_kind_is_refused(kind: Any, value: Any) -> None:
    refused(kind, value)


def test_missing_small_and_spare_parameters_are_refused() -> None:
    with pytest.raises(ProofError, match="r needs the parameter x"):
        read_fields({"x": Any}, {}, "r")
    with pytest.raises(ProofError, match="x to be an integer from 1 on"):
        read_fields({"x": Count}, {"x": 0}, "r")
    with pytest.raises(ProofError, match="one of a, b"):
        read_fields({"x": Literal["a", "b"]}, {"x": "c"}, "r")
    with pytest.raises(ProofError, match="no parameter 'y'"):
        read_fields({"x": int}, {"x": 1, "y": 2}, "r")
    with pytest.raises(ProofError, match="named values"):
        read_fields({}, [], "r")


def test_what_may_be_left_out_may_not_be_null() -> None:
    types: dict[str, Any] = {"x": Count | None}
    assert read_fields(types, {}, "r") == {"x": None}
    assert read_fields(types, {"x": 1}, "r") == {"x": 1}
    refused(Count | None, None)


@dataclass(frozen=True)
class Square(Ranged):
    side: Positive
    name = "square"


def test_a_dataclass_keeps_to_its_ranges_whoever_makes_it() -> None:
    assert read_record(Square, {"side": "1/2"}, "a square") == Square(F(1, 2))
    assert read_kind({"square": Square}, "kind", {"kind": "square", "side": 2}, "it").side == 2
    with pytest.raises(ProofError, match="Square needs side to be above 0"):
        Square(F(0))
    for kind in (None, "circle", ["square"]):
        with pytest.raises(ProofError, match="kind to be one of square"):
            read_kind({"square": Square}, "kind", {"kind": kind, "side": 2}, "it")
    with pytest.raises(ProofError, match="one of square"):
        read_kind({"square": Square}, "kind", [], "it")
