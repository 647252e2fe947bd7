"""Rules of sensitivity of the scores of a Bayesian network: a child and its parents.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

from proofs.parameters import value, whole
from proofs.rules.moves import Moves, Shape, cells_of, of_scores, query_rule
from proofs.rules.rule import require, require_relation
from synthesizers.intervals import log2_interval
from synthesizers.neighbours import AddRemove, Neighbours


@query_rule("mutual-information", candidates=value, records=whole(), scale=whole(1))
def mutual_information(
    neighbours: Neighbours, shape: Shape, candidates: Any, records: int, scale: int
) -> Moves:
    """For each child and its parents, scale·n·I of a public n, each c·log2 c of it rounded.

    Source: Zhang et al. 2017, Lemma 4.1; the proof is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_dependence_rules.py``: all neighbours of small databases, and
    families of large ones.
    """
    public = "neighbours that leave the number of records"
    require_relation(neighbours.records_public, neighbours, public)
    spans = []
    for sides in _sides(candidates, shape):
        still = min(sides) == 1 or records < 2
        spans.append(0 if still else _information_moves(records, scale, min(sides) == 2))
    return of_scores(spans)


@query_rule("maximal-correlation", candidates=value)
def maximal_correlation(neighbours: Neighbours, shape: Shape, candidates: Any) -> Moves:
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


def _sides(candidates: Any, shape: Shape) -> list[tuple[int, int]]:
    """For each candidate how many values the child has, and its parents together."""
    listed = isinstance(candidates, list) and bool(candidates)
    require(listed, "one or more candidates are needed")
    found = []
    for candidate in candidates:
        pair = isinstance(candidate, list) and len(candidate) == 2
        named = pair and type(candidate[0]) is str and isinstance(candidate[1], list)
        require(named, "a candidate is a child and the list of its parents")
        child, parents = candidate
        cells_of([child, *parents], shape)
        found.append((cells_of([child], shape), cells_of(parents, shape)))
    return found


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


RULES = (mutual_information, maximal_correlation)
