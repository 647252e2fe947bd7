"""Pairs: neighbours under their relation, all of them, and small when they shrink."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from audit.auditors.attack.pairs.given_pairs import given_pair
from audit.subjects.databases import dataset_of_records
from audit.testing.strategies import (
    domains,
    neighbouring_datasets,
    neighbouring_histograms,
    neighbouring_pairs,
    relations,
)
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.synthesizers.brute_force import RELATIONS, relation_id, vectors

quick = settings(max_examples=40, deadline=None, derandomize=True, database=None)
thorough = settings(
    quick, max_examples=2000, phases=(Phase.generate, Phase.shrink), report_multiple_bugs=False
)
SMALL = Domain.from_cells("2x3")
every_relation = pytest.mark.parametrize("relation", RELATIONS, ids=relation_id)


@quick
@given(domains(min_values=2), relations(), st.data())
def test_drawn_histograms_are_neighbours(
    domain: Domain, relation: Neighbours, data: st.DataObject
) -> None:
    bounds = {"min_records": data.draw(st.integers(0, 5)), "max_records": 9}
    first, second = data.draw(neighbouring_histograms(domain, relation, **bounds))
    assert relation.are_neighbours(first, second)
    assert all(bounds["min_records"] <= sum(counts) <= 9 for counts in (first, second))
    left, right = data.draw(neighbouring_datasets(domain, relation, **bounds))
    assert relation.are_neighbours(left.histogram().tolist(), right.histogram().tolist())


@quick
@given(domains(min_values=2), relations(), st.booleans(), st.data())
def test_drawn_records_are_neighbours(
    domain: Domain, relation: Neighbours, identified: bool, data: st.DataObject
) -> None:
    whole = Domain("d", domain.attributes, individual="id" if identified else None)
    least = data.draw(st.integers(0, 5))
    first, second = data.draw(neighbouring_pairs(whole, relation, min_records=least, max_records=9))
    # The check of pairs that users give, made of nothing that draws them.
    pair = given_pair(first, second, relation, whole)
    assert pair.verified or not (identified or relation.unit.is_record)
    assert all(least <= len(database) <= 9 for database in (first, second))
    for database in (first, second):
        dataset_of_records(database, whole)


@every_relation
def test_every_pair_of_small_neighbours_can_be_drawn(relation: Neighbours) -> None:
    domain, most = Domain.from_cells("2"), 2
    small = list(vectors(2, most))
    wanted = {(a, b) for a, b in itertools.product(small, small) if relation.are_neighbours(a, b)}
    seen: set[Any] = set()

    @settings(thorough, max_examples=500)
    @given(neighbouring_histograms(domain, relation, max_records=most))
    def collect(pair: Any) -> None:
        seen.add(pair)

    collect()
    assert seen == wanted


@every_relation
def test_pairs_shrink_to_few_records(relation: Neighbours) -> None:
    size = int(relation.records_public)
    drawn = neighbouring_histograms(SMALL, relation, max_records=1000)
    first, second = find(drawn, lambda pair: True, settings=thorough)
    assert max(sum(first), sum(second)) == 1
    first, second = find(drawn, lambda pair: min(map(sum, pair)) >= 7, settings=thorough)
    assert sum(first) + sum(second) <= 15 - size
    listed = neighbouring_pairs(SMALL, relation)
    left, right = find(listed, lambda pair: True, settings=thorough)
    assert len(left) + len(right) <= 1 + size


def test_a_rest_shrinks_away_unless_it_matters() -> None:
    listed = neighbouring_pairs(SMALL, AddRemove(), max_records=200)
    target = {"a1": "1", "a2": "0"}
    found = find(listed, lambda p: target in p[1] and target not in p[0], settings=thorough)
    assert found == ([], [target])
    found = find(listed, lambda pair: len(pair[0]) > len(pair[1]), settings=thorough)
    assert found == ([{"a1": "0", "a2": "0"}], [])


def test_the_unit_may_stand_anywhere() -> None:
    listed = neighbouring_pairs(Domain.from_cells("2"), ReplaceOne(), max_records=4)
    for place in range(4):
        find(
            listed,
            lambda p, k=place: len(p[0]) == 4 and p[0][k] != p[1][k],
            settings=thorough,
        )


def test_records_may_differ_within_a_bin() -> None:
    domain = Domain("d", (Attribute.binned("income", [0, 100]),))
    first, second = find(
        neighbouring_pairs(domain, ReplaceOne()),
        lambda pair: abs(pair[0][-1]["income"] - pair[1][-1]["income"]) == 100,
        settings=thorough,
    )
    assert len(first) == len(second) == 1


def test_all_records_of_a_person_come_and_go() -> None:
    domain = Domain("d", SMALL.attributes, individual="id")
    relation = AddRemove(Unit("person", 3))
    first, second = find(
        neighbouring_pairs(domain, relation),
        lambda pair: len(pair[1]) - len(pair[0]) == 3,
        settings=thorough,
    )
    assert first == [] and {record["id"] for record in second} == {"1"}


@pytest.mark.parametrize(
    ("relation", "bounds"),
    [
        (AddRemove(), {"min_records": 4, "max_records": 4}),
        (AddRemove(), {"max_records": 0}),
        (ReplaceOne(), {"max_records": 0}),
        (AddRemove(), {"min_records": 5, "max_records": 4}),
        (AddRemove(), {"min_records": -1}),
    ],
)
@pytest.mark.parametrize("strategy", [neighbouring_histograms, neighbouring_pairs])
def test_bounds_without_neighbours_are_refused_at_once(
    strategy: Any, relation: Neighbours, bounds: dict[str, int]
) -> None:
    with pytest.raises(InputError):
        strategy(SMALL, relation, **bounds)


@pytest.mark.parametrize("strategy", [neighbouring_histograms, neighbouring_pairs])
def test_a_single_cell_has_no_other_record_to_exchange(strategy: Any) -> None:
    with pytest.raises(InputError, match="no two"):
        strategy(Domain.from_cells("1"), ReplaceOne())
