"""Rules of sensitivity: how far the answers of a query move between neighbours.

Bounds on counts and sums are derived here and on the rules' pages from the query's own data,
apart from `synthesizers/queries/`, with which the tests compare them.
"""

from __future__ import annotations

import json
import math

from proofs.judgments import Stable, canonical
from proofs.parameters import Parameters
from proofs.rules.moves import Moves, cells_of, conclude, count_groups, of_counts, read_query
from proofs.rules.rule import Conclusion, Premises, Rule, require, require_relation
from synthesizers.neighbours import RECORD, AddRemove


def marginal(premises: Premises, parameters: Parameters) -> Conclusion:
    """Counts over all cells of some attributes: every record adds 1 to one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    cells = cells_of(query.value("attributes"), shape, premises.rule)
    return conclude(neighbours, shape, query, parameters, of_counts(neighbours, cells, True))


def recoded_marginal(premises: Premises, parameters: Parameters) -> Conclusion:
    """Counts over groups of values: a record adds 1 to at most one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    names, groups = query.value("attributes"), query.value("groups")
    answers, all_counted = count_groups(names, groups, shape, premises.rule)
    moves = of_counts(neighbours, answers, all_counted)
    return conclude(neighbours, shape, query, parameters, moves)


def cell_counts(premises: Premises, parameters: Parameters) -> Conclusion:
    """Counts of some cells of the whole domain: a record adds 1 to at most one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    cells, size = query.wholes("cells"), math.prod(shape.values())
    distinct = 0 < len(set(cells)) == len(cells) and max(cells) < size
    require(distinct, premises.rule, "cells must be different and inside the domain")
    moves = of_counts(neighbours, len(cells), len(cells) == size)
    return conclude(neighbours, shape, query, parameters, moves)


def total(premises: Premises, parameters: Parameters) -> Conclusion:
    """The number of records: it does not move where it is public.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    return conclude(neighbours, shape, query, parameters, of_counts(neighbours, 1, True))


def bounded_sum(premises: Premises, parameters: Parameters) -> Conclusion:
    """A sum over records of an integer for each value of an attribute, clipped to low … high.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    values = query.wholes("values", None)
    codes = cells_of([query.text("attribute")], shape, premises.rule)
    require(len(values) == codes, premises.rule, "a sum needs one value for each code")
    low, high = (query.value(end) for end in ("low", "high"))
    require(type(low) is int and type(high) is int and low <= high, premises.rule, "low <= high")
    clipped = [min(max(value, low), high) for value in values]
    low, high = min(clipped), max(clipped)
    added, unit = isinstance(neighbours, AddRemove), neighbours.unit
    # What one unit adds to the sum: a person may own no record, a record is there.
    least, most = unit.max_records * min(low, 0), unit.max_records * max(high, 0)
    if unit.is_record:
        least, most = low, high
    span = max(most, -least) if added else most - least
    moves = Moves(min(span, 1), span, span * span, span, added and low >= 0)
    return conclude(neighbours, shape, query, parameters, moves)


def stated_sensitivity(premises: Premises, parameters: Parameters) -> Conclusion:
    """A query of any kind, with consistent norms as stated: an open hypothesis.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_a_stated_sensitivity_is_taken_as_stated``.
    """
    premises.none()
    given = parameters.value("l0")
    l0 = None if given is None else parameters.whole("l0")
    l1, squared, linf = (parameters.rational(name) for name in ("l1", "l2_squared", "linf"))
    consistent = linf <= l1 and linf**2 <= squared <= l1**2
    require(consistent, premises.rule, "linf <= l1 and linf² <= l2_squared <= l1² must hold")
    if l0 is not None:
        consistent = l1 <= l0 * linf and squared <= l0 * linf**2
        require(consistent, premises.rule, "l1 <= l0·linf and l2_squared <= l0·linf² must hold")
    query = canonical({"stated": parameters.text("query")})
    relation, monotone = parameters.neighbours(), parameters.flag("monotone")
    integers = parameters.flag("integers")
    found = Stable(query, relation, l0, l1, squared, linf, monotone, integers)
    return Conclusion(found, frozenset({"stated-sensitivity"}))


def transformation(premises: Premises, parameters: Parameters) -> Conclusion:
    """A query after a map that turns each record into at most c records, one record at a time.

    A record's images are to the query a person of at most c records. Source: the stable
    transformations of McSherry 2009, Theorem 2.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_a_transformed_query_is_bounded``.
    """
    stable, records = premises.one(Stable), parameters.whole("records", 1)
    unit = stable.neighbours.unit
    person = isinstance(stable.neighbours, AddRemove) and not unit.is_record
    require_relation(person, premises.rule, stable.neighbours, "add-remove of a person")
    fits = unit.max_records == records
    require(fits, premises.rule, "the premise's person must own as many records as one becomes")
    text = parameters.text("description")
    query = {"map": text, "records": records, "query": json.loads(stable.query)}
    norms = (stable.l0, stable.l1, stable.l2_squared, stable.linf)
    kept = (*norms, stable.monotone, stable.integers)
    found = Stable(canonical(query), AddRemove(RECORD), *kept)
    return Conclusion(found, frozenset({"record-wise"}))


RULES: dict[str, Rule] = {
    "marginal": marginal,
    "recoded-marginal": recoded_marginal,
    "cell-counts": cell_counts,
    "total": total,
    "bounded-sum": bounded_sum,
    "stated-sensitivity": stated_sensitivity,
    "transformed": transformation,
}
"""The rules of sensitivity by their names."""
