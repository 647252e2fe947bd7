"""Models of a table that are fitted to noisy marginals.

Source: Private-PGM (McKenna, Sheldon & Miklau 2019). Of the tables with a given total, a model is
one whose marginals come closest to what was measured, Σ ‖Q·marginal - answers‖²/(2·variance), and
of those nearly the one of largest entropy (`graphical`). Shapes are mappings from names to sizes:
an attribute may have been recoded to fewer values than it had.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Shape = Mapping[str, int]


@dataclass(frozen=True, eq=False)
class NoisyMarginal:
    """What was measured of one marginal, and how noisily.

    ``counts`` [answers]: the noisy answers; ``variance`` of each. ``matrix`` [answers, cells]:
    the linear map of the marginal that was measured; None where its cells were (last attribute
    fastest).
    """

    attributes: tuple[str, ...]
    counts: FloatArray
    variance: float
    matrix: csr_array[np.float64] | None = None


class Model(Protocol):
    """A table of known marginals, from which records are generated."""

    @property
    def total(self) -> float:
        """The sum of its counts."""

    def counts(self, attributes: Sequence[str]) -> FloatArray:
        """Its marginal of some attributes, [cells], the last one fastest."""

    def records(self, rows: int, generator: np.random.Generator) -> IntArray:
        """Codes [rows, attributes], in the order of the shape."""


def noisy_total(measured: Sequence[NoisyMarginal]) -> float:
    """The number of records that whole marginals suggest, each weighed by its variance; at least 1.

    Source: Private-PGM: a marginal's answers sum to n with variance cells · variance.
    """
    whole = [noisy for noisy in measured if noisy.matrix is None]
    weights = [1 / (noisy.variance * len(noisy.counts)) for noisy in whole]
    if not whole:
        return 1.0
    sums = [float(noisy.counts.sum()) for noisy in whole]
    return max(1.0, math.fsum(map(math.prod, zip(sums, weights, strict=True))) / math.fsum(weights))
