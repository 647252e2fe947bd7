"""Exhaustion of small instances: known sensitivities, smallest pairs, one call a database."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from audit.auditors.sensitivity.answers import Database, InProcess, Outcome
from audit.auditors.sensitivity.declaration import Declared, Norm, parse_declaration
from audit.auditors.sensitivity.extremes import Extremes, exhaust, merge
from audit.auditors.sensitivity.records import DomainRecords
from audit.auditors.sensitivity.small import small
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

F = Fraction
Records = list[dict[str, Any]]


def _found(
    function: Any,
    cells: int,
    neighbours: Neighbours,
    records: int,
    bounds: str,
    key: str | None = None,
) -> Extremes:
    space = DomainRecords(Domain.from_cells(str(cells)))
    instance = small(space.list_records() or (), neighbours, records, key, "")
    return exhaust(InProcess(function), instance, parse_declaration(bounds))


def values(records: Records) -> list[int]:
    return [int(record["cell"]) for record in records]


def histogram(records: Records) -> list[int]:
    counts = Counter(values(records))
    return [counts[cell] for cell in range(3)]


def mean(records: Records) -> Fraction:
    return F(sum(values(records)), max(len(records), 1))


def median(records: Records) -> int:
    ordered = sorted(values(records))
    return ordered[len(ordered) // 2] if ordered else 0


def slices(records: Records) -> list[int]:
    """Counts of cells 0 and 1, and of cells 1 and 2: cell 1 counts twice."""
    found = values(records)
    return [sum(v <= 1 for v in found), sum(v >= 1 for v in found)]


def firsts(records: Records) -> list[int]:
    """Counts of each person's first record."""
    first: dict[str, int] = {}
    for record in records:
        first.setdefault(record["id"], int(record["cell"]))
    counts = Counter(first.values())
    return [counts[cell] for cell in range(2)]


def everything(records: Records) -> list[int]:
    counts = Counter(values(records))
    return [counts[cell] for cell in range(2)]


PERSON = Unit("person", 3)


@pytest.mark.parametrize(
    ("function", "neighbours", "sizes"),
    [
        # A histogram moves one count by 1, or two of them.
        (histogram, AddRemove(), (1, 1, 1)),
        (histogram, ReplaceOne(), (2, 2, 1)),
        (histogram, ReplaceOne(PERSON), (6, 18, 3)),
        # With n private the mean of one record of value 2 beside none is 2; else 2/3 of 3 records.
        (mean, AddRemove(), (2, 4, 2)),
        (mean, ReplaceOne(), (F(2, 3), F(4, 9), F(2, 3))),
        (median, ReplaceOne(), (2, 4, 2)),
        # A record of cell 1 counts in both slices; exchanged, one of cell 0 for one of cell 2.
        (slices, AddRemove(), (2, 2, 1)),
        (slices, ReplaceOne(), (2, 2, 1)),
    ],
)
def test_known_sensitivities(function: Any, neighbours: Neighbours, sizes: tuple[Any, ...]) -> None:
    found = _found(function, 3, neighbours, 3, "l1=9, l2=9, linf=9")
    assert tuple(found[norm].largest.size(norm) for norm in Norm) == sizes
    assert all(extreme.exceeding is None for extreme in found.values())


@pytest.mark.parametrize(("function", "l1"), [(firsts, 1), (everything, 3)])
def test_records_of_a_person_count_where_they_are_not_clipped(function: Any, l1: int) -> None:
    found = _found(function, 2, AddRemove(PERSON), 3, "l1=1", "id")
    assert found[Norm.L1].largest.size(Norm.L1) == l1
    assert (found[Norm.L1].exceeding is not None) == (l1 > 1)


def _brute_force(function: Any, neighbours: Neighbours, records: int) -> Fraction:
    """All pairs of lists of records over two cells."""
    sizes = [records] if neighbours.records_public else range(records + 1)
    lists = [c for n in sizes for c in itertools.combinations_with_replacement("01", n)]

    def counts(one: tuple[str, ...]) -> tuple[int, int]:
        return one.count("0"), one.count("1")

    def answer(one: tuple[str, ...]) -> list[Any]:
        found = function([{"cell": value} for value in one])
        return found if isinstance(found, list) else [found]

    return max(
        sum((abs(F(x) - F(y)) for x, y in zip(answer(a), answer(b), strict=True)), F(0))
        for a, b in itertools.permutations(lists, 2)
        if neighbours.are_neighbours(counts(a), counts(b))
    )


@pytest.mark.parametrize(
    "neighbours", [AddRemove(), ReplaceOne(), AddRemove(PERSON), ReplaceOne(PERSON)], ids=str
)
@pytest.mark.parametrize(
    "function",
    [histogram, mean, median, slices, lambda r: len(r) ** 2, lambda r: sum(values(r)) ** 3 % 7],
)
def test_the_largest_change_is_that_of_all_pairs_of_lists(
    function: Any, neighbours: Neighbours
) -> None:
    found = _found(function, 2, neighbours, 4, "l1=100")
    assert found[Norm.L1].largest.size(Norm.L1) == _brute_force(function, neighbours, 4)


def test_the_smallest_pair_beyond_the_bound_is_shown_beside_the_largest() -> None:
    found = _found(lambda r: len(r) ** 2, 2, AddRemove(), 4, "l1=2")[Norm.L1]
    assert found.exceeding is not None
    # 1, 3, 5 and 7: the second step is the first beyond 2, and copies are simpler than two kinds.
    assert (len(found.exceeding.first), len(found.exceeding.second)) == (1, 2)
    assert found.exceeding.size(Norm.L1) == 3
    assert found.exceeding.second == ({"cell": "0"},) * 2
    assert found.largest.size(Norm.L1) == 7


def test_an_instance_without_a_larger_change_does_not_hide_another() -> None:
    parts = [_found(mean, 3, ReplaceOne(), records, "l1=1") for records in (3, 1, 2)]
    whole = merge(parts)[Norm.L1]
    assert whole.largest.size(Norm.L1) == 2 and len(whole.largest.first) == 1
    assert whole.exceeding is not None and len(whole.exceeding.first) == 1


def test_each_database_is_asked_once() -> None:
    asked: Counter[str] = Counter()

    class Asked:
        def answer(self, database: Database) -> Outcome:
            asked[repr(database)] += 1
            return InProcess(histogram).answer(database)

    space = DomainRecords(Domain.from_cells("3"))
    exhaust(Asked(), small(space.list_records() or (), AddRemove(), 3, None, ""), Declared(F(1)))
    assert set(asked.values()) == {1} and len(asked) == math.comb(6, 3)


def test_an_exception_on_one_side_alone_is_infinite() -> None:
    found = _found(lambda r: 1 / len(r), 2, AddRemove(), 3, "l1=1")[Norm.L1]
    assert found.largest.size(Norm.L1) == math.inf
    assert (found.largest.first, len(found.largest.second)) == ((), 1)
    assert "raised ZeroDivisionError" in found.largest.responsible


def test_pairs_without_any_answer_say_nothing() -> None:
    def large_only(records: Records) -> int:
        if len(records) < 2:
            raise ValueError
        return len(records)

    assert _found(large_only, 2, ReplaceOne(), 1, "l1=1") == {}
    found = _found(large_only, 2, ReplaceOne(), 3, "l1=1")[Norm.L1]
    assert found.largest.size(Norm.L1) == 0
