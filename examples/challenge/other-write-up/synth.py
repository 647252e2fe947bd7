"""Noisy counts of every combination of sex and age, and of sex, asked of a curator."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synthesizers.budget import Budget, PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.parameters import parameter, rational
from synthesizers.queries import Marginal, whole_table


@dataclass(frozen=True)
class NoisyCounts:
    """Half of epsilon goes into each of two questions."""

    epsilon: Fraction = parameter(rational)

    def budget(self, setting: Setting) -> Budget:
        """What all questions of a run cost together."""
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> np.ndarray:
        """How many rows of each combination to write."""
        setting = curator.setting
        noise = DiscreteLaplace(2 * setting.neighbours.unit.max_records / self.epsilon)
        rows = setting.require_rows()
        counts = curator.measure(whole_table(setting.domain), noise, low=0, high=rows)
        # The write-up does not speak of this one.
        women, men = curator.measure(Marginal(("sex",)), noise, low=0, high=rows)
        return np.concatenate([fit(counts[:3], women), fit(counts[3:], men)])


def fit(counts: np.ndarray, total: int) -> np.ndarray:
    """Counts in the same proportions that add up to a total, as nearly as rounding lets them."""
    return counts * total // max(int(counts.sum()), 1)
