"""Rationals for a theorem to state: few digits, on the side that can be proved."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath

from proofs.errors import ProofError
from proofs.kernel import Theorem
from synthesizers.intervals import from_mpf

DIGITS = 20
"""Significant digits of a number that a theorem states (a choice of this project)."""


def rounded_up(value: Fraction, digits: int = DIGITS) -> Fraction:
    """The next rational of so many significant decimal digits that is not below ``value`` >= 0."""
    if value == 0:
        return value
    places = digits - len(str(value.numerator // value.denominator or 1))
    if value < 1:
        places = digits + len(str(value.denominator // value.numerator)) - 1
    unit = Fraction(10) ** -places
    return -(-value // unit) * unit


def smallest_proved(
    value: Callable[[], mpmath.mpf], attempt: Callable[[Fraction], Theorem]
) -> Theorem:
    """The theorem of the smallest number found that the kernel accepts, at or above ``value``.

    ``value``: computed by mpmath, which nobody trusts. Raises the kernel's ProofError where no
    number close above it is accepted.
    """
    with mpmath.workdps(60):
        guess = from_mpf(mpmath.mpf(value()))
    if guess < 0:
        guess = Fraction(0)
    # A number that is attained exactly is tried as it is before it is rounded.
    tries = [guess.limit_denominator(10**6)] if guess == guess.limit_denominator(10**6) else []
    tries += [rounded_up(guess, digits) for digits in (DIGITS, DIGITS - 4, DIGITS - 8)]
    refusal = ProofError("the smallest provable number was not found")
    for stated in tries:
        for bumped in (stated, rounded_up(stated + stated / 10**12, 14)):
            try:
                return attempt(bumped)
            except ProofError as error:
                refusal = error
    raise refusal
