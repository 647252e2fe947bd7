"""The field of exponential ratios, and comparisons that are decided and never guessed."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from synthesizers.errors import InputError, TooLargeError
from synthesizers.exact import (
    TABLE_ERROR,
    Exact,
    ExpRational,
    add,
    compare,
    divide,
    enclose,
    is_zero,
    log_enclosure,
    mantissa_and_exponent,
    multiply,
    parse_rational,
    subtract,
    times_exp,
)
from synthesizers.intervals import Interval, exp_interval
from tests.synthesizers.brute_force import close, rational_near, real

ONE = ExpRational.of(1)
powers = st.fractions(-3, 3, max_denominator=4)
coefficients = st.fractions(-5, 5, max_denominator=6).filter(bool)
sums = st.dictionaries(powers, coefficients, max_size=3)
positive_sums = st.dictionaries(
    powers, st.fractions(Fraction(1, 6), 5, max_denominator=6), min_size=1, max_size=3
)
numbers = st.builds(ExpRational, sums, positive_sums)


def a(scale: Fraction | int = 1) -> ExpRational:
    """e^(-1/scale)."""
    return ExpRational.exp(-1 / Fraction(scale))


@given(numbers, numbers, numbers)
def test_field_laws(x: ExpRational, y: ExpRational, z: ExpRational) -> None:
    assert x + y == y + x and x * y == y * x
    assert (x + y) + z == x + (y + z) and (x * y) * z == x * (y * z)
    assert x * (y + z) == x * y + x * z
    assert x - x == 0 and x + (-x) == ExpRational.of(0) and (x - x).is_zero
    assert x + 0 == x and 1 * x == x
    if not x.is_zero:
        assert x / x == 1 and (y / x) * x == y and 1 / (1 / x) == x


@given(numbers, numbers)
def test_operations_agree_with_high_precision(x: ExpRational, y: ExpRational) -> None:
    with mpmath.workdps(60):
        for found, wanted in ((x + y, real(x) + real(y)), (x * y, real(x) * real(y))):
            assert abs(real(found) - wanted) <= mpmath.mpf(10) ** -40
    assume(not y.is_zero)
    quotient = x / y
    assert all(value for value in quotient.numerator.values())
    with mpmath.workdps(60):
        assume(abs(real(y)) > mpmath.mpf(10) ** -10)
        assert abs(real(quotient) - real(x) / real(y)) <= mpmath.mpf(10) ** -30


@given(numbers, numbers, positive_sums)
def test_equality_ignores_form_and_hashes_follow(
    x: ExpRational, y: ExpRational, common: dict[Fraction, Fraction]
) -> None:
    factor = ExpRational(common, {Fraction(0): Fraction(1)})
    same = (x * factor) / factor
    assert same == x and hash(same) == hash(x) and compare(same, x) == 0
    back = (x + y) - y
    assert back == x and hash(back) == hash(x)
    assert (x == y) == (compare(x, y) == 0)


@given(st.fractions(), positive_sums)
def test_rationals_in_disguise(value: Fraction, common: dict[Fraction, Fraction]) -> None:
    disguised = ExpRational.of(value) * ExpRational(common, common)
    assert disguised == value and value == disguised and hash(disguised) == hash(value)
    assert disguised.rational == value
    assert enclose(disguised) == Interval(value, value)
    assert compare(disguised, value) == 0


def test_two_forms_of_the_geometric_normaliser() -> None:
    short = (1 - a()) / (1 + a())
    long = (1 - a() * a()) / ((1 + a()) * (1 + a()))
    assert short == long and hash(short) == hash(long) and compare(short, long) == 0
    ends = 1 / (1 + a())
    assert compare(ends / (a() * ends), ExpRational.exp(1)) == 0
    assert (ends / (a() * ends)).log_rational == 1
    assert compare(ends - a() * ends, short) == 0
    assert compare(short, (1 - a()) / (1 + a() * a())) == -1


def test_log_rational_is_found_in_every_form() -> None:
    third = Fraction(1, 3)
    number = (ExpRational.exp(third) + ExpRational.exp(2 * third)) / (1 + ExpRational.exp(third))
    assert number.log_rational == third
    assert log_enclosure(number) == Interval(third, third)
    assert (2 * number).log_rational is None and ExpRational.of(0).log_rational is None
    assert ExpRational.of(1).log_rational == 0
    wide = log_enclosure(2 * number)
    assert wide.lower < third + Fraction(693148, 10**6) and wide.upper > third


@pytest.mark.parametrize("digits", [10, 40, 300, 2000])
def test_near_ties_are_decided(digits: int) -> None:
    number = ExpRational.exp(Fraction(1, 3))
    with mpmath.workdps(digits + 20):
        scaled = mpmath.exp(mpmath.mpf(1) / 3) * mpmath.mpf(10) ** digits
        below = Fraction(int(mpmath.floor(scaled)), 10**digits)
    above = below + Fraction(1, 10**digits)
    assert compare(number, below) == 1 and compare(below, number) == -1
    assert compare(number, above) == -1 and compare(above, number) == 1
    assert number != below and number != above
    assert compare(number - below, Fraction(0)) == 1


def test_a_tie_beyond_the_stated_precision_stays_undecided() -> None:
    with mpmath.workdps(3100):
        near = rational_near(mpmath.exp(mpmath.mpf(1) / 3))
    number = ExpRational.exp(Fraction(1, 3))
    assert compare(number, near) is None
    assert number != near
    with pytest.raises(TooLargeError, match="precision"):
        1 / (number - near)
    with pytest.raises(TooLargeError, match="precision"):
        (number - near).enclosure()


@given(numbers, numbers)
def test_compare_agrees_with_high_precision(x: ExpRational, y: ExpRational) -> None:
    found = compare(x, y)
    assert found is not None
    with mpmath.workdps(60):
        difference = real(x) - real(y)
        if found == 0:
            assert abs(difference) < mpmath.mpf(10) ** -50
        else:
            assert abs(difference) < mpmath.mpf(10) ** -50 or (difference > 0) == (found > 0)
    assert compare(y, x) == -found


def test_quotients_by_negative_numbers_keep_their_sign() -> None:
    negative = 1 - ExpRational.exp(1)
    for quotient, sign in ((1 / negative, -1), (negative / negative, 1), (-1 / negative, 1)):
        assert compare(quotient, Fraction(0)) == sign
        assert compare(Fraction(0), quotient) == -sign
        assert compare(quotient + 5, Fraction(5)) == sign
        assert (enclose(quotient).lower > 0) == (sign > 0)


@given(st.fractions(), st.fractions())
def test_fractions_compare_as_fractions(x: Fraction, y: Fraction) -> None:
    assert compare(x, y) == (x > y) - (x < y)


def test_intervals_are_compared_only_where_they_are_apart() -> None:
    def span(low: int, high: int) -> Interval:
        return Interval(Fraction(low), Fraction(high))

    assert compare(span(0, 1), span(2, 3)) == -1 and compare(span(2, 3), Fraction(1)) == 1
    assert compare(span(0, 2), span(1, 3)) is None
    assert compare(span(0, 1), span(1, 2)) is None
    assert compare(span(0, 1), span(0, 1)) is None
    assert compare(span(1, 1), Fraction(1)) == 0 and compare(span(1, 1), ONE) == 0
    assert compare(span(2, 2), ExpRational.exp(1)) == -1
    assert compare(exp_interval(Fraction(1)), ExpRational.exp(1)) is None


@given(numbers, numbers)
def test_functions_on_mixed_kinds_agree(x: ExpRational, y: ExpRational) -> None:
    assume(not x.is_zero and not y.is_zero)
    kinds: list[tuple[Exact, Exact]] = [(x, y), (enclose(x), y), (x, enclose(y))]
    with mpmath.workdps(60):
        p, q = real(x), real(y)
        # A sum of intervals may cancel, so its error is judged against the parts.
        size = 1 + abs(p) + abs(q) + abs(p * q) + abs(p / q)
        for left, right in kinds:
            for function, wanted in ((add, p + q), (multiply, p * q), (divide, p / q)):
                found = real(function(left, right))
                assert abs(found - wanted) <= mpmath.mpf(10) ** -40 * size


@given(numbers)
def test_enclosures_hold_the_number_and_are_narrow(x: ExpRational) -> None:
    assume(not x.is_zero)
    assert close(x, real(x), 45)
    for bits in (60, 96, 150, 192):
        interval = x.enclosure(bits)
        narrowest = min(abs(interval.lower), abs(interval.upper))
        assert (interval.upper - interval.lower) * 2 ** (bits - 3) <= narrowest


@given(numbers)
def test_mantissas_of_any_number_keep_their_relative_error(x: ExpRational) -> None:
    assume(not x.is_zero)
    number = x if compare(x, Fraction(0)) == 1 else -x
    mantissa, exponent = mantissa_and_exponent(number)
    truth = rational_near(real(number))
    found = Fraction(mantissa) * Fraction(2) ** exponent
    assert abs(found - truth) <= 2 * Fraction(1, 2**53) * truth * (1 + Fraction(1, 2**50))


def test_zero_is_exact() -> None:
    assert (
        is_zero(Fraction(0)) and is_zero(a() - a()) and is_zero(Interval(Fraction(0), Fraction(0)))
    )
    assert not is_zero(ExpRational.exp(-5000)) and not is_zero(Interval(Fraction(0), Fraction(1)))
    with pytest.raises(ZeroDivisionError):
        ONE / (a() - a())


@given(numbers, powers)
def test_times_exp(x: ExpRational, power: Fraction) -> None:
    assert times_exp(x, power) == x * ExpRational.exp(power)
    assert times_exp(Fraction(3), power) == 3 * ExpRational.exp(power)
    shifted = times_exp(Interval(Fraction(1), Fraction(2)), power)
    assert isinstance(shifted, Interval)
    assert shifted.lower <= enclose(ExpRational.exp(power)).upper
    assert shifted.upper >= 2 * enclose(ExpRational.exp(power)).lower


def test_subtract_is_exact_and_encloses() -> None:
    power = ExpRational.exp(Fraction(-1, 3))
    assert subtract(Fraction(1), Fraction(1, 3)) == Fraction(2, 3)
    assert compare(subtract(power, power), Fraction(0)) == 0
    assert compare(add(subtract(Fraction(1), power), power), Fraction(1)) == 0
    apart = subtract(Interval(Fraction(1), Fraction(2)), power)
    assert isinstance(apart, Interval)
    assert apart.lower <= 1 - enclose(power).upper and apart.upper >= 2 - enclose(power).lower


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (2, Fraction(2)),
        (Fraction(1, 3), Fraction(1, 3)),
        ("2", Fraction(2)),
        (" 0.5 ", Fraction(1, 2)),
        ("1/3", Fraction(1, 3)),
        ("-7/4", Fraction(-7, 4)),
        ("1e-3", Fraction(1, 1000)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
    ],
)
def test_rationals_are_read_exactly(text: object, value: Fraction) -> None:
    assert parse_rational(text, "epsilon") == value


@pytest.mark.parametrize(
    "text",
    [
        0.5, True, None, [], "", "x", "nan", "inf", "-inf", "1/0", "1/2/3", "0.5/2", "1e99999",
        "1e-99999", Decimal("NaN"), Decimal("Infinity"), Decimal("1e99999"), "1" * 5000,
        "0." + "1" * 5000, "1/" + "1" * 5000, "1e-1000" + "0" * 5000, "9" * 3990 + "e-4980",
        10**4000, Fraction(1, 10**4000), Decimal("0." + "1" * 5000),
    ],
)  # fmt: skip
def test_what_is_no_rational_is_refused_by_name(text: object) -> None:
    with pytest.raises(InputError, match="epsilon"):
        parse_rational(text, "epsilon")


@pytest.mark.parametrize(
    "value",
    [
        Fraction(1, 3),
        Fraction(1),
        Fraction(2**53 - 1, 2**53),
        Fraction(7, 10**900),
        Fraction(10**900, 7),
        ExpRational.exp(-3000),
        1 - ExpRational.exp(-1),
    ],
)
def test_mantissa_and_exponent_keep_their_relative_error(value: Exact) -> None:
    mantissa, exponent = mantissa_and_exponent(value)
    assert 0.5 <= mantissa <= 1
    found = Fraction(mantissa) * Fraction(2) ** exponent
    ends = enclose(value)
    limit = Fraction(TABLE_ERROR, 2**53) * ends.upper
    assert ends.upper - limit <= found <= ends.lower + limit


def test_a_vague_number_has_no_mantissa() -> None:
    for width in (Fraction(1), Fraction(1, 2**50)):
        with pytest.raises(TooLargeError, match="closely enough"):
            mantissa_and_exponent(Interval(1 - width, Fraction(1)))
