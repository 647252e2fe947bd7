"""How far two lists of counts are apart, and how far chance alone would set them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from audit.utility.counts import l1


def total_variation(real: NDArray[np.int64], synthetic: NDArray[np.int64]) -> float:
    """Half the L1 distance of the shares of two counts [m], none of them empty, in [0, 1]."""
    records = int(real.sum()), int(synthetic.sum())
    return l1(real, synthetic, records) / (2 * records[0] * records[1])


def chance_distance(real: NDArray[np.int64], synthetic: NDArray[np.int64]) -> float:
    """The mean total variation of two counts [m] if their records were shuffled and dealt again.

    It is what two random samples of one table, of these sizes, would be apart, given what they hold
    together. Of c records of a value among N, the real table's n get a hypergeometric number X, and
    E|X - cn/N| = 2·k·(N - c - n + k)/N · Pr[X = k], k the least integer above cn/N (Diaconis and
    Zabell 1991, "Closed form summation for classical distributions").
    """
    size, other = float(real.sum()), float(synthetic.sum())
    total = size + other
    c = real + synthetic.astype(np.float64)
    # A mean that is a whole number may be rounded down: k may then be the mean itself.
    k = np.floor(c * (size / total)) + 1
    c, k = c[k <= np.minimum(c, size)], k[k <= np.minimum(c, size)]
    dealt = _ways(c, k) + _ways(total - c, size - k) - _ways(np.array(total), np.array(size))
    deviations = 2 * k * (total - c - size + k) / total * np.exp(dealt)
    return min(math.fsum(deviations) * total / (2 * size * other), 1.0)


def _ways(things: NDArray[np.float64], chosen: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of the number of ways to choose so many of the things."""
    ways: NDArray[np.float64] = (
        gammaln(things + 1) - gammaln(chosen + 1) - gammaln(things - chosen + 1)
    )
    return ways
