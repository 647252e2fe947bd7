"""Stated numbers: few digits, never below the value, and refused where they have no end."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.kernel import Theorem, prove
from proofs.search.decimals import DIGITS, power_of_ten, rounded_up, smallest_proved
from synthesizers.neighbours import AddRemove

F = Fraction
values = st.builds(
    lambda top, bottom, power: F(top, bottom) * F(10) ** power,
    st.integers(1, 10**30),
    st.integers(1, 10**30),
    st.integers(-300, 300),
)


@given(values, st.integers(1, 25))
def test_rounding_goes_up_by_less_than_a_unit(value: Fraction, digits: int) -> None:
    found = rounded_up(value, digits)
    unit = F(10) ** (power_of_ten(value) - digits + 1)
    assert value <= found < value + unit and (found / unit).denominator == 1


@given(values)
def test_the_power_of_ten_is_that_of_the_first_digit(value: Fraction) -> None:
    assert F(10) ** power_of_ten(value) <= value < F(10) ** (power_of_ten(value) + 1)


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [("0", 3, "0"), ("1/3", 3, "0.334"), ("999.5", 3, "1000"), ("2", 1, "2"), ("1e-9", 2, "1e-9")],
)
def test_rounding_by_hand(value: str, digits: int, expected: str) -> None:
    assert rounded_up(F(value), digits) == F(expected)


@pytest.mark.parametrize("value", [F(10) ** 5000, F(1, 10**5000)])
def test_numbers_without_end_are_refused(value: Fraction) -> None:
    with pytest.raises(ProofError, match="too"):
        rounded_up(value)


def stated(rho: Fraction) -> Theorem:
    guarantee = {"kind": "approx", "epsilon": "1", "delta": "0"}
    given_ = {"neighbours": AddRemove(), "mechanism": "m", "guarantee": guarantee}
    pure = prove("stated-guarantee", [], given_)
    return prove("to-zcdp", [prove("as-losses", [pure])], {"rho": rho})


def test_the_smallest_number_that_the_kernel_accepts_is_close() -> None:
    with mpmath.workdps(40):
        exact = mpmath.tanh(mpmath.mpf(1) / 2)
        rho = F(str(smallest_proved(lambda: exact, stated).parameters["rho"]))
        assert 0 <= mpmath.mpf(rho.numerator) / rho.denominator - exact < mpmath.mpf("1e-19")
    assert len(str(rho.denominator)) <= DIGITS + 1


def test_a_guess_that_is_too_small_is_refused() -> None:
    with pytest.raises(ProofError):
        smallest_proved(lambda: mpmath.mpf("0.4"), stated)


@pytest.mark.parametrize(
    "value", [mpmath.mpf("1e9999999"), mpmath.mpf("1e-9999999"), mpmath.inf], ids=str
)
def test_a_guess_without_end_is_refused_at_once(value: mpmath.mpf) -> None:
    with pytest.raises(ProofError, match="too"):
        smallest_proved(lambda: value, stated)


def test_a_simple_number_is_stated_as_it_is() -> None:
    tried: list[Fraction] = []

    def attempt(value: Fraction) -> Theorem:
        tried.append(value)
        return stated(F(1))

    smallest_proved(lambda: mpmath.mpf("0.375"), attempt)
    smallest_proved(lambda: mpmath.mpf(-1), attempt)
    assert tried == [F(3, 8), 0]
