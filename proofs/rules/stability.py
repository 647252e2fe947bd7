"""Rules of sensitivity: how far the answers of a query move between neighbours.

Bounds on counts and sums are derived here and on the rules' pages from the query's own data,
apart from `synthesizers/queries/`, with which the tests compare them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from proofs.errors import require
from proofs.judgments import Stable
from proofs.parameters import Count, Known, Shape, Whole
from proofs.rules.moves import (
    Moves,
    Names,
    Place,
    Recoded,
    cells_of,
    count_groups,
    of_counts,
    product_of,
    query_rule,
)
from proofs.rules.rule import Conclusion, require_neighbours, rule
from synthesizers.neighbours import AddRemove, Neighbours, Unit


@query_rule("marginal")
def marginal(neighbours: Neighbours, shape: Shape, attributes: Names) -> Moves:
    """Counts over all cells of some attributes: every record adds 1 to one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    return of_counts(neighbours, cells_of(attributes, shape), True)


@query_rule("recoded-marginal")
def recoded_marginal(
    neighbours: Neighbours, shape: Shape, attributes: Names, groups: tuple[tuple[Place, ...], ...]
) -> Moves:
    """Counts over groups of values: a record adds 1 to at most one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    answers, all_counted = count_groups(Recoded(attributes, groups), shape)
    return of_counts(neighbours, answers, all_counted)


@query_rule("cell-counts")
def cell_counts(neighbours: Neighbours, shape: Shape, cells: tuple[Whole, ...]) -> Moves:
    """Counts of some cells of the whole domain: a record adds 1 to at most one of them.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    size = product_of(shape.values())
    distinct = len(set(cells)) == len(cells) and max(cells) < size
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


@query_rule("bounded-sum")
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
    require(len(values) == cells_of((attribute,), shape), "a sum needs one value for each code")
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


@rule("stated-sensitivity")
def stated_sensitivity(
    neighbours: Neighbours,
    query: str,
    l0: Known,
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
    found = Stable(neighbours, l0, l1, l2_squared, linf, monotone, integers)
    if l0 is not None:
        consistent = l1 <= l0 * linf and l2_squared <= l0 * linf**2
        require(consistent, "l1 <= l0·linf and l2_squared <= l0·linf² must hold")
    return Conclusion(found, frozenset({"stated-sensitivity"}))


@rule("transformed")
def transformed(stable: Stable, records: Count, description: str) -> Conclusion:
    """A query after a map that turns each record into at most c records, one record at a time.

    A record's images are to the query a person of at most c records. Source: the stable
    transformations of McSherry 2009, Theorem 2.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_a_transformed_query_is_bounded``.
    """
    require_neighbours(stable.neighbours, AddRemove(Unit("person", records)))
    found = replace(stable, neighbours=AddRemove())
    return Conclusion(found, frozenset({"record-wise"}))
