"""Chances as percentages: nothing is rounded to certainty."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.report.percentages import at_least, percent, percent_below, share
from audit.statements.decimals import Enclosure

F = Fraction


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (F(0), "0 %"),
        (F(1), "100 %"),
        (F(1, 2), "50 %"),
        (F(1, 3), "33.3 %"),
        (F(953, 1000), "95.3 %"),
        (F(95349, 10**5), "95.3 %"),
        (F(99, 100), "99 %"),
        (F(999, 1000), "99.9 %"),
        (F(99996649, 10**8), "99.9966 %"),
        (F(12, 10**6), "0.0012 %"),
        (F(1, 10**10), "0.00000001 %"),
        (F(99, 10**12), "less than 0.00000001 %"),
        (1 - F(99, 10**12), "more than 99.99999999 %"),
        (F(1, 10**500), "less than 0.00000001 %"),
        (1 - F(1, 10**500), "more than 99.99999999 %"),
    ],
)
def test_percentages(chance: Fraction, text: str) -> None:
    assert percent(chance) == text


@given(st.fractions(0, 1))
def test_a_percentage_is_near_and_only_certainty_is_100(chance: Fraction) -> None:
    text = percent(chance)
    assert (text == "100 %") == (chance == 1)
    assert (text == "0 %") == (chance == 0)
    if not text.startswith(("less", "more")):
        distance = min(chance, 1 - chance)
        assert abs(F(text.removesuffix(" %")) / 100 - chance) <= max(distance / 20, F(1, 10**12))


@given(st.fractions(0, 1))
def test_a_percentage_below_is_below(chance: Fraction) -> None:
    text = percent_below(chance)
    # Two digits at least: one unit of the second is a tenth at most.
    assert 0 <= chance - F(text.removesuffix(" %")) / 100 <= max(chance, F(1, 10**8)) / 10


def test_an_enclosed_chance_is_told_by_what_it_is_at_least() -> None:
    assert at_least(Enclosure(F("0.50001"), F("0.50002"))) == "50 %"
    assert at_least(Enclosure(F("0.7396"), F("0.8"))) == "at least 73.9 %"


def test_a_value_in_a_table_is_rounded_without_a_sign() -> None:
    assert share(Enclosure(F(1, 3), F(1, 3)), 3) == "0.333"
    assert share(Enclosure(F(1, 3), F(1, 2)), 3) == "0.333 to 0.5"
