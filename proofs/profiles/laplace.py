"""The profile of k equal Laplace losses, in closed form.

Let one loss be ε₀·(1 - 2t), 0 <= t <= 1; it weighs t by e^(-ε₀t)·ν(dt) with ν = ½ at 0 and at 1
each, and of density ε₀/2 between. With x = (kε₀ - ε)/2 the losses' sum ε₀·(k - 2t) is above ε for
t < x/ε₀, so that

    δ(ε) = ∫_{ε₀t<x} (e^(-ε₀t) - e^(ε-kε₀+ε₀t)) ν*ᵏ(dt) = e^-x·∫_{ε₀t<x} 2·sinh(x - ε₀t) ν*ᵏ(dt).

In the variable ε₀t the Laplace transforms are ½·((1 + 1/s) + e^(-ε₀s)·(1 - 1/s)) of ν, and
2/(s² - 1) of 2·sinh. In the k-th power the latter cancels from all but the first summand:

    e^x·δ(ε) = 2^(1-k)·Σ_{l < x/ε₀} C(k,l)·p_l(x - lε₀),

where s²·(transform of p_l) = (1 + 1/s)^(k-l-1)·(1 - 1/s)^(l-1): so for l >= 1 the polynomial
p_l(y) = Σ_{n<=k-2} cₙ·y^(n+1)/(n+1)!, cₙ the integer coefficient of zⁿ in
(1+z)^(k-l-1)·(1-z)^(l-1). For l = 0 it is a series whose cₙ are the partial sums of C(k-1,i),
i <= n: 2^(k-1)·(e^y - 1) less the polynomial with the sums over i > n. (Here l < k/2, as ε >= 0.)
The p_l cancel each other, by up to about k bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb

from proofs.errors import ProofError
from proofs.losses import LaplaceLoss, Losses, Side
from proofs.profiles.method import Hint
from proofs.profiles.responses import bits_of
from synthesizers.intervals import Interval, exp_interval

MAX_COUNT = 1000
"""The most losses; the work grows as their square."""


def delta(losses: Losses, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of equal Laplace losses; both sides are alike.

    ``hint``: ``bits``, so that the width is about 2^-bits. Raises ProofError for other losses,
    Laplace losses that differ, or more than `MAX_COUNT` of them.

    Guarantee
    ---------
    δ lies inside. Backed by contour integrals, direct integration and reference values in
    ``tests/proofs/profiles/test_laplace_profile.py``.
    """
    bits = bits_of("laplace", hint)
    count, rate = _equal(losses)
    top = (count * rate - epsilon) / 2
    if top <= 0:
        return Interval(Fraction(0), Fraction(0))
    # Of the p_l's bits k may cancel; those of k² steps may be lost to rounding.
    bits += count + 2 * count.bit_length()
    falling = exp_interval(-top, bits)
    found = _polynomials(count, rate, top, bits)
    # 1 - δ = e^-x·(1 + 2^(1-k)·(the polynomial of l = 0 less the others)) >= 0.
    scale = Fraction(1, 1 << (bits + count - 1))
    lower = max(1 + found[0] * scale, Fraction(0)) * falling.lower
    upper = (1 + found[1] * scale) * falling.upper
    return Interval(max(1 - upper, Fraction(0)), min(1 - lower, Fraction(1)))


def _equal(losses: Losses) -> tuple[int, Fraction]:
    """How many losses there are, and their ε₀; those of ε₀ = 0 don't count."""
    count, rates = 0, set()
    for times, loss in losses:
        if not isinstance(loss, LaplaceLoss):
            raise ProofError(f"the method laplace knows no loss of the kind {loss.name}")
        if times and loss.epsilon:
            count += times
            rates.add(loss.epsilon)
    if len(rates) > 1 or count > MAX_COUNT:
        raise ProofError(f"the method laplace needs equal losses, and at most {MAX_COUNT} of them")
    return count, rates.pop() if rates else Fraction(0)


def _polynomials(count: int, rate: Fraction, top: Fraction, bits: int) -> tuple[int, int]:
    """The polynomial of l = 0 at ``top`` less Σ_{l>=1} C(k,l)·p_l, enclosed in units of 2^-bits."""
    row = [comb(count - 1, i) for i in range(count - 1, 0, -1)]
    lower, upper = _value(list(accumulate(row))[::-1], top, bits)
    place, ways = top - rate, count
    coefficients = [comb(count - 2, n) for n in range(count - 1)] if count > 1 else []
    chosen = 1
    while place > 0:
        low, high = _value(coefficients, place, bits)
        lower, upper = lower - ways * high, upper - ways * low
        place -= rate
        ways = ways * (count - chosen) // (chosen + 1)
        chosen += 1
        coefficients = _multiply_by_turn(coefficients)
    return lower, upper


def _multiply_by_turn(coefficients: Sequence[int]) -> list[int]:
    """A polynomial's coefficients times (1-z)/(1+z), which divides it."""
    found, before, last = [], 0, 0
    for coefficient in coefficients:
        last = coefficient - before - last
        before = coefficient
        found.append(last)
    return found


def _value(coefficients: Sequence[int], place: Fraction, bits: int) -> tuple[int, int]:
    """Σ cₙ·y^(n+1)/(n+1)! at a ``place`` y > 0, enclosed in units of 2^-bits."""
    low = (place.numerator << bits) // place.denominator
    lower = upper = 0
    for n in reversed(range(len(coefficients))):
        coefficient = coefficients[n] << bits
        lower, upper = lower + coefficient, upper + coefficient
        # y lies between low and low + 1 units; // and >> round down.
        lower = (lower * (low + (lower < 0)) >> bits) // (n + 1)
        upper = -((-upper * (low + (upper > 0)) >> bits) // (n + 1))
    return lower, upper
