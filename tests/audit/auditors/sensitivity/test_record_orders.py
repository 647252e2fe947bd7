"""Orders of records: sums of floats move where no record changes; exact sums do not."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from audit.auditors.sensitivity.answers import InProcess, Seen
from audit.auditors.sensitivity.declaration import Norm, parse_declaration
from audit.auditors.sensitivity.orders import Ordered, try_orders
from audit.auditors.sensitivity.records import DomainRecords, FloatColumn, Records
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

F = Fraction
Rows = list[dict[str, Any]]
UNIT = FloatColumn("x", 0.0, 1.0)
ANY = parse_declaration("l1=0")


@pytest.fixture(autouse=True)
def small_families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.auditors.sensitivity.families.SIZES", (1, 3, 10, 50))


def plain_sum(records: Rows) -> float:
    total = 0.0
    for record in records:
        total += record["x"]
    return total


def fsum(records: Rows) -> float:
    return math.fsum(record["x"] for record in records)


def exact_sum(records: Rows) -> Fraction:
    return sum((F(record["x"]) for record in records), F(0))


def _ordered(
    function: Any,
    space: Records = UNIT,
    neighbours: Neighbours | None = None,
    bound: str = "l1=0",
    records: int | None = None,
) -> Ordered:
    return try_orders(
        InProcess(function), space, neighbours or AddRemove(), records, parse_declaration(bound)
    )


def _same_records(pair: Seen) -> bool:
    return Counter(map(repr, pair.first)) == Counter(map(repr, pair.second))


def test_a_sum_of_floats_moves_where_records_only_change_places() -> None:
    found = _ordered(plain_sum).reordered[Norm.L1]
    assert found.exceeding is not None
    for pair in (found.largest, found.exceeding):
        assert _same_records(pair) and pair.first != pair.second
        a, b = plain_sum([*pair.first]), plain_sum([*pair.second])
        assert pair.size(Norm.L1) == abs(F(a) - F(b)) > 0
    # Two addends commute, so that three records are the fewest.
    assert len(found.exceeding.first) == 3


@pytest.mark.parametrize("function", [fsum, exact_sum, len])
def test_a_function_of_the_multiset_does_not_move(function: Any) -> None:
    found = _ordered(function)
    assert found.reordered == {} and found.neighbours == {}


def test_mixed_magnitudes_move_a_sum_by_whole_records() -> None:
    wide = FloatColumn("x", -1e16, 1e16)
    found = _ordered(plain_sum, wide, bound="l1=1").reordered[Norm.L1]
    # 1e16 + 1 - 1e16 is 0 or 1, or with three of them more.
    assert found.largest.size(Norm.L1) >= 1


def test_neighbours_in_any_order_change_most_among_all_lists() -> None:
    few = FloatColumn("x", 0.0, 1.0)
    found = _ordered(plain_sum, few, ReplaceOne(), "l1=1", 2).neighbours
    assert found == {}  # two addends commute
    found = _ordered(plain_sum, few, AddRemove(), "l1=1", 3).neighbours
    kinds = few.values
    lists = [c for n in range(4) for c in itertools.product(kinds, repeat=n)]
    answers: dict[tuple[str, ...], set[float]] = {}
    for chosen in lists:
        key = tuple(sorted(value.hex() for value in chosen))
        answers.setdefault(key, set()).add(plain_sum([{"x": value} for value in chosen]))
    expected = max(
        abs(F(a) - F(b))
        for key, left in answers.items()
        for place in range(len(key))
        for a in left
        for b in answers[key[:place] + key[place + 1 :]]
    )
    assert found[Norm.L1].largest.size(Norm.L1) == expected > 1


def test_the_last_record_is_no_function_of_a_multiset() -> None:
    def last(records: Rows) -> int:
        return int(records[-1]["cell"]) if records else 0

    space = DomainRecords(Domain.from_cells("3"))
    found = _ordered(last, space, ReplaceOne(), "l1=1")
    assert found.reordered[Norm.L1].largest.size(Norm.L1) == 2
    assert found.neighbours[Norm.L1].exceeding is not None


def test_only_large_databases_may_show_it() -> None:
    def blocked(records: Rows) -> int:
        return int(records[0]["cell"]) if len(records) >= 10 else 0

    space = DomainRecords(Domain.from_cells("3"))
    found = _ordered(blocked, space)
    assert found.reordered[Norm.L1].largest.size(Norm.L1) == 2
    assert len(found.reordered[Norm.L1].largest.first) >= 10


@pytest.mark.parametrize("records", [1, 2, 4, 20])
def test_databases_have_the_number_of_records_that_is_asked_for(records: int) -> None:
    asked: set[int] = set()

    def size(found: Rows) -> float:
        asked.add(len(found))
        return plain_sum(found)

    _ordered(size, UNIT, ReplaceOne(), "l1=0", records)
    assert asked == {records}
    asked.clear()
    _ordered(size, UNIT, AddRemove(), "l1=0", records)
    assert max(asked) == records


def test_records_of_persons_are_left_in_their_order() -> None:
    owned = Domain("owned", Domain.from_cells("3").attributes, individual="id")
    found = _ordered(lambda r: int(r[0]["cell"]) if r else 0, DomainRecords(owned))
    assert found.reordered == {} == found.neighbours


def test_the_floats_of_a_column_lie_in_its_bounds_and_hold_what_is_awkward() -> None:
    values = FloatColumn("x", -1.0, 1e308).values
    assert all(-1.0 <= value <= 1e308 for value in values)
    texts = {value.hex() for value in values}
    assert {(-0.0).hex(), (0.0).hex(), (5e-324).hex(), (1e308).hex(), (1e16).hex()} <= texts
    assert len(texts) == len(values)
    assert FloatColumn("x", 3.0, 3.0).values == (3.0,)


@pytest.mark.parametrize(("low", "high"), [(1.0, 0.0), (0.0, math.inf), (math.nan, 1.0)])
def test_bounds_are_finite_and_in_order(low: float, high: float) -> None:
    with pytest.raises(InputError, match="finite bounds"):
        FloatColumn("x", low, high)
