"""Itemsets: counts and ranks against loops over records, sensitivities against exhaustion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours, ReplaceOne, databases, neighbour_pairs
from synthesizers.queries import ItemsetCounts, Query, RankDistance, answers_of_histograms
from tests.synthesizers.brute_force import RELATIONS, relation_id

DOMAIN = Domain.from_cells("2x3x2")
ITEMS = tuple((name, code) for name in DOMAIN.names for code in range(DOMAIN.attribute(name).size))
RECORDS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1)), min_size=0, max_size=25
)


def contained(items: Sequence[Any], record: Sequence[int]) -> bool:
    return all(record[DOMAIN.position(name)] == code for name, code in items)


def counted(items: Sequence[Any], records: Sequence[Any]) -> int:
    return sum(contained(items, record) for record in records)


def coded(records: Sequence[Any]) -> Any:
    return np.array(records, np.int64).reshape(-1, 3)


@given(RECORDS, st.lists(st.integers(0, 3), min_size=25, max_size=25))
def test_counts_are_those_of_a_loop(records: list[Any], often: list[int]) -> None:
    itemsets = tuple(
        items
        for size in (1, 2, 3)
        for items in combinations(ITEMS, size)
        if len({name for name, _ in items}) == size
    )
    query = ItemsetCounts(itemsets)
    weights = np.array([[1] * len(records), often[: len(records)]], np.int64)
    found = query.answers(DOMAIN, coded(records), weights)
    for row, weight in zip(found.tolist(), weights.tolist(), strict=True):
        repeated = [r for r, w in zip(records, weight, strict=True) for _ in range(w)]
        assert row == [counted(items, repeated) for items in itemsets]


@given(
    RECORDS,
    st.lists(st.sampled_from(ITEMS), min_size=1, max_size=7, unique=True),
    st.integers(1, 4),
    st.integers(1, 30),
)
def test_ranks_are_those_of_all_itemsets(
    records: list[Any], items: list[Any], length: int, rank: int
) -> None:
    every = sorted(
        (
            counted(chosen, records)
            for size in range(1, length + 1)
            for chosen in combinations(items, size)
        ),
        reverse=True,
    )
    threshold = every[rank - 1] if rank <= len(every) else 0
    ranked = sorted((counted([item], records) for item in items), reverse=True)
    weights = np.ones((1, len(records)), np.int64)
    query = RankDistance(tuple(items), length, rank)
    found = query.answers(DOMAIN, coded(records), weights)
    assert found.tolist() == [[-abs(count - threshold) for count in ranked]]


CASES: list[tuple[Domain, Query]] = [
    (Domain.from_cells("2x2"), ItemsetCounts(((("a1", 1),), (("a1", 1), ("a2", 0))))),
    (Domain.from_cells("2x2"), ItemsetCounts(((("a2", 0),),))),
    (Domain.from_cells("2x2"), RankDistance((("a1", 1), ("a2", 1)), 2, 2)),
    (Domain.from_cells("2x2"), RankDistance((("a1", 0), ("a1", 1), ("a2", 1)), 2, 3)),
    (Domain.from_cells("3"), RankDistance((("cell", 2), ("cell", 0)), 3, 1)),
]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize(("domain", "query"), CASES)
def test_sensitivities_against_exhaustion(
    domain: Domain, query: Query, neighbours: Neighbours
) -> None:
    most = 2 * neighbours.unit.max_records + 1
    rows = databases(neighbours, domain.size, most)
    pairs = neighbour_pairs(neighbours, rows)
    answers = answers_of_histograms(query, domain, rows)
    steps = answers[pairs[:, 1]] - answers[pairs[:, 0]]
    claimed, size = query.sensitivity(domain, neighbours), np.abs(steps)
    assert size.sum(axis=1).max() <= claimed.l1
    assert (size**2).sum(axis=1).max() <= claimed.l2_squared
    assert size.max() == claimed.linf or isinstance(query, RankDistance)
    assert size.max() <= claimed.linf
    one_way = bool(((steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)).all())
    assert one_way or not claimed.monotone


def test_an_exchange_moves_ranks_by_two() -> None:
    """A record of (0, 0, 0) for one of (1, 1, 0): an item gains while the threshold loses."""
    moved = 0
    domain = Domain.from_cells("2x2x2")
    items = tuple((name, code) for name in domain.names for code in (0, 1))
    rows = databases(ReplaceOne(), 8, 4)
    pairs = neighbour_pairs(ReplaceOne(), rows)
    for length, rank in product((1, 2, 3), range(1, 7)):
        answers = answers_of_histograms(RankDistance(items, length, rank), domain, rows)
        moved = max(moved, int(np.abs(answers[pairs[:, 1]] - answers[pairs[:, 0]]).max()))
    assert moved == 2


def test_what_does_not_fit_is_refused() -> None:
    item = ("a1", 1)
    for wrong in ((), ((),), ((item, ("a1", 0)),), ((item,), (item,)), ((("a1",),),)):
        with pytest.raises(InputError):
            ItemsetCounts(wrong)
    for items, length, rank in (((), 1, 1), ((item, item), 1, 1), ((item,), 0, 1), ((item,), 1, 0)):
        with pytest.raises(InputError):
            RankDistance(items, length, rank)
    for bad in ((("a1", 2),), (("b", 0),)):
        with pytest.raises(InputError):
            ItemsetCounts((bad,)).size(DOMAIN)
        with pytest.raises(InputError):
            RankDistance(bad, 1, 1).size(DOMAIN)


def test_many_records_are_mined_quickly() -> None:
    domain = Domain.from_cells("20x20x20x20")
    generator = np.random.default_rng(0)
    codes = np.minimum(generator.geometric(0.3, (50_000, 4)) - 1, 19).astype(np.int64)
    items = tuple((name, code) for name in domain.names for code in range(20))
    query = RankDistance(items, 4, 110)
    scores = query.answers(domain, codes, np.ones((1, 50_000), np.int64))[0]
    every = [
        np.bincount(np.ravel_multi_index(codes[:, chosen].T, (20,) * len(chosen)))
        for size in range(1, 5)
        for chosen in combinations(range(4), size)
    ]
    threshold = np.sort(np.concatenate(every))[::-1][109]
    assert scores.max() <= 0
    ones = np.sort(np.concatenate(every[:4]))[::-1]
    assert scores.tolist() == (-np.abs(ones - threshold))[:80].tolist()
