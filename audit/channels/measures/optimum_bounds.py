"""Certified bounds on the least loss, from whatever a solver proposes.

From multipliers of any kind a bound from below, by weak duality; from chances of
any kind a mechanism that keeps every limit exactly, hence a bound from above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from audit.channels.measures.mechanisms import Mechanisms
from synthesizers.intervals import Interval, round_down

FloatArray = NDArray[np.float64]

BITS = 96
"""Binary places to which a solver's numbers are taken: far more than a double's error leaves."""


def least_loss_below(
    mechanisms: Mechanisms, factor: Interval, prior: FloatArray, prices: FloatArray
) -> Fraction:
    """A lower bound on the loss of every ε-DP mechanism, averaged with a prior over classes.

    ``factor`` encloses e^ε. ``prior``, ``prices``: any numbers; negative ones and
    those that are not numbers count as 0, a prior of nothing but 0 as uniform.
    Being a bound on an average, it is one on the largest loss, too.

    Guarantee
    ---------
    With s <= e^-ε, every mechanism has X_b - s·X_a >= 0 for each limit, and its chances sum
    to 1. So with prices p >= 0 and u_C the least of prior·loss + (s·Σ_a p - Σ_b p)/copies
    over the entries of class C (a: the limits that the entry comes first in; b: last), its
    loss is at least Σ u_C. All of it is computed in rationals. Backed by arbitrary prices
    in ``tests/audit/channels/measures/test_optimum_bounds.py``.
    """
    shrink = round_down(1 / factor.upper, BITS)
    weights = _whole(prior)
    if not any(weights):
        weights = [size << BITS for size in mechanisms.sizes.tolist()]
    net = [0] * len(mechanisms.owners)
    for (first, last), price in zip(mechanisms.limits.tolist(), _whole(prices), strict=True):
        net[first] += shrink.numerator * price
        net[last] -= shrink.denominator * price
    least: list[Fraction | None] = [None] * len(weights)
    for owner, copies, loss, extra in zip(
        mechanisms.owners.tolist(),
        mechanisms.copies.tolist(),
        mechanisms.losses.tolist(),
        net,
        strict=True,
    ):
        value = weights[owner] * loss + Fraction(extra, shrink.denominator * copies)
        found = least[owner]
        least[owner] = value if found is None else min(found, value)
    total = sum((value for value in least if value is not None), Fraction(0)) / sum(weights)
    return max(total, Fraction(0))


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One mechanism: the chance of an entry is its weight divided by ``total``."""

    weights: Sequence[Fraction | int]
    total: int

    def losses(self, mechanisms: Mechanisms) -> list[Fraction]:
        """The exact expected loss under a database of each class."""
        sums = [Fraction(0)] * len(mechanisms.sizes)
        factors = (mechanisms.copies * mechanisms.losses).tolist()
        for owner, factor, weight in zip(
            mechanisms.owners.tolist(), factors, self.weights, strict=True
        ):
            sums[owner] += factor * weight
        return [value / self.total for value in sums]


def private_mechanisms(
    mechanisms: Mechanisms, factor: Interval, chances: FloatArray
) -> list[Mechanism]:
    """Mechanisms near the proposed chances that keep every limit; at least one.

    ``factor`` encloses e^ε. The first is the same for all databases that a chain of neighbours
    joins. The second, where e^ε > 1 is certain, is the proposal mixed with as little of the
    uniform mechanism as it takes.

    Guarantee
    ---------
    Chances are whole multiples of one unit, sum to 1 exactly and are not negative; each
    limit X_a <= e^ε·X_b holds exactly for the lower end of ``factor``. Backed by the check
    of every limit in ``tests/audit/channels/measures/test_optimum_bounds.py``.
    """
    weights, total = _normalise(mechanisms, chances)
    levelled = Mechanism(_level(mechanisms, weights), total)
    lower = max(round_down(factor.lower, BITS), Fraction(1))
    # A weight t more for all keeps n·(X_a + t) <= m·(X_b + t), with e^ε >= m/n.
    excess = max(
        (
            lower.denominator * weights[a] - lower.numerator * weights[b]
            for a, b in mechanisms.limits.tolist()
        ),
        default=0,
    )
    if excess <= 0:
        return [levelled, Mechanism(weights, total)]
    if lower == 1:
        return [levelled]
    more = -(-excess // (lower.numerator - lower.denominator))
    mixed = Mechanism([weight + more for weight in weights], total + more * mechanisms.outputs)
    return [levelled, mixed]


def _normalise(mechanisms: Mechanisms, chances: FloatArray) -> tuple[list[int], int]:
    """Whole weights, none negative, of one total for all databases; in proportion to the chances.

    What a database's chances lack of 1 is shared by its outputs.
    """
    weights = _whole(chances)
    owners = mechanisms.owners.tolist()
    missing = [1 << BITS] * len(mechanisms.sizes)
    for owner, copies, weight in zip(owners, mechanisms.copies.tolist(), weights, strict=True):
        missing[owner] -= copies * weight
    shared = [
        mechanisms.outputs * weight + missing[owner]
        for owner, weight in zip(owners, weights, strict=True)
    ]
    lift = max(0, -min(shared))
    return [weight + lift for weight in shared], mechanisms.outputs * ((1 << BITS) + lift)


def _level(mechanisms: Mechanisms, weights: Sequence[int]) -> list[Fraction]:
    """The weights averaged over all entries that limits join, directly or through others.

    Under one output these are the databases that neighbours join, so the total stays.
    """
    count = len(weights)
    first, last = mechanisms.limits.T
    joined = sparse.coo_matrix((np.ones(len(first)), (first, last)), shape=(count, count))
    number, parts = connected_components(joined, directed=False)
    pairs = (mechanisms.sizes[mechanisms.owners] * mechanisms.copies).tolist()
    sums, sizes = [0] * number, [0] * number
    for part, pair, weight in zip(parts.tolist(), pairs, weights, strict=True):
        sums[part] += pair * weight
        sizes[part] += pair
    means = [Fraction(total, size) for total, size in zip(sums, sizes, strict=True)]
    return [means[part] for part in parts.tolist()]


def _whole(values: FloatArray) -> list[int]:
    """Multiples of 2^-`BITS` next below the values; 0 for what is negative or no number."""
    cleaned = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    return [int(math.ldexp(value, BITS)) for value in np.clip(cleaned, 0, 2.0**64).tolist()]
