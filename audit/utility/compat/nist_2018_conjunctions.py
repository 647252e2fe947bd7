"""The random conjunctions of the NIST 2018 program: how it draws queries and sums their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synthesizers.attributes import Attribute

PROGRAM_PROBABILITY = 0.10
"""The chance of a condition in the ground-truth generator, whose tables have 98 columns."""


def founding_rows(records: int, draws: int, random: np.random.Generator) -> NDArray[np.int64]:
    """The records that found a query: they are drawn with replacement, and repeats collapse."""
    return np.unique(random.integers(records, size=draws))


def listed_codes(attribute: Attribute) -> int:
    """The number of codes of an attribute of listed values: the program has none for a blank."""
    blank = attribute.missing and not attribute.missing_label
    return attribute.size - int(blank)


def program_score(errors: Sequence[float]) -> tuple[float, float]:
    """The score and the root mean square of the log errors, in the program's order."""
    total = 0.0
    for error in errors:
        total += error * error
    spread = math.sqrt(total / len(errors))
    return 1e6 * max(0, (1 + spread / math.log(1e-3))), spread
