"""Rules of sensitivity of the scores of a Bayesian network: a child and its parents.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

from proofs.parameters import Parameters
from proofs.rules.moves import Shape, cells_of, conclude, of_scores, read_query
from proofs.rules.rule import Conclusion, Premises, Rule, require, require_relation
from synthesizers.intervals import log2_interval
from synthesizers.neighbours import AddRemove


def mutual_information(premises: Premises, parameters: Parameters) -> Conclusion:
    """For each child and its parents, scale·n·I of a public n, each c·log2 c of it rounded.

    Source: Zhang et al. 2017, Lemma 4.1; the proof is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_dependence_rules.py``: all neighbours of small databases, and
    families of large ones.
    """
    neighbours, shape, query = read_query(premises, parameters)
    public = "neighbours that leave the number of records"
    require_relation(neighbours.records_public, premises.rule, neighbours, public)
    records, scale = query.whole("records"), query.whole("scale", 1)
    spans = []
    for sides in _sides(query.value("candidates"), shape, premises.rule):
        still = min(sides) == 1 or records < 2
        spans.append(0 if still else _information_moves(records, scale, min(sides) == 2))
    return conclude(neighbours, shape, query, parameters, of_scores(spans))


def maximal_correlation(premises: Premises, parameters: Parameters) -> Conclusion:
    """For each child of two values, how far it is from a function of its parents, in half records.

    Source: Zhang et al. 2017, section 4.3; the proof is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_dependence_rules.py``: all neighbours of small databases, and
    families of large ones.
    """
    neighbours, shape, query = read_query(premises, parameters)
    sides = _sides(query.value("candidates"), shape, premises.rule)
    require(all(rows == 2 for rows, _ in sides), premises.rule, "a child has two values")
    unit = neighbours.unit
    twice = isinstance(neighbours, AddRemove) or unit.is_record
    span = (2 if twice else 4) * unit.max_records
    return conclude(neighbours, shape, query, parameters, of_scores([span] * len(sides)))


def _sides(candidates: Any, shape: Shape, rule: str) -> list[tuple[int, int]]:
    """For each candidate how many values the child has, and its parents together."""
    listed = isinstance(candidates, list) and bool(candidates)
    require(listed, rule, "one or more candidates are needed")
    found = []
    for candidate in candidates:
        pair = isinstance(candidate, list) and len(candidate) == 2
        named = pair and type(candidate[0]) is str and isinstance(candidate[1], list)
        require(named, rule, "a candidate is a child and the list of its parents")
        child, parents = candidate
        cells_of([child, *parents], shape, rule)
        found.append((cells_of([child], shape, rule), cells_of(parents, shape, rule)))
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


RULES: dict[str, Rule] = {
    "mutual-information": mutual_information,
    "maximal-correlation": maximal_correlation,
}
"""The rules of the scores of a Bayesian network by their names."""
