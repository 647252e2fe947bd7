"""How the chances of an enumeration are held: doubles with an error count, or exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import TooLargeError
from synthesizers.events import Coordinate
from synthesizers.exact import multiply

Vector = NDArray[Any]

MAX_PRODUCTS = 20_000_000_000
MAX_EXACT_PRODUCTS = 2_000_000
"""Caps on databases × transcripts, set so that two cores finish within about ten minutes
(`benchmarks/enumeration.py` prints the rates)."""

_SAFE_LOG2 = -1000.0


class Arithmetic(Protocol):
    """How chances are held and multiplied: doubles with an error count, or exactly."""

    cap: int

    def table(self, coordinate: Coordinate) -> Vector:
        """Chances of a coordinate, [outcomes, databases]."""

    def ones(self, count: int) -> Vector:
        """The vector that every transcript starts from."""

    def times(self, left: Vector, right: Vector, floor: float) -> Vector:
        """The product; ``floor``: a lower bound on log2 of its positive entries."""

    def floor(self, table: Vector) -> float:
        """log2 of the smallest positive entry."""

    def operations(self, coordinates: Sequence[Coordinate]) -> int:
        """Relative error of a product of one entry a coordinate, in units of 2^-53."""


class FloatArithmetic:
    """Doubles.

    Guarantee
    ---------
    A product of c table entries has relative error at most γ_N with N =
    ``operations`` of the coordinates, and is 0 exactly where an entry is: a product that would
    fall below the normal doubles raises TooLargeError. Backed by the comparison
    with exact arithmetic in ``tests/synthesizers/test_enumeration.py``.
    """

    cap = MAX_PRODUCTS

    def table(self, coordinate: Coordinate) -> Vector:
        """Chances, [outcomes, databases]."""
        return coordinate.floats

    def ones(self, count: int) -> Vector:
        """A vector of ones."""
        return np.ones(count)

    def times(self, left: Vector, right: Vector, floor: float) -> Vector:
        """The product, entry by entry."""
        if floor > _SAFE_LOG2:
            return np.asarray(left * right)
        try:
            with np.errstate(under="raise"):
                return np.asarray(left * right)
        except FloatingPointError:
            raise TooLargeError(
                "a transcript's chance falls below the smallest normal double; use --exact, "
                "fewer records or a smaller epsilon"
            ) from None

    def floor(self, table: Vector) -> float:
        """log2 of the smallest positive entry."""
        positive = table[table > 0]
        return math.log2(positive.min()) - 1 if len(positive) else 0.0

    def operations(self, coordinates: Sequence[Coordinate]) -> int:
        """The error of every table entry, and one rounding a product."""
        return sum(coordinate.error + 1 for coordinate in coordinates)


_multiply = np.frompyfunc(multiply, 2, 1)


class ExactArithmetic:
    """Fractions, ratios of exponential sums, or intervals: see `synthesizers.exact`."""

    cap = MAX_EXACT_PRODUCTS

    def table(self, coordinate: Coordinate) -> Vector:
        """Chances, [outcomes, databases]."""
        return coordinate.exact

    def ones(self, count: int) -> Vector:
        """A vector of ones."""
        return np.array([Fraction(1)] * count, np.object_)

    def times(self, left: Vector, right: Vector, floor: float) -> Vector:
        """The product, entry by entry."""
        return np.asarray(_multiply(left, right))

    def floor(self, table: Vector) -> float:
        """Exact numbers do not underflow."""
        return 0.0

    def operations(self, coordinates: Sequence[Coordinate]) -> int:
        """Exact numbers are not rounded."""
        return 0
