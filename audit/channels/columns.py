"""Channels that are read a few columns at a time: what every measure needs of one.

A `Channel` holds all its entries; a `StreamedChannel` makes them anew whenever they are
looked at. Every measure here is a maximum or a sum over columns, so it needs no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.neighbours import Neighbours

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Powers:
    """Chances as mantissa · 2^exponent, for those that no double holds.

    ``mantissa``: doubles in [1/2, 1), or 0 exactly where the chance is 0, within relative
    ``error`` of the exact mantissa; ``exponent``: whole numbers of the same shape.
    """

    mantissa: FloatArray
    exponent: NDArray[np.int32]
    error: float


@dataclass(frozen=True, eq=False)
class Block:
    """Some successive columns of a channel, [databases, columns].

    A chance lies in [lower·(1 - error), upper·(1 + error)], and is 0 where both are.
    ``lower`` and ``upper`` are one array where the error alone tells them apart.
    ``first``: the number of the first column. ``powers``: the same chances, where some of
    them are too small for doubles.
    """

    first: int
    lower: FloatArray
    upper: FloatArray
    error: float = 0.0
    powers: Powers | None = None


class Columns(Protocol):
    """A channel, read a few columns at a time."""

    @property
    def domain(self) -> Domain:
        """The domain of the databases."""

    @property
    def neighbours(self) -> Neighbours:
        """The relation between its databases."""

    @property
    def databases(self) -> IntArray:
        """Counts, [databases, cells]."""

    @property
    def outputs(self) -> tuple[tuple[Any, ...], ...]:
        """The outputs, one a column."""

    @property
    def released(self) -> str:
        """What an output is: "output" or "transcript"."""

    @property
    def exact(self) -> NDArray[np.object_] | None:
        """The exact chances, [databases, outputs], where they were computed."""

    @property
    def pairs(self) -> IntArray:
        """The unordered pairs of neighbours, [pairs, 2] row numbers."""

    def blocks(self) -> Iterator[Block]:
        """All columns in order, a few at a time."""

    def rows(self, databases: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Enclosed chances of all outputs under some databases, two arrays [databases, outputs]."""
