"""Two poles: on each of these pairs every marginal moves as far as a unit can move it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from audit.auditors.attack.pairs.poles import POLES, list_poles
from audit.auditors.attack.pairs.records import Records
from audit.auditors.attack.pairs.sizes import Sizes
from audit.subjects.pair import Pair
from proofs.guarantees import ApproxDP, GaussianDP, Guarantee
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.audit.auditors.attack.claims import claim_on

NAMES = ("a", "b", "c")
DOMAIN = Domain("three", tuple(Attribute(name, ("0", "1", "2")) for name in NAMES))
MU, PURE = GaussianDP(Fraction(9, 20)), ApproxDP(Fraction(1))
DELTA = ApproxDP(Fraction(1), Fraction(1, 100))


def poles(
    neighbours: Neighbours, records: int | None, guarantee: Guarantee, least: int = 0
) -> list[Pair]:
    claim = claim_on(DOMAIN, neighbours, records, guarantee)
    sketches = list_poles(Records(DOMAIN), claim, Sizes(claim, least))
    return [sketch.verify(claim, "two poles") for sketch in sketches]


@pytest.mark.parametrize("records", [None, 40, 1000])
@pytest.mark.parametrize("claim", [MU, PURE, DELTA], ids=str)
@pytest.mark.parametrize(
    "neighbours", [AddRemove(), ReplaceOne(), ReplaceOne(Unit("person", 3))], ids=str
)
def test_every_marginal_moves_by_its_whole_sensitivity(
    neighbours: Neighbours, records: int | None, claim: Guarantee
) -> None:
    found = poles(neighbours, records, claim)
    assert found
    ends = 1 if isinstance(neighbours, AddRemove) else 2
    for pair in found:
        assert pair.verified
        assert max(len(pair.first), len(pair.second)) == (records or POLES)
        moved = pair.distance * neighbours.unit.max_records
        for size in (1, 2, 3):
            for of in combinations(NAMES, size):
                counts = [
                    Counter(tuple(r[n] for n in of) for r in side)
                    for side in (pair.first, pair.second)
                ]
                # Both poles are seen in each marginal of either database, and nothing else.
                assert [len(side) for side in counts] == [2, 2]
                apart = {cell: counts[1][cell] - counts[0][cell] for cell in counts[0]}
                assert sorted(apart.values()) == [-moved, moved][-ends:] or (
                    sorted(apart.values()) == [0, moved]
                )


def test_steps_suit_the_claim_neighbours_come_next_and_some_claims_take_no_chain() -> None:
    assert [pair.distance for pair in poles(ReplaceOne(), 200, MU)] == [5, 1, 7, 2, 4]
    assert [pair.distance for pair in poles(ReplaceOne(), 200, PURE)] == [2, 1, 4]
    assert [pair.distance for pair in poles(AddRemove(), 200, DELTA)] == [1, 1]


def test_the_smaller_pole_holds_records_come_where_only_shares_are_seen() -> None:
    quarter, half = poles(AddRemove(), 201, DELTA)
    last = dict.fromkeys(NAMES, "2")
    assert [pair.first.count(last) for pair in (quarter, half)] == [50, 100]


def test_a_database_of_two_records_has_no_poles_and_the_least_size_is_kept() -> None:
    assert not poles(ReplaceOne(), 2, DELTA)
    assert min(len(p.first) for p in poles(AddRemove(), 300, MU, least=250)) >= 250
