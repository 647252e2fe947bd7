"""Bracketing: both ends are certified by the profile itself, whatever the guess."""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs.errors import ProofError
from proofs.search.bracket import MAX_EVALUATIONS, bracket
from synthesizers.intervals import Interval, exp_interval

F = Fraction


def falling(epsilon: Fraction) -> Interval:
    """e^-(ε + 1)."""
    return exp_interval(-epsilon - 1)


def straight(epsilon: Fraction) -> Interval:
    """1 - ε/1000, down to 0: no logarithm is straight."""
    value = max(1 - epsilon / 1000, F(0))
    return Interval(value, value)


@pytest.mark.parametrize("guess", [F(0), F(1, 10**9), F(9), F("12.8"), F(1000)])
def test_both_ends_are_certified_and_close(guess: Fraction) -> None:
    delta, width = F("1e-6"), F("1e-12")
    low, high = bracket(falling, delta, guess, width)
    assert falling(low).lower > delta >= falling(high).upper
    assert 0 < high - low <= width


@pytest.mark.parametrize("delta", ["0.7", "1e-3", "1/999999"])
def test_a_profile_that_is_not_straight_in_its_logarithm(delta: str) -> None:
    low, high = bracket(straight, F(delta), F(1), F("1e-10"))
    assert low <= 1000 * (1 - F(delta)) <= high and high - low <= F("1e-10")


def test_the_answer_is_zero_where_the_profile_begins_below() -> None:
    assert bracket(falling, F(1, 2), F(5), F("1e-9")) == (0, 0)


def test_wide_enclosures_give_a_wide_bracket_and_an_end() -> None:
    def blurred(epsilon: Fraction) -> Interval:
        exact = falling(epsilon)
        return Interval(exact.lower * F(9, 10), exact.upper * F(11, 10))

    delta = F("1e-6")
    low, high = bracket(blurred, delta, F(3), F("1e-12"))
    assert blurred(low).lower > delta >= blurred(high).upper
    assert F(1, 10) < high - low < 2


@pytest.mark.parametrize("value", [Interval(F(1, 2), F(1, 2)), Interval(F(0), F(1))])
def test_a_profile_that_never_falls_is_given_up(value: Interval) -> None:
    calls = 0

    def level(epsilon: Fraction) -> Interval:
        nonlocal calls
        calls += 1
        return value

    with pytest.raises(ProofError, match="certified"):
        bracket(level, F("1e-6"), F(1), F("1e-9"))
    assert calls <= MAX_EVALUATIONS + 4


def test_few_evaluations_find_sixteen_digits() -> None:
    calls = 0

    def counted(epsilon: Fraction) -> Interval:
        nonlocal calls
        calls += 1
        return falling(epsilon)

    bracket(counted, F("1e-30"), F(60), F("1e-16"))
    assert calls < 30
