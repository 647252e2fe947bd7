"""The standard normal law: certified enclosures of its distribution function and of its quantiles.

As in `intervals.py`, values come from mpmath at a precision far above the one asked for and are
widened. A quantile is only guessed: its ends are moved outwards until the distribution function,
enclosed, lies on the right side of the probability at both of them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import mpmath

from synthesizers.errors import InputError, TooLargeError
from synthesizers.intervals import (
    GUARD_BITS,
    Interval,
    enclose,
    from_mpf,
    log_interval,
    to_mpf,
)

MAX_DISTANCE = 1 << 10
"""The largest |x| for which Φ(x) is computed: its ends are fractions of 0.72·x² bits."""

LEAST_IN_DOUBLES = Fraction(2) ** -1000
"""The probability from which a quantile is first guessed in doubles."""

MAX_STEPS = 100
"""Newton's steps after which a guess is taken as it is; a handful suffice."""

HALF = Fraction(1, 2)


def normal_cdf(x: Fraction, bits: int) -> Interval:
    """An interval of relative half-width 2^-``bits``, inside [0, 1], that holds Φ(``x``).

    The relative precision is that of the lower tail: for a positive x ask for Φ(-x) = 1 - Φ(x)
    where the distance from 1 matters. Raises TooLargeError where |``x``| exceeds `MAX_DISTANCE`.

    Guarantee
    ---------
    Φ(x) lies inside, if mpmath's erfc is right but for 2^`GUARD_BITS` units of its working
    precision, or FLINT confirms it. Backed by the comparisons with the power series and the
    continued fraction in ``tests/synthesizers/test_normal.py``.
    """
    if abs(x) > MAX_DISTANCE:
        raise TooLargeError(
            f"a normal law is asked about more than {MAX_DISTANCE} deviations from its centre; "
            "use a smaller mu or a larger probability"
        )
    if x == 0:
        return Interval(HALF, HALF)
    # A relative error e of the argument is one of about e·x² in the lower tail: at most 20 bits
    # at `MAX_DISTANCE`.
    found = enclose(
        lambda at: at.erfc(-at.rational(x) / at.sqrt(at.mpf(2))) / 2, bits + GUARD_BITS + 20, bits
    )
    return Interval(found.lower, min(found.upper, Fraction(1)))


@lru_cache(maxsize=65536)
def normal_quantile(p: Fraction, bits: int) -> Interval:
    """An interval of relative half-width about 2^-``bits`` that holds Φ⁻¹(``p``), 0 < p < 1.

    A p above 1/2 is taken through its complement, which a fraction has without cancellation.
    Raises InputError for other p, TooLargeError where the quantile lies beyond `MAX_DISTANCE`.

    Guarantee
    ---------
    Φ(lower) <= p <= Φ(upper), each by `normal_cdf`, and Φ increases: the guess is not trusted.
    Backed by ``tests/synthesizers/test_normal.py``.
    """
    if not 0 < p < 1:
        raise InputError("a normal quantile needs a probability strictly between 0 and 1")
    if p == HALF:
        return Interval(Fraction(0), Fraction(0))
    if p > HALF:
        return -normal_quantile(1 - p, bits)
    # Φ⁻¹(p) is close to 2.5·(p - 1/2) next to 1/2: as many bits cancel there.
    distance = HALF - p
    cancelled = max(0, distance.denominator.bit_length() - distance.numerator.bit_length() + 1)
    finer = bits + cancelled + 4
    guess = _guess(p, bits, finer)
    step = max(abs(guess), distance) / 2**bits
    below, above = step, step
    while normal_cdf(guess - below, finer).upper > p:
        below *= 2
    while normal_cdf(guess + above, finer).lower < p:
        above *= 2
    return Interval(guess - below, guess + above)


def _guess(p: Fraction, bits: int, finer: int) -> Fraction:
    """Newton's steps towards Φ⁻¹(p), p < 1/2, on ln Φ, which is concave: they can't leave."""
    with mpmath.workprec(finer + GUARD_BITS):
        x, goal, root = mpmath.mpf(_start(p)), to_mpf(p), mpmath.sqrt(2)
        for _ in range(MAX_STEPS):
            tail = mpmath.erfc(-x / root) / 2
            density = mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)
            step = mpmath.log(goal / tail) * tail / density
            x += step
            # The error left is about the square of the last step.
            if abs(step) <= abs(x) * mpmath.ldexp(1, -(bits // 2) - 4):
                break
        return from_mpf(x)


def _start(p: Fraction) -> float:
    """Φ⁻¹(p) to the digits of doubles; for the smallest p, a point to its left."""
    if p >= LEAST_IN_DOUBLES:
        return NormalDist().inv_cdf(min(float(p), 0.5))
    start = -math.sqrt(-2 * log_interval(p, 53).lower)
    if start < -MAX_DISTANCE:
        raise TooLargeError(
            f"a probability is so small that the normal law has it beyond {MAX_DISTANCE} "
            "deviations; use a larger probability"
        )
    return start
