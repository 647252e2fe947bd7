"""A ceiling of the sensitivity of a piecewise linear query, by its structure: no solver.

The norm of the largest changes that the spans allow is a convex, even function of the neighbours'
difference, so that it is largest at a corner of the differences
(`synthesizers.neighbours.extreme_differences`).
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from audit.auditors.sensitivity.declaration import Norm
from audit.auditors.sensitivity.piecewise import CountsByCell, PiecewiseLinear
from audit.auditors.sensitivity.spans import Span, span
from synthesizers.neighbours import Neighbours, ReplaceOne

MOST_CORNERS = 100_000
"""The most corners of the differences that are looked at (some seconds
for corners that touch a few parts of the query each)."""


def ceiling(
    query: PiecewiseLinear, cells: tuple[int, ...], neighbours: Neighbours, norm: Norm
) -> Fraction:
    """At most so much changes between neighbours, in databases of any size; for L2, its square.

    ``cells``: one of each class, from `classes`. Where there are more than `MOST_CORNERS`, an
    exchange is bounded as two steps, an addition and a removal, by the triangle inequality.

    Guarantee
    ---------
    An upper bound of the change of every pair of neighbours. Backed by exhaustion in
    ``tests/audit/auditors/sensitivity/test_piecewise.py``.
    """
    m = neighbours.unit.max_records
    spans = tuple(map(span, query.outputs))
    exchange = isinstance(neighbours, ReplaceOne)
    singles = [_largest(spans, {cell: m}, norm) for cell in cells]
    found = [Fraction(0)]
    if not (exchange and neighbours.unit.is_record):
        found += singles
    if exchange and len(cells) * (len(cells) - 1) // 2 <= MOST_CORNERS:
        corners = itertools.combinations(cells, 2)
        found += [_largest(spans, {gains: m, loses: -m}, norm) for gains, loses in corners]
    elif exchange:
        # Of squares: (a + b)² <= 4 max(a², b²).
        found.append((4 if norm is Norm.L2 else 2) * max(singles))
    return max(found)


def _largest(spans: tuple[Span, ...], difference: CountsByCell, norm: Norm) -> Fraction:
    touched = (one.of(difference) for one in spans if not one.cells.isdisjoint(difference))
    return Fraction(norm.of([max(-low, high) for low, high in touched]))
