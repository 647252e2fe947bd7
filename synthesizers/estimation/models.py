"""Models of a table that are fitted to noisy marginals.

Source: Private-PGM (McKenna, Sheldon & Miklau 2019). Of the tables with a given total, a model is
one whose marginals come closest to what was measured, Σ ‖Q·marginal - answers‖²/(2·variance), and
of those nearly the one of largest entropy. A small domain is fitted whole (`dense`), any other by
belief propagation (`graphical`). Shapes are mappings from names to sizes: an attribute may have
been recoded to fewer values than it had.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, rounded_table

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Shape = Mapping[str, int]

JUNCTION_TREE, MBI = INFERENCES = ("junction-tree", "mbi")
"""Who fits the model of a domain that is not small: `graphical`, or `private_pgm`."""


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


def fitted(
    shape: Shape,
    measured: Sequence[NoisyMarginal],
    total: float,
    steps: int,
    start: Model | None = None,
    inference: str = JUNCTION_TREE,
) -> Model:
    """The model of a total that fits what was measured, after ``steps`` steps of descent.

    ``start``: a model of the same shape and fewer measurements, from which the descent begins.
    ``inference``: one of `INFERENCES`; mbi begins anew, whatever the start.
    """
    # They import this module for what they take and give.
    from synthesizers.estimation import dense, graphical, private_pgm

    if math.prod(shape.values()) <= SMALL_DOMAIN:
        return dense.fitted(shape, measured, total, steps)
    if inference == MBI and measured:
        return private_pgm.fitted(shape, measured, total, steps)
    earlier = start if isinstance(start, graphical.GraphicalModel) else None
    return graphical.fitted(shape, measured, total, steps, earlier)


def released(curator: Curator, model: Model, rows: int) -> Dataset:
    """Records of a model over the curator's own domain.

    A small domain's table is rounded, so that the output is a function of the transcript; from
    any other, records are drawn after a seed.
    """
    if curator.domain.size <= SMALL_DOMAIN:
        return rounded_table(curator.domain, model.counts(curator.domain.names), rows)
    return Dataset(curator.domain, model.records(rows, public_generator(curator)))
