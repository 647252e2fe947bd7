"""Neighbouring databases of floats: mixed magnitudes, and the same records in another order.

A database has no order, so that neighbours in any order are neighbours; sums of floats do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from audit.auditors.sensitivity.records import FloatColumn
from audit.subjects.pair import Pair
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours

Database = list[dict[str, float]]

SPREAD = 6
"""The most different floats of what both databases hold."""


def list_float_pairs(
    column: FloatColumn, neighbours: Neighbours, records: int | None, most: int
) -> tuple[Pair, ...]:
    """At most ``most`` pairs, small ones first; raises InputError for persons, and for no records.

    ``records``: of a database, at most; exactly, where the number is public.
    """
    if not neighbours.unit.is_record:
        raise InputError("databases of floats are of records, not of persons")
    if records == 0:
        raise InputError("databases need at least one record to have neighbours")
    found: dict[str, Pair] = {}
    for first, second in islice(_pairs(column, neighbours, records), 4 * most):
        found.setdefault(f"{first} {second}", Pair(first, second, 1, "floats", True))
    return tuple(sorted(list(found.values())[:most], key=lambda pair: len(pair.second)))


def _pairs(
    column: FloatColumn, neighbours: Neighbours, records: int | None
) -> Iterator[tuple[Database, Database]]:
    public = neighbours.records_public and records is not None
    largest = SPREAD + 1 if records is None else records
    values = [{column.name: value} for value in column.values]
    apart = [{column.name: value} for value in (column.high, column.low, *column.values)]
    for size in [largest] if public else sorted({1, 2, 3, min(largest, 5), largest}):
        if size > largest:
            continue
        mixed = [values[place % len(values)] for place in range(size - 1)]
        equal = [apart[0]] * (size - 1)
        for rest in (mixed, equal):
            for place, came in enumerate(apart[:SPREAD]):
                gone = apart[(place + 1) % len(apart)]
                first = rest if isinstance(neighbours, AddRemove) else [*rest, gone]
                yield first, [*rest, came]
                yield first, [came, *reversed(rest)]
