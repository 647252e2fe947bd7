"""Σ P^α·Q^(1-α) of two rows of exact chances: as a fraction, or within certified intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.channels.columns import Columns
from audit.channels.measures.extreme import MAX_EXACT_TERMS
from synthesizers.exact import Exact, compare, enclose, is_zero, log_enclosure
from synthesizers.intervals import MAX_POWER, Interval, exp_interval, log_interval, log_of

Row = Sequence[Exact] | NDArray[Any]

MAX_WORK = 1 << 40
"""The most work on sums of fractions: of each pair, the square of the bits of all its terms (below
a second)."""

MAX_TERMS = 1_000
"""The most outputs, over all candidate pairs, whose terms are enclosed (some seconds where they are
exponential sums)."""

ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest divergence of some pairs of rows, with a pair that attains its lower end.

    ``power_sum``: the exact Σ P^α·Q^(1-α) of that pair, where it is a fraction.
    """

    divergence: Interval
    power_sum: Fraction | None
    rows: tuple[int, int]


def largest_exact(
    exact: NDArray[np.object_], pairs: Sequence[tuple[int, int]], order: Fraction
) -> Largest | None:
    """The largest D_α of pairs of rows; None where that is too long, or chances are vague."""
    sums = _power_sums(exact, pairs, order)
    if sums:
        value, rows = max(sums, key=lambda found: found[0])
        ends = log_interval(value) / (order - 1)
        return Largest(_not_negative(ends), value, rows)
    if len(pairs) * exact.shape[1] > MAX_TERMS:
        return None
    found = [(divergence(exact[a], exact[b], order), (a, b)) for a, b in pairs]
    known = [(ends, rows) for ends, rows in found if ends is not None]
    if len(known) < len(found):
        return None
    lower, rows = max(((ends.lower, rows) for ends, rows in known), key=lambda item: item[0])
    upper = max(ends.upper for ends, _ in known)
    equal = upper == 0 and order > 1
    return Largest(Interval(lower, upper), Fraction(1) if equal else None, rows)


def _power_sums(
    exact: NDArray[np.object_], pairs: Sequence[tuple[int, int]], order: Fraction
) -> list[tuple[Fraction, tuple[int, int]]]:
    """The sums of all pairs; empty where one of them is no fraction, or all of it too long."""
    if order.denominator != 1 or order == 1:
        return []
    work, found = 0, []
    for a, b in pairs:
        if not (_are_fractions(exact[a]) and _are_fractions(exact[b])):
            return []
        if np.any((exact[a] != 0) & (exact[b] == 0)):
            return []
        work += (int(order) * sum(map(_bits, (*exact[a], *exact[b])))) ** 2
        if work > MAX_WORK:
            return []
        found.append((power_sum(exact[a], exact[b], int(order)), (a, b)))
    return found


def power_sum(left: Sequence[Fraction], right: Sequence[Fraction], order: int) -> Fraction:
    """Σ P^α·Q^(1-α); no output is possible on the left and impossible on the right."""
    terms = [p**order / q ** (order - 1) for p, q in zip(left, right, strict=True) if p]
    # One common denominator: adding fraction by fraction would reduce every partial sum.
    below = math.lcm(*(term.denominator for term in terms))
    return Fraction(sum(term.numerator * (below // term.denominator) for term in terms), below)


def divergence(left: Row, right: Row, order: Fraction) -> Interval | None:
    """D_α(P‖Q), the divergence of Kullback and Leibler for ``order`` 1; None for vague chances.

    Guarantee
    ---------
    The exact value lies in the interval: logarithms and exponentials are certified, and every
    operation is rounded outwards. Backed by
    ``tests/audit/channels/measures/test_exact_moments.py``.
    """
    if are_equal(left, right):
        return Interval(ZERO, ZERO)
    likely = [(p, q) for p, q in zip(left, right, strict=True) if not is_zero(p)]
    if any(enclose(chance).lower <= 0 for pair in likely for chance in pair):
        return None
    logs = [(log_enclosure(p), log_enclosure(q)) for p, q in likely]
    if order == 1:
        total = Interval(ZERO, ZERO)
        for (p, _), (above, below) in zip(likely, logs, strict=True):
            total += enclose(p) * (above - below)
        return _not_negative(total)
    exponents = [order * above - (order - 1) * below for above, below in logs]
    top = max(exponent.upper for exponent in exponents)
    total = Interval(ZERO, ZERO)
    for exponent in exponents:
        total += _exp(exponent - top)
    if total.lower <= 0:
        return None
    return _not_negative((log_of(total) + top) / (order - 1))


def are_equal(left: Row, right: Row) -> bool:
    """Whether two rows are certainly the same; one interval may stand for two numbers."""
    return all(compare(p, q) == 0 for p, q in zip(left, right, strict=True))


def neighbours_are_equal(columns: Columns) -> bool:
    """Whether all neighbours certainly have the same row: they have the same exact numbers."""
    exact = columns.exact
    if exact is None or exact.size > MAX_EXACT_TERMS:
        return False
    # Two intervals may be equal without the numbers in them being so.
    if any(isinstance(chance, Interval) for chance in exact.flat):
        return False
    rows = [tuple(row) for row in exact]
    return all(rows[a] == rows[b] for a, b in columns.pairs.tolist())


def _exp(power: Interval) -> Interval:
    """e^``power`` for powers of at most 0; those below -`MAX_POWER` are rounded to it or to 0."""
    lower = exp_interval(power.lower).lower if power.lower >= -MAX_POWER else ZERO
    upper = exp_interval(max(power.upper, Fraction(-MAX_POWER))).upper
    return Interval(lower, upper)


def _not_negative(value: Interval) -> Interval:
    return Interval(max(value.lower, ZERO), max(value.upper, ZERO))


def _are_fractions(row: Row) -> bool:
    return all(isinstance(chance, Fraction) for chance in row)


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()
