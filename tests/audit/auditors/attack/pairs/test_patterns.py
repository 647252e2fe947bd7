"""Candidates: neighbours all of them, by a check of its own, and the patterns that are promised."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from audit.auditors.attack.pairs.distances import MOST_STEPS
from audit.auditors.attack.pairs.patterns import MOST_CANDIDATES, list_candidates, list_sweeps
from audit.auditors.attack.pairs.records import Encoding
from audit.auditors.attack.pairs.sizes import LARGEST, MODERATE
from audit.subjects.databases import dataset_of_records
from audit.subjects.pair import Pair
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.audit.auditors.attack.claims import claim_on

PURE = ApproxDP(Fraction(1))
SMALL = ApproxDP(Fraction(1, 10))
PERSON = Unit("person", 3)
CLINIC = Domain(
    "clinic",
    (
        Attribute("sex", ("m", "f")),
        Attribute.binned("age", [-30, Fraction(1, 3), Fraction(181, 3)], missing=True),
        Attribute("grade", ("1", "2"), missing=True, missing_label="N"),
    ),
)
DOMAINS = [
    Domain.from_cells("1"),
    Domain.from_cells("4"),
    Domain.from_cells("2x3"),
    CLINIC,
    Domain("owned", CLINIC.attributes, (), "who"),
    Domain("wide", tuple(Attribute(f"a{n}", tuple("abcdefgh")) for n in range(40))),
    Domain("numbers", (Attribute.binned("x", [Fraction(1, 10), 2, 3]),)),
]
RELATIONS: list[Neighbours] = [
    AddRemove(),
    ReplaceOne(),
    AddRemove(PERSON),
    ReplaceOne(PERSON),
]


def texts(database: Any) -> list[str]:
    return [json.dumps(record, sort_keys=True) for record in database]


def lies_in(record: dict[str, Any], domain: Domain) -> bool:
    """Whether a record is one of the domain, by a check that shares no code with the product."""
    if record.keys() - {domain.individual} != set(domain.names):
        return False
    for attribute in domain.attributes:
        value = record[attribute.name]
        if value is None:
            if not attribute.missing:
                return False
        elif attribute.edges is not None:
            if type(value) not in (int, float) or not math.isfinite(value):
                return False
            if not attribute.edges[0] <= Fraction(str(value)) <= attribute.edges[-1]:
                return False
        elif value not in attribute.values:
            return False
    return True


def steps_apart(pair: Pair, neighbours: Neighbours, domain: Domain) -> int:
    """How many units come, go or are exchanged between the databases of a pair."""
    first, second = Counter(texts(pair.first)), Counter(texts(pair.second))
    lost, gained = first - second, second - first
    most = neighbours.unit.max_records
    if neighbours.unit.is_record or domain.individual is None:
        sizes = [-(-lost.total() // most), -(-gained.total() // most)]
    else:
        owners = [{json.loads(text)[domain.individual] for text in side} for side in (lost, gained)]
        for side in (pair.first, pair.second):
            assert max(Counter(r[domain.individual] for r in side).values(), default=0) <= most
        stay = {json.loads(text)[domain.individual] for text in first & second}
        assert not stay & (owners[0] | owners[1])
        sizes = [len(owners[0]), len(owners[1])]
    return sum(sizes) if isinstance(neighbours, AddRemove) else max(sizes)


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: str(domain.name))
@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("records", [None, 1, 7])
def test_every_candidate_is_as_far_apart_as_it_says_inside_the_domain_and_the_claim(
    domain: Domain, neighbours: Neighbours, records: int | None
) -> None:
    if neighbours == ReplaceOne() and domain.size == 1:
        with pytest.raises(InputError, match="no two databases"):
            list_candidates(claim_on(domain, neighbours, records, SMALL))
        return
    found = list_candidates(claim_on(domain, neighbours, records, SMALL))
    assert 0 < len(found) <= MOST_CANDIDATES
    assert len({json.dumps([p.first, p.second], sort_keys=True) for p in found}) == len(found)
    for pair in found:
        assert pair.verified
        assert steps_apart(pair, neighbours, domain) == pair.distance, pair.pattern
        for database in (pair.first, pair.second):
            assert all(lies_in(record, domain) for record in database)
            if records is not None:
                assert len(database) <= records
                assert len(database) == records or not neighbours.records_public
        if neighbours.records_public:
            assert len(pair.first) == len(pair.second)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
def test_what_both_hold_stands_in_the_same_places(neighbours: Neighbours) -> None:
    for pair in list_candidates(claim_on(DOMAINS[4], neighbours, None, SMALL)):
        left, right = texts(pair.first), texts(pair.second)
        both = (Counter(left) & Counter(right)).total()
        assert sum(a == b for a, b in zip(left, right, strict=False)) == both


def test_no_record_is_one_object_with_another_that_a_mechanism_could_alter() -> None:
    for neighbours in RELATIONS:
        for pair in list_candidates(claim_on(CLINIC, neighbours, 20, SMALL)):
            records = [*pair.first, *pair.second]
            assert len({id(record) for record in records}) == len(records)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: str(domain.name))
def test_every_value_of_every_attribute_is_the_difference_of_some_pair(
    domain: Domain, neighbours: Neighbours
) -> None:
    if neighbours == ReplaceOne() and domain.size == 1:
        return
    encodings = (Encoding.NUMBERS, Encoding.LABELS)
    gained = set()
    for pair in list_candidates(claim_on(domain, neighbours, 20, PURE), 0, encodings):
        for text in Counter(texts(pair.second)) - Counter(texts(pair.first)):
            gained |= json.loads(text).items()
    wanted = {(a.name, value) for a in domain.attributes for value in a.values}
    assert wanted <= gained, sorted(wanted - gained)


def some(found: tuple[Pair, ...], wanted: Callable[[list[str], list[str]], bool]) -> bool:
    """Whether a pair of neighbours is as wanted, by the texts of its records."""
    return any(wanted(texts(p.first), texts(p.second)) for p in found if p.distance == 1)


def record(cell: int) -> str:
    return json.dumps({"cell": str(cell)})


def test_the_patterns_of_records_that_come_are_there() -> None:
    found = list_candidates(claim_on(Domain.from_cells("4"), AddRemove(), None, PURE))
    rest = MODERATE - 1
    last, first = record(3), record(0)
    for cell in range(4):
        own = [record(cell)]
        assert some(found, lambda a, b, own=own: (a, b) == ([], own))
        assert some(found, lambda a, b, own=own: (a, b) == (own * rest, own * (rest + 1)))
        assert some(
            found, lambda a, b, own=own: len(a) == rest and b == a + own and own[0] not in a
        )
    for copies in (1, 2, 4, 9):
        assert some(found, lambda a, b, n=copies: a == [last] * n and b == [last] * (n + 1))
    assert some(found, lambda a, b: len(set(a)) == 4 and len(a) == rest and b == [*a, last])
    # One more decides which of two kinds is the commoner.
    for half in (1, rest // 2):
        tie = {first: half, last: half}
        assert some(found, lambda a, b, t=tie: Counter(a) == t and b[-1] == last)


def test_the_patterns_of_an_exchange_are_there_at_the_claims_number_of_records() -> None:
    found = list_candidates(claim_on(Domain.from_cells("4"), ReplaceOne(), 8, PURE))
    last, first = record(3), record(0)
    assert some(found, lambda a, b: a == [first] * 8 and b == [first] * 7 + [last])
    assert some(found, lambda a, b: a == [last] * 7 + [first] and b == [last] * 8)
    assert some(found, lambda a, b: Counter(a)[last] == 4 and Counter(b)[last] == 5)
    assert some(found, lambda a, b: Counter(a)[last] == 2 and Counter(b)[last] == 3)
    assert some(found, lambda a, b: len(set(a)) == 4 and b[-1] == last)
    alone = list_candidates(claim_on(Domain.from_cells("4"), ReplaceOne(), None, PURE))
    assert some(alone, lambda a, b: (a, b) == ([first], [last]))
    assert some(alone, lambda a, b: len(a) == MODERATE)


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=str)
@pytest.mark.parametrize("records", [None, 5])
def test_missing_values_bin_edges_ends_and_both_zeros_come_up(
    neighbours: Neighbours, records: int | None
) -> None:
    found = list_candidates(claim_on(CLINIC, neighbours, records, PURE))

    def change(name: str, value: Any) -> bool:
        """Whether some pair differs by a record with the value, which no other record has."""
        spelt = json.dumps(value)
        sides = [([json.dumps(r[name]) for r in p.first], p.second[-1][name]) for p in found]
        return any(spelt not in others and json.dumps(own) == spelt for others, own in sides)

    assert change("age", None) and change("grade", None)
    assert change("age", -30) and change("age", 60.333333333333336 - 2**-47)
    assert change("age", 0.3333333333333333) and change("age", -0.0)
    # The double next to 1/3 reads as a decimal below it, so that it lies below the edge.
    assert Fraction("0.3333333333333333") < Fraction(1, 3)
    zeros = [p for p in found if json.dumps(p.second[-1]["age"]) == "-0.0"]
    assert any(json.dumps(r["age"]) in ("0.0", "0") for p in zeros for r in p.first)


def test_numbers_are_next_to_edges_and_as_far_as_the_ends_go() -> None:
    found = list_candidates(claim_on(DOMAINS[6], AddRemove(), None, PURE))
    alone = {json.dumps(pair.second[0]["x"]) for pair in found if len(pair.second) == 1}
    # 0.1 is 1/10 as a decimal; the ends of bins are whole, or the doubles next to them.
    assert alone == {"0.1", "3", "2", "1.9999999999999998"}


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
def test_programs_read_candidates_as_datasets(neighbours: Neighbours) -> None:
    for domain in (CLINIC, DOMAINS[4]):
        for pair in list_candidates(claim_on(domain, neighbours, 12, PURE)):
            for database in (pair.first, pair.second):
                dataset = dataset_of_records(database, domain)
                assert dataset.records == len(database)
                owners = {record["who"] for record in database} if domain.individual else set()
                assert dataset.persons is None or len(set(dataset.persons)) == len(owners)


def test_persons_come_and_go_with_all_their_records_and_their_ids() -> None:
    owned = DOMAINS[4]
    for neighbours in (AddRemove(PERSON), ReplaceOne(PERSON)):
        found = list_candidates(claim_on(owned, neighbours, 12, PURE))
        come = [p.second for p in found if not p.first]
        assert any(len({json.dumps(r) for r in new}) == 1 and len(new) == 3 for new in come)
        assert any(len({json.dumps(r) for r in new}) == 3 and len(new) == 3 for new in come)
        assert any(len(p.second) == 12 for p in found)
    exchanged = [p for p in found if len(p.first) == len(p.second) == 12]
    assert any(sum(a != b for a, b in zip(p.first, p.second, strict=True)) == 3 for p in exchanged)


def test_chains_are_for_pure_claims_and_gaussian_ones() -> None:
    for neighbours in RELATIONS:
        for guarantee in (SMALL, GaussianDP(Fraction(1, 10))):
            found = list_candidates(claim_on(CLINIC, neighbours, None, guarantee))
            assert max(pair.distance for pair in found) in (22, 31, 32)
        others: list[Guarantee] = [
            ApproxDP(Fraction(1, 10), Fraction(1, 10**9)),
            ZCDP(Fraction(1, 10)),
            RenyiDP(Fraction(2), Fraction(1, 10)),
        ]
        for guarantee in others:
            found = list_candidates(claim_on(CLINIC, neighbours, None, guarantee))
            assert {pair.distance for pair in found} == {1}


@pytest.mark.parametrize(
    ("epsilon", "distances"),
    [
        ("0", {1, 2, 4, MOST_STEPS}),
        ("1/1000", {1, 2, 4, MOST_STEPS}),
        ("1/100", {1, 2, 4, 222}),
        ("1/2", {1, 2, 4}),
        ("1", {1, 2, 4}),
        ("2", {1, 2}),
        ("3", {1}),
        ("9" * 400, {1}),
    ],
)
def test_the_distances_suit_what_is_claimed(epsilon: str, distances: set[int]) -> None:
    claim = ApproxDP(Fraction(epsilon))
    for neighbours in (AddRemove(), ReplaceOne()):
        found = list_candidates(claim_on(Domain.from_cells("3"), neighbours, None, claim))
        assert {pair.distance for pair in found} == distances


def test_a_chain_ends_where_the_claims_records_end() -> None:
    for neighbours in RELATIONS:
        most = 13 // neighbours.unit.max_records
        found = list_candidates(claim_on(Domain.from_cells("3"), neighbours, 13, SMALL))
        assert max(pair.distance for pair in found) == most


def test_the_most_telling_come_first() -> None:
    found = list_candidates(claim_on(CLINIC, AddRemove(), None, SMALL))
    assert (found[0].first, len(found[0].second), found[0].distance) == ([], 1, 1)
    assert (found[1].kind, found[1].distance) == ("two poles", 22)
    assert (found[2].kind, found[2].distance) == ("chains", 22)
    assert len(found[3].first) == MODERATE - 1


def test_every_kind_has_its_first_pair_before_any_has_its_second() -> None:
    for neighbours in RELATIONS:
        for encodings in ((Encoding.NUMBERS,), tuple(Encoding)):
            found = list_candidates(claim_on(CLINIC, neighbours, 20, SMALL), encodings=encodings)
            kinds = [pair.kind for pair in found]
            # A pair that two kinds share is the first one's.
            assert len(set(kinds)) >= 10 * len(encodings)
            assert len(set(kinds[: len(set(kinds)) * 2 // 3])) == len(set(kinds)) * 2 // 3


def test_bins_are_spelt_in_both_encodings_early() -> None:
    labels = CLINIC.attributes[1].values
    for neighbours in RELATIONS:
        found = list_candidates(claim_on(CLINIC, neighbours, 20, PURE), encodings=tuple(Encoding))
        spelt = [any(r["age"] in labels for r in (*p.first, *p.second)) for p in found]
        assert sum(spelt[:6]) == 3
        for pair, told in zip(found, spelt, strict=True):
            assert told == pair.kind.endswith("in labels") or "missing" in pair.kind
            assert pair.verified


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("least", [1, 2, 5])
@pytest.mark.parametrize("records", [None, 7, 50])
def test_no_database_has_fewer_records_than_the_least(
    neighbours: Neighbours, least: int, records: int | None
) -> None:
    found = list_candidates(claim_on(CLINIC, neighbours, records, SMALL), least)
    assert all(min(len(pair.first), len(pair.second)) >= least for pair in found)
    smallest = records if neighbours.records_public and records else least
    assert min(min(len(pair.first), len(pair.second)) for pair in found) == smallest
    grown = [
        s.at(n)
        for s in list_sweeps(claim_on(CLINIC, neighbours, records, SMALL), least)
        for n in s.sizes
    ]
    assert all(len(pair.first) >= least for pair in grown)


def test_more_records_than_the_claims_are_refused() -> None:
    with pytest.raises(InputError, match="--min-records 8 leaves none"):
        list_candidates(claim_on(CLINIC, AddRemove(), 7, SMALL), 8)


def test_two_attributes_differ_beside_tables_of_every_sort() -> None:
    """What chooses a network of attributes sees no difference where all values change at once."""
    domain = Domain("letters", tuple(Attribute(name, ("x", "y", "z")) for name in "abcd"))
    for neighbours in (AddRemove(), ReplaceOne()):
        found = [
            p
            for p in list_candidates(claim_on(domain, neighbours, 40, PURE))
            if p.kind == "two attributes differ"
        ]
        rests = [p.first[:-1] for p in found]
        assert any(all(len(set(r.values())) == 1 for r in rest) for rest in rests)
        assert any(len({json.dumps(r) for r in rest}) > 9 for rest in rests)
        assert any(len({json.dumps(r) for r in rest}) == 1 for rest in rests)
        for pair in found:
            assert len(set(pair.second[-1].values())) == 3


def test_small_spreads_over_two_to_eight_cells() -> None:
    found = list_candidates(claim_on(CLINIC, AddRemove(), 40, PURE))
    few = [pair for pair in found if pair.kind == "a few cells"]
    assert [len(set(texts(pair.first))) for pair in few] == [2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("neighbours", [AddRemove(), AddRemove(PERSON)], ids=str)
@pytest.mark.parametrize("domain", [CLINIC, DOMAINS[4]], ids=["records", "owned"])
def test_sweeps_are_of_neighbours_that_grow_from_small_to_the_claims_end(
    neighbours: Neighbours, domain: Domain
) -> None:
    spread, equal = list_sweeps(claim_on(domain, neighbours, 100, PURE))
    size = neighbours.unit.max_records
    for sweep in (spread, equal):
        assert sweep.sizes[:4] == (0, 1, 2, 4) and sweep.sizes[-1] == 100 // size - 1
        for units in (0, 1, 29 // size):
            pair, after = sweep.at(units), sweep.at(units + 1)
            assert (len(pair.first), len(pair.second)) == (units * size, (units + 1) * size)
            assert steps_apart(pair, neighbours, domain) == 1
            grown, before = ([{**r, "who": ""} for r in d] for d in (pair.second, after.first))
            assert grown == before
    assert list_sweeps(claim_on(domain, ReplaceOne(), 100, PURE)) == ()


def test_large_claims_are_searched_on_databases_of_moderate_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = list_candidates(claim_on(CLINIC, AddRemove(), 3 * LARGEST, PURE))
    assert max(len(pair.second) for pair in found) == LARGEST
    # With n public there is no choice but of fewer pairs.
    monkeypatch.setattr("audit.auditors.attack.pairs.patterns.MOST_RECORDS_HELD", 10_000)
    exact = list_candidates(claim_on(Domain.from_cells("3"), ReplaceOne(), 1500, PURE))
    assert {len(pair.first) for pair in exact} == {1500}
    assert len(exact) == 3


def test_without_a_domain_or_a_record_there_are_no_candidates() -> None:
    with pytest.raises(InputError, match="--pair"):
        list_candidates(claim_on(None, AddRemove(), None, PURE))
    for neighbours in RELATIONS:
        with pytest.raises(InputError, match="no two databases"):
            list_candidates(claim_on(CLINIC, neighbours, 0, PURE))


def test_every_value_comes_up_where_there_is_one_record_alone() -> None:
    """A mechanism may be wrong at one value of them alone."""
    domain = Domain.from_cells("100")
    for neighbours, alone in ((ReplaceOne(), 1), (AddRemove(), 0)):
        found = list_candidates(claim_on(domain, neighbours, 1, PURE))
        own = {texts(p.second)[0] for p in found if len(p.first) == alone}
        assert own >= {record(cell) for cell in range(3, 95)}
