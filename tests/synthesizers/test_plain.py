"""Parameters of any class come out as Python's own values, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.errors import InputError
from synthesizers.plain import (
    require_count,
    require_integer,
    require_integers,
    require_rational,
    require_switch,
    require_text,
    require_tuple,
)
from tests.synthesizers.hostile import Number, Ratio, Several, Text, Whole

CASES: list[tuple[Callable[[object, str], Any], list[Any], Any, list[Any]]] = [
    (require_integer, [-3, np.int8(-3), Whole(-3), Number(-3)], -3, [True, 3.0, "3", None]),
    (require_count, [3, np.uint8(3), Whole(3), Number(3)], 3, [-1, Whole(-1), True, 3.0]),
    (
        require_rational,
        [3, Fraction(3), Whole(3), Number(3), Ratio(3), Fraction(np.int64(6), np.int64(2))],
        Fraction(3),
        [True, 3.0, "3", None],
    ),
    (require_text, ["a", np.str_("a"), Text("a")], "a", [b"a", 1, None]),
    (require_switch, [True, np.True_], True, [1, "true", None]),
    (require_tuple, [(1, 2), [1, 2], np.array([1, 2]), Several((1, 2))], (1, 2), ["12", 3, None]),
    (
        require_integers,
        [(1, 2), [Whole(1), Number(2)], np.array([1, 2]), Several((1, 2))],
        (1, 2),
        ["12", 3, (1, 2.0), (True,), ((1,),)],
    ),
]


@pytest.mark.parametrize(("require", "good", "plain", "bad"), CASES)
def test_values_are_rebuilt_or_refused(
    require: Callable[[object, str], Any], good: list[Any], plain: Any, bad: list[Any]
) -> None:
    for value in good:
        found = require(value, "thing")
        assert type(found) is type(plain) and found == plain
        if require is require_integers:
            assert all(type(member) is int for member in found)
        if require is require_rational:
            assert type(found.numerator) is type(found.denominator) is int
    for value in bad:
        with pytest.raises(InputError, match="The thing must be"):
            require(value, "thing")
