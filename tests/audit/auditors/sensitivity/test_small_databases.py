"""All small databases, and all their pairs of neighbours, against lists made the obvious way."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest

from audit.auditors.attack.pairs.given_pairs import given_pair
from audit.auditors.sensitivity.small import Small, affordable, small
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

RECORDS = tuple({"cell": str(cell)} for cell in range(2))
DOMAIN = Domain.from_cells("2")
OWNED = Domain("owned", DOMAIN.attributes, individual="id")
RELATIONS = [
    AddRemove(),
    ReplaceOne(),
    AddRemove(Unit("person", 2)),
    ReplaceOne(Unit("person", 2)),
]

Key = tuple[Any, ...]


def _key(database: tuple[dict[str, str], ...]) -> Key:
    return tuple(sorted(tuple(sorted(record.items())) for record in database))


def _all(kinds: list[dict[str, str]], neighbours: Neighbours, records: int) -> set[Key]:
    """Every multiset of records, as a set of sorted lists."""
    sizes = [records] if neighbours.records_public else range(records + 1)
    return {
        _key(chosen)
        for size in sizes
        for chosen in itertools.combinations_with_replacement(kinds, size)
    }


def _are_neighbours(first: Key, second: Key, neighbours: Neighbours, domain: Domain) -> bool:
    """What the reader of given pairs says, who knows nothing of exhaustion."""
    lists = [[dict(record) for record in key] for key in (first, second)]
    try:
        given_pair(*lists, neighbours, domain)
    except InputError:
        return False
    return True


def _check(found: Small, expected: set[Key], neighbours: Neighbours, domain: Domain) -> None:
    keys = [_key(database) for database in found.databases]
    assert set(keys) == expected and len(keys) == len(expected)
    pairs = {frozenset((keys[a], keys[b])) for a, b in found.pairs}
    assert len(pairs) == len(found.pairs)
    assert pairs == {
        frozenset((a, b))
        for a, b in itertools.combinations(expected, 2)
        if _are_neighbours(a, b, neighbours, domain)
    }


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("records", [1, 3])
def test_without_ids_they_are_all_multisets(neighbours: Neighbours, records: int) -> None:
    found = small(RECORDS, neighbours, records, None, "2 cells")
    _check(found, _all(list(RECORDS), neighbours, records), neighbours, DOMAIN)


@pytest.mark.parametrize("neighbours", RELATIONS[2:], ids=str)
@pytest.mark.parametrize("records", [1, 2, 3])
def test_with_ids_they_are_all_ways_to_own_records(neighbours: Neighbours, records: int) -> None:
    found = small(RECORDS, neighbours, records, "id", "2 cells")
    kinds = [{"id": str(p + 1), **record} for p in range(records) for record in RECORDS]
    expected = {
        key
        for key in _all(kinds, AddRemove(), records)
        if max(Counter(dict(record)["id"] for record in key).values(), default=0) <= 2
    }
    _check(found, expected, neighbours, OWNED)


def test_records_with_ids_keep_their_owner() -> None:
    found = small(RECORDS, ReplaceOne(), 2, "id", "2 cells")
    assert {tuple(r["id"] for r in database) for database in found.databases} == {("1", "2")}
    for a, b in found.pairs:
        differing = [
            left != right
            for left, right in zip(found.databases[a], found.databases[b], strict=True)
        ]
        assert sum(differing) == 1


def test_what_is_affordable_is_counted_before_anything_is_made() -> None:
    person = ReplaceOne(Unit("person", 2))
    assert affordable(4, AddRemove(), 6, None)
    assert not affordable(200, AddRemove(), 6, None)
    assert affordable(2, person, 3, "id")
    assert not affordable(4, person, 6, "id")
    assert not affordable(2, AddRemove(), 10**6, None)


@pytest.mark.parametrize("individual", [None, "id"])
def test_the_counts_are_those_of_what_is_made(individual: str | None) -> None:
    # With ids: 1 + 2·P + ... ways; the last database says how many records there may be.
    for neighbours in RELATIONS:
        found = small(RECORDS, neighbours, 3, individual, "2 cells")
        sizes = {len(database) for database in found.databases}
        assert sizes == ({3} if neighbours.records_public else {0, 1, 2, 3})
