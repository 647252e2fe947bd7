"""Mantissas and exponents against rationals."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np

from synthesizers.exact import TABLE_ERROR, ExpRational, enclose
from synthesizers.intervals import exp_interval
from synthesizers.powers import doubles, powers

TINY, HUGE = Fraction(1, 10**4000), Fraction(10**4000, 3)
VALUES = [
    Fraction(0),
    Fraction(2, 3),
    TINY,
    HUGE,
    ExpRational.exp(Fraction(-7, 2)),
    ExpRational.exp(Fraction(-5000)),
    exp_interval(Fraction(-1, 3)),
    Fraction(1),
]


def test_numbers_of_any_size_are_held() -> None:
    mantissas, exponents = powers(iter(VALUES), (4, 2))
    assert mantissas.shape == exponents.shape == (4, 2)
    for mantissa, exponent, value in zip(mantissas.flat, exponents.flat, VALUES, strict=True):
        held, ends = Fraction(float(mantissa)) * Fraction(2) ** int(exponent), enclose(value)
        slack = Fraction(TABLE_ERROR, 2**53)
        assert ends.lower * (1 - slack) <= held <= ends.upper * (1 + slack)
        assert (mantissa == 0) == (ends.upper == 0) and (mantissa == 0 or 0.5 <= mantissa <= 1)


def test_doubles_are_exact_or_not_numbers() -> None:
    least = sys.float_info.min_exp
    mantissas = np.array([0.75, 0.0, 0.5, 0.75, 0.5, 0.75, 1.0])
    exponents = np.array([-3.0, -4000, least, least - 1, 4000, 1024, least - 1])
    found = doubles(mantissas, exponents)
    wanted = [0.09375, 0.0, sys.float_info.min, np.nan, np.nan, 0.75 * 2.0**1023 * 2, 2.0**-1022]
    np.testing.assert_array_equal(found, wanted)


def test_nothing_is_held_of_nothing() -> None:
    assert [part.shape for part in powers(iter(()), (0, 3))] == [(0, 3), (0, 3)]
