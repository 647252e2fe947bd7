"""One attribute drawn: bars of categories, or steps over numbers and other values in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from audit.report.picture import Box, Line, Plot, Side, Sides, from_zero
from audit.report.utility.data.across import lay_out
from audit.report.utility.data.words import distances_text, share_text, shares_text, top_of
from audit.report.words import short
from audit.utility.data.attribute_counts import AttributeCounts
from audit.utility.data.pooling import Pooling, even_starts, is_ordered, pool_neighbours
from synthesizers.attributes import Attribute

MAX_BARS = 10
"""The most groups that are drawn as bars, beside missing values and those outside the domain."""

DIFFERENT = 3
"""How many of them may be drawn since tables differ in them, and not since they are frequent."""

MAX_STEPS = 25
"""The most groups of neighbours: wide enough to be told apart."""

HEIGHT = 110.0
HEADROOM = 1.06
LONGEST_NAME = 60


def draw_attribute(
    attribute: Attribute, counted: AttributeCounts, files: Sequence[str]
) -> Sides | Plot:
    """The attribute in the real table and in the first ``files``."""
    one = counted.of_first(len(files))
    values = len(attribute.values)
    if attribute.edges is not None or (is_ordered(attribute) and values > MAX_BARS):
        return _steps(attribute, one, files)
    pooling = one.pool_telling(values, MAX_BARS, DIFFERENT)
    shares = _shares(one, pooling)
    top = top_of(shares)
    rows = tuple(
        Side(
            short(name, LONGEST_NAME),
            shares_text(row),
            tuple(min(share / top, 1.0) for share in row),
            tuple(bool(share > top) for share in row),
        )
        for name, row in zip(pooling.labels, shares.T.tolist(), strict=True)
    )
    cut = "Bars with a gap go on beyond the picture." if (shares > top).any() else ""
    return Sides(
        attribute.name, _apart(one, files), _fact(pooling.labels, shares, files, cut), rows
    )


def _shares(one: AttributeCounts, pooling: Pooling) -> NDArray[np.float64]:
    """The shares [tables, groups] of records in groups."""
    counts = pooling.sums(one.table())
    shares: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _apart(one: AttributeCounts, files: Sequence[str]) -> str:
    return f"Distance {distances_text(files, one.distances, one.chances)}."


def _fact(
    labels: Sequence[str], shares: NDArray[np.float64], files: Sequence[str], cut: str = ""
) -> str:
    """Where a file is farthest from the real table; and what the picture does not show."""
    apart = np.abs(shares[1:] - shares[0])
    file, group = divmod(int(apart.argmax()), apart.shape[1])
    if not apart[file, group]:
        return f"No difference. {cut}".strip()
    where = short(labels[group], LONGEST_NAME)
    real, synthetic = share_text(shares[0, group]), share_text(shares[file + 1, group])
    return f"Farthest apart at {where}: {real} real, {synthetic} in {files[file]}. {cut}".strip()


def _steps(attribute: Attribute, one: AttributeCounts, files: Sequence[str]) -> Plot:
    """Groups of neighbours as steps: the real table filled, a line a file."""
    values = len(attribute.values)
    starts = even_starts(values, MAX_STEPS)
    pooling = pool_neighbours(attribute, one.labels, starts)
    shares = _shares(one, pooling)
    across = lay_out(attribute, (*starts, values))
    heights = 100 * shares[:, : len(starts)] / across.widths
    top = top_of(heights) or 1.0
    box = Box(across.axis, from_zero(across.measure, HEADROOM * top), HEIGHT)

    def steps(row: list[float]) -> tuple[tuple[float, float], ...]:
        both = zip(pairwise(across.ends), row, strict=True)
        return tuple((end, height) for sides, height in both for end in sides)

    real, *others = (steps(row) for row in heights.tolist())
    ground = ((real[0][0], 0.0), *real, (real[-1][0], 0.0))
    merged = -(-values // len(starts))
    notes = [f"Each step is {merged} values or bins."] if merged > 1 else []
    notes += [across.note] if across.note else []
    if (heights > top).any():
        tallest = share_text(float(shares[:, : len(starts)].max()))
        notes.append(f"The highest step, {tallest} of a table, goes on beyond the picture.")
    for group in range(len(starts), len(pooling.labels)):
        told = shares_text(shares[:, group].tolist())
        notes.append(f"Not drawn: {pooling.labels[group]}, {told}.")
    return Plot(
        attribute.name,
        _apart(one, files),
        _fact(pooling.labels, shares, files, " ".join(notes)),
        box,
        areas=(Line("t0", ground),),
        lines=(Line("t0", real), *(Line(f"t{k}", row) for k, row in enumerate(others, 1))),
    )
