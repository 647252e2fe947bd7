"""Figures: numbers are those that are written, and ranges hold what is known of them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from audit.review.criteria.figures import (
    STANDARD_ERRORS,
    Range,
    read_number,
    read_risk,
    read_score,
    read_value,
)
from synthesizers.errors import InputError


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("0.10000000000000000001", Fraction("0.10000000000000000001")),
        ("inf", math.inf),
        ("-inf", -math.inf),
        (None, None),
        (True, None),
        ([], None),
    ],
)
def test_a_number_is_what_is_written(value: object, number: object) -> None:
    assert read_number(value) == number


def test_other_values() -> None:
    assert read_value({"lower": "1", "upper": "2"}) == Range(Fraction(1), Fraction(2))
    assert read_value(True) == "true" and read_value("text") == "text"
    assert read_value({"lower": "1"}) is None and read_value([1]) is None
    with pytest.raises(InputError, match="lower and the upper end"):
        read_value({"lower": "2", "upper": "1"})


def score(**changed: Any) -> dict[str, Any]:
    plain = {"value": 0.5, "exact": None, "bracket": None, "standard_error": None}
    return {**plain, "draws": None, "undefined": None, **changed}


def test_a_score_is_as_certain_as_it_says() -> None:
    half = Fraction(1, 2)
    assert read_score(score(), "a").value == Range.point(half)
    assert read_score(score(exact="1/3"), "a").value == Range.point(Fraction(1, 3))
    assert read_score(score(bracket=["1/3", "2/3"]), "a").value == Range(
        Fraction(1, 3), Fraction(2, 3)
    )
    margin = STANDARD_ERRORS * Fraction(1, 10)
    drawn = read_score(score(standard_error=0.1, draws=5), "a")
    assert drawn.value == Range(half - margin, half + margin) and drawn.of == "a"
    assert read_score(score(value="inf"), "a").value == Range.point(math.inf)


def test_what_is_not_defined_has_its_reason() -> None:
    figure = read_score(score(value=None, undefined="no records"), "a")
    assert (figure.value, figure.note) == (None, "no records")
    assert read_score(score(draws=5), "a").value is None
    assert read_score(score(draws=5, standard_error="inf"), "a").value is None


def test_a_risk_is_its_interval_and_nothing_without_power() -> None:
    attack = {"has_power": True, "risk": 0.2, "interval": [0.1, 0.3]}
    assert read_risk(attack).value == Range(Fraction(1, 10), Fraction(3, 10))
    assert read_risk({**attack, "has_power": False}).value is None
