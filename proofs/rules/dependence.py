"""Rules of sensitivity of the scores of a Bayesian network: a child and its parents.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

from proofs.errors import require
from proofs.parameters import Count, Shape, Whole
from proofs.rules.moves import Moves, Names, cells_of, of_scores, query_rule
from proofs.rules.rule import require_neighbours
from synthesizers.intervals import log2_interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

Candidates = tuple[tuple[str, Names], ...]
"""Children, each with its parents."""


@query_rule("mutual-information")
def mutual_information(
    neighbours: Neighbours, shape: Shape, candidates: Candidates, records: Whole, scale: Count
) -> Moves:
    """For each child and its parents, scale·n·I of a public n, each c·log2 c of it rounded.

    Source: Zhang et al. 2017, Lemma 4.1; the proof is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_dependence_rules.py``: all neighbours of small databases, and
    families of large ones.
    """
    require_neighbours(neighbours, ReplaceOne())
    spans = []
    for sides in _sides(candidates, shape):
        still = min(sides) == 1 or records < 2
        spans.append(0 if still else _information_moves(records, scale, min(sides) == 2))
    return of_scores(spans)


@query_rule("maximal-correlation")
def maximal_correlation(neighbours: Neighbours, shape: Shape, candidates: Candidates) -> Moves:
    """For each child of two values, how far it is from a function of its parents, in half records.

    Source: Zhang et al. 2017, section 4.3; the proof is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_dependence_rules.py``: all neighbours of small databases, and
    families of large ones.
    """
    sides = _sides(candidates, shape)
    require(all(rows == 2 for rows, _ in sides), "a child has two values")
    unit = neighbours.unit
    twice = isinstance(neighbours, AddRemove) or unit.is_record
    span = (2 if twice else 4) * unit.max_records
    return of_scores([span] * len(sides))


def _sides(candidates: Candidates, shape: Shape) -> list[tuple[int, int]]:
    """For each candidate how many values the child has, and its parents together."""
    for child, parents in candidates:
        cells_of((child, *parents), shape)
    return [(shape[child], cells_of(parents, shape)) for child, parents in candidates]


@cache
def _information_moves(records: int, scale: int, two_values: bool) -> int:
    """⌊scale·the largest move of n·I⌋ + 6, for n >= 2 records.

    The move is n·log2 n - (n-1)·log2(n-1) where one side has two values, otherwise
    (n+1)·log2((n+1)/2) - (n-1)·log2((n-1)/2).
    """
    divisor = 1 if two_values else 2
    top, low = (records if two_values else records + 1), records - 1
    bits = 64
    while True:
        above, below = (log2_interval(Fraction(each, divisor), bits) for each in (top, low))
        least = scale * (top * above.lower - low * below.upper)
        most = scale * (top * above.upper - low * below.lower)
        if math.floor(least) == math.floor(most):
            return math.floor(most) + 6
        bits *= 2
