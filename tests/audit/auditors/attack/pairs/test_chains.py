"""Chains between two lists of records, against the steps that they stand for."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from audit.auditors.attack.pairs.chains import chain_between
from audit.auditors.attack.pairs.given_pairs import chain_pair
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

RECORDS = [{"k": "a"}, {"k": "b"}, {"k": "c"}]
PERSON = Unit("person", 2)


def tables(most: int) -> list[list[dict[str, str]]]:
    """Every multiset of at most so many records."""
    return [
        list(chosen)
        for size in range(most + 1)
        for chosen in itertools.combinations_with_replacement(RECORDS, size)
    ]


def difference(left: list[Any], right: list[Any]) -> int:
    """How many records of the first the second lacks."""
    rest = list(right)
    missing = 0
    for record in left:
        if record in rest:
            rest.remove(record)
        else:
            missing += 1
    return missing


def steps(first: list[Any], second: list[Any], relation: Neighbours) -> int:
    """The steps of the chain, each of which was found to be one of neighbours."""
    chain = chain_between(first, second, relation, None)
    assert chain is not None
    assert difference(chain[0], first) == difference(first, chain[0]) == 0
    assert difference(chain[-1], second) == difference(second, chain[-1]) == 0
    return chain_pair(chain, relation, None, "a chain").distance


def test_every_chain_of_records_is_as_short_as_one_can_be() -> None:
    for first, second in itertools.permutations(tables(3), 2):
        lost, gained = difference(first, second), difference(second, first)
        assert steps(first, second, AddRemove()) == lost + gained
        if len(first) == len(second):
            assert steps(first, second, ReplaceOne()) == lost


def test_no_step_holds_more_records_than_both_ends() -> None:
    for first, second in itertools.permutations(tables(3), 2):
        chain = chain_between(first, second, AddRemove(), None)
        assert chain is not None
        assert max(map(len, chain)) == max(len(first), len(second))


def test_what_cannot_be_exchanged_one_for_one_is_no_chain_of_replacements() -> None:
    chain = chain_between(RECORDS[:1], RECORDS[1:], ReplaceOne(), None)
    assert chain is not None
    with pytest.raises(InputError):
        chain_pair(chain, ReplaceOne(), None, "a chain")


def owned(*owners: tuple[str, str]) -> list[dict[str, str]]:
    return [{"id": owner, "k": value} for owner, value in owners]


@pytest.mark.parametrize(
    ("first", "second", "relation", "distance"),
    [
        (owned(("1", "a"), ("1", "b")), [], AddRemove(PERSON), 1),
        (owned(("1", "a"), ("2", "b")), owned(("3", "a")), AddRemove(PERSON), 3),
        # All records of a person come or go: to change one takes two steps.
        (owned(("1", "a")), owned(("1", "b")), AddRemove(PERSON), 2),
        (owned(("1", "a")), owned(("1", "b")), ReplaceOne(PERSON), 1),
        (owned(("1", "a"), ("2", "a")), owned(("1", "b"), ("3", "a")), ReplaceOne(PERSON), 2),
        (owned(("1", "a"), ("2", "a")), owned(("2", "b"), ("3", "a")), ReplaceOne(PERSON), 2),
        (
            owned(("1", "a"), ("1", "b")),
            owned(("1", "b"), ("1", "a"), ("2", "c")),
            AddRemove(PERSON),
            1,
        ),
    ],
)
def test_persons_come_and_go_with_all_their_records(
    first: list[Any], second: list[Any], relation: Neighbours, distance: int
) -> None:
    chain = chain_between(first, second, relation, "id")
    assert chain is not None and len(chain) == distance + 1
    assert chain_pair(chain, relation, None, "a chain", "id").distance == distance
    assert difference(chain[0], first) == 0 == difference(chain[-1], second)


def test_without_owners_there_is_no_chain_of_persons() -> None:
    assert chain_between(RECORDS[:1], RECORDS[1:], AddRemove(PERSON), None) is None
    with pytest.raises(InputError, match="says whose it is"):
        chain_between(RECORDS[:1], RECORDS[1:], AddRemove(PERSON), "id")
