"""Tied choices: the record that is exchanged decides which attribute agrees more with the third."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.auditors.attack.pairs.patterns import list_candidates
from audit.subjects.pair import Pair
from proofs.guarantees import ApproxDP
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from tests.audit.auditors.attack.claims import claim_on

CLAIM = ApproxDP(Fraction(1))
SIZES = (2, 1, 3, 2, 5)
DOMAIN = Domain(
    "five",
    tuple(
        Attribute(name, tuple(map(str, range(size))))
        for name, size in zip("abcde", SIZES, strict=True)
    ),
)


def ties(domain: Domain, neighbours: Neighbours, records: int | None) -> list[Pair]:
    found = list_candidates(claim_on(domain, neighbours, records, CLAIM))
    return [pair for pair in found if pair.kind == "tied choices"]


def agreements(database: list[dict[str, Any]], one: str, other: str) -> int:
    """How often both are at their first value, or both beyond it."""
    return sum((record[one] == "0") == (record[other] == "0") for record in database)


@pytest.mark.parametrize("records", [None, 41, 200, 1000])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=str)
def test_two_attributes_agree_equally_often_with_the_third_but_for_one_record(
    neighbours: Neighbours, records: int | None
) -> None:
    (pair,) = ties(DOMAIN, neighbours, records)
    assert pair.verified and pair.distance == 1
    # The second attribute has one value, so that the first three of more are a, c and d.
    ahead = [
        agreements(side, "a", "d") - agreements(side, "c", "d")
        for side in (pair.first, pair.second)
    ]
    assert ahead == ([0, -1] if isinstance(neighbours, AddRemove) else [1, -1])
    for side in (pair.first, pair.second):
        assert agreements(side, "a", "c") > agreements(side, "a", "d")
        for name in "acd":
            assert abs(2 * sum(record[name] == "0" for record in side) - len(side)) <= 2


def test_there_are_none_of_two_attributes_nor_of_few_records() -> None:
    assert not ties(Domain.from_cells("4x3"), ReplaceOne(), 200)
    assert not ties(DOMAIN, ReplaceOne(), 5)
