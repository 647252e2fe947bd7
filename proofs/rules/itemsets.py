"""Rules of sensitivity of itemsets: counts of records that have some values together.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

from typing import Any

from proofs.parameters import value, whole
from proofs.rules.moves import Moves, Shape, of_scores, query_rule
from proofs.rules.rule import require
from synthesizers.neighbours import AddRemove, Neighbours


@query_rule("itemset-counts", itemsets=value)
def itemset_counts(neighbours: Neighbours, shape: Shape, itemsets: Any) -> Moves:
    """For each of some itemsets the number of records that have all its items.

    Guarantee
    ---------
    ``tests/proofs/rules/test_itemset_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    listed = isinstance(itemsets, list) and bool(itemsets)
    require(listed, "one or more itemsets are needed")
    for items in itemsets:
        found = _items(items, shape)
        apart = len({name for name, _ in found}) == len(found)
        require(apart, "the items of an itemset are of different attributes")
    m, count = neighbours.unit.max_records, len(itemsets)
    monotone = count == 1 or isinstance(neighbours, AddRemove)
    return Moves(count, m * count, m * m * count, m, monotone)


@query_rule("rank-distance", items=value, length=whole(1), rank=whole(1))
def rank_distance(
    neighbours: Neighbours, shape: Shape, items: Any, length: int, rank: int
) -> Moves:
    """For each rank of an item how far its count is from the count of a ranked itemset, negated.

    Guarantee
    ---------
    ``tests/proofs/rules/test_itemset_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    named = _items(items, shape)
    require(len(set(named)) == len(named), "the items must be different")
    span = neighbours.unit.max_records * (1 if isinstance(neighbours, AddRemove) else 2)
    return of_scores([span] * len(named))


def _items(items: Any, shape: Shape) -> list[tuple[str, int]]:
    """One or more items, each an attribute of the domain with one of its codes."""
    listed = isinstance(items, list) and bool(items)
    pairs = listed and all(isinstance(item, list) and len(item) == 2 for item in items)
    require(pairs, "items are pairs of an attribute and a code")
    for name, code in items:
        known = type(name) is str and name in shape and type(code) is int
        require(known and 0 <= code < shape[name], "an item has a code of its attribute")
    return [(name, code) for name, code in items]


RULES = (itemset_counts, rank_distance)
