"""The bound of one run: how likely so many right guesses are while a claim holds.

A training (or any release) is run once. Beforehand, for each of m canaries a fair coin b_i decides
whether it is among the records, or which of two records is; afterwards a rule that sees the output,
and no coin, guesses at most r of the coins. W of the guesses are right.

Databases that differ in one coin are neighbours. So for each (ε, δ) that the claim implies, and all
g of outputs with values in 0 … B, E[g | b] <= e^ε E[g | b'] + δB, where b' is b but for coin i.
Take g = y(W) where guess i is right, and 0 elsewhere. With b' that guess is wrong, and W is one
less. Averaged over all coins, which makes b' as uniform as b, and summed over i:

    E[W y(W)] <= e^ε E[(r - W) y(W + 1)] + m δ B.

Each of several pairs (ε_j, δ_j) has weights y_j of its own. Let Y(w) be their sum, and ζ(Y(w)) that
of e^ε_j y_j(w). Where w Y(w) - (r - w) ζ(Y(w + 1)) >= [w >= v] - A for every w of 0 … r, the
expectation of this inequality is

    P[W >= v] <= A + m Σ δ_j B_j.

Any weights give a bound. Nothing is asked of how canaries act together: where they disturb each
other, guesses are worse, and the bound stays. With one pair (ε, δ) and the best A a mechanism
reaches the bound: nothing else that is counted of as many guesses tells more. It is below that of
Steinke, Nasr & Jagielski (2023), Theorem 5.2. Mahloujifar, Melis & Chaudhuri (2024) bound the
events W >= c in this way, with the whole profile of a claim.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

BITS = 400
"""Binary places of the weights (chances of 1e-40 keep 80 digits)."""

UNIT = 1 << BITS

SLOPE_BITS = 80
"""Binary places of e^ε and of δ (δ of 1e-12 keeps 12 digits, and is rounded up)."""

SMALLEST = 1e-40
"""The smallest chance that the bound tells apart from others."""

SLACK = 1e-12
"""Relative margin of e^ε for the rounding of its double (some thousand times what exp loses)."""


@dataclass(frozen=True)
class Weights:
    """Weights y_j(w): the sum Y(w), cut into consecutive parts, one for each pair.

    ``base``: A. ``epsilons``: of the pairs. ``lengths``: the most that each pair takes of Y(w), in
    this order, but for the last, which takes what is left.
    """

    base: float
    epsilons: tuple[float, ...]
    lengths: tuple[float, ...]


@dataclass(frozen=True)
class Counts:
    """How guesses of one run came out, or may.

    ``canaries``: all coins. ``guesses``: the most that the rule makes, fixed before the run.
    ``right``: of these.
    """

    canaries: int
    guesses: int
    right: int


def bound_chance(counts: Counts, weights: Weights, deltas: Sequence[float]) -> float:
    """A bound on the chance of at least so many right guesses, between `SMALLEST` and 1.

    ``deltas``: for each of the weights' ε, a δ with which the mechanism is (ε, δ)-DP.

    Guarantee
    ---------
    Of a mechanism that is (ε_j, δ_j)-DP for all j, whenever one coin is another, with fair and
    independent coins: no rule that guesses at most ``counts.guesses`` coins has at least
    ``counts.right`` of them right with a larger chance. Weights are made here from the largest
    number of right guesses downwards, in whole multiples of 2^-400 rounded up, so that the
    inequality above holds for every w whatever was proposed. Backed by
    ``tests/audit/auditors/one_run/test_bound.py``.
    """
    if counts.right <= 0:
        return 1.0
    slopes = [_up(Fraction(math.exp(one) * (1 + SLACK)), SLOPE_BITS) for one in weights.epsilons]
    ends = _ends(weights.lengths)
    base = _up(Fraction(max(weights.base, SMALLEST)), BITS)
    level = highest = 0
    for right in range(counts.guesses, 0, -1):
        needed = (counts.guesses - right) * _cost(level, slopes, ends) - base
        needed += UNIT if right >= counts.right else 0
        level = max(0, -(-needed // right))
        highest = max(highest, level)
        if level == 0 and right < counts.right:
            break
    # With no right guess at all, the inequality says that A is at least this.
    total = max(base, counts.guesses * _cost(level, slopes, ends))
    for part, delta in zip(_parts(highest, ends), deltas, strict=True):
        total += counts.canaries * -(-part * _up(Fraction(delta), SLOPE_BITS) // (1 << SLOPE_BITS))
    return math.nextafter(float(Fraction(total, UNIT)), 1.0) if total < UNIT else 1.0


def _ends(lengths: Sequence[float]) -> list[int]:
    """Where each part of Y but the last ends."""
    ends = [0]
    for length in lengths:
        ends.append(ends[-1] + _up(Fraction(length), BITS))
    return ends[1:]


def _parts(level: int, ends: Sequence[int]) -> list[int]:
    """How much of a level each pair takes."""
    cuts = [0, *(min(end, level) for end in ends), level]
    return [high - low for low, high in pairwise(cuts)]


def _cost(level: int, slopes: Sequence[int], ends: Sequence[int]) -> int:
    """ζ of a level, rounded up."""
    if level == 0:
        return 0
    parts = _parts(level, ends)
    return -(-sum(part * slope for part, slope in zip(parts, slopes, strict=True)) >> SLOPE_BITS)


def _up(value: Fraction, bits: int) -> int:
    """A value in multiples of 2^-bits, rounded up."""
    return -((-value.numerator << bits) // value.denominator)
