"""Who fits a model: our own belief propagation, or mbi; a small domain is fitted as one clique."""

from __future__ import annotations

import math
from collections.abc import Sequence

from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.estimation import graphical, private_pgm
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, round_table
from synthesizers.estimation.graphical import GraphicalModel
from synthesizers.estimation.models import Model, NoisyMarginal, Shape

JUNCTION_TREE, MBI = INFERENCES = ("junction-tree", "mbi")
"""Who fits the model of a domain that is not small: `graphical`, or `private_pgm`."""


def fit_model(
    shape: Shape,
    measured: Sequence[NoisyMarginal],
    total: float,
    steps: int,
    start: GraphicalModel | None = None,
    inference: str = JUNCTION_TREE,
) -> GraphicalModel:
    """The model of a total that fits what was measured, after ``steps`` steps of descent.

    ``start``: a model of the same shape and fewer measurements, from which the descent begins.
    ``inference``: one of `INFERENCES`; mbi begins anew, whatever the start.
    """
    small = math.prod(shape.values()) <= SMALL_DOMAIN
    if inference == MBI and measured and not small:
        return private_pgm.fit_mbi(shape, measured, total, steps)
    cliques = [tuple(shape)] if small else []
    return graphical.fit_cliques(shape, measured, total, steps, start, cliques)


def release_model(curator: Curator, model: Model, rows: int) -> Dataset:
    """Records of a model over the curator's own domain.

    A small domain's table is rounded, so that the output is a function of the transcript; from
    any other, records are drawn after a seed.
    """
    if curator.domain.size <= SMALL_DOMAIN:
        return round_table(curator.domain, model.counts(curator.domain.names), rows)
    return Dataset(curator.domain, model.records(rows, public_generator(curator)))
