"""What the quality scores of SDMetrics have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.utility.compat.programs import SDMETRICS
from audit.utility.metric import FIXED, Metric
from audit.utility.numeric_columns import numeric_names
from synthesizers.domain import Domain


@dataclass(frozen=True, kw_only=True)
class QualityScore(Metric):
    """What the three scores share: a range, two modes, and which attributes are numbers."""

    lowest, highest, direction = 0.0, 1.0, "higher"
    modes = (FIXED, SDMETRICS)

    numeric: tuple[str, ...] | None = None

    def check(self, domain: Domain) -> None:
        """Refuse numeric attributes that are none."""
        numeric_names(domain, self.numeric)


def mean_of(values: Sequence[float]) -> float:
    """The mean, summed as NumPy does."""
    return float(np.sum(values)) / len(values)
