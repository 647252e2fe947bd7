"""One pass over a channel: every pair of neighbours, every column, a few at a time.

Measures that are a maximum or a sum over outputs take part as a `Reducer`. Entries are looked at
in chunks that fit a processor's cache, and no more than a few columns need to exist at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audit.channels.channel import UNIT_ROUNDOFF
from audit.channels.columns import Block, Columns, Powers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

CHUNK = 1 << 16
"""Entries (pairs × columns) that are looked at together: some arrays of them fit a cache of 2 MB
(`benchmarks/measures.py` prints the rates)."""

RATIO_ERROR = 4 * UNIT_ROUNDOFF
"""More than the rounding of one quotient and of its widening."""

_SMALL, _LARGE = 2.0**-1022, np.finfo(np.float64).max


@dataclass(frozen=True, slots=True)
class Side:
    """One end of what is known of P, Q and P/Q for some pairs, [pairs, columns] each."""

    p: FloatArray
    q: FloatArray
    ratio: FloatArray


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some pairs of neighbours on some columns.

    ``pairs``: their places in the sweep's list; ``sources``, ``targets``: row numbers, each of
    them distinct in groups of `group_pairs`. ``low``: P at its lower and Q at its upper end, so P/Q
    at its lower; ``high``: the other way round. They are one object where ``error`` alone tells
    the ends apart: P and Q are known within that relative error more, their quotient within
    ``ratio_error``. P/Q is 1 where both are 0, and infinite only in ``low`` where P is certainly
    not 0 and Q certainly is.
    """

    block: Block
    pairs: slice
    sources: IntArray
    targets: IntArray
    low: Side
    high: Side

    @property
    def error(self) -> float:
        """Relative error of P and of Q beyond their ends."""
        return self.block.error

    @property
    def ratio_error(self) -> float:
        """Relative error of P/Q beyond its ends."""
        return 2 * self.block.error * (1 + 2 * self.block.error) + RATIO_ERROR


class Reducer(Protocol):
    """A measure that is collected chunk by chunk."""

    def add(self, chunk: Chunk) -> None:
        """Take the pairs and columns of a chunk into account; each comes exactly once."""

    def finish_block(self, block: Block) -> None:
        """All pairs have been seen on these columns."""


def group_pairs(columns: Columns, pairs: IntArray) -> tuple[IntArray, list[slice]]:
    """Pairs of row numbers, [pairs, 2], grouped so that no row comes twice on a side.

    Returns them in that order, and the groups as slices.
    """
    if not len(pairs):
        return pairs, []
    steps = columns.databases[pairs[:, 1]] - columns.databases[pairs[:, 0]]
    # Two pairs that differ by the same step from the same row would be the same pair.
    _, numbers = np.unique(steps, axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1)).tolist()
    return pairs[order], [slice(a, b) for a, b in pairwise([*starts, len(pairs)])]


def orient(pairs: IntArray, way: int, pair: int) -> tuple[int, int]:
    """The two rows of a pair, the numerator's first; ``way`` 1 is the other way round."""
    source, target = pairs[pair].tolist()
    return (source, target) if way == 0 else (target, source)


def sweep(
    columns: Columns, pairs: IntArray, groups: Sequence[slice], reducers: Sequence[Reducer]
) -> None:
    """Show pairs of rows on every column to the reducers.

    ``pairs``, ``groups``: of `group_pairs`, or pairs in slices of them that no chunk is to cross.

    Guarantee
    ---------
    Each pair meets each column once, and the ends of ``low`` and ``high`` enclose P, Q
    and P/Q as `Chunk` says. Backed by ``tests/audit/channels/measures/test_sweep.py``.
    """
    sweep_blocks(columns.blocks(), pairs, groups, reducers)


def sweep_blocks(
    blocks: Iterable[Block], pairs: IntArray, groups: Sequence[slice], reducers: Sequence[Reducer]
) -> None:
    """The same on some of the columns."""
    for block in blocks:
        for chunk in _chunks(block, pairs, groups):
            for reducer in reducers:
                reducer.add(chunk)
        for reducer in reducers:
            reducer.finish_block(block)


def _chunks(block: Block, pairs: IntArray, groups: Sequence[slice]) -> Iterator[Chunk]:
    step = max(1, CHUNK // block.lower.shape[1])
    for group in groups:
        for start in range(group.start, group.stop, step):
            part = slice(start, min(start + step, group.stop))
            sources, targets = pairs[part, 0], pairs[part, 1]
            low, high = _sides(block, sources, targets)
            yield Chunk(block, part, sources, targets, low, high)


def ratios(columns: Columns, source: int, target: int) -> Iterator[tuple[int, Side]]:
    """The upper ends of P/Q of one pair, [1, columns] at a time, with the first column's number."""
    for block in columns.blocks():
        yield block.first, _sides(block, np.array([source]), np.array([target]))[1]


def _sides(block: Block, sources: IntArray, targets: IntArray) -> tuple[Side, Side]:
    lower, upper = block.lower, block.upper
    p_low, q_low = lower[sources], lower[targets]
    if upper is lower:
        ratio = _quotient(p_low, q_low)
        # A quotient that left the doubles must be rounded down at one end and up at the other.
        if ratio.min() >= _SMALL and ratio.max() <= _LARGE:
            side = Side(p_low, q_low, ratio)
            return side, side
        p_high, q_high = p_low, q_low
    else:
        p_high, q_high = upper[sources], upper[targets]
    if block.powers is not None:
        below, above = _ratios_of_powers(block.powers, sources, targets)
    else:
        below = _round_down(_quotient(p_low, q_high), q_high)
        above = _round_up(_quotient(p_high, q_low), p_high)
    return Side(p_low, q_high, below), Side(p_high, q_low, above)


def _quotient(p: FloatArray, q: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        ratio = p / q
    nothing = np.isnan(ratio)
    if nothing.any():
        ratio[nothing] = 1.0
    return ratio


def _round_down(ratio: FloatArray, q: FloatArray) -> FloatArray:
    """Quotients that left the doubles, at their lower ends; infinite only where q is 0."""
    ratio[(ratio > _LARGE) & (q > 0)] = _LARGE
    ratio[ratio < _SMALL] = 0.0
    return ratio


def _round_up(ratio: FloatArray, p: FloatArray) -> FloatArray:
    """Quotients that left the doubles, at their upper ends; 0 only where p is."""
    ratio[(ratio < _SMALL) & (p > 0)] = _SMALL
    return ratio


def _ratios_of_powers(
    powers: Powers, sources: IntArray, targets: IntArray
) -> tuple[FloatArray, FloatArray]:
    p, q = powers.mantissa[sources], powers.mantissa[targets]
    quotient = _quotient(p, q)
    steps = powers.exponent[sources] - powers.exponent[targets]
    steps[(p == 0) | (q == 0)] = 0
    slack = 2 * powers.error * (1 + 2 * powers.error) + RATIO_ERROR
    with np.errstate(over="ignore", under="ignore"):
        below = np.ldexp(quotient * (1 - slack), steps)
        above = np.ldexp(quotient * (1 + slack), steps)
    both = (p == 0) & (q == 0)
    below[both] = above[both] = 1.0
    return _round_down(below, q), _round_up(above, p)
