"""Domains and databases: as records, as histograms, as coded datasets.

A database is described by *heaps*: a few kinds of record, each with how often it occurs. So a
database of ten thousand records costs a few choices, is drawn as fast as one of three, and
shrinks as fast: to fewer heaps, then to smaller ones, then to the first cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from audit.auditors.attack.pairs.edges import at_or_above, below
from audit.testing.strategies.bounds import require_between
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError, rounded_count
from synthesizers.quantities import Quantity

Record = dict[str, Any]
"""A mapping from attribute to value, and to whose it is where the domain has an id column."""

Histogram = tuple[int, ...]
Codes = tuple[int, ...]
"""The codes of one record, in the attributes' order."""

Item = TypeVar("Item")
Heaps = list[tuple[Item, int]]

MAX_CELLS = 2**16
"""The most cells of a drawn histogram (it is a list of that length)."""

MAX_HEAPS = 12
"""The most heaps of a database (more choices shrink slowly, and small
databases need no more)."""

LEVEL_CELLS = 64
"""The most cells of a database that is full, with as many records in each."""

_WIDTHS = (Fraction(1), Fraction(10), Fraction(1, 2))
"""Of the bins of an attribute (choices of this project: unit bins, wide ones, and bins whose edges
are not whole)."""


def domains(
    *,
    min_attributes: int = 1,
    max_attributes: int = 3,
    min_values: int = 1,
    max_values: int = 4,
    max_cells: int = 64,
    individual: str | None = None,
) -> st.SearchStrategy[Domain]:
    """Domains of a few attributes, of all kinds: plain, ordinal, binned, with missing values.

    ``min_values``, ``max_values``: of each attribute, the missing one included. ``individual``:
    the id column, for person-level privacy. They shrink to one plain attribute of ``min_values``
    values. Raises InputError for bounds that no domain keeps.
    """
    require_between(min_attributes, max_attributes, "attributes", 1)
    require_between(min_values, max_values, "values of an attribute", 1)
    least = min_values**min_attributes
    if max_cells < least:
        raise InputError(
            f"{min_attributes} attributes of {min_values} values make {rounded_count(least)} "
            f"cells, more than max_cells={max_cells}; take fewer attributes, values or more cells"
        )
    most = max_attributes
    while min_values**most > max_cells:
        most -= 1
    return _domains(min_attributes, most, min_values, max_values, max_cells, individual)


