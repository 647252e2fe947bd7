"""Far tables: of the claim's size and domain, in both encodings, as unlike as can be."""

from __future__ import annotations

import pytest

from audit.auditors.attack.pairs.far_tables import FarPair, list_far_pairs
from audit.auditors.attack.pairs.sizes import LARGEST, MODERATE
from audit.statements.claim import Claim
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

BINNED = Domain(
    "d", (Attribute("sex", ("f", "m")), Attribute.binned("age", [0, 18, 65, 120])), (), "id"
)


def pairs(
    domain: Domain | None = BINNED,
    records: int | None = 6,
    neighbours: Neighbours | None = None,
    least: int = 0,
) -> tuple[FarPair, ...]:
    relation = AddRemove() if neighbours is None else neighbours
    return list_far_pairs(
        Claim(parse_guarantee("epsilon=1"), relation, "output", domain, records), least
    )


def test_both_encodings_of_bins_and_no_record_against_all() -> None:
    shown = [(far.encoding.value, far.values) for far in pairs()]
    assert shown == [
        *(("numbers", True), ("labels", True)),
        *(("numbers", True), ("labels", True)),
        *(("numbers", False), ("labels", False)),
    ]


def test_the_first_values_stand_against_the_last() -> None:
    numbers, labels = pairs()[:2]
    assert numbers.pair.first[0] == {"id": "1", "sex": "f", "age": 0}
    assert numbers.pair.second[5] == {"id": "6", "sex": "m", "age": 120}
    assert labels.pair.first[0]["age"] == BINNED.attributes[1].values[0]
    assert labels.pair.second[0]["age"] == BINNED.attributes[1].values[-1]


def test_attributes_hang_together_on_one_side_of_the_second_pair_alone() -> None:
    far = pairs()[2]
    halves, spread = (
        {(one["sex"], one["age"]) for one in side} for side in (far.pair.first, far.pair.second)
    )
    assert halves == {("f", 0), ("m", 120)}
    # Two values of one and three of the other: all six, in six records.
    assert len(spread) == 6


def test_a_record_is_an_object_of_its_own() -> None:
    first = pairs()[0].pair.first
    first[0]["sex"] = "changed"
    assert first[1]["sex"] == "f"


@pytest.mark.parametrize(("records", "size"), [(None, MODERATE), (3, 3), (10 * LARGEST, LARGEST)])
def test_tables_have_as_many_records_as_the_claim_allows(records: int | None, size: int) -> None:
    for far in pairs(records=records):
        assert far.records == size == len(far.pair.second)
        assert len(far.pair.first) == (size if far.values else 0)


def test_a_public_number_of_records_is_never_none() -> None:
    assert all(far.values for far in pairs(neighbours=ReplaceOne(Unit())))


def test_the_fewest_records_stand_against_all() -> None:
    few = [far for far in pairs(records=6, least=2) if not far.values]
    assert [(len(far.pair.first), len(far.pair.second), far.records) for far in few] == [
        (2, 6, 4),
        (2, 6, 4),
    ]
    assert all(far.values for far in pairs(records=6, least=6))


def test_what_has_no_two_tables_has_no_pair() -> None:
    assert pairs(None) == ()
    assert pairs(records=0) == ()
    assert pairs(records=3, least=4) == ()
    one_cell = Domain("one", (Attribute("a", ("x",)),))
    assert [far.values for far in pairs(one_cell)] == [False]
