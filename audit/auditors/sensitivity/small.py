"""Small databases: all of N records, and all pairs of neighbours among them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.auditors.sensitivity.answers import Record
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    databases,
    histogram_count,
    neighbour_pairs,
)

MOST_DATABASES = 3000
"""The most databases that are asked one by one (a second or two)."""

MOST_PAIRS = 100_000
"""The most pairs of them that are compared (a second or two)."""


@dataclass(frozen=True)
class Small:
    """Databases in the order of their records, and the pairs of neighbours among them.

    ``pairs``: places of two of the ``databases``. ``words``: which databases these are.
    """

    databases: tuple[tuple[Record, ...], ...]
    pairs: tuple[tuple[int, int], ...]
    words: str


def affordable(kinds: int, neighbours: Neighbours, records: int, individual: str | None) -> bool:
    """Whether there are few enough databases and pairs."""
    if individual is not None:
        count, steps = _owned_count(kinds, neighbours, records)
        return count <= MOST_DATABASES and count * steps <= 2 * MOST_PAIRS
    if neighbours.records_public:
        count = histogram_count(kinds, records)
        return count <= MOST_DATABASES and count * kinds * (kinds - 1) <= 2 * MOST_PAIRS
    count = math.comb(records + kinds, kinds)
    return count <= MOST_DATABASES and count * neighbours.difference_count(kinds) <= 2 * MOST_PAIRS


def small(
    listed: Sequence[Record],
    neighbours: Neighbours,
    records: int,
    individual: str | None,
    kinds: str,
) -> Small:
    """All databases of ``records`` records of those listed; of 0 to so many, where n is private.

    ``individual``: where there is an id column, each of ``records`` persons has an id, and under
    a relation of records each record is a person of its own. ``kinds``: what the listed are.

    Guarantee
    ---------
    Every database and every pair of neighbours, none twice. Backed by the comparison with all
    lists of records in ``tests/audit/auditors/sensitivity/test_small_databases.py``.
    """
    exact = "" if neighbours.records_public else "0 to "
    words = f"all databases of {exact}{records} records over {kinds}"
    if individual is not None:
        found, pairs = _list_owned(listed, neighbours, records, individual)
        most = neighbours.unit.max_records
        whose = f"{records} persons with ids, at most {most} records each"
        return Small(found, pairs, f"{words}, of {whose}")
    rows = databases(neighbours, len(listed), records)
    spelled = tuple(
        tuple(record for record, count in zip(listed, row, strict=True) for _ in range(count))
        for row in rows.tolist()
    )
    return Small(
        spelled, tuple((a, b) for a, b in neighbour_pairs(neighbours, rows).tolist()), words
    )


Owned = tuple[int, ...]
"""A person's records: places in the list, in ascending order."""


def _bundles(kinds: int, neighbours: Neighbours) -> list[Owned]:
    """All that one person may own."""
    least = 1 if neighbours.records_public else 0
    sizes = range(least, neighbours.unit.max_records + 1)
    return [
        owned
        for size in sizes
        for owned in itertools.combinations_with_replacement(range(kinds), size)
    ]


def _owned_count(kinds: int, neighbours: Neighbours, records: int) -> tuple[int, int]:
    """How many databases of ``records`` persons there are, and a bound of each one's neighbours."""
    least = 1 if neighbours.records_public else 0
    sizes = range(least, neighbours.unit.max_records + 1)
    of_size = [math.comb(kinds + size - 1, size) for size in sizes]
    totals = [1] + [0] * records
    for _ in range(records):
        totals = [
            sum(
                many * totals[total - size]
                for size, many in zip(sizes, of_size, strict=True)
                if size <= total
            )
            for total in range(records + 1)
        ]
    newcomers = 1 if isinstance(neighbours, AddRemove) else records
    return sum(totals), records * newcomers * sum(of_size)


def _list_owned(
    listed: Sequence[Record], neighbours: Neighbours, records: int, individual: str
) -> tuple[tuple[tuple[Record, ...], ...], tuple[tuple[int, int], ...]]:
    bundles = _bundles(len(listed), neighbours)
    dealt = list(_dealt(bundles, records, records))
    place = {persons: number for number, persons in enumerate(dealt)}
    pairs = []
    for number, persons in enumerate(dealt):
        for other in _others(persons, bundles, neighbours):
            partner = place.get(other, -1)
            if partner > number:
                pairs.append((number, partner))
    spelled = tuple(
        tuple(
            {individual: str(person + 1), **listed[kind]}
            for person, owned in enumerate(persons)
            for kind in owned
        )
        for persons in dealt
    )
    return spelled, tuple(pairs)


def _others(
    persons: tuple[Owned, ...], bundles: Sequence[Owned], neighbours: Neighbours
) -> Iterator[tuple[Owned, ...]]:
    """What the persons own in every neighbour."""
    for person, owned in enumerate(persons):
        for other in bundles:
            # One side of an added person's is empty.
            if other == owned or (isinstance(neighbours, AddRemove) and other and owned):
                continue
            exchanged = (*persons[:person], other, *persons[person + 1 :])
            yield exchanged
            if isinstance(neighbours, AddRemove) or other:
                continue
            # Somebody else may come in the place of who left.
            for newcomer, nothing in enumerate(persons):
                for theirs in filter(None, bundles if not nothing else ()):
                    yield (*exchanged[:newcomer], theirs, *exchanged[newcomer + 1 :])


def _dealt(bundles: Sequence[Owned], persons: int, records: int) -> Iterator[tuple[Owned, ...]]:
    """What so many persons may own, together at most so many records."""
    if persons == 0:
        yield ()
        return
    for owned in bundles:
        if len(owned) <= records:
            for others in _dealt(bundles, persons - 1, records - len(owned)):
                yield (owned, *others)
