"""Decimal text against exact comparisons of the rationals that it spells."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.statements.decimals import (
    DIGITS,
    Enclosure,
    Extended,
    decimal_above,
    decimal_below,
    parse_extended,
)
from synthesizers.errors import InputError
from synthesizers.intervals import Interval

F = Fraction

EDGES = [
    F(0),
    F(1),
    F(-1),
    F(1, 3),
    F(-1, 3),
    F(2, 3),
    F(10**17),
    F(10**17 - 1),
    F(10**17 + 1),
    F(10**18 + 1),
    F(99999999999999999, 10**17),
    F(999999999999999999, 10**18),
    F(1, 10**7),
    F(1, 10**8),
    F(1, 10**400),
    F(10**400),
    F(10**400 + 1, 3),
    F(5, 10**324),
    F(sys.float_info.max),
]

fractions = st.one_of(
    st.fractions(),
    st.builds(F, st.integers(-(10**30), 10**30), st.integers(1, 10**25)),
    st.floats(allow_nan=False, allow_infinity=False).map(F),
    st.sampled_from(EDGES),
)


@given(fractions, st.integers(1, 20))
def test_ends_lie_on_their_side_and_next_to_the_value(value: Fraction, digits: int) -> None:
    below, above = F(decimal_below(value, digits)), F(decimal_above(value, digits))
    assert below <= value <= above
    # The two are one unit of the last digit apart at most.
    assert above - below <= abs(value) * F(10, 10**digits)
    if below == above:
        assert value == below


@given(fractions)
def test_the_printed_end_is_the_nearest_on_its_side(value: Fraction) -> None:
    if value == 0:
        assert decimal_below(value) == decimal_above(value) == "0"
        return
    size = abs(value)
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    while F(10) ** exponent > size:
        exponent -= 1
    while F(10) ** (exponent + 1) <= size:
        exponent += 1
    unit = F(10) ** (exponent - DIGITS + 1)
    assert F(decimal_below(value)) == math.floor(value / unit) * unit
    assert F(decimal_above(value)) == math.ceil(value / unit) * unit


def test_a_very_small_number_is_not_zero_from_above() -> None:
    tiny = F(1, 3 * 10**20_000)
    assert decimal_below(tiny) == "3.3333333333333333E-20001"
    assert decimal_above(tiny) == "3.3333333333333334E-20001"


@pytest.mark.parametrize(
    ("value", "below", "above"),
    [
        (F(1, 3), "0.33333333333333333", "0.33333333333333334"),
        (F(-1, 3), "-0.33333333333333334", "-0.33333333333333333"),
        (F(2), "2", "2"),
        (F(-2), "-2", "-2"),
        (F(1, 2), "0.5", "0.5"),
        (F(1, 10**7), "0.0000001", "0.0000001"),
        (F(1, 10**8), "1E-8", "1E-8"),
        (F(10**16), "10000000000000000", "10000000000000000"),
        (F(999999999999999999, 10**18), "0.99999999999999999", "1"),
        (math.inf, "inf", "inf"),
    ],
)
def test_spelling(value: Extended, below: str, above: str) -> None:
    assert (decimal_below(value), decimal_above(value)) == (below, above)


@given(fractions, fractions)
def test_json_widens_and_never_narrows(a: Fraction, b: Fraction) -> None:
    if abs(a) > 10**900 or abs(b) > 10**900 or max(a.denominator, b.denominator) > 10**900:
        return
    ends = Enclosure(min(a, b), max(a, b))
    again = Enclosure.from_json(ends.to_json())
    assert again.lower <= ends.lower <= ends.upper <= again.upper
    assert Enclosure.from_json(again.to_json()) == again
    low, high = ends.floats()
    assert (math.isinf(low) and low < 0) or F(low) <= ends.lower
    assert math.isinf(high) or F(high) >= ends.upper
    if abs(low) < sys.float_info.max:
        assert F(math.nextafter(low, math.inf)) > ends.lower


def test_infinity_is_written_and_read() -> None:
    for ends in (Enclosure.infinite(), Enclosure(F(1, 2), math.inf)):
        assert Enclosure.from_json(ends.to_json()) == ends
        assert ends.floats()[1] == math.inf
    assert str(Enclosure(F(1, 3), math.inf)) == "[0.3333333333, inf]"


def test_of_an_interval() -> None:
    assert Enclosure.of(Interval(F(1, 3), F(1, 2))) == Enclosure(F(1, 3), F(1, 2))


@pytest.mark.parametrize(
    "ends",
    [
        (F(2), F(1)),
        (math.inf, F(1)),
        (0.5, F(1)),
        (F(0), 0.5),
        (-math.inf, F(0)),
        (math.nan, math.nan),
        (F(0), math.nan),
    ],
)
def test_floats_and_crossed_ends_are_refused(ends: tuple[Extended, Extended]) -> None:
    with pytest.raises(InputError):
        Enclosure(*ends)


@pytest.mark.parametrize(
    "text",
    ["", "nan", "-inf", "Infinity", "1/0", "x", "1e999999999", "1e-999999999", "0x1", "1/2/3"],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_extended(text)


def test_text_is_read_exactly() -> None:
    assert parse_extended("0.1") == F(1, 10)
    assert parse_extended("1/3") == F(1, 3)
    assert parse_extended("1E-8") == F(1, 10**8)
    assert parse_extended("inf") == math.inf
