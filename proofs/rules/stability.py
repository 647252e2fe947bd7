"""Rules of sensitivity: how far the answers of a query move between neighbours.

Bounds on counts and sums are derived here and on the rules' pages from the query's own data,
apart from `synthesizers/queries/`, with which the tests compare them.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

from proofs.judgments import Stable, canonical
from proofs.parameters import flag, neighbours, rational, text, value, whole, wholes
from proofs.rules.moves import Moves, Shape, cells_of, count_groups, of_counts, query_rule
from proofs.rules.rule import (
    Conclusion,
    nothing,
    query,
    require,
    require_relation,
    rule,
)
from synthesizers.neighbours import RECORD, AddRemove, Neighbours


@query_rule("marginal", attributes=value)
def marginal(neighbours: Neighbours, shape: Shape, attributes: Any) -> Moves:
    """Counts over all cells of some attributes: every record adds 1 to one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    return of_counts(neighbours, cells_of(attributes, shape), True)


@query_rule("recoded-marginal", attributes=value, groups=value)
def recoded_marginal(neighbours: Neighbours, shape: Shape, attributes: Any, groups: Any) -> Moves:
    """Counts over groups of values: a record adds 1 to at most one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    answers, all_counted = count_groups(attributes, groups, shape)
    return of_counts(neighbours, answers, all_counted)


@query_rule("cell-counts", cells=wholes())
def cell_counts(neighbours: Neighbours, shape: Shape, cells: tuple[int, ...]) -> Moves:
    """Counts of some cells of the whole domain: a record adds 1 to at most one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    size = math.prod(shape.values())
    distinct = 0 < len(set(cells)) == len(cells) and max(cells) < size
    require(distinct, "cells must be different and inside the domain")
    return of_counts(neighbours, len(cells), len(cells) == size)


@query_rule("total")
def total(neighbours: Neighbours, shape: Shape) -> Moves:
    """The number of records: it does not move where it is public.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    return of_counts(neighbours, 1, True)


@query_rule("bounded-sum", attribute=text, values=wholes(None), low=whole(None), high=whole(None))
def bounded_sum(
    neighbours: Neighbours,
    shape: Shape,
    attribute: str,
    values: tuple[int, ...],
    low: int,
    high: int,
) -> Moves:
    """A sum over records of an integer for each value of an attribute, clipped to low … high.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    codes = cells_of([attribute], shape)
    require(len(values) == codes, "a sum needs one value for each code")
    require(low <= high, "low <= high")
    clipped = [min(max(value, low), high) for value in values]
    low, high = min(clipped), max(clipped)
    added, unit = isinstance(neighbours, AddRemove), neighbours.unit
    # What one unit adds to the sum: a person may own no record, a record is there.
    least, most = unit.max_records * min(low, 0), unit.max_records * max(high, 0)
    if unit.is_record:
        least, most = low, high
    span = max(most, -least) if added else most - least
    return Moves(min(span, 1), span, span * span, span, added and low >= 0)


@rule(
    "stated-sensitivity",
    nothing,
    neighbours=neighbours,
    query=text,
    l0=value,
    l1=rational,
    l2_squared=rational,
    linf=rational,
    monotone=flag,
    integers=flag,
)
def stated_sensitivity(
    neighbours: Neighbours,
    query: str,
    l0: Any,
    l1: Fraction,
    l2_squared: Fraction,
    linf: Fraction,
    monotone: bool,
    integers: bool,
) -> Conclusion:
    """A query of any kind, with consistent norms as stated: an open hypothesis.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_a_stated_sensitivity_is_taken_as_stated``.
    """
    consistent = linf <= l1 and linf**2 <= l2_squared <= l1**2
    require(consistent, "linf <= l1 and linf² <= l2_squared <= l1² must hold")
    require(l0 is None or (type(l0) is int and l0 >= 0), "l0 is an integer from 0, or unknown")
    if l0 is not None:
        consistent = l1 <= l0 * linf and l2_squared <= l0 * linf**2
        require(consistent, "l1 <= l0·linf and l2_squared <= l0·linf² must hold")
    name = canonical({"stated": query})
    found = Stable(name, neighbours, l0, l1, l2_squared, linf, monotone, integers)
    return Conclusion(found, frozenset({"stated-sensitivity"}))


@rule("transformed", query, records=whole(1), description=text)
def transformed(stable: Stable, records: int, description: str) -> Conclusion:
    """A query after a map that turns each record into at most c records, one record at a time.

    A record's images are to the query a person of at most c records. Source: the stable
    transformations of McSherry 2009, Theorem 2.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_a_transformed_query_is_bounded``.
    """
    unit = stable.neighbours.unit
    person = isinstance(stable.neighbours, AddRemove) and not unit.is_record
    require_relation(person, stable.neighbours, "add-remove of a person")
    fits = unit.max_records == records
    require(fits, "the premise's person must own as many records as one becomes")
    name = {"map": description, "records": records, "query": json.loads(stable.query)}
    norms = (stable.l0, stable.l1, stable.l2_squared, stable.linf)
    kept = (*norms, stable.monotone, stable.integers)
    found = Stable(canonical(name), AddRemove(RECORD), *kept)
    return Conclusion(found, frozenset({"record-wise"}))


RULES = (
    marginal,
    recoded_marginal,
    cell_counts,
    total,
    bounded_sum,
    stated_sensitivity,
    transformed,
)
