"""pMSE as SDNist 2.x computes it, to the last bit given the seed of its tree.

``sdnist/metrics/propensity.py``: one tree of depth 6, scored on the records it was fitted to,
and a Python sum over the records in their order. The program leaves the seed to numpy's global
generator; ``numpy.random.seed(s)`` before it gives what the seed s gives here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.utility.propensity.features import Features, Tables
from audit.utility.propensity.learners import Cart
from audit.utility.records import Records, is_numeric
from synthesizers.attributes import Attribute

TREE = Cart(depth=6, smallest_leaf=1)
"""The program's classifier; scikit-learn's defaults hold for all but the depth."""

NONE = -1.0
"""Stands for "not applicable" and blanks (``sdnist/report/dataset/transform.py``)."""

NONE_BELOW = ("PINCP", "POVPIP")
"""The two ACS columns of which the lowest declared number less 1 stands for it."""


def sdnist_features(tables: Tables) -> Features:
    """Numbers cut to whole ones, and codes where the values are no numbers.

    Columns by their names, as the program's report hands them over: ties of a tree depend on it.
    """
    attributes = sorted(tables[0].domain.attributes, key=lambda attribute: attribute.name)
    columns = [
        np.concatenate([_column(table, attribute) for table in tables]) for attribute in attributes
    ]
    matrix = np.column_stack(columns).astype(np.float32)
    return Features(matrix, tuple(attribute.name for attribute in attributes))


def sequential_pmse(probabilities: NDArray[np.float64], share: float) -> float:
    """The mean of (p - c)² with the program's order of operations.

    Squares of scalars and of arrays may differ in the last bit, and so may sums in
    another order.
    """
    values, places = np.unique(probabilities, return_inverse=True)
    squares = np.array([(value - share) ** 2 for value in values])
    total = np.add.accumulate(squares[places])[-1]
    return float(1 / len(probabilities) * total)


def _column(table: Records, attribute: Attribute) -> NDArray[np.float64]:
    codes = table.column(attribute.name)
    if is_numeric(attribute):
        numbers = np.trunc(table.numbers(attribute.name))
    else:
        missing = attribute.missing & (codes == attribute.size - 1)
        numbers = np.where(missing, np.nan, codes.astype(np.float64))
    return np.where(np.isnan(numbers), _none(attribute), numbers)


def _none(attribute: Attribute) -> float:
    """The number that stands for "not applicable" in a column."""
    if attribute.name not in NONE_BELOW or not is_numeric(attribute):
        return NONE
    return min(map(float, attribute.edges or attribute.values)) - 1
