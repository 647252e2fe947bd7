"""Column shapes and pair trends as SDMetrics 0.32 has them: what it drops, lends and leaves out."""

from __future__ import annotations

import numpy as np

from audit.utility.numeric_columns import Grouping, Numbers
from audit.utility.pair import Marginal
from synthesizers.domain import Attribute

NEW_VALUE = 1e-6
"""Records that the program lends to a value that no real one has: ``get_frequencies``."""

DECIMALS = 14
"""Numbers are rounded to so many decimals before they are compared: ``kscomplement.py``."""

CORRELATION_THRESHOLD, ASSOCIATION_THRESHOLD = 0.5, 0.3
"""Pairs with no more than that are left out of the mean: ``reports/utils.py``."""

SUBSAMPLE = 50_000
"""Above so many records the program counts pairs in an unseeded subsample: ``reports/utils.py``."""


def compared_numbers(numbers: Numbers) -> Numbers:
    """The numbers of a column that the program compares."""
    return numbers[~np.isnan(numbers)].round(DECIMALS)


def program_complement(marginal: Marginal, attribute: Attribute) -> float | None:
    """1 - the total variation of a column of values; None if a table has none."""
    kept = np.ones(len(marginal.cells), dtype=bool)
    if attribute.missing and not attribute.missing_label:
        kept = marginal.cells != len(attribute.values)
    real, synthetic = marginal.real[kept].astype(float), marginal.synthetic[kept]
    if not real.sum() or not synthetic.sum():
        return None
    real[real == 0] = NEW_VALUE
    gaps = np.abs(real / real.sum() - synthetic / synthetic.sum())
    return max(1 - 0.5 * float(gaps.sum()), 0.0)


def program_bins(real: Numbers, synthetic: Numbers, bins: int) -> Grouping:
    """Each table's own bins of equal width, so that a shift goes unseen."""
    codes = []
    for numbers in (real, synthetic):
        edges = np.histogram_bin_edges(numbers[~np.isnan(numbers)], bins=bins)
        # The largest number has a bin of its own, and NaN falls there too.
        codes.append(np.digitize(numbers, edges) - 1)
    return codes[0], codes[1], tuple(f"bin {k + 1}" for k in range(bins + 1))
