"""Neighbours: relations, and pairs of databases that are neighbours under one.

A pair is what both databases hold, the rest, beside the records of one unit. It shrinks to a rest
without records, and to a unit of a single one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st

from audit.testing.strategies.bounds import require_between
from audit.testing.strategies.databases import (
    Histogram,
    Record,
    all_cells,
    heaps,
    own_records,
    pile_up,
    record_lists,
    records,
    require_listable,
)
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit, describe

Item = TypeVar("Item")


def units(*, max_records: int = 3) -> st.SearchStrategy[Unit]:
    """Records, and persons of at most ``max_records`` records; they shrink to the record."""
    require_between(1, max_records, "records of a person", 1)
    persons = st.integers(1, max_records).map(lambda most: Unit("person", most))
    return st.one_of(st.just(Unit()), persons)


def relations(*, max_records: int = 3) -> st.SearchStrategy[Neighbours]:
    """Both relations of every unit; they shrink to add-remove of a record."""
    return st.builds(
        lambda relation, unit: relation(unit),
        st.sampled_from([AddRemove, ReplaceOne]),
        units(max_records=max_records),
    )


def neighbouring_histograms(
    domain: Domain, neighbours: Neighbours, *, min_records: int = 0, max_records: int = 8
) -> st.SearchStrategy[tuple[Histogram, Histogram]]:
    """Two histograms that are neighbours, each of ``min_records`` … ``max_records`` records.

    Under add-remove either of them may be the larger one. They shrink to few records, in the
    first cells. Raises InputError where no two such histograms are neighbours.

    Guarantee
    ---------
    ``neighbours.are_neighbours`` accepts every pair, and every pair of few records over few cells
    that it accepts can be drawn. Backed by ``tests/audit/testing/strategies/test_neighbouring.py``.
    """
    least, most = _sizes(neighbours, min_records, max_records)
    require_listable(domain)
    if domain.size == 1 and neighbours.records_public:
        raise _no_pair(neighbours, "a domain of one cell")
    return _histograms(domain, neighbours, least, most)


@st.composite
def _histograms(
    draw: st.DrawFn, domain: Domain, neighbours: Neighbours, least: int, most: int
) -> tuple[Histogram, Histogram]:
    cells = st.integers(0, domain.size - 1)
    gone, come = draw(_exchanges(cells, neighbours, least, most).filter(_differ))
    smaller, larger = sorted((len(gone), len(come)))
    rest = draw(heaps(cells, max(least - smaller, 0), most - larger, all_cells(domain)))
    first, second = (
        pile_up([*rest, *((cell, 1) for cell in part)], domain.size) for part in (gone, come)
    )
    return first, second


def neighbouring_datasets(
    domain: Domain, neighbours: Neighbours, *, min_records: int = 0, max_records: int = 8
) -> st.SearchStrategy[tuple[Dataset, Dataset]]:
    """The same pairs as coded datasets, cells in order."""
    found = neighbouring_histograms(
        domain, neighbours, min_records=min_records, max_records=max_records
    )

    def coded(pair: tuple[Histogram, Histogram]) -> tuple[Dataset, Dataset]:
        first, second = (Dataset.from_histogram(domain, np.array(h, np.int64)) for h in pair)
        return first, second

    return found.map(coded)


def neighbouring_pairs(
    domain: Domain, neighbours: Neighbours, *, min_records: int = 0, max_records: int = 8
) -> st.SearchStrategy[tuple[list[Record], list[Record]]]:
    """Two databases as records (see `databases`) that are neighbours, as a function takes them.

    What both hold stands in the same order in both. Records of a binned attribute may differ in a
    number within one bin. Where the domain has an id column and the unit is a person, all records
    of one person come, go or are exchanged, and every person owns at most m. They shrink to few
    records of the first values. Raises InputError where no two such databases are neighbours.
    """
    least, most = _sizes(neighbours, min_records, max_records)
    single = all(a.size == 1 and a.edges is None for a in domain.attributes)
    if single and neighbours.records_public:
        raise _no_pair(neighbours, "a domain of one record")
    return _records(domain, neighbours, least, most)


@st.composite
def _records(
    draw: st.DrawFn, domain: Domain, neighbours: Neighbours, least: int, most: int
) -> tuple[list[Record], list[Record]]:
    gone, come = draw(_exchanges(records(domain), neighbours, least, most).filter(_differ))
    smaller, larger = sorted((len(gone), len(come)))
    rest = draw(record_lists(domain, max(least - smaller, 0), most - larger))
    each = 1
    if domain.individual is not None and not neighbours.unit.is_record:
        each = draw(st.integers(1, neighbours.unit.max_records))
    kept = own_records(rest, domain.individual, each)
    # The unit stands at the end unless the place says otherwise: nowhere is what shrinks best.
    place = len(kept) - draw(st.integers(0, len(kept)))
    whose, newcomer = len(kept) + 1, neighbours.unit.max_records
    first, second = (
        [
            *map(dict, kept[:place]),
            *own_records(part, domain.individual, newcomer, whose),
            *map(dict, kept[place:]),
        ]
        for part in (gone, come)
    )
    return first, second


@st.composite
def _exchanges(
    draw: st.DrawFn, items: st.SearchStrategy[Item], neighbours: Neighbours, least: int, most: int
) -> tuple[list[Item], list[Item]]:
    """What a unit's records are in the first database and in the second."""
    if neighbours.records_public:
        return [draw(items)], [draw(items)]
    unit = min(neighbours.unit.max_records, most)
    if isinstance(neighbours, AddRemove):
        come = draw(st.lists(items, min_size=1, max_size=min(unit, most - least)))
        return (come, []) if draw(st.booleans()) else ([], come)
    come = draw(st.lists(items, max_size=unit))
    # The sizes of both databases lie within the bounds.
    reach = most - least
    low, high = max(len(come) - reach, 0), min(len(come) + reach, unit)
    return draw(st.lists(items, min_size=low, max_size=high)), come


def _sizes(neighbours: Neighbours, min_records: int, max_records: int) -> tuple[int, int]:
    """The bounds of both databases' sizes; InputError where no two neighbours lie within."""
    least, most = require_between(min_records, max_records, "records")
    if most == 0:
        raise _no_pair(neighbours, "databases without records")
    if isinstance(neighbours, AddRemove) and least == most:
        raise _no_pair(neighbours, f"databases of exactly {most} records")
    return max(least, int(neighbours.records_public)), most


def _no_pair(neighbours: Neighbours, found: str) -> InputError:
    return InputError(
        f"expected two databases that are neighbours ({describe(neighbours)}), and {found} has no "
        "two; widen the bounds or the domain"
    )


def _differ(exchange: tuple[Sequence[object], Sequence[object]]) -> bool:
    # As JSON: minus zero is not zero, 1 is not 1.0.
    first, second = (sorted(json.dumps(item, sort_keys=True) for item in part) for part in exchange)
    return first != second
