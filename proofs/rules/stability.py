"""Rules of sensitivity: how far the answers of a query move between neighbours.

Bounds on counts and sums are derived here and on the rules' pages from the query's own data,
apart from `synthesizers/queries/`, with which the tests compare them.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs.judgments import Stable, canonical
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, Premises, Rule, require, require_relation
from synthesizers.neighbours import RECORD, AddRemove, Neighbours, ReplaceOne

Shape = dict[str, int]
"""How many values each attribute of the domain has."""


@dataclass(frozen=True, slots=True)
class _Moves:
    """Bounds on the difference of integer answers; the fields are those of `Stable`."""

    l0: int
    l1: int
    l2_squared: int
    linf: int
    monotone: bool


def _counts(neighbours: Neighbours, answers: int, all_counted: bool) -> _Moves:
    """Of counts in which a record adds 1 to at most one answer, to one exactly if ``all_counted``.

    A unit adds some vector of counts with sum at most m. Under add-remove that vector is the
    difference; under replace-one the difference is one such vector minus another.
    """
    m = neighbours.unit.max_records
    exchange = isinstance(neighbours, ReplaceOne)
    if exchange and neighbours.unit.is_record and answers == 1 and all_counted:
        return _Moves(0, 0, 0, 0, True)
    if exchange and answers > 1:
        return _Moves(min(2 * m, answers), 2 * m, 2 * m * m, m, False)
    return _Moves(min(m, answers), m, m * m, m, True)


def marginal(premises: Premises, parameters: Parameters) -> Conclusion:
    """Counts over all cells of some attributes: every record adds 1 to one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = _asked(premises, parameters)
    cells = _cells(query.value("attributes"), shape, premises.rule)
    return _concluded(neighbours, shape, query, parameters, _counts(neighbours, cells, True))


def cell_counts(premises: Premises, parameters: Parameters) -> Conclusion:
    """Counts of some cells of the whole domain: a record adds 1 to at most one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = _asked(premises, parameters)
    cells, size = query.wholes("cells"), math.prod(shape.values())
    distinct = 0 < len(set(cells)) == len(cells) and max(cells) < size
    require(distinct, premises.rule, "cells must be different and inside the domain")
    moves = _counts(neighbours, len(cells), len(cells) == size)
    return _concluded(neighbours, shape, query, parameters, moves)


def total(premises: Premises, parameters: Parameters) -> Conclusion:
    """The number of records: it does not move where it is public.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = _asked(premises, parameters)
    return _concluded(neighbours, shape, query, parameters, _counts(neighbours, 1, True))


def bounded_sum(premises: Premises, parameters: Parameters) -> Conclusion:
    """A sum over records of an integer for each value of an attribute, clipped to low … high.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = _asked(premises, parameters)
    values = query.wholes("values", None)
    codes = _cells([query.text("attribute")], shape, premises.rule)
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
    moves = _Moves(min(span, 1), span, span * span, span, added and low >= 0)
    return _concluded(neighbours, shape, query, parameters, moves)


def model_error(premises: Premises, parameters: Parameters) -> Conclusion:
    """For each candidate marginal its L1 distance to a public model's counts.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = _asked(premises, parameters)
    candidates, models = query.value("candidates"), query.value("models")
    lists = isinstance(candidates, list) and isinstance(models, list)
    paired = lists and 0 < len(candidates) == len(models)
    require(paired, premises.rule, "each of one or more candidates needs one model")
    spans = []
    for names, model in zip(candidates, models, strict=True):
        cells = _cells(names, shape, premises.rule)
        fits = isinstance(model, list) and len(model) == cells
        whole = fits and all(type(count) is int for count in model)
        require(whole, premises.rule, "a model needs one integer for each cell of its marginal")
        spans.append(_counts(neighbours, cells, True).l1)
    moving, longest = sum(span > 0 for span in spans), max(spans)
    squares = sum(span * span for span in spans)
    moves = _Moves(moving, sum(spans), squares, longest, longest == 0)
    return _concluded(neighbours, shape, query, parameters, moves)


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


def transformed(premises: Premises, parameters: Parameters) -> Conclusion:
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


def _asked(premises: Premises, parameters: Parameters) -> tuple[Neighbours, Shape, Parameters]:
    """The neighbours, the shape of the domain, and the query of the rule's own kind."""
    premises.none()
    shape = parameters.record("shape")
    sizes = bool(shape) and all(type(size) is int and size > 0 for size in shape.values())
    require(sizes, premises.rule, "a domain has attributes, each of one or more values")
    query = Parameters(premises.rule, parameters.record("query"))
    query.choice("kind", premises.rule)
    return parameters.neighbours(), shape, query


def _cells(names: Any, shape: Shape, rule: str) -> int:
    """How many cells the marginal of some attributes has."""
    known = isinstance(names, list) and all(type(name) is str and name in shape for name in names)
    distinct = known and 0 < len(set(names)) == len(names)
    require(distinct, rule, "a marginal is over one or more different attributes of the domain")
    return math.prod(shape[name] for name in names)


def _concluded(
    neighbours: Neighbours, shape: Shape, query: Parameters, parameters: Parameters, moves: _Moves
) -> Conclusion:
    query.close()
    text = canonical({"query": parameters.record("query"), "shape": shape})
    l1, squared, linf = (Fraction(norm) for norm in (moves.l1, moves.l2_squared, moves.linf))
    found = Stable(text, neighbours, moves.l0, l1, squared, linf, moves.monotone, True)
    return Conclusion(found, frozenset({"public"}))


RULES: dict[str, Rule] = {
    "marginal": marginal,
    "cell-counts": cell_counts,
    "total": total,
    "bounded-sum": bounded_sum,
    "model-error": model_error,
    "stated-sensitivity": stated_sensitivity,
    "transformed": transformed,
}
"""The rules of sensitivity by their names."""
