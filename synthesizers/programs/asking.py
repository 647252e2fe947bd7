"""What programs share in asking: bounds of noisy counts, and how many rows come out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.calibration import gaussian_variance
from synthesizers.curator import Curator, Setting
from synthesizers.errors import InputError
from synthesizers.noise import DiscreteGaussian
from synthesizers.queries import Query, Sensitivity, Total

WIDE = 2**40
"""The bound of a noisy count where none is given: beyond every table and its noise, so that
clamping changes nothing (tables have fewer than 2^28 records)."""


LEAST_SHARE = Fraction(1, 10**6)
"""The least share of a budget that a question may have, and that is left for others: noise stays
within 64 bits."""


def require_share(share: Fraction, name: str) -> None:
    """InputError unless a share of the budget leaves some for the question and for the others."""
    if not LEAST_SHARE <= share <= 1 - LEAST_SHARE:
        raise InputError(
            f"{name} must lie between 0 and 1, both excluded, and at least 1e-6 from either"
        )


def bounds_of_counts(setting: Setting, slack: int | None) -> tuple[int, int]:
    """The declared ``low, high`` of noisy counts.

    ``slack``: how far beyond 0 and the public number of rows an answer may lie;
    None for no bound that matters. Enumeration needs a small one.
    """
    if slack is None:
        return -WIDE, WIDE
    return -slack, setting.require_rows() + slack


def gaussian_noise(rho: Fraction, sensitivity: Sensitivity) -> DiscreteGaussian:
    """Noise at the price of ``rho``; of variance 1 where no unit moves the answers."""
    return DiscreteGaussian(gaussian_variance(rho, sensitivity) or Fraction(1))


def gaussian_counts(
    curator: Curator, query: Query, rho: Fraction, slack: int | None
) -> NDArray[np.int64]:
    """Counts with discrete Gaussian noise at the price of ``rho``."""
    noise = gaussian_noise(rho, query.sensitivity(curator.domain, curator.neighbours))
    low, high = bounds_of_counts(curator.setting, slack)
    return curator.measure(query, noise, low=low, high=high)


def noisy_records(curator: Curator, rho: Fraction, slack: int | None) -> float:
    """The number of records with noise at the price of ``rho``; at least 1."""
    return max(1.0, float(gaussian_counts(curator, Total(), rho, slack)[0]))


def count_of_all(setting: Setting) -> int:
    """What a count is that no unit moves: that of all records, in public."""
    assert setting.records is not None
    return setting.records


def rows_released(setting: Setting, noisy_total: float) -> int:
    """The public number of rows where there is one, otherwise what the noisy answers say of n."""
    return max(0, round(noisy_total)) if setting.rows is None else setting.rows
