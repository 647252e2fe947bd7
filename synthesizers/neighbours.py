"""Neighbouring databases: which pairs a guarantee speaks about.

A database of a small domain is a histogram: a vector of counts over the
domain's cells. `AddRemove` and `ReplaceOne` say when two of them are
neighbours, for records and for persons who own at most m records.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import InputError, TooLargeError, rounded_count

MAX_DATABASES = 200_000
"""The most histograms that are listed at once."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one neighbour gains, loses or exchanges: a record, or a person's records.

    A person owns from zero to ``max_records`` records.
    """

    name: str = "record"
    max_records: int = 1

    def __post_init__(self) -> None:
        if self.name not in ("record", "person"):
            raise InputError(f"unit must be 'record' or 'person', found {self.name!r}")
        if isinstance(self.max_records, bool) or not isinstance(self.max_records, int):
            raise InputError("max-records must be a whole number")
        if self.max_records < 1:
            raise InputError(f"max-records must be at least 1, found {self.max_records}")
        if self.name == "record" and self.max_records != 1:
            raise InputError("max-records goes with --unit person; a record is one record")

    @property
    def is_record(self) -> bool:
        """Whether the unit is a single record."""
        return self.name == "record"


RECORD = Unit()


@dataclass(frozen=True, slots=True)
class AddRemove:
    """Databases differ by the records of one unit (unbounded DP); n is private."""

    unit: Unit = RECORD
    name = "add-remove"

    @property
    def records_public(self) -> bool:
        """Whether the number of records is public: never here."""
        return False

    def differences(self, cells: int) -> Iterator[tuple[int, ...]]:
        """Every difference of two neighbours, one of each pair ±d."""
        for size in range(1, self.unit.max_records + 1):
            yield from compositions(cells, size)

    def difference_count(self, cells: int) -> int:
        """How many differences `differences` yields."""
        return math.comb(cells + self.unit.max_records, cells) - 1

    def are_neighbours(self, left: Sequence[int], right: Sequence[int]) -> bool:
        """Whether two histograms of one length are neighbours."""
        gained, lost = _count_moves(left, right)
        return max(gained, lost) <= self.unit.max_records and 0 < gained + lost == max(gained, lost)


@dataclass(frozen=True, slots=True)
class ReplaceOne:
    """One unit's records are exchanged for another's (bounded DP).

    The number of units is public; with records as units, so is n.
    """

    unit: Unit = RECORD
    name = "replace-one"

    @property
    def records_public(self) -> bool:
        """Whether the number of records is public: exactly when the unit is a record."""
        return self.unit.is_record

    def differences(self, cells: int) -> Iterator[tuple[int, ...]]:
        """Every difference of two neighbours, one of each pair ±d."""
        sizes = [1] if self.unit.is_record else list(range(self.unit.max_records + 1))
        vectors = [v for size in sizes for v in compositions(cells, size)]
        for gained, lost in itertools.product(vectors, vectors):
            # Overlapping moves cancel, and each difference is wanted once.
            if any(g and b for g, b in zip(gained, lost, strict=True)):
                continue
            difference = tuple(g - b for g, b in zip(gained, lost, strict=True))
            if any(difference) and next(d for d in difference if d) > 0:
                yield difference

    def difference_count(self, cells: int) -> int:
        """An upper bound on how many differences `differences` yields."""
        vectors = math.comb(cells + self.unit.max_records, cells)
        return cells * (cells - 1) // 2 if self.unit.is_record else vectors * vectors

    def are_neighbours(self, left: Sequence[int], right: Sequence[int]) -> bool:
        """Whether two histograms of one length are neighbours."""
        gained, lost = _count_moves(left, right)
        if self.unit.is_record:
            return gained == 1 == lost
        return 0 < max(gained, lost) <= self.unit.max_records


Neighbours = AddRemove | ReplaceOne


def neighbours_from(name: str, unit: str = "record", max_records: int | None = None) -> Neighbours:
    """The relation of its words on the command line; raises InputError."""
    if unit == "person" and max_records is None:
        raise InputError("--unit person needs --max-records m (the most records of one person)")
    if unit == "record" and max_records not in (None, 1):
        raise InputError("--max-records goes with --unit person; a record is one record")
    of = Unit(unit, 1 if max_records is None else max_records)
    if name == "add-remove":
        return AddRemove(of)
    if name == "replace-one":
        return ReplaceOne(of)
    raise InputError(f"neighbours must be add-remove or replace-one, found {name!r}")


def describe(neighbours: Neighbours) -> str:
    """The relation in words, as certificates print it."""
    unit = neighbours.unit
    who = "one record" if unit.is_record else f"one person's records (at most {unit.max_records})"
    if isinstance(neighbours, AddRemove):
        return f"add-remove: databases differ by {who}; n is private"
    public = "n" if unit.is_record else "the number of persons"
    return f"replace-one: {who} exchanged for another's; {public} is public"


def _count_moves(left: Sequence[int], right: Sequence[int]) -> tuple[int, int]:
    steps = [b - a for a, b in zip(left, right, strict=True)]
    return sum(s for s in steps if s > 0), -sum(s for s in steps if s < 0)


def compositions(cells: int, total: int) -> Iterator[tuple[int, ...]]:
    """Every vector of ``cells`` counts with the given sum, in ascending order."""
    # Stars and bars, as in `histograms`: a recursion over cells would be too deep.
    end = total + cells - 1
    for bars in itertools.combinations(range(end), cells - 1):
        yield tuple(b - a - 1 for a, b in itertools.pairwise((-1, *bars, end)))


def histogram_count(cells: int, records: int) -> int:
    """How many histograms of exactly ``records`` records there are: C(n+k-1, k-1)."""
    return math.comb(records + cells - 1, cells - 1)


def histograms(cells: int, records: int) -> NDArray[np.int64]:
    """All histograms of exactly ``records`` records, [databases, cells], ascending.

    Raises InputError for no cells or negative records, TooLargeError above
    `MAX_DATABASES`.
    """
    if cells < 1 or records < 0:
        raise InputError("histograms need at least one cell and no negative number of records")
    count = histogram_count(cells, records)
    if count > MAX_DATABASES:
        raise TooLargeError(
            f"{records} records over {cells} cells make "
            f"{rounded_count(count)} databases, more than the {MAX_DATABASES} "
            "that are enumerated; take fewer records or cells"
        )
    # Stars and bars: the bars' places are combinations, in lexicographic order.
    total = records + cells - 1
    flat = itertools.chain.from_iterable(itertools.combinations(range(total), cells - 1))
    bars = np.fromiter(flat, np.int64, count * (cells - 1)).reshape(count, cells - 1)
    edges = np.concatenate(
        [np.full((count, 1), -1, np.int64), bars, np.full((count, 1), total, np.int64)], axis=1
    )
    return np.asarray(np.diff(edges, axis=1) - 1, np.int64)


def databases(neighbours: Neighbours, cells: int, records: int) -> NDArray[np.int64]:
    """The databases of an enumerated instance, [databases, cells].

    With n public, all histograms of ``records`` records; otherwise all of 0 to
    ``records`` records.
    """
    if neighbours.records_public:
        return histograms(cells, records)
    count = math.comb(records + cells, cells)
    if count > MAX_DATABASES:
        raise TooLargeError(
            f"0 to {records} records over {cells} cells make "
            f"{rounded_count(count)} databases, more than the {MAX_DATABASES} "
            "that are enumerated; take fewer records or cells"
        )
    return np.concatenate([histograms(cells, size) for size in range(records + 1)])


def neighbour_pairs(neighbours: Neighbours, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The unordered pairs of neighbours among listed databases.

    ``rows``: distinct histograms, [databases, cells]. Returns [pairs, 2] row
    numbers, sorted. Raises TooLargeError where the relation has too many
    differences to try.

    Guarantee
    ---------
    Exactly the pairs that ``are_neighbours`` accepts: every difference of the
    relation is tried on every row. Backed by the comparison with all pairs in
    ``tests/synthesizers/test_neighbours.py``.
    """
    # The look-up compares bytes, so the counts must be of one type.
    rows = np.asarray(rows, np.int64)
    count, cells = rows.shape
    steps = neighbours.difference_count(cells)
    if steps * max(count, 1) > 200_000_000:
        raise TooLargeError(
            f"{count} databases with up to {steps} possible differences are too many pairs; "
            "take fewer cells, records or records a person"
        )
    index: dict[bytes, int] = {row.tobytes(): number for number, row in enumerate(rows)}
    base = int(rows.max(initial=0)) + 1
    coded = base**cells < 2**62
    radix = np.array([base**place if coded else 0 for place in range(cells)], np.int64)
    codes = rows @ radix
    order = np.argsort(codes, kind="stable")
    found: list[NDArray[np.int64]] = []
    for difference in neighbours.differences(cells):
        step = np.array(difference, np.int64)
        targets = rows + step
        legal = np.flatnonzero((targets >= 0).all(axis=1) & (targets < base).all(axis=1))
        if not len(legal):
            continue
        if coded:
            wanted = targets[legal] @ radix
            place = np.minimum(np.searchsorted(codes, wanted, sorter=order), count - 1)
            partner = order[place]
            hit = codes[partner] == wanted
        else:
            partner = np.array([index.get(targets[i].tobytes(), -1) for i in legal], np.int64)
            hit = partner >= 0
        found.append(np.stack([legal[hit], partner[hit]], axis=1))
    if not found:
        return np.empty((0, 2), np.int64)
    pairs = np.sort(np.concatenate(found), axis=1)
    return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], np.int64)


