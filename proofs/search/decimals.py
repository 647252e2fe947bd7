"""Rationals for a theorem to state: few digits, on the side that can be proved."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath

from proofs.errors import ProofError
from proofs.kernel import Theorem
from synthesizers.intervals import from_mpf

DIGITS = 20
"""Significant digits of a number that a theorem states."""


MOST_PLACES = 2_000
"""The most digits before or after the point."""

TOO_FAR = "a number is too large, or too close to 0, for a theorem to state it"


def rounded_up(value: Fraction, digits: int = DIGITS) -> Fraction:
    """The next rational of so many significant decimal digits that is not below ``value`` >= 0.

    Raises ProofError where it would have more than `MOST_PLACES` digits before or after the point.
    """
    if value == 0:
        return value
    unit = Fraction(10) ** (power_of_ten(value) - digits + 1)
    return -(-value // unit) * unit


def power_of_ten(value: Fraction) -> int:
    """The largest p with 10^p <= ``value`` > 0.

    Raises ProofError for a number of more than `MOST_PLACES` digits before or after the point.
    """
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    if abs(bits) > 3 * MOST_PLACES:
        raise ProofError(TOO_FAR)
    # One bit is 0.30103 of a digit; the loop takes at most two steps.
    power = bits * 30103 // 100000 - 1
    while value >= Fraction(10) ** (power + 1):
        power += 1
    return power


def smallest_proved(
    value: Callable[[], mpmath.mpf], attempt: Callable[[Fraction], Theorem]
) -> Theorem:
    """The theorem of the smallest number found that the kernel accepts, at or above ``value``.

    ``value``: computed by mpmath, which nobody trusts. Raises the kernel's ProofError where no
    number close above it is accepted.
    """
    with mpmath.workdps(60):
        found = mpmath.mpf(value())
    if found > 0 and not abs(mpmath.mag(found)) <= 3 * MOST_PLACES:
        raise ProofError(TOO_FAR)
    guess = from_mpf(found) if found > 0 else Fraction(0)
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
