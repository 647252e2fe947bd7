"""Stated numbers: exact, or as far as their digits say."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.review.submissions.stated_numbers import (
    agrees_with,
    read_number,
    spell_root,
    spell_share,
)
from synthesizers.errors import InputError


@pytest.mark.parametrize(
    ("stated", "exact", "agrees"),
    [
        ("0.5", "1/2", True),
        ("1/2", "1/2", True),
        ("0.33", "1/3", True),
        ("0.333", "1/3", True),
        ("0.34", "1/3", False),
        ("0.325", "1/3", False),
        ("1/3", "0.3333", False),
        # 0.335 is 0.34 or 0.33, however halves are rounded.
        ("0.34", "0.335", True),
        ("0.33", "0.335", True),
        # Without a point a number is exact: 1.414… is not "1".
        ("1", "sqrt(2)", False),
        ("1.4", "sqrt(2)", True),
        ("1.41", "sqrt(2)", True),
        ("1.42", "sqrt(2)", False),
        ("sqrt(2)", "sqrt(2)", True),
        ("√2", "sqrt(2)", True),
        ("sqrt(4)", "2", True),
        ("sqrt(3)", "sqrt(2)", False),
        ("2.0", "2", True),
        ("2e0", "2", True),
        ("2.5e-3", "1/400", True),
        ("0", "0", True),
        ("0.0", "0", True),
        ("0.00", "1/100", False),
    ],
)
def test_a_number_agrees_up_to_the_digits_that_it_gives(
    stated: str, exact: str, agrees: bool
) -> None:
    assert agrees_with(read_number(stated, "it"), exact) is agrees


@pytest.mark.parametrize("text", ["", "-1", "nan", "1e9999", "two", "sqrt(-2)", "sqrt(", "50%"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is a number of at least 0"):
        read_number(text, "it")


def test_shares_add_up_with_what_each_rounding_allows() -> None:
    thirds = read_number("0.33", "it") + read_number("0.33", "it") + read_number("0.33", "it")
    assert thirds.agrees(Fraction(1)) and not thirds.agrees(Fraction(11, 10))


def test_a_negative_number_never_agrees() -> None:
    assert not read_number("0.0", "it").agrees(Fraction(-1, 100))


def test_what_is_written_is_read_back() -> None:
    assert [spell_root(number) for number in (0, 1, 2, 9, 18)] == [
        "0", "1", "sqrt(2)", "3", "sqrt(18)",
    ]  # fmt: skip
    for share in (Fraction(1, 3), Fraction(1, 10**30), Fraction(1, 7**600)):
        assert read_number(spell_share(share), "it").agrees(share)
