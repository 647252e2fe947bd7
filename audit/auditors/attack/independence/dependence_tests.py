"""Tests of dependence between runs, valid for outputs of any law and for any number of runs.

Among the runs on one database, let U_t be the share of the first t outputs that lie below the
t-th one, ties shared out at random. If the outputs are independent draws of one law, whatever it
is, U_1, U_2, … are independent and uniform (Vovk, Gammerman & Shafer 2005, Theorem 8.2; without
ties Barndorff-Nielsen 1963), and so they are over both databases together. Every test here, but
the one of repeats, is a sum over such numbers with a bound on its exponential moments.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.signal import correlate

FloatArray = NDArray[np.float64]

VARIANCE = 1 / 12
"""Of a uniform number on [-1/2, 1/2], E[exp(λu)] = sinh(λ/2) / (λ/2) <= exp(λ² / 24)."""

BETS = (0.02, 0.2, 0.9)
"""How often a run is suspected to repeat another one (from a rare
repeat to nearly every run; each costs the evidence ln 3 nats)."""

GAPS = 16
"""How many distances between equal outcomes are looked at, besides 1 (as many as call sizes and
cycles can give; each costs one sort)."""


@dataclass(frozen=True)
class Sign:
    """A sign of dependence, in words.

    ``nats``: the logarithm of how far below its share of the error the test's p-value is; a test
    rejects at 0 and above. ``repeated``: what is seen are outputs that came again.
    """

    nats: float
    words: str
    repeated: bool = False


def uniform_ranks(
    order: NDArray[np.int64], coins: NDArray[np.bool_], random: np.random.Generator
) -> FloatArray:
    """[runs], U_t - 1/2 of each run among the earlier runs on its database.

    ``order`` [runs]: whole numbers, of which only the order counts. ``random``: shares out ties.

    Guarantee
    ---------
    Independent and uniform on [-1/2, 1/2] where outputs are independent draws of a law for each
    database, ``order`` increases with a fixed function of the output, and ``random`` is apart
    from both. Backed by ``tests/audit/auditors/attack/independence/test_dependence_tests.py``.
    """
    found = np.empty(len(order))
    for side in (False, True):
        mine = coins == side
        earlier = pd.Series(order[mine].astype(np.float64)).expanding(1)
        lowest = earlier.rank(method="min").to_numpy() - 1
        distinct = len(np.unique(order[mine])) == np.count_nonzero(mine)
        ties = 1 if distinct else earlier.rank(method="max").to_numpy() - lowest
        count = np.arange(1, np.count_nonzero(mine) + 1)
        found[mine] = (lowest + random.random(len(count)) * ties) / count - 0.5
    return found


def drift(ranks: FloatArray, error: float) -> Sign:
    """Whether outputs grow or fall in the course of the runs: Kendall's (1938) τ with time.

    Guarantee
    ---------
    ``nats`` >= 0 with probability at most ``error``, where ranks are independent and uniform: a
    sum with weights a is sub-Gaussian with variance Σa²/12. Backed by
    ``tests/audit/auditors/attack/independence/test_dependence_tests.py``.
    """
    if not len(ranks):
        return Sign(-math.inf, "")
    weights = np.arange(1.0, len(ranks) + 1)
    total = float(weights @ ranks)
    nats = total**2 / (2 * VARIANCE * float(weights @ weights)) - math.log(2 / error)
    direction = "grow" if total > 0 else "fall"
    return Sign(nats, f"outputs {direction} in the course of the runs")


def waves(ranks: FloatArray, error: float) -> Sign:
    """Whether outputs swing with some period: the largest of the periodogram.

    Guarantee
    ---------
    As of `drift`, with a share of the error for the cosine and the sine of each frequency. Backed
    by ``tests/audit/auditors/attack/independence/test_dependence_tests.py``.
    """
    runs = len(ranks)
    if runs < 2:
        return Sign(-math.inf, "")
    waves_ = np.fft.rfft(ranks)[1:]
    # Σcos² and Σsin² are runs / 2, but for the shortest period, 2, whose Σcos² is runs.
    squares = np.full(len(waves_), runs / 2)
    if runs % 2 == 0:
        squares[-1] = runs
    parts = np.maximum(waves_.real**2, waves_.imag**2) / (2 * VARIANCE * squares)
    best = int(np.argmax(parts))
    nats = float(parts[best]) - math.log(4 * len(waves_) / error)
    return Sign(nats, f"outputs swing with a period of {runs / (best + 1):.4g} runs")


def shift(ranks: FloatArray, error: float) -> Sign:
    """Whether outputs lie higher, or lower, than those that their ranks are among.

    Guarantee
    ---------
    As of `drift`, with equal weights. Backed by
    ``tests/audit/auditors/attack/independence/test_dependence_tests.py``.
    """
    if not len(ranks):
        return Sign(-math.inf, "")
    total = float(ranks.sum())
    nats = total**2 / (2 * VARIANCE * len(ranks)) - math.log(2 / error)
    return Sign(nats, f"outputs are {'higher' if total > 0 else 'lower'}")


def lags(ranks: FloatArray, error: float) -> Sign:
    """Whether runs some number k of runs apart are alike or opposite, at every k.

    Guarantee
    ---------
    As of `drift`, with the share 1/(k(k+1)) of the error for each k. Given all before it, u_t+k is
    uniform, so that exp(λ Σ u_t u_t+k - λ² Σ u_t² / 24) is a supermartingale from 1, with λ chosen
    beforehand. Backed by ``tests/audit/auditors/attack/independence/test_dependence_tests.py``.
    """
    runs = len(ranks)
    if runs < 2:
        return Sign(-math.inf, "")
    k = np.arange(1, runs)
    sums = correlate(ranks, ranks, method="fft")[runs:]
    variances = VARIANCE * np.cumsum(ranks**2)[-2::-1]
    needed = np.log(2 / error) + np.log(k) + np.log(k + 1.0)
    # The λ that is best where the variance is what is expected and the sum just suffices.
    bet = np.sqrt(2 * needed / (VARIANCE**2 * (runs - k)))
    nats = bet * abs(sums) - bet**2 / 2 * variances - needed
    best = int(np.argmax(nats))
    alike = "alike" if sums[best] > 0 else "opposite"
    strength = min(1.0, abs(sums[best]) * VARIANCE / max(variances[best], 1e-300))
    words = f"outputs {_apart(best + 1)} are {alike} (rank correlation {strength:.2f})"
    return Sign(float(nats[best]), words)


def other_coins(ranks: FloatArray, coins: NDArray[np.bool_], error: float) -> Sign:
    """Whether outputs follow the database of another run, k before or after, at every k.

    Guarantee
    ---------
    As of `lags`, with half of the share for each direction; the coins are weights ±1. Backed by
    ``tests/audit/auditors/attack/independence/test_dependence_tests.py``.
    """
    runs = len(ranks)
    if runs < 2:
        return Sign(-math.inf, "")
    sums = abs(correlate(ranks, np.where(coins, 1.0, -1.0), method="fft"))
    k = np.abs(np.arange(1 - runs, runs))
    sums, apart = np.delete(sums, runs - 1), np.delete(k, runs - 1)
    needed = np.log(4 / error) + np.log(apart) + np.log(apart + 1.0)
    nats = sums**2 / (2 * VARIANCE * (runs - apart)) - needed
    best = int(np.argmax(nats))
    when = "before" if best >= runs - 1 else "after"
    count = int(apart[best])
    words = f"outputs depend on the database of the run {count} {when}"
    return Sign(float(nats[best]), words)


def repeats(codes: NDArray[np.uint64], coins: NDArray[np.bool_], lag: int, error: float) -> Sign:
    """Whether runs are the same as those ``lag`` runs later, more often than chance has it.

    Guarantee
    ---------
    ``nats`` >= 0 with probability at most ``error``, where outputs are independent draws of a law
    for each database. Given everything after run t, and the first t outputs on its database
    without their order, run t is any of those with equal chance; so its chance p to be the same as
    run t + lag is known, and the product of 1 + q (same/p - 1) backwards in time has the mean 1.
    Backed by ``tests/audit/auditors/attack/independence/test_dependence_tests.py``.
    """
    runs = len(codes)
    if not 0 < lag < runs:
        return Sign(-math.inf, "")
    time = np.arange(runs)
    values = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    earlier, later = time[:-lag], time[lag:]
    # Runs on one database with one value are a stretch of the sorted keys, in order of time.
    group = values * 2 + coins
    keys = np.sort(group * runs + time)
    wanted = (values[later] * 2 + coins[earlier]) * runs
    like = np.searchsorted(keys, wanted + earlier, "right") - np.searchsorted(keys, wanted, "left")
    sides = np.where(coins, np.cumsum(coins), np.cumsum(~coins))[earlier]
    chance = like / sides
    same = values[earlier] == values[later]
    won = same[like > 0] / chance[like > 0]
    products = [float(np.sum(np.log1p(q * (won - 1)))) for q in BETS]
    nats = float(np.logaddexp.reduce(products)) - math.log(len(BETS) / error)
    count = int(np.count_nonzero(same))
    return Sign(nats, f"{count} of {len(same)} outputs {_apart(lag)} are the same", True)


def any_repeats(
    codes: NDArray[np.uint64], coins: NDArray[np.bool_], error: float
) -> Iterator[Sign]:
    """`repeats` at 1 and at the commonest distances between a value and its next occurrence.

    Guarantee
    ---------
    All together as `repeats`: whatever is looked at, k has the share 1/(k(k+1)).
    """
    order = np.argsort(codes, kind="stable")
    again = codes[order][1:] == codes[order][:-1]
    gaps, counts = np.unique(np.diff(order)[again], return_counts=True)
    commonest = gaps[np.argsort(-counts, kind="stable")[:GAPS]]
    for k in {1, *map(int, commonest)}:
        yield repeats(codes, coins, k, error / (k * (k + 1)))


def _apart(lag: int) -> str:
    return "of neighbouring runs" if lag == 1 else f"of runs {lag} apart"
