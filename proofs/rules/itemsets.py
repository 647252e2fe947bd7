"""Rules of sensitivity of itemsets: counts of records that have some values together.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

from proofs.errors import require
from proofs.parameters import Count, Shape
from proofs.rules.moves import Moves, of_scores, query_rule
from synthesizers.neighbours import AddRemove, Neighbours

Items = tuple[tuple[str, int], ...]
"""Items, each an attribute with one of its codes."""


@query_rule("itemset-counts")
def itemset_counts(neighbours: Neighbours, shape: Shape, itemsets: tuple[Items, ...]) -> Moves:
    """For each of some itemsets the number of records that have all its items.

    Guarantee
    ---------
    ``tests/proofs/rules/test_itemset_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    for items in itemsets:
        _require_items(items, shape)
        apart = len({name for name, _ in items}) == len(items)
        require(apart, "the items of an itemset are of different attributes")
    m, count = neighbours.unit.max_records, len(itemsets)
    monotone = count == 1 or isinstance(neighbours, AddRemove)
    return Moves(count, m * count, m * m * count, m, monotone)


@query_rule("rank-distance")
def rank_distance(
    neighbours: Neighbours, shape: Shape, items: Items, length: Count, rank: Count
) -> Moves:
    """For each rank of an item how far its count is from the count of a ranked itemset, negated.

    Guarantee
    ---------
    ``tests/proofs/rules/test_itemset_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    _require_items(items, shape)
    require(len(set(items)) == len(items), "the items must be different")
    span = neighbours.unit.max_records * (1 if isinstance(neighbours, AddRemove) else 2)
    return of_scores([span] * len(items))


def _require_items(items: Items, shape: Shape) -> None:
    """Raise ProofError where an item is none of the domain."""
    known = all(0 <= code < shape.get(name, 0) for name, code in items)
    require(known, "an item has a code of its attribute")
