"""How the chances of an enumeration are held.

As doubles with an error count; as such doubles with an exponent of their own, where chances lie
below the doubles; or exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import BelowDoublesError
from synthesizers.events import Coordinate
from synthesizers.exact import add, is_zero, multiply

Vector = NDArray[Any]

MAX_PRODUCTS = 20_000_000_000
MAX_EXACT_PRODUCTS = 2_000_000
"""Caps on databases × transcripts, set so that two cores finish within about ten minutes
(`benchmarks/enumeration.py` prints the rates)."""

_SAFE_LOG2 = -1000.0
"""Products of doubles above 2^this need no look: they are normal."""

_NORMAL_LOG2 = -500.0
"""Mantissas stay above 2^this, so that a sum loses nothing that its rounding does not cover."""


class Arithmetic(Protocol):
    """How chances are held, multiplied and added.

    A vector holds one chance a database; a table holds one vector an outcome. A vector times a
    table, or times some of its vectors, is the product with each of them.
    """

    cap: int

    def table(self, coordinate: Coordinate) -> Vector:
        """Chances of a coordinate, one vector an outcome."""

    def ones(self, count: int) -> Vector:
        """The vector that every transcript starts from."""

    def times(self, left: Vector, right: Vector, floor: float) -> Vector:
        """The product; ``floor``: a lower bound on log2 of its positive entries."""

    def add_to(self, total: Vector, term: Vector) -> None:
        """Add to a vector that nobody else holds."""

    def has_zero(self, chances: Vector) -> bool:
        """Whether some chance of a vector or a table is 0."""

    def is_nothing(self, chances: Vector) -> NDArray[np.bool_]:
        """Whether all chances of a vector, or of each vector of a table, are 0."""

    def floor(self, table: Vector) -> float:
        """log2 of the smallest positive entry as it is held, or less."""

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
            raise BelowDoublesError from None

    def add_to(self, total: Vector, term: Vector) -> None:
        """Add entry by entry."""
        np.add(total, term, out=total)

    def has_zero(self, chances: Vector) -> bool:
        """Whether some chance is 0."""
        return not chances.all()

    def is_nothing(self, chances: Vector) -> NDArray[np.bool_]:
        """Whether all chances of a vector, or of each vector of a table, are 0."""
        return np.asarray(~chances.any(axis=-1))

    def floor(self, table: Vector) -> float:
        """log2 of the smallest positive entry."""
        positive = table[table > 0]
        return math.log2(positive.min()) - 1 if len(positive) else 0.0

    def operations(self, coordinates: Sequence[Coordinate]) -> int:
        """The error of every table entry, and one rounding a product."""
        return sum(coordinate.error + 1 for coordinate in coordinates)


_ZERO_EXPONENT = -1e9
"""The exponent of a chance of 0: below every other, so that a sum never aligns to it."""


class ScaledArithmetic(FloatArithmetic):
    """Doubles with an exponent each: vectors [2, databases], mantissas first.

    Guarantee
    ---------
    As for `FloatArithmetic`, for chances of any size: exponents are whole numbers far from the
    limits of what doubles hold exactly, and mantissas are 0 or at least 2^-500 (a sum of N terms
    has one below N). A sum holds the term of the larger exponent e as it is, and loses at most
    2^(e - 1075) of the other: 2^-575 of the sum. With its rounding, a share of at most
    2^-53/(1 + 2^-53), that is less than 2^-53. Backed by the comparisons with exact arithmetic
    in ``tests/synthesizers/test_arithmetic.py``.
    """

    def table(self, coordinate: Coordinate) -> Vector:
        """Chances, [outcomes, 2, databases]."""
        mantissas, exponents = coordinate.powers
        low = np.where(mantissas == 0, _ZERO_EXPONENT, exponents)
        return np.stack([mantissas, low], axis=1)

    def ones(self, count: int) -> Vector:
        """Mantissas of 1, exponents of 0."""
        return np.stack([np.ones(count), np.zeros(count)])

    def times(self, left: Vector, right: Vector, floor: float) -> Vector:
        """The product, entry by entry."""
        product = np.empty(np.broadcast_shapes(left.shape, right.shape))
        np.multiply(left[..., 0, :], right[..., 0, :], out=product[..., 0, :])
        np.add(left[..., 1, :], right[..., 1, :], out=product[..., 1, :])
        return product if floor > _NORMAL_LOG2 else normalise(product)

    def add_to(self, total: Vector, term: Vector) -> None:
        """Add entry by entry."""
        top = np.maximum(total[1], term[1])
        np.add(_align(total, top), _align(term, top), out=total[0])
        total[1] = top

    def has_zero(self, chances: Vector) -> bool:
        """Whether some chance is 0."""
        return not chances[..., 0, :].all()

    def is_nothing(self, chances: Vector) -> NDArray[np.bool_]:
        """Whether all chances of a vector, or of each vector of a table, are 0."""
        return super().is_nothing(chances[..., 0, :])

    def floor(self, table: Vector) -> float:
        """log2 of the smallest mantissa."""
        return -1.0


class OutcomesAlone:
    """No chances at all: for transcripts without what they are worth under any database."""

    cap = MAX_PRODUCTS

    def table(self, coordinate: Coordinate) -> Vector:
        """One empty vector an outcome."""
        return np.empty((len(coordinate.outcomes), 0))

    def ones(self, count: int) -> Vector:
        """An empty vector."""
        return np.empty(0)

    def times(self, left: Vector, right: Vector, floor: float) -> Vector:
        """Empty vectors."""
        return np.asarray(left * right)

    def add_to(self, total: Vector, term: Vector) -> None:
        """Nothing is added to nothing."""

    def has_zero(self, chances: Vector) -> bool:
        """No chance is known to be 0."""
        return False

    def is_nothing(self, chances: Vector) -> NDArray[np.bool_]:
        """No transcript is known to be impossible."""
        return np.zeros(chances.shape[:-1], np.bool_)

    def floor(self, table: Vector) -> float:
        """Nothing can underflow."""
        return 0.0

    def operations(self, coordinates: Sequence[Coordinate]) -> int:
        """Nothing is rounded."""
        return 0


def _align(vector: Vector, exponents: Vector) -> Vector:
    """Mantissas for other exponents; 0 for what lies too far below them."""
    shifts = np.maximum(vector[1] - exponents, -5000).astype(np.int32)
    return np.asarray(np.ldexp(vector[0], shifts))


def normalise(vector: Vector) -> Vector:
    """The same chances, their mantissas in [1/2, 1)."""
    mantissas, shifts = np.frexp(vector[..., 0, :])
    return np.stack([mantissas, vector[..., 1, :] + shifts], axis=-2)


_multiply = np.frompyfunc(multiply, 2, 1)
_add = np.frompyfunc(add, 2, 1)
_is_zero = np.frompyfunc(is_zero, 1, 1)


def _zeros(chances: Vector) -> NDArray[np.bool_]:
    return np.asarray(_is_zero(chances), np.bool_)


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

    def add_to(self, total: Vector, term: Vector) -> None:
        """Add entry by entry."""
        _add(total, term, out=total)

    def has_zero(self, chances: Vector) -> bool:
        """Whether some chance is 0."""
        return bool(_zeros(chances).any())

    def is_nothing(self, chances: Vector) -> NDArray[np.bool_]:
        """Whether all chances of a vector, or of each vector of a table, are 0."""
        return np.asarray(_zeros(chances).all(axis=-1))

    def floor(self, table: Vector) -> float:
        """Exact numbers do not underflow."""
        return 0.0

    def operations(self, coordinates: Sequence[Coordinate]) -> int:
        """Exact numbers are not rounded."""
        return 0
