"""Small chances in words: read back, they are never below what they stand for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.review.conclusions.chances import one_in

SIZES = {"million": 10**6, "billion": 10**9, "trillion": 10**12}


def read_back(words: str) -> Fraction:
    one, _in, *count = words.split()
    assert (one, _in) == ("1", "in")
    size = SIZES.get(count[-1], 1)
    first = count[0].replace(",", "")
    return 1 / (size * (1 if first == "a" else Fraction(first)))


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (Fraction(1, 10**6), "1 in a million"),
        (6.7e-9, "1 in 140 million"),
        (Fraction(1, 1_999_999), "1 in 1.9 million"),
        (0.0008, "1 in 1,200"),
        (Fraction(1, 25), "1 in 25"),
        (1, "1 in 1"),
        (0.0, "1 in a trillion"),
        (2.5e-61, "1 in a trillion"),
    ],
)
def test_chances_read_as_people_say_them(chance: float | Fraction, words: str) -> None:
    assert one_in(chance) == words


@given(st.floats(0, 1))
def test_what_is_written_is_never_below_the_chance(chance: float) -> None:
    assert read_back(one_in(chance)) >= Fraction(chance)


@pytest.mark.parametrize("chance", [-0.1, 1.1, float("nan")])
def test_what_is_no_chance_is_refused(chance: float) -> None:
    with pytest.raises(ValueError, match="is no chance"):
        one_in(chance)
