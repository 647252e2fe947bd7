"""Itemsets: how many records have some values together, and which rank of items is near a count.

An item is an attribute with one of its codes; an itemset has items of different attributes. A
record contains an itemset if it has all those codes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappush, heappushpop
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.plain import PlainQuery, require_count, require_text, require_tuple
from synthesizers.queries.counts import Marginal
from synthesizers.queries.query import IntArray, Sensitivity

Item = tuple[str, int]
Itemset = tuple[Item, ...]


def _plain_items(items: object, what: str) -> Itemset:
    found = []
    for item in require_tuple(items, what):
        parts = require_tuple(item, "item")
        if len(parts) != 2:
            raise InputError("an item is an attribute and one of its codes")
        found.append((require_text(parts[0], "item"), require_count(parts[1], "code of an item")))
    return tuple(found)


def _require_codes(items: Iterable[Item], domain: Domain) -> None:
    for name, code in items:
        if code >= domain.attribute(name).size:
            raise InputError(
                f"the attribute {name!r} has codes 0 … {domain.attribute(name).size - 1}; an item "
                "has another"
            )


@dataclass(frozen=True, slots=True)
class ItemsetCounts(PlainQuery):
    """How many records contain each of some itemsets.

    Sensitivities: a record adds 0 or 1 to each of the k counts, so that under AddRemove they
    move by m at most, all in one direction, and under ReplaceOne by m in either (a person's records
    add 0 to m to each count, before and after). L1 m·k, L2 m·√k.
    """

    itemsets: tuple[Itemset, ...]
    kind = "itemset-counts"

    def __post_init__(self) -> None:
        given = require_tuple(self.itemsets, "itemsets that are counted")
        itemsets = tuple(_plain_items(items, "itemset") for items in given)
        object.__setattr__(self, "itemsets", itemsets)
        for items in itemsets:
            if not items or len({name for name, _ in items}) != len(items):
                raise InputError("an itemset needs one or more items of different attributes")
        if not itemsets or len(set(map(frozenset, itemsets))) != len(itemsets):
            raise InputError("itemset counts need one or more different itemsets")

    def size(self, domain: Domain) -> int:
        """One count an itemset; InputError for an item that the domain has not."""
        _require_codes({item for items in self.itemsets for item in items}, domain)
        return len(self.itemsets)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Counts, [databases, itemsets]."""
        counts = np.empty((len(weights), self.size(domain)), np.int64)
        alone = _counts_of_items(
            {items[0] for items in self.itemsets if len(items) == 1}, domain, codes, weights
        )
        rows = _Rows(domain, codes)
        for place, items in enumerate(self.itemsets):
            if len(items) == 1:
                counts[:, place] = alone[items[0]]
            else:
                counts[:, place] = weights[:, rows.containing(items)].sum(axis=1)
        return counts

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        m, count = neighbours.unit.max_records, self.size(domain)
        monotone = count == 1 or isinstance(neighbours, AddRemove)
        return Sensitivity(m * count, m * m * count, m, monotone)


