"""Is each draw new? Dependence of draws on each other, and draws that come back too often.

None of the tests of dependence needs the declared law: they hold for independent draws of any
law. How often draws repeat is compared with the most that the declared law allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from audit.auditors.attack.independence.dependence_tests import (
    any_repeats,
    drift,
    lags,
    uniform_ranks,
    waves,
)
from audit.auditors.noise_law.fit import p_value
from audit.auditors.noise_law.lattice import precision, spacing
from audit.auditors.noise_law.laws import MARGIN, FloatArray, NoiseLaw, upto

LONGEST = 20_000
"""Draws of which ranks are taken (a correlation of 0.06 is then seen,
and it takes 0.1 s)."""


@dataclass(frozen=True)
class Sign:
    """What was looked at, in words. ``ratio``: p-value over its share; at most 1 rejects."""

    words: str
    ratio: float


def serial(draws: FloatArray, random: np.random.Generator, error: float) -> Sign:
    """Whether draws in their order depend on each other, by the tests of dependence of attacks.

    Guarantee
    ---------
    ``ratio`` at most 1 with probability at most ``error`` for independent draws of any one law
    (`audit.auditors.attack.independence.dependence_tests`). Backed by
    ``tests/audit/auditors/noise_law/test_noise_freshness.py``.
    """
    looked = draws[:LONGEST]
    alone = np.zeros(len(looked), np.bool_)
    order = np.unique(looked, return_inverse=True)[1].astype(np.int64)
    ranks = uniform_ranks(order, alone, random)
    share = error / 4
    signs = [test(ranks, share) for test in (drift, waves, lags)]
    signs += list(any_repeats(order.astype(np.uint64), alone, share))
    worst = max(signs, key=lambda sign: sign.nats)
    return Sign(worst.words.replace("outputs", "draws").replace("run", "draw"), _ratio(worst.nats))


def _ratio(nats: float) -> float:
    return math.exp(min(700.0, -nats))


def between(
    first: FloatArray, second: FloatArray, law: NoiseLaw, rounding: float, error: float
) -> Sign:
    """Whether two columns of noise [n] share draws, row by row.

    ``rounding``: by how much equal draws may differ.

    Guarantee
    ---------
    ``ratio`` at most 1 with probability at most ``error`` where both columns are independent and,
    for equal sizes, of the declared law on their lattice. Signs and sizes are compared by Fisher's
    exact test, whatever the law; of equal draws, the chance is at most that of the likeliest
    place. Backed by ``tests/audit/auditors/noise_law/test_noise_freshness.py``.
    """
    pmax = max(likeliest(law, first, rounding=rounding), likeliest(law, second, rounding=rounding))
    centred = (first - law.centre, second - law.centre)
    middle = abs(_median_size(law))
    found = []
    for words, differences in (("equal", first - second), ("opposite", centred[0] + centred[1])):
        count = int(np.count_nonzero(abs(differences) <= rounding))
        found.append(
            (p_value(count, len(first), (0.0, pmax)), f"{count} of {len(first)} pairs are {words}")
        )
    for words, one, two in (
        ("signs agree", centred[0] > 0, centred[1] > 0),
        ("sizes agree", abs(centred[0]) > middle, abs(centred[1]) > middle),
    ):
        agree = int(np.count_nonzero(one == two))
        found.append((_fisher(one, two), f"{words} in {agree} of {len(first)} pairs"))
    chance, words = min(found)
    return Sign(words, chance * len(found) / error)


def _median_size(law: NoiseLaw) -> float:
    places = law.scale * np.linspace(0, 4, 401)
    outside = law.above(law.centre + places) + upto(law, law.centre - places)
    return float(places[int(np.argmin(abs(outside - 0.5)))])


def _fisher(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Two-sided, twice the smaller tail of the hypergeometric law."""
    n, one, two = len(first), int(np.count_nonzero(first)), int(np.count_nonzero(second))
    both = int(np.count_nonzero(first & second))
    low = float(hypergeom.cdf(both, n, one, two))
    high = float(hypergeom.sf(both - 1, n, one, two))
    return min(1.0, 2 * (1 + MARGIN) * min(low, high))


def likeliest(
    law: NoiseLaw, outputs: FloatArray, value: float = 0.0, rounding: float = 0.0
) -> float:
    """The most that the chance of any single output, value plus noise, can be.

    ``rounding``: by how much outputs may differ that count as one.

    Guarantee
    ---------
    At least the chance of the likeliest outcome of declared noise, added to the value, that was
    rounded to a lattice, or to a floating-point format, on which all outputs lie: it comes from
    noise within a step on either side. Backed by
    ``tests/audit/auditors/noise_law/test_noise_freshness.py``.
    """
    if law.discrete:
        return law.peak * (1 + MARGIN) if rounding < 0.5 else 1.0
    lattice = 2 * (spacing(outputs) + rounding) * law.peak
    relative = 2.0 ** (1 - precision(outputs))
    if relative > 0.5:
        return 1.0
    by_size = law.peak_by_size + abs(value) * law.peak
    floating = 2 * relative / (1 - relative) * by_size
    return min(1.0, max(lattice, floating) * (1 + MARGIN))


@dataclass(frozen=True)
class Repeats:
    """Draws, or rows of draws, that are equal to an earlier one.

    ``expected``: the most that the declared law lets one expect. ``outcomes``: the number of
    equally likely ones that would give as many repeats; inf without any.
    """

    repeats: int
    drawn: int
    expected: float
    outcomes: float
    ratio: float


def repeats(rows: FloatArray, chance: float, error: float) -> Repeats:
    """Birthdays: whether rows [n] or [n, m] come back more often than any has ``chance``.

    Guarantee
    ---------
    ``ratio`` at most 1 with probability at most ``error`` for independent rows none of which is
    likelier than ``chance``. Given those before, the i-th repeats one of them with a chance of at
    most i·chance, so that exponential moments of the number of repeats are at most those of a sum
    of independent coins, and Chernoff's bound e^-mu·(e·mu/k)^k holds for k repeats. Backed by
    ``tests/audit/auditors/noise_law/test_noise_freshness.py``.
    """
    drawn = len(rows)
    found = drawn - len(np.unique(rows, axis=0))
    pairs = drawn * (drawn - 1) / 2
    mean = min(pairs * chance, float(drawn))
    if found <= mean:
        chernoff = 1.0
    else:
        chernoff = math.exp(found - mean - found * math.log(found / mean)) if mean > 0 else 0.0
    outcomes = pairs / found if found else math.inf
    return Repeats(found, drawn, mean, outcomes, chernoff / error)
