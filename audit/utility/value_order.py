"""The order in which official programs sort the values of an attribute."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthesizers.attributes import Attribute
from synthesizers.numerals import is_decimal


@lru_cache(maxsize=1024)
def ascending(attribute: Attribute) -> NDArray[np.int64]:
    """The rank [size + 1] of each code when values ascend, the code for values outside last.

    Bins ascend, numbers go by size and other texts by their characters, as in a
    sorted pandas index. The missing value is first: the official programs code it
    as -1. The order of the values decides the order of floating-point sums.
    """
    declared = range(len(attribute.values))
    if attribute.edges is not None:
        order = list(declared)
    elif all(map(is_decimal, attribute.values)):
        order = sorted(declared, key=lambda code: Fraction(attribute.values[code]))
    else:
        order = sorted(declared, key=lambda code: attribute.values[code])
    missing = [len(attribute.values)] if attribute.missing else []
    ranks = np.empty(attribute.size + 1, dtype=np.int64)
    ranks[[*missing, *order, attribute.size]] = np.arange(attribute.size + 1)
    # One array for all who ask.
    ranks.setflags(write=False)
    return ranks
