"""Counts as contingency tables: one axis an attribute, the last attribute fastest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import InputError
from synthesizers.plain import require_integers

IntArray = NDArray[np.int64]


def require_shape(shape: object) -> tuple[int, ...]:
    """Return the shape of a domain; InputError unless it is one positive size an attribute."""
    sizes = require_integers(shape, "shape of a table")
    if not sizes or min(sizes) < 1:
        raise InputError("a table's shape is one positive number of values an attribute")
    return sizes


def contingency_table(counts: IntArray, shape: tuple[int, ...]) -> IntArray:
    """Counts [cells] over the domain's cells as a table of that shape.

    Raises InputError for another number of cells.
    """
    if len(counts) != math.prod(shape):
        raise InputError(
            f"the law is made for a table of {math.prod(shape)} cells, found {len(counts)}; "
            "make it from the domain's own shape"
        )
    return np.asarray(counts, np.int64).reshape(shape)
