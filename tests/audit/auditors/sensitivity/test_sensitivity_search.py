"""The search: it makes nothing but neighbours, finds what small databases hide, and shrinks it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.auditors.attack.pairs.given_pairs import given_pair
from audit.auditors.sensitivity.answers import InProcess, Record
from audit.auditors.sensitivity.declaration import Norm, parse_declaration
from audit.auditors.sensitivity.extremes import Extreme
from audit.auditors.sensitivity.families import FAMILIES, chains, moves
from audit.auditors.sensitivity.moves import Move, shrunk
from audit.auditors.sensitivity.records import DomainRecords, FloatColumn, Records
from audit.auditors.sensitivity.search import Sought, drawn_moves, search
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

F = Fraction
Rows = list[dict[str, Any]]
CELLS = Domain.from_cells("3")
OWNED = Domain("owned", CELLS.attributes, individual="id")
BINS = Domain(
    "bins",
    (Attribute.binned("age", [0, 30, F("60.5"), 90], missing=True), Attribute("sex", ("m", "f"))),
)
RELATIONS = [
    AddRemove(),
    ReplaceOne(),
    AddRemove(Unit("person", 3)),
    ReplaceOne(Unit("person", 3)),
]


@pytest.fixture(autouse=True)
def shorter_chains(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of what is tested shows in short chains as well, in a tenth of the time."""
    if "long_chains" not in request.fixturenames:
        monkeypatch.setattr("audit.auditors.sensitivity.families.LONGEST", 120)
        monkeypatch.setattr("audit.auditors.sensitivity.families.SIZES", (1, 2, 3, 5, 10, 30, 100))


@pytest.fixture
def long_chains() -> None:
    """Chains as they are."""


def _values(records: Rows) -> list[int]:
    return [int(record["cell"]) for record in records]


def _search(
    function: Any,
    neighbours: Neighbours,
    bound: str = "l1=1",
    records: int | None = None,
    space: Records | None = None,
) -> Extreme:
    sought = Sought(space or DomainRecords(CELLS), neighbours, records)
    bounds = parse_declaration(bound)
    return search(InProcess(function), sought, bounds)[next(iter(bounds))[0]]


def _pairs(
    space: Records, neighbours: Neighbours, records: int | None
) -> Iterator[tuple[Any, Any]]:
    for chain in chains(space, neighbours, records):
        yield from list(pairwise(chain.databases(space.individual)))[-3:]
    for move in moves(space, neighbours, records):
        yield move.databases(space.individual)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("records", [None, 1, 4, 20])
