"""How far counts of itemsets and ranks of items move: exhaustion, and the queries."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from proofs.errors import ProofError
from proofs.kernel import prove
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, databases, neighbour_pairs
from synthesizers.queries import ItemsetCounts, Query, RankDistance, answers_of_histograms
from tests.proofs.rules.moved import bounds, differences, shape_of
from tests.synthesizers.brute_force import RELATIONS, relation_id

SQUARE, LINE = Domain.from_cells("2x2"), Domain.from_cells("3")
BOTH = tuple((name, code) for name in ("a1", "a2") for code in (0, 1))
CASES: list[tuple[Domain, Query]] = [
    (SQUARE, ItemsetCounts(((("a1", 1),),))),
    (SQUARE, ItemsetCounts(((("a1", 1),), (("a2", 0), ("a1", 1)), (("a2", 1),)))),
    (LINE, ItemsetCounts(((("cell", 0),), (("cell", 2),)))),
    *((SQUARE, RankDistance(BOTH, length, rank)) for length in (1, 2) for rank in (1, 2, 4, 9)),
    (LINE, RankDistance((("cell", 1), ("cell", 2)), 2, 2)),
]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_bounds_hold_for_all_neighbours(neighbours: Neighbours) -> None:
    for domain, query in CASES:
        found, moved = bounds(domain, query, neighbours), differences(domain, query, neighbours)
        size = np.abs(moved)
        assert found.l0 is not None and found.integers
        assert (size > 0).sum(axis=1).max() <= found.l0
        assert size.sum(axis=1).max() <= found.l1
        assert (size**2).sum(axis=1).max() <= found.l2_squared
        assert size.max() <= found.linf
        one_way = ((moved >= 0).all(axis=1) | (moved <= 0).all(axis=1)).all()
        assert one_way or not found.monotone


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_kernel_agrees_with_the_queries(neighbours: Neighbours) -> None:
    for domain, query in CASES:
        found, stated = bounds(domain, query, neighbours), query.sensitivity(domain, neighbours)
        assert (found.l1, found.l2_squared, found.linf, found.monotone) == (
            stated.l1,
            stated.l2_squared,
            stated.linf,
            stated.monotone,
        )


def test_counts_of_itemsets_move_both_ways_under_exchange() -> None:
    query = ItemsetCounts(((("a1", 0),), (("a1", 1),)))
    moved = differences(SQUARE, query, ReplaceOne())
    assert [1, -1] in moved.tolist()
    assert not bounds(SQUARE, query, ReplaceOne()).monotone
    assert bounds(SQUARE, query, AddRemove()).monotone
    # One count alone moves in one direction, whichever.
    assert bounds(SQUARE, ItemsetCounts(query.itemsets[:1]), ReplaceOne()).monotone


@pytest.mark.parametrize(("neighbours", "most"), [(AddRemove(), 1), (ReplaceOne(), 2)])
def test_the_bounds_of_ranks_are_attained(neighbours: Neighbours, most: int) -> None:
    domain = Domain.from_cells("2x2x2")
    items = tuple((name, code) for name in domain.names for code in (0, 1))
    rows = databases(neighbours, 8, 4)
    pairs = neighbour_pairs(neighbours, rows)
    found = 0
    for rank in range(1, 7):
        query = RankDistance(items, 2, rank)
        answers = answers_of_histograms(query, domain, rows)
        found = max(found, int(np.abs(answers[pairs[:, 1]] - answers[pairs[:, 0]]).max()))
        assert bounds(domain, query, neighbours).linf == most
    assert found == most


COUNTS = ItemsetCounts(((("a1", 1),), (("a1", 0), ("a2", 1)))).to_json()
RANKS = RankDistance(BOTH, 2, 3).to_json()


@pytest.mark.parametrize(
    "query",
    [
        COUNTS | {"itemsets": []},
        COUNTS | {"itemsets": [[]]},
        COUNTS | {"itemsets": [[["a1", 0], ["a1", 1]]]},
        COUNTS | {"itemsets": [[["a1", 2]]]},
        COUNTS | {"itemsets": [[["b", 0]]]},
        COUNTS | {"itemsets": [[["a1", -1]]]},
        COUNTS | {"itemsets": [[["a1"]]]},
        COUNTS | {"itemsets": [[["a1", True]]]},
        COUNTS | {"itemsets": "a1"},
        COUNTS | {"more": 1},
        RANKS | {"items": []},
        RANKS | {"items": [["a1", 0], ["a1", 0]]},
        RANKS | {"items": [["a1", 5]]},
        RANKS | {"length": 0},
        RANKS | {"rank": 0},
        RANKS | {"rank": "1"},
        {name: value for name, value in RANKS.items() if name != "length"},
    ],
)
def test_malformed_queries_are_refused(query: dict[str, Any]) -> None:
    given = {"neighbours": AddRemove(), "shape": shape_of(SQUARE), "query": query}
    with pytest.raises(ProofError):
        prove(query["kind"], (), given)


def test_all_pairs_of_items_may_be_counted() -> None:
    pairs = tuple(pair for pair in combinations(BOTH, 2) if pair[0][0] != pair[1][0])
    assert bounds(SQUARE, ItemsetCounts(pairs), ReplaceOne()).linf == 1
