"""What the Laplace and the geometric sanitizer share: one noised histogram.

With n public and two cells, the first cell alone is noised and the second is
what is left of n. Otherwise every cell is noised and clamped to [0, n], or to
[0, rows] where n is private. The counts are rescaled to the public number of
rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Budget, PureBudget
from synthesizers.calibration import laplace_scale
from synthesizers.curator import Curator, Setting
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.neighbours import Neighbours
from synthesizers.noise import DiscreteLaplace, RoundedLaplace, require_positive
from synthesizers.programs.parameters import parameter, rational, relation, switch
from synthesizers.queries import CellCounts, Query, whole_table


def histogram_query(setting: Setting) -> Query:
    """The one question: the first of two cells where n is public, else the whole table."""
    if setting.records is not None and setting.domain.size == 2:
        return CellCounts((0,))
    return whole_table(setting.domain)


@dataclass(frozen=True, slots=True)
class HistogramSanitizer:
    """A program of one noisy histogram; its subclasses name the noise.

    ``epsilon``: the cost of the one question. ``rescale``: bring the counts to
    the public number of rows. ``calibrated_for``: the relation that the noise is
    made for, the analysed one if None.
    """

    epsilon: Fraction = parameter(rational)
    rescale: bool = parameter(switch, True)
    calibrated_for: Neighbours | None = parameter(relation, None)
    noise: ClassVar[type[DiscreteLaplace] | type[RoundedLaplace]]

    def __post_init__(self) -> None:
        require_positive(self.epsilon, "epsilon")

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(Fraction(self.epsilon), self.calibrated_for)

    def __call__(self, curator: Curator) -> NDArray[np.int64]:
        """Counts over the domain's cells."""
        setting = curator.setting
        rows = setting.require_rows()
        question = _question(self, setting)
        if question is None:
            # One cell and n public: the table is known before anything is asked.
            return np.array([rows], np.int64)
        query, law = question
        bound = rows if setting.records is None else setting.records
        noisy = curator.measure(query, law, low=0, high=bound).tolist()
        rescale = self.rescale
        if isinstance(query, CellCounts):
            noisy.append(bound - noisy[0])
            rescale = rescale and rows != bound
        counts = largest_remainder(noisy, rows) if rescale else noisy
        return np.array(counts, np.int64)


@lru_cache(maxsize=64)
def _question(
    program: HistogramSanitizer, setting: Setting
) -> tuple[Query, DiscreteLaplace | RoundedLaplace] | None:
    """The query and its noise, None where its answer is public.

    Runs of one setting are many, and each would make them anew.
    """
    query = histogram_query(setting)
    made_for = setting.neighbours if program.calibrated_for is None else program.calibrated_for
    sensitivity = query.sensitivity(setting.domain, made_for)
    if sensitivity.l1 == 0:
        return None
    return query, program.noise(laplace_scale(program.epsilon, sensitivity))