@dataclass(frozen=True, slots=True)
class RankDistance(PlainQuery):
    """Scores: for each j from 1 to the number of items, -|f_j - θ|.

    f_j is the j-th largest count of the items; θ is the ``rank``-th largest count of all itemsets
    of one to ``length`` of the items, 0 where there are fewer. The score by which PrivBasis chooses
    how many items are frequent (Li, Qardaji, Su & Cao 2012).

    Sensitivity of one score: m under AddRemove, 2m under ReplaceOne. A record more raises each
    count by 0 or 1, and so the j-th largest of any list of counts: f_j and θ both move by 0 to m in
    the same direction. Exchanged, each moves by at most m in either.
    """

    items: Itemset
    length: int
    rank: int
    kind = "rank-distance"

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", _plain_items(self.items, "items"))
        for name in ("length", "rank"):
            number = require_count(getattr(self, name), f"{name} of a rank distance")
            object.__setattr__(self, name, number)
        if not self.items or len(set(self.items)) != len(self.items):
            raise InputError("a rank distance needs one or more different items")
        if min(self.length, self.rank) < 1:
            raise InputError("the length and the rank of a rank distance are 1 or more")

    def size(self, domain: Domain) -> int:
        """One score a rank of an item; InputError for an item that the domain has not."""
        _require_codes(self.items, domain)
        return len(self.items)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Scores, [databases, ranks]."""
        self.size(domain)
        found = _counts_of_items(self.items, domain, codes, weights)
        counts = np.stack([found[item] for item in self.items], axis=1)
        rows = _Rows(domain, codes)
        thresholds = [
            _ranked_count(self.items, own.tolist(), rows, weight, self.length, self.rank)
            for own, weight in zip(counts, weights, strict=True)
        ]
        largest = -np.sort(-counts, axis=1)
        return np.asarray(-np.abs(largest - np.array(thresholds, np.int64)[:, None]), np.int64)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        span = neighbours.unit.max_records * (1 if isinstance(neighbours, AddRemove) else 2)
        count = self.size(domain)
        return Sensitivity(span * count, span * span * count, span, False)


class _Rows:
    """Which records contain an itemset; those of single items are looked up once."""

    def __init__(self, domain: Domain, codes: IntArray) -> None:
        self._domain, self._codes = domain, codes
        self._held: dict[Item, NDArray[np.bool_]] = {}

    def having(self, item: Item) -> NDArray[np.bool_]:
        """The records of one item, [records]."""
        if item not in self._held:
            name, code = item
            self._held[item] = self._codes[:, self._domain.position(name)] == code
        return self._held[item]

    def containing(self, items: Itemset) -> NDArray[np.bool_]:
        """The records that have all items, [records]."""
        found = self.having(items[0])
        for item in items[1:]:
            found = found & self.having(item)
        return found


def _counts_of_items(
    items: Iterable[Item], domain: Domain, codes: IntArray, weights: IntArray
) -> dict[Item, IntArray]:
    """How many records have each item, [databases] each."""
    tables: dict[str, IntArray] = {}
    for name in dict.fromkeys(name for name, _ in items):
        tables[name] = Marginal((name,)).answers(domain, codes, weights)
    return {(name, code): tables[name][:, code] for name, code in items}


def _ranked_count(
    items: Itemset, counts: list[int], rows: _Rows, weights: IntArray, length: int, rank: int
) -> int:
    """The ``rank``-th largest count of all itemsets of up to ``length`` items, 0 for fewer.

    Level by level: an itemset is counted if all that it contains have more records than the
    rank-th largest count found so far; no other can have more, and one that has as many changes
    nothing. Fewer than ``rank`` itemsets have more, so that no level is large.
    """
    largest: list[int] = []

    def least() -> int:
        return largest[0] if len(largest) == rank else 0

    def met(count: int) -> None:
        (heappush if len(largest) < rank else heappushpop)(largest, count)

    for count in counts:
        met(count)
    level: list[tuple[tuple[int, ...], int]]
    level = [((place,), count) for place, count in enumerate(counts)]
    for _ in range(1, length):
        known = {places for places, count in level if count > least()}
        level = []
        for places in _join(items, known):
            held = rows.containing(tuple(items[place] for place in places))
            count = int(weights[held].sum())
            met(count)
            level.append((places, count))
    return least()


def _join(items: Itemset, known: set[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Sets of one place more, of items of different attributes, all of whose parts are known."""
    followers: dict[tuple[int, ...], list[int]] = {}
    for places in sorted(known):
        followers.setdefault(places[:-1], []).append(places[-1])
    for start, lasts in followers.items():
        for left, right in combinations(lasts, 2):
            found = (*start, left, right)
            if items[left][0] != items[right][0] and all(
                part in known for part in combinations(found, len(found) - 1)
            ):
                yield found
