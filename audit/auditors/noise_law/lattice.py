"""Which numbers come out: the lattice of outputs, and whether it tells the true value.

Noise that is drawn and added in doubles has low bits that depend on the true value, whatever its
law in real numbers (Mironov 2012, "On significance of the least significant bits for differential
privacy"). Noise on a lattice that does not depend on the value shows nothing in this way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from audit.auditors.attack.guessing.floors import claimed_value, floor, p_value, rate_matters
from audit.auditors.attack.guessing.guesses import Guesses, chances
from audit.auditors.noise_law.laws import FloatArray, NoiseLaw
from proofs.guarantees import ApproxDP, Guarantee

ULPS = 4.0
"""Rounding errors that a difference of two doubles may carry (one each
of noise, sum and subtraction, and one to spare)."""

GAPS = 1000
"""The smallest gaps of which the lattice is made."""

MOST_LOSS = 30.0
"""A claimed loss above which no output can speak against it (one wrong
guess in 10^13)."""


def ulps(draws: FloatArray) -> float:
    """The rounding error that sums and differences of numbers of this size may carry."""
    largest = float(np.max(abs(draws), initial=0.0))
    return ULPS * float(np.spacing(largest)) if math.isfinite(largest) else math.inf


def spacing(draws: FloatArray) -> float:
    """The largest step of which all differences of draws are multiples, `ulps` aside.

    Where there is none above the rounding error, it is the rounding error; inf where all draws are
    equal, which any lattice could have done.

    Guarantee
    ---------
    For numbers on a lattice it is at least the lattice's step, so that whatever was rounded to it
    moved by at most the result. Backed by ``tests/audit/auditors/noise_law/test_noise_lattice.py``.
    """
    least = ulps(draws)
    gaps = np.diff(np.unique(draws))
    gaps = np.sort(gaps[gaps > least])[:GAPS]
    if not len(gaps):
        return math.inf
    step, error = float(gaps[0]), least
    for gap in gaps[1:].tolist():
        step, error = _common((gap, least), (step, error))
    return step + error


def _common(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """A common divisor of two lengths, each with its error: Euclid's algorithm.

    Too large rather than too small: a rest that the errors of all multiples could make is none.
    """
    while True:
        multiple = round(first[0] / second[0])
        rest = abs(first[0] - multiple * second[0])
        error = first[1] + multiple * second[1]
        if rest <= error:
            return second
        first, second = second, (rest, error)


def precision(draws: FloatArray) -> int:
    """The bits of the shortest binary floating-point format that holds every draw; at most 53."""
    found = draws[(draws != 0) & np.isfinite(draws)]
    if not len(found):
        return 53
    mantissa = (np.frexp(abs(found))[0] * 2.0**53).astype(np.int64)
    return 53 - int(np.min(_zeros(mantissa)))


def _zeros(mantissa: NDArray[np.int64]) -> NDArray[np.int64]:
    """Trailing zero bits of positive integers below 2^53."""
    lowest = (mantissa & -mantissa).astype(np.float64)
    return np.frexp(lowest)[1].astype(np.int64) - 1


def last_bits(draws: FloatArray) -> NDArray[np.int64]:
    """[draws], the exponent of the largest power of two that divides each; 2000 for 0."""
    fraction, exponent = np.frexp(abs(draws))
    mantissa = (fraction * 2.0**53).astype(np.int64)
    # A 1 in place of a 0, whose answer is replaced.
    found = _zeros(np.maximum(mantissa, 1)) + exponent.astype(np.int64) - 53
    return np.where(mantissa > 0, found, 2000)


LatticeRule = Callable[[FloatArray], NDArray[np.int8]]
"""[outputs], 1 and -1 for a guess of the first and of the second value, 0 for none."""


@dataclass(frozen=True)
class Leak:
    """What a frozen rule learned of which value was noised.

    ``ratio``: of the p-value and the error; at most 1 rejects. ``floor``: the loss between the two
    values is at least this, at the error. ``limit``: the loss that the declared law allows.
    """

    words: str
    guesses: Guesses
    ratio: float
    floor: float
    limit: float


def leak(
    first: FloatArray,
    second: FloatArray,
    law: NoiseLaw,
    values: tuple[float, float],
    coins: NDArray[np.bool_],
    error: float,
) -> Leak | None:
    """Whether outputs [n] of two values are told apart better than the declared law allows.

    Half of the outputs choose what is looked at, the others, with ``coins`` [n] that pick the
    value, test it. None where the declared law allows any
    distinction between the values, or no output is compared.

    Guarantee
    ---------
    ``ratio`` at most 1 with probability at most ``error`` for every mechanism whose outputs are
    independent, and are declared noise added to the value, each of the three rounded by any fixed
    rule that moves it by at most the step of the outputs' lattice. What is compared of the outputs
    is frozen before the coins; given a guess, its accuracy is at most e^loss/(1 + e^loss). Backed
    by ``tests/audit/auditors/noise_law/test_noise_lattice.py``.
    """
    half = len(first) // 2
    learned = (first[:half], second[:half])
    step = max(spacing(learned[0]), spacing(learned[1]))
    shift = values[1] - values[0]
    limit = law.loss(shift, step)
    low, high = law.window(shift)
    if not limit <= MOST_LOSS or not low < high:
        return None
    claim = ApproxDP(Fraction(limit) * (1 + Fraction(1, 10**9)), Fraction(0))

    def inside(outputs: FloatArray) -> NDArray[np.bool_]:
        return (outputs - values[0] >= low) & (outputs - values[0] <= high)

    learned = (learned[0][inside(learned[0])], learned[1][inside(learned[1])])
    if not all(map(len, learned)):
        return None
    tested = np.where(coins[half:], second[half:], first[half:])
    return _clearest(learned, tested, inside(tested), coins[half:], limit, claim, error)


def leak_beyond(
    first: FloatArray,
    second: FloatArray,
    tested: FloatArray,
    coins: NDArray[np.bool_],
    guarantee: Guarantee,
    error: float,
) -> Leak:
    """Whether the same rules tell two databases apart better than a guarantee allows.

    They are learned of outputs [n] of each, and tested on others [m] with their ``coins``.

    Guarantee
    ---------
    ``ratio`` at most 1 with probability at most ``error`` for every mechanism that satisfies the
    guarantee between the databases, if its runs are independent. Backed by
    ``tests/audit/auditors/noise_law/test_noise_of_boxes.py``.
    """
    compared = np.ones(len(tested), np.bool_)
    limit = min(float(claimed_value(guarantee)), MOST_LOSS)
    return _clearest((first, second), tested, compared, coins, limit, guarantee, error)


def _clearest(
    learned: tuple[FloatArray, FloatArray],
    tested: FloatArray,
    compared: NDArray[np.bool_],
    coins: NDArray[np.bool_],
    limit: float,
    claim: Guarantee,
    error: float,
) -> Leak:
    """What the best of the rules that were learned showed of the outputs that are compared."""
    rules = (_by_bits(*learned, limit), _by_values(*learned))
    found = []
    for words, rule in rules:
        guessed = np.where(compared, rule(tested), 0)
        right = int(np.count_nonzero(guessed == np.where(coins, -1, 1)))
        made = int(np.count_nonzero(guessed))
        guesses = Guesses(len(tested), right, made - right, one_sided=False)
        ratio = p_value(guesses, claim) * len(rules) / error
        least = floor(chances(guesses, error / len(rules), rate_matters(claim)), claim)
        found.append(Leak(words, guesses, ratio, least, limit))
    return min(found, key=lambda one: one.ratio)


def _by_bits(first: FloatArray, second: FloatArray, limit: float) -> tuple[str, LatticeRule]:
    """Outputs whose last bit stands at some place or below, or at it or above."""
    bits = (last_bits(first), last_bits(second))
    places = np.unique(np.concatenate(bits))
    best = (-1.0, 0, 1, 1)
    for direction in (1, -1):
        ordered = np.sort(direction * places)
        # How many of each value have their last bit on this side of each place.
        one, two = [np.searchsorted(np.sort(direction * b), ordered, "right") for b in bits]
        for sign, mine, others in ((1, one, two), (-1, two, one)):
            worth = _worth(mine, others, 1 / (1 + math.exp(-limit)))
            at = int(np.argmax(worth))
            best = max(best, (float(worth[at]), direction * int(ordered[at]), direction, sign))
    _, place, direction, sign = best

    def rule(outputs: FloatArray) -> NDArray[np.int8]:
        return np.where(direction * last_bits(outputs) <= direction * place, sign, 0).astype(
            np.int8
        )

    holds = "no multiples of" if direction == 1 else "multiples of"
    power = place + 1 if direction == 1 else place
    which = "first" if sign == 1 else "second"
    return f"outputs that are {holds} 2^{power} speak for the {which} value", rule


def _worth(right: NDArray[np.int64], wrong: NDArray[np.int64], chance: float) -> FloatArray:
    """How much counts of guesses speak against an accuracy of at most ``chance``: nats to order by.

    Chernoff's exponent, which stays a number where p-values are below the doubles.
    """
    made = np.maximum(right + wrong, 1)
    accuracy = np.maximum(right / made, chance)
    other = xlogy(1 - accuracy, (1 - accuracy) / (1 - chance))
    return np.asarray(made * (xlogy(accuracy, accuracy / chance) + other))


def _by_values(first: FloatArray, second: FloatArray) -> tuple[str, LatticeRule]:
    """Outputs that came out before, under one of the two values alone."""
    mine, others = np.setdiff1d(first, second), np.setdiff1d(second, first)

    def rule(outputs: FloatArray) -> NDArray[np.int8]:
        return np.isin(outputs, mine).astype(np.int8) - np.isin(outputs, others).astype(np.int8)

    return "outputs that came out before under one of the two values alone", rule