@st.composite
def _domains(
    draw: st.DrawFn,
    least: int,
    most: int,
    min_values: int,
    max_values: int,
    max_cells: int,
    individual: str | None,
) -> Domain:
    count = draw(st.integers(least, most))
    found: list[Attribute] = []
    room = max_cells
    for place in range(count):
        kept_free = min_values ** (count - place - 1)
        size = draw(st.integers(min_values, min(max_values, room // kept_free)))
        found.append(draw(attributes(f"a{place + 1}", size)))
        room //= size
    return Domain("drawn", tuple(found), individual=individual)


@st.composite
def attributes(draw: st.DrawFn, name: str, size: int) -> Attribute:
    """Attributes of ``size`` codes; they shrink to a plain one, whose values are 0, 1 and so on."""
    kinds = ["plain", "ordinal", "binned", *(["missing"] if size > 1 else [])]
    kind = draw(st.sampled_from(kinds))
    if kind == "binned":
        start, width = draw(st.sampled_from([0, -5])), draw(st.sampled_from(_WIDTHS))
        edges = [start + number * width for number in range(size + 1)]
        return Attribute.binned(name, edges)
    missing = kind == "missing"
    values = tuple(str(code) for code in range(size - missing))
    return Attribute(name, values, ordinal=kind == "ordinal", missing=missing)


def histograms(
    domain: Domain, *, min_records: int = 0, max_records: int = 8
) -> st.SearchStrategy[Histogram]:
    """Counts over the cells of a domain that sum to ``min_records`` … ``max_records``.

    They shrink to few records, in the first cells. Raises InputError for bounds that no histogram
    keeps, and for domains of more than `MAX_CELLS` cells.
    """
    least, most = require_between(min_records, max_records, "records")
    require_listable(domain)
    cells = st.integers(0, domain.size - 1)
    return heaps(cells, least, most, all_cells(domain)).map(lambda h: pile_up(h, domain.size))


def datasets(
    domain: Domain, *, min_records: int = 0, max_records: int = 8, max_records_a_person: int = 3
) -> st.SearchStrategy[Dataset]:
    """Coded databases of a domain, with persons where it has an id column; see `databases`."""
    least, most = require_between(min_records, max_records, "records")
    require_between(1, max_records_a_person, "records of a person", 1)
    return _datasets(domain, least, most, max_records_a_person)


@st.composite
def _datasets(
    draw: st.DrawFn, domain: Domain, least: int, most: int, max_records_a_person: int
) -> Dataset:
    rows = spread_heaps(draw(heaps(cell_codes(domain), least, most, _all_codes(domain))))
    codes = np.array(rows, np.int64).reshape(-1, len(domain.attributes))
    if domain.individual is None:
        return Dataset(domain, codes)
    each = draw(st.integers(1, max_records_a_person))
    return Dataset(domain, codes, np.arange(len(codes), dtype=np.int64) // each)


def databases(
    domain: Domain, *, min_records: int = 0, max_records: int = 8, max_records_a_person: int = 3
) -> st.SearchStrategy[list[Record]]:
    """Databases as records: mappings from attribute to value, as a function is handed them.

    A value is a text, a number within its bin (its ends among them) where the attribute is
    binned, or None where it is missing. Where the domain has an id column, each record says whose
    it is: "1", "2", …, of at most ``max_records_a_person`` records each. Any number of cells will
    do. They shrink to few records of the first values. Raises InputError for impossible bounds.
    """
    least, most = require_between(min_records, max_records, "records")
    require_between(1, max_records_a_person, "records of a person", 1)
    return _databases(domain, least, most, max_records_a_person)


@st.composite
def _databases(
    draw: st.DrawFn, domain: Domain, least: int, most: int, max_records_a_person: int
) -> list[Record]:
    found = [dict(record) for record in draw(record_lists(domain, least, most))]
    each = draw(st.integers(1, max_records_a_person)) if domain.individual is not None else 1
    return own_records(found, domain.individual, each)


def own_records(
    records: Sequence[Record], individual: str | None, each: int, first: int = 1
) -> list[Record]:
    """The records, ``each`` of them in a row of one person, numbered from ``first``."""
    if individual is None:
        return [dict(record) for record in records]
    return [
        {individual: str(first + place // each), **record} for place, record in enumerate(records)
    ]


def records(domain: Domain) -> st.SearchStrategy[Record]:
    """Single records; they shrink to the first value of every attribute."""
    values = [_values(attribute) for attribute in domain.attributes]
    return st.tuples(*values).map(lambda row: dict(zip(domain.names, row, strict=True)))


def record_lists(domain: Domain, least: int, most: int) -> st.SearchStrategy[list[Record]]:
    """Lists of records without ids."""
    full = [
        {a.name: _first_value(a, code) for a, code in zip(domain.attributes, codes, strict=True)}
        for codes in _all_codes(domain)
    ]
    return heaps(records(domain), least, most, full).map(spread_heaps)


def cell_codes(domain: Domain) -> st.SearchStrategy[Codes]:
    """The codes of one record."""
    return st.tuples(*(st.integers(0, size - 1) for size in domain.shape))


def heaps(
    items: st.SearchStrategy[Item], least: int, most: int, full: Sequence[Item] = ()
) -> st.SearchStrategy[Heaps[Item]]:
    """Kinds of record with how often each occurs: ``least`` … ``most`` in all.

    ``full``: kinds that a heap may be of all at once, as many records of each.
    """
    if most == 0:
        return st.just([])
    counts = st.one_of(st.just(1), st.integers(1, most))
    # Drawn whether or not it is heeded: a heap of one kind is not to cost more choices.
    level = st.sampled_from([False] * 9 + [len(full) > 0])
    listed = st.lists(
        st.tuples(items, counts, level), min_size=int(least > 0), max_size=min(most, MAX_HEAPS)
    )
    return listed.map(lambda found: _fit(found, least, most, full))


def _fit(
    drawn: list[tuple[Item, int, bool]], least: int, most: int, full: Sequence[Item]
) -> Heaps[Item]:
    """The heaps, cut where they are too many and the last one filled up where they are too few.

    A repair keeps every draw, so that shrinking is not stopped by what a filter would refuse.
    """
    kept: Heaps[Item] = []
    room = most
    for item, count, level in drawn:
        if room == 0:
            break
        if level and len(full) <= room:
            each = min(count, room // len(full))
            kept += [(one, each) for one in full]
            room -= each * len(full)
        else:
            kept.append((item, min(count, room)))
            room -= kept[-1][1]
    short = least - (most - room)
    if short > 0:
        item, count = kept[-1]
        kept[-1] = (item, count + short)
    return kept


def spread_heaps(found: Heaps[Item]) -> list[Item]:
    """The records one by one, heap after heap."""
    return [item for item, count in found for _ in range(count)]


def pile_up(found: Heaps[int], cells: int) -> Histogram:
    """The counts over cells."""
    counts = [0] * cells
    for cell, count in found:
        counts[cell] += count
    return tuple(counts)


def require_listable(domain: Domain) -> None:
    """Raise InputError for a domain of too many cells for a drawn histogram."""
    if domain.size > MAX_CELLS:
        raise InputError(
            f"histograms are drawn over at most {MAX_CELLS} cells, and the domain has "
            f"{rounded_count(domain.size)}; project it to fewer attributes, or draw records"
        )


def all_cells(domain: Domain) -> range:
    """The cells of a domain that may be full; none of one of more than `LEVEL_CELLS` cells."""
    return range(domain.size if domain.size <= LEVEL_CELLS else 0)


def _all_codes(domain: Domain) -> list[Codes]:
    return [tuple(row) for row in domain.codes().tolist()] if domain.size <= LEVEL_CELLS else []


def _values(attribute: Attribute) -> st.SearchStrategy[Any]:
    """What a record may hold of an attribute."""
    if attribute.edges is None:
        return st.sampled_from([*attribute.values, *([None] if attribute.missing else [])])
    bins = [_numbers(attribute, code) for code in range(len(attribute.values))]
    return st.one_of(*bins, *([st.none()] if attribute.missing else []))


def _numbers(attribute: Attribute, code: int) -> st.SearchStrategy[int | float | str]:
    """Numbers of a bin: the ends, which tell a wrong edge, and whole ones between them.

    Of dates, as text, the first of a bin, and the last of all.
    """
    ends = attribute.edges or ()
    if attribute.quantity is not Quantity.NUMBERS:
        known = ends[code:] if code == len(ends) - 2 else ends[code : code + 1]
        return st.sampled_from([attribute.quantity.write(end) for end in known])
    low, high, last = ends[code], ends[code + 1], code == len(ends) - 2
    lowest = at_or_above(low)
    top = -at_or_above(-high) if last else below(high)
    whole = range(math.ceil(low), (math.floor(high) if last else math.ceil(high - 1)) + 1)
    inner = [st.sampled_from(list(islice(whole, 64)))] if whole else []
    return st.one_of(st.just(lowest), *inner, st.just(max(lowest, top)))


def _first_value(attribute: Attribute, code: int) -> Any:
    if code == len(attribute.values):
        return None
    if attribute.edges is None:
        return attribute.values[code]
    if attribute.quantity is not Quantity.NUMBERS:
        return attribute.quantity.write(attribute.edges[code])
    return at_or_above(attribute.edges[code])
