"""Slow and obvious versions of the trade-off function and of the smallest μ of a channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np

from audit.channels.channel import Channel
from synthesizers.intervals import float_below
from tests.audit.channels.slow_measures import DIGITS, channel_of_rows, fractions, ordered_pairs
from tests.synthesizers.brute_force import fraction

Errors = tuple[Fraction, Fraction]


def all_errors(channel: Channel) -> set[Errors]:
    """The errors (α, β) of every test that rejects on some set of outputs, for every pair."""
    table = fractions(channel)
    found = {(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))}
    for a, b in ordered_pairs(channel):
        for rejected in product((0, 1), repeat=len(channel.outputs)):
            alpha = sum((p for p, r in zip(table[a], rejected, strict=True) if r), Fraction(0))
            beta = sum((q for q, r in zip(table[b], rejected, strict=True) if not r), Fraction(0))
            found.add((alpha, beta))
    return found


def slow_tradeoff(points: set[Errors], alpha: Fraction) -> Fraction:
    """The least β of a coin toss between two tests whose mean α is the one given, or less."""
    least = min(beta for a, beta in points if a <= alpha)
    for a0, b0 in points:
        for a1, b1 in points:
            if a0 < alpha < a1:
                least = min(least, b0 + (b1 - b0) * (alpha - a0) / (a1 - a0))
    return least


def dyadic_channel(rows: Sequence[Sequence[float]]) -> tuple[Channel, list[list[Fraction]]]:
    """A channel whose chances are the doubles given, rounded to multiples of 2^-60.

    Two more outputs, also doubles, make the chances add up to 1. With them as fractions: what they
    add up to is known without any rounding.
    """
    table = []
    for row in rows:
        given = [Fraction(round(p * 2**60), 2**60) for p in row]
        rest = 1 - sum(given, Fraction(0))
        most = Fraction(float_below(rest))
        table.append([*given, most, rest - most])
    chances = np.array([[float(p) for p in row] for row in table])
    assert [[Fraction(p) for p in row] for row in chances.tolist()] == table
    return replace(channel_of_rows(table), lower=chances, upper=chances, exact=None), table


def slow_quantile(p: Fraction) -> mpmath.mpf:
    """Φ⁻¹(p), by the inverse error function."""
    with mpmath.workdps(2 * DIGITS):
        return mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p.numerator) / p.denominator - 1)


def slow_gdp(channel: Channel) -> mpmath.mpf:
    """The largest Φ⁻¹(1 - α) - Φ⁻¹(β) over every set of outputs of every pair."""
    largest = mpmath.mpf(0)
    for alpha, beta in all_errors(channel):
        if (alpha == 0 and beta < 1) or (beta == 0 and alpha < 1):
            return mpmath.inf
        if 0 < alpha < 1 and 0 < beta < 1:
            with mpmath.workdps(2 * DIGITS):
                largest = max(largest, slow_quantile(1 - alpha) - slow_quantile(beta))
    return largest


def gaussian_delta(mu: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """δ(ε) of μ-GDP: Dong, Roth & Su 2022, Corollary 1 (in the preprint, 2.13)."""
    with mpmath.workdps(DIGITS):
        m, e = fraction(mu), fraction(epsilon)
        return mpmath.ncdf(-e / m + m / 2) - mpmath.exp(e) * mpmath.ncdf(-e / m - m / 2)
