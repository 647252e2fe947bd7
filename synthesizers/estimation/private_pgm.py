"""Models of large domains by `mbi`, the authors' own Private-PGM: the only module that imports it.

The optional extra ``pgm`` (mbi on JAX). It is the reference for `graphical`, which minimises the
same loss over the same fields in doubles, without compiling anew for every junction tree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from synthesizers.errors import InputError
from synthesizers.estimation.graphical import GraphicalModel
from synthesizers.estimation.junction_trees import junction_tree
from synthesizers.estimation.models import FloatArray, NoisyMarginal, Shape

_EXTRA = (
    "inference = mbi needs the extra pgm: pip install 'dp-audit[pgm]', or use inference = "
    "junction-tree"
)


@cache
def require_mbi() -> None:
    """Import mbi and fit one model with it; InputError where it is absent.

    A program is watched while it runs, and opens no file then: what JAX reads when it starts, it
    reads here.
    """
    size = {"a": 2, "b": 2}
    answers = [NoisyMarginal(("a", "b"), np.ones(4), 1.0, None)]
    fit_mbi(size, answers, 4.0, 2)


def fit_mbi(
    shape: Shape, measured: Sequence[NoisyMarginal], total: float, steps: int
) -> GraphicalModel:
    """The field of a total that fits what was measured, after ``steps`` steps of mirror descent.

    Its clique laws are those of mbi's model, in single precision made doubles.
    """
    mbi = _mbi()
    model = mbi.estimation.MirrorDescent().estimate(
        mbi.Domain.fromdict(dict(shape)),
        [_measurement(mbi, noisy) for noisy in measured],
        known_total=total,
        iters=steps,
    )
    tree = junction_tree(shape, [tuple(noisy.attributes) for noisy in measured])
    laws = []
    for clique in tree.cliques:
        law = np.asarray(model.project(clique).datavector(), np.float64)
        laws.append((law / law.sum()).reshape([shape[name] for name in clique]))
    shares = {name: np.full(size, 1 / size) for name, size in shape.items()}
    return GraphicalModel(shape, total, tree, tuple(laws), shares, {})


def _measurement(mbi: ModuleType, noisy: NoisyMarginal) -> Any:
    known: dict[str, Callable[[Any], Any]] = {}
    if noisy.matrix is not None:
        matrix: FloatArray = noisy.matrix.toarray()
        known = {"query": lambda factor: matrix @ factor.datavector()}
    deviation = float(np.sqrt(noisy.variance))
    return mbi.LinearMeasurement(noisy.counts, noisy.attributes, stddev=deviation, **known)


def _mbi() -> ModuleType:
    # It looks for accelerators otherwise, and writes of it to standard error.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        return import_module("mbi")
    except ImportError as error:
        raise InputError(_EXTRA) from error
