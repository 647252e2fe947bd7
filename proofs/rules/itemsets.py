"""Rules of sensitivity of itemsets: counts of records that have some values together.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

from typing import Any

from proofs.parameters import Parameters
from proofs.rules.moves import Moves, Shape, conclude, of_scores, read_query
from proofs.rules.rule import Conclusion, Premises, Rule, require
from synthesizers.neighbours import AddRemove


def itemset_counts(premises: Premises, parameters: Parameters) -> Conclusion:
    """For each of some itemsets the number of records that have all its items.

    Guarantee
    ---------
    ``tests/proofs/rules/test_itemset_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    itemsets = query.value("itemsets")
    listed = isinstance(itemsets, list) and bool(itemsets)
    require(listed, premises.rule, "one or more itemsets are needed")
    for items in itemsets:
        found = _items(items, shape, premises.rule)
        apart = len({name for name, _ in found}) == len(found)
        require(apart, premises.rule, "the items of an itemset are of different attributes")
    m, count = neighbours.unit.max_records, len(itemsets)
    monotone = count == 1 or isinstance(neighbours, AddRemove)
    moves = Moves(count, m * count, m * m * count, m, monotone)
    return conclude(neighbours, shape, query, parameters, moves)


def rank_distance(premises: Premises, parameters: Parameters) -> Conclusion:
    """For each rank of an item how far its count is from the count of a ranked itemset, negated.

    Guarantee
    ---------
    ``tests/proofs/rules/test_itemset_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    items = _items(query.value("items"), shape, premises.rule)
    require(len(set(items)) == len(items), premises.rule, "the items must be different")
    query.whole("length", 1)
    query.whole("rank", 1)
    span = neighbours.unit.max_records * (1 if isinstance(neighbours, AddRemove) else 2)
    return conclude(neighbours, shape, query, parameters, of_scores([span] * len(items)))


def _items(items: Any, shape: Shape, rule: str) -> list[tuple[str, int]]:
    """One or more items, each an attribute of the domain with one of its codes."""
    listed = isinstance(items, list) and bool(items)
    pairs = listed and all(isinstance(item, list) and len(item) == 2 for item in items)
    require(pairs, rule, "items are pairs of an attribute and a code")
    for name, code in items:
        known = type(name) is str and name in shape and type(code) is int
        require(known and 0 <= code < shape[name], rule, "an item has a code of its attribute")
    return [(name, code) for name, code in items]


RULES: dict[str, Rule] = {
    "itemset-counts": itemset_counts,
    "rank-distance": rank_distance,
}
"""The rules of itemsets by their names."""
