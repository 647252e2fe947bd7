"""Tables with one axis an attribute: their axes lie in one common order of all attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synthesizers.estimation.models import FloatArray

Clique = tuple[str, ...]


def summed(table: FloatArray, names: Clique, kept: Clique) -> FloatArray:
    """The table of the kept names: the others are summed."""
    if len(kept) == len(names):
        return table
    away = tuple(axis for axis, name in enumerate(names) if name not in kept)
    return np.asarray(table.sum(axis=away))


def aligned(table: FloatArray, names: Clique, wider: Clique) -> FloatArray:
    """The table with an axis of length 1 for each name that is only in ``wider``."""
    if len(wider) == len(names):
        return table
    sizes = dict(zip(names, table.shape, strict=True))
    return table.reshape([sizes.get(name, 1) for name in wider])


def divided(table: FloatArray, by: FloatArray) -> FloatArray:
    """Their quotient; 0 where the divisor is."""
    return np.divide(table, by, out=np.zeros_like(table), where=by > 0)


def contracted(tables: Sequence[tuple[Clique, FloatArray]], kept: Clique) -> FloatArray:
    """The product of tables, summed over every name that is not kept."""
    numbers: dict[str, int] = {}
    operands: list[Any] = []
    for names, table in tables:
        operands += [table, [numbers.setdefault(name, len(numbers)) for name in names]]
    return np.asarray(np.einsum(*operands, [numbers[name] for name in kept], optimize="greedy"))
