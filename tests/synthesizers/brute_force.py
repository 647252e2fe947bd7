"""Slow and obvious versions of what the core computes, and small instances to compare on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from synthesizers.curator import Curator
from synthesizers.domain import Domain
from synthesizers.events import Databases
from synthesizers.exact import Exact, ExpRational, enclose
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

DIGITS = 60
"""Decimal digits of the reference arithmetic."""

RELATIONS: tuple[Neighbours, ...] = (
    AddRemove(),
    ReplaceOne(),
    *(kind(Unit("person", m)) for m in (1, 2, 3) for kind in (AddRemove, ReplaceOne)),
)

AnyProgram = Callable[[Curator], Any]


def relation_id(neighbours: Neighbours) -> str:
    """A short name for a parametrised test."""
    return f"{neighbours.name}-{neighbours.unit.name}{neighbours.unit.max_records}"


def vectors(cells: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every histogram of at most ``most`` records, by counting through all digits."""
    for counts in itertools.product(range(most + 1), repeat=cells):
        if sum(counts) <= most:
            yield counts


def neighbours_by_persons(
    neighbours: Neighbours, left: Sequence[int], right: Sequence[int]
) -> bool:
    """The definition read aloud: take out one unit's records, or put them in, or both."""
    cells, most = len(left), neighbours.unit.max_records
    smallest = 1 if neighbours.unit.is_record else 0
    owned = [v for v in vectors(cells, most) if sum(v) >= smallest]
    if tuple(left) == tuple(right):
        return False
    for first in owned:
        rest = tuple(count - own for count, own in zip(left, first, strict=True))
        if min(rest) < 0:
            continue
        if isinstance(neighbours, AddRemove):
            if rest == tuple(right):
                return True
        else:
            for second in owned:
                if tuple(a + b for a, b in zip(rest, second, strict=True)) == tuple(right):
                    return True
    if isinstance(neighbours, AddRemove):
        return any(
            tuple(a + b for a, b in zip(left, own, strict=True)) == tuple(right) for own in owned
        )
    return False


def cells(text: str, rows: Sequence[Sequence[int]] | NDArray[np.int64]) -> Databases:
    """Listed databases over a small domain."""
    return Databases(Domain.from_cells(text), np.array(rows, np.int64))


def real(value: Exact) -> mpmath.mpf:
    """An exact number at the reference precision, by mpmath's own exp."""
    with mpmath.workdps(DIGITS):
        if isinstance(value, ExpRational):
            return _sum(value.numerator) / _sum(value.denominator)
        if isinstance(value, Interval):
            return (fraction(value.lower) + fraction(value.upper)) / 2
        return fraction(Fraction(value))


def _sum(terms: dict[Fraction, Fraction]) -> mpmath.mpf:
    return mpmath.fsum(fraction(c) * mpmath.exp(fraction(p)) for p, c in terms.items())


def fraction(value: Fraction) -> mpmath.mpf:
    """A fraction at the reference precision."""
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(value.numerator) / value.denominator


def rational_near(value: mpmath.mpf) -> Fraction:
    """The dyadic rational that an mpmath number is."""
    sign, mantissa, exponent, _ = value._mpf_
    return (-1 if sign else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def holds(interval: Interval, truth: mpmath.mpf, digits: int = 50) -> bool:
    """Whether an interval holds a number known to ``digits`` digits, up to those digits."""
    value = rational_near(truth)
    slack = abs(value) / Fraction(10) ** digits
    return interval.lower <= value + slack and value - slack <= interval.upper


def close(value: Exact, truth: mpmath.mpf, digits: int = 45) -> bool:
    """Whether an exact number's interval is narrow and holds the truth, both to ``digits``."""
    interval = enclose(value)
    width = interval.upper - interval.lower
    small = width * Fraction(10) ** digits <= abs(interval.upper)
    return small and holds(interval, truth, digits)
