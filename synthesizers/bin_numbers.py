"""Numbers and dates in place of bins: drawn by public randomness, which costs no privacy."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd

from synthesizers.attributes import Attribute
from synthesizers.domain import Dataset
from synthesizers.quantities import DAY, Quantity
from synthesizers.tables import to_frame

STEPS = 1000
"""Numbers that a bin has at least where an edge is no whole number: enough to look continuous."""

MOST_STEPS = 2**53
"""The most numbers of a bin, so that one is drawn among all."""


def to_numbers(dataset: Dataset, seed: int) -> pd.DataFrame:
    """Return the records as labels, as ``to_frame``, with a number as text for each bin.

    The number is uniform among the whole ones of its bin where all edges of the attribute are
    whole, and else among the decimals of as many places as give at least ``STEPS``. Of dates it is
    a day, and of times a second, drawn alike. ``seed``: of the draws, public.

    **Guarantee.** The numbers depend on the bins and the seed alone, and are read back as the same
    bins: backed by ``tests/synthesizers/test_bin_numbers.py``.
    """
    random = np.random.default_rng(seed)
    frame = to_frame(dataset)
    for place, attribute in enumerate(dataset.domain.attributes):
        if attribute.edges is None:
            continue
        codes, write = dataset.codes[:, place], attribute.quantity.write
        texts = frame[attribute.name].to_numpy(dtype=object, copy=True)
        for code in range(len(attribute.edges) - 1):
            rows = np.flatnonzero(codes == code)
            step, first, size = _grid(attribute, code)
            drawn = random.integers(size, size=len(rows)).tolist()
            texts[rows] = [write(step * (first + further)) for further in drawn]
        frame[attribute.name] = texts
    return frame


def _grid(attribute: Attribute, code: int) -> tuple[Fraction, int, int]:
    """A step, the first of its multiples that lies in a bin, and how many do."""
    assert attribute.edges is not None
    low, high = attribute.edges[code : code + 2]
    step = Fraction(DAY if attribute.quantity is Quantity.DATES else 1)
    if any(edge.denominator > 1 for edge in attribute.edges):
        while (high - low) / step < STEPS:
            step /= 10
    while (high - low) / step > MOST_STEPS:
        step *= 10
    first, last = math.ceil(low / step), math.floor(high / step)
    # Bins are left-closed, but for the last one.
    ends = code == len(attribute.edges) - 2
    # 24:00 ends a day, and few who read tables take it for a time.
    if last * step == high and (not ends or (attribute.quantity is Quantity.TIMES and high == DAY)):
        last -= 1
    return step, first, last - first + 1
