"""Numbers at the one door that reads floats."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dp_audit.arguments import exact, relation, text, texts
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.1, Fraction(1, 10)),
        (1e-9, Fraction(1, 10**9)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.int64(3), Fraction(3)),
        (Decimal("0.25"), Fraction(1, 4)),
        ("1/3", Fraction(1, 3)),
        (Fraction(2, 7), Fraction(2, 7)),
    ],
)
def test_the_exact_number(value: Any, number: Fraction) -> None:
    assert exact(value, "x") == number == Fraction(text(value, "x"))


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300, max_value=1e300))
def test_a_float_is_the_shortest_decimal_that_denotes_it(value: float) -> None:
    number = exact(value, "x")
    assert float(number) == value
    assert number == Fraction(repr(value))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, None, [1], b"1", 1j])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="x must"):
        exact(value, "x")


def test_parameters_are_those_of_set() -> None:
    given_ = {"max_size": 3, "calibrated_for": "add-remove", "alpha": (0.5, 1), "fast": True}
    assert texts(given_) == {
        "max-size": "3",
        "calibrated-for": "add-remove",
        "alpha": "0.5,1",
        "fast": "true",
    }


def test_a_relation_has_its_unit_once() -> None:
    assert relation("add-remove", "record", None) == AddRemove()
    assert relation(ReplaceOne(), "record", None) == ReplaceOne()
    with pytest.raises(InputError, match="its unit inside"):
        relation(ReplaceOne(), "person", 2)