@pytest.mark.parametrize("domain", [CELLS, OWNED, BINS], ids=lambda domain: domain.name)
def test_chains_and_families_hold_neighbours_alone(
    neighbours: Neighbours, records: int | None, domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audit.auditors.sensitivity.families.LONGEST", 30)
    monkeypatch.setattr("audit.auditors.sensitivity.families.SIZES", (1, 2, 3, 10))
    made = 0
    for first, second in _pairs(DomainRecords(domain), neighbours, records):
        # The reader of given pairs raises where they are no neighbours in the domain.
        pair = given_pair(list(first), list(second), neighbours, domain, records=records)
        assert pair.verified
        made += 1
    assert made or (records == 1 and neighbours.unit.max_records == 3)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("domain", [CELLS, OWNED], ids=lambda domain: domain.name)
def test_a_step_of_a_chain_as_a_move_is_the_same_pair(
    neighbours: Neighbours, domain: Domain
) -> None:
    space = DomainRecords(domain)
    for chain in chains(space, neighbours, 9):
        for step, pair in enumerate(pairwise(chain.databases(space.individual))):
            assert chain.move(step).databases(space.individual) == pair


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("records", [None, 1, 4])
@pytest.mark.parametrize("domain", [CELLS, OWNED, BINS], ids=lambda domain: domain.name)
def test_what_is_made_up_are_neighbours(
    neighbours: Neighbours, records: int | None, domain: Domain
) -> None:
    space = DomainRecords(domain)
    strategy = drawn_moves(Sought(space, neighbours, records))
    assert strategy is not None

    @settings(max_examples=30, deadline=None, derandomize=True, database=None)
    @given(strategy)
    def check(move: Move) -> None:
        if move.differs:
            pair = move.databases(space.individual)
            given_pair(*map(list, pair), neighbours, domain, records=records)

    check()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("size", [1, 2, 3, 10, 300])
def test_families_have_the_size_that_is_asked_for(name: str, size: int) -> None:
    for space in (DomainRecords(CELLS), DomainRecords(BINS), FloatColumn("x", -1.0, 2.0)):
        assert len(FAMILIES[name](space, size)) == size


@pytest.mark.parametrize("threshold", [7, 1000, pytest.param(1024, marks=pytest.mark.slow)])
def test_a_threshold_of_the_number_of_records_is_found_and_stays(
    threshold: int, long_chains: None
) -> None:
    found = _search(lambda records: 5 * (len(records) >= threshold), AddRemove())
    assert found.largest.size(Norm.L1) == 5
    assert found.exceeding is not None
    sizes = (len(found.exceeding.first), len(found.exceeding.second))
    assert sizes == (threshold - 1, threshold)
    # Records that do not matter are all of the simplest kind.
    assert found.exceeding.second == ({"cell": "0"},) * threshold


def test_a_change_that_grows_with_n_is_found_at_the_smallest_n_beyond() -> None:
    # n log2 n moves by about log2 n + 1.44: without end, and at first by less than 4.
    def entropy(records: Rows) -> float:
        n = len(records)
        return n * math.log2(n) if n else 0.0

    first = next(n for n in range(1, 50) if entropy([{}] * n) - entropy([{}] * (n - 1)) > 4)
    found = _search(entropy, AddRemove(), "l1=4")
    assert found.exceeding is not None and len(found.exceeding.second) == first
    assert found.largest.size(Norm.L1) > 9


def test_a_median_jumps_between_halves_of_any_size() -> None:
    def median_of_many(records: Rows) -> int:
        ordered = sorted(_values(records))
        return ordered[len(ordered) // 2] if len(ordered) >= 50 else 0

    found = _search(median_of_many, ReplaceOne())
    assert found.largest.size(Norm.L1) == 2
    assert found.exceeding is not None and len(found.exceeding.first) == 50


def test_a_score_over_the_number_of_records_keeps_within_its_bound_for_fixed_n() -> None:
    def share(records: Rows) -> Fraction:
        return F(sum(v == 0 for v in _values(records)), len(records))

    assert _search(share, ReplaceOne(), "l1=1/10", 10).exceeding is None
    assert _search(share, ReplaceOne(), "l1=1/10", 9).exceeding is not None


def test_a_rare_combination_is_climbed_to() -> None:
    # Only databases with many records of cell 1 and as many of cell 2 change by more than 1.
    def product(records: Rows) -> int:
        found = _values(records)
        return min(found.count(1), 3) * min(found.count(2), 3)

    found = _search(product, AddRemove(), "l1=2")
    assert found.largest.size(Norm.L1) == 3
    assert found.exceeding is not None and len(found.exceeding.second) == 4


def test_what_one_person_adds_is_shrunk_to_the_fewest_records() -> None:
    found = _search(len, AddRemove(Unit("person", 3)), "l1=1", None, DomainRecords(OWNED))
    assert found.largest.size(Norm.L1) == 3
    assert found.exceeding is not None
    assert (len(found.exceeding.first), len(found.exceeding.second)) == (0, 2)
    assert len({record["id"] for record in found.exceeding.second}) == 1


def test_the_same_seed_finds_the_same() -> None:
    def odd(records: Rows) -> int:
        return hash(tuple(_values(records))) % 97

    runs = [_search(odd, ReplaceOne(), "l1=50", 5) for _ in range(2)]
    assert runs[0] == runs[1]


def test_shrinking_leaves_out_and_simplifies_as_far_as_it_goes() -> None:
    simplest = [{"x": n} for n in range(5)]

    def exceeds(move: Move) -> bool:
        first, second = move.databases(None)
        kept = sorted(record["x"] for record in first)
        return len(second) == len(first) + 1 and sum(kept) >= 3 and 4 in kept

    rest: tuple[tuple[Record, ...], ...] = tuple(({"x": n % 5},) for n in range(40))
    found = shrunk(Move(rest, (), ({"x": 3},), 17), exceeds, simplest, True)
    assert found == Move((({"x": 4},),), (), ({"x": 0},), found.place)
    kept = shrunk(Move(rest[:3], (), ({"x": 3},), 1), lambda move: True, simplest, False)
    assert len(kept.rest) == 3 and set(map(repr, kept.databases(None)[1])) == {"{'x': 0}"}


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(0, 3), max_size=8), st.integers(0, 8), st.integers(1, 6))
def test_a_shrunk_move_still_exceeds(numbers: list[int], place: int, least: int) -> None:
    def exceeds(move: Move) -> bool:
        return sum(record["x"] for record in move.databases(None)[1]) >= least

    start = Move(tuple(({"x": n},) for n in numbers), (), ({"x": 3},), place)
    if exceeds(start):
        found = shrunk(start, exceeds, [{"x": n} for n in range(4)], True)
        assert exceeds(found)
        # No record less, none simpler.
        total = [record["x"] for record in found.databases(None)[1]]
        assert sum(total) == least
