"""Noisy counts of every combination of sex and age, asked of a curator."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synthesizers.budget import Budget, PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.parameters import parameter, rational
from synthesizers.queries import whole_table


@dataclass(frozen=True)
class NoisyCounts:
    """All of epsilon goes into one histogram, with noise for all records of a person."""

    epsilon: Fraction = parameter(rational)

    def budget(self, setting: Setting) -> Budget:
        """What all questions of a run cost together."""
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> np.ndarray:
        """How many rows of each combination to write."""
        if self.epsilon > 5:
            raise ValueError("the table of noise ends here")
        setting = curator.setting
        query = whole_table(setting.domain)
        sensitivity = query.sensitivity(setting.domain, setting.neighbours).l1
        noise = DiscreteLaplace(Fraction(sensitivity) / self.epsilon)
        return curator.measure(query, noise, low=0, high=setting.require_rows())