def extreme_differences(neighbours: Neighbours, cells: int) -> Iterator[tuple[int, ...]]:
    """The corners of the set of all differences of neighbours, one of each pair ±d.

    Every difference is a mean of corners (and 0), so a convex function of the
    difference that is even and 0 at 0 is largest at one of them.
    """
    unit = neighbours.unit
    exchange = isinstance(neighbours, ReplaceOne)
    for first in range(cells):
        if not (exchange and unit.is_record):
            yield _corner(cells, first, None, unit.max_records)
        for second in range(first + 1, cells if exchange else 0):
            yield _corner(cells, first, second, unit.max_records)


def _corner(cells: int, gains: int, loses: int | None, records: int) -> tuple[int, ...]:
    return tuple(records * ((cell == gains) - (cell == loses)) for cell in range(cells))


def to_json(neighbours: Neighbours) -> dict[str, Any]:
    """The relation as plain data."""
    return {
        "neighbours": neighbours.name,
        "unit": neighbours.unit.name,
        "max_records": neighbours.unit.max_records,
    }


def from_json(data: dict[str, Any]) -> Neighbours:
    """The relation of its plain data; raises InputError."""
    unit = str(data.get("unit"))
    return neighbours_from(str(data.get("neighbours")), unit, data.get("max_records"))
