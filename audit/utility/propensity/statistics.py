"""What is read off the probabilities of both tables' records: pMSE, SPECKS, PO50, U."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Propensities:
    """How many records of either table have each probability of being synthetic.

    ``values`` [m] ascend; ``real`` and ``synthetic`` [m] are numbers of records, both
    positive in all. ``share`` is c, the part of the synthetic table in both together.
    No statistic depends on the order of the records.
    """

    values: NDArray[np.float64]
    real: NDArray[np.int64]
    synthetic: NDArray[np.int64]
    share: float

    @classmethod
    def of(
        cls, probabilities: NDArray[np.float64], labels: NDArray[np.bool_], share: float
    ) -> Propensities:
        """The distinct probabilities [N] of records with ``labels`` [N], True if synthetic."""
        values, places = np.unique(probabilities, return_inverse=True)
        counts = np.bincount(2 * places + labels, minlength=2 * len(values)).reshape(-1, 2)
        return cls(values, counts[:, 0], counts[:, 1], share)

    @property
    def records(self) -> tuple[int, int]:
        """The numbers of scored records, real and synthetic."""
        return int(self.real.sum()), int(self.synthetic.sum())

    def pmse(self) -> float:
        """The mean of (p - c)² over all records (Bowen & Snoke, equation 7)."""
        squares = (self.real + self.synthetic) * (self.values - self.share) ** 2
        return math.fsum(squares) / sum(self.records)

    def specks(self) -> Fraction:
        """The Kolmogorov-Smirnov distance of the probabilities of the two tables."""
        real, synthetic = self.records
        gaps = np.cumsum(self.real) * synthetic - np.cumsum(self.synthetic) * real
        return Fraction(int(np.abs(gaps).max()), real * synthetic)

    def po50(self) -> Fraction:
        """Percent of records told right at the threshold 1/2, minus 50.

        A record is called synthetic above 1/2 and real at 1/2, as in synthpop 1.9-2.
        """
        above = self.values > 0.5
        right = int(self.synthetic[above].sum()) + int(self.real[~above].sum())
        return Fraction(100 * right, sum(self.records)) - 50

    def u(self) -> Fraction:
        """Wilcoxon's U: pairs with the synthetic record above the real one, ties half."""
        below = np.cumsum(self.real) - self.real
        doubled = sum(
            int(s) * (2 * int(b) + int(r))
            for s, b, r in zip(self.synthetic, below, self.real, strict=True)
        )
        return Fraction(doubled, 2)

    def densities(self, bins: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The shares [bins] of the real and the synthetic records in equal bins of [0, 1]."""
        places = np.minimum((self.values * bins).astype(np.int64), bins - 1)
        real, synthetic = (
            np.bincount(places, weights=counts, minlength=bins)
            for counts in (self.real, self.synthetic)
        )
        records = self.records
        return real / records[0], synthetic / records[1]
