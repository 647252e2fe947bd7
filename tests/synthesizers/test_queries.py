"""Sensitivities against exhaustion, and the two ways of answering against each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, databases, neighbour_pairs
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    Marginal,
    ModelError,
    Query,
    Sensitivity,
    Total,
    answer,
    answers_of_histograms,
    whole_table,
)
from tests.synthesizers.brute_force import RELATIONS, relation_id

PAIR = Domain.from_cells("2x2")
LINE = Domain.from_cells("3")
POINT = Domain.from_cells("1")
SIDES = (Marginal(("a1",)), Marginal(("a2",)), Marginal(("a1", "a2")))

# Model errors are bounded through their marginals, so only their largest score is tight.
CASES: list[tuple[Domain, Query, bool]] = [
    (PAIR, Marginal(("a1",)), True),
    (PAIR, Marginal(("a2", "a1")), True),
    (LINE, whole_table(LINE), True),
    (POINT, whole_table(POINT), True),
    (PAIR, CellCounts((0,)), True),
    (PAIR, CellCounts((3, 1)), True),
    (PAIR, CellCounts((2, 0, 1, 3)), True),
    (POINT, CellCounts((0,)), True),
    (PAIR, Total(), True),
    (LINE, BoundedSum("cell", (0, 1, 2), 0, 2), True),
    (LINE, BoundedSum("cell", (-5, 1, 9), -2, 3), True),
    (LINE, BoundedSum("cell", (2, 3, 5), 0, 9), True),
    (LINE, BoundedSum("cell", (-2, -3, -5), -9, 9), True),
    (LINE, BoundedSum("cell", (7, 7, 7), 0, 9), True),
    (LINE, BoundedSum("cell", (7, 8, 9), 4, 4), True),
    (POINT, BoundedSum("cell", (3,), 0, 5), True),
    (PAIR, ModelError(SIDES, ((1, 0), (2, 2), (0, 0, 1, 0))), False),
    (POINT, ModelError((Marginal(("cell",)),), ((1,),)), False),
]  # fmt: skip


def exhausted(
    domain: Domain, query: Query, neighbours: Neighbours
) -> tuple[Sensitivity, NDArray[np.int64]]:
    """The largest norms over all neighbours of up to 2m + 1 records."""
    most = 2 * neighbours.unit.max_records + (1 if domain.size < 4 else 0)
    rows = databases(neighbours, domain.size, max(most, 2))
    answers = answers_of_histograms(query, domain, rows)
    pairs = neighbour_pairs(neighbours, rows)
    steps = answers[pairs[:, 1]] - answers[pairs[:, 0]]
    if not len(steps):
        steps = np.zeros((1, answers.shape[1]), np.int64)
    one_way = bool(((steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)).all())
    size = np.abs(steps)
    return (
        Sensitivity(
            int(size.sum(axis=1).max()),
            int((size**2).sum(axis=1).max()),
            int(size.max()),
            one_way,
        ),
        steps,
    )


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize(("domain", "query", "tight"), CASES)
def test_sensitivities_against_exhaustion(
    domain: Domain, query: Query, tight: bool, neighbours: Neighbours
) -> None:
    found, _ = exhausted(domain, query, neighbours)
    claimed = query.sensitivity(domain, neighbours)
    assert claimed.l1 >= found.l1
    assert claimed.l2_squared >= found.l2_squared
    assert claimed.linf >= found.linf
    # Claimed monotone and not so would halve the cost of a selection.
    assert found.monotone or not claimed.monotone
    assert all(type(value) is int for value in (claimed.l1, claimed.l2_squared, claimed.linf))
    if tight:
        assert (claimed.l1, claimed.l2_squared, claimed.linf) == (
            found.l1,
            found.l2_squared,
            found.linf,
        )


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_table_of_conventions(neighbours: Neighbours) -> None:
    """One marginal: L1 k, L2 k; under replace-one L1 2, L2 √2; a count 1; n 1 or 0; model error."""
    k = neighbours.unit.max_records
    sides = 1 if isinstance(neighbours, AddRemove) else 2
    marginal = Marginal(("a1",)).sensitivity(PAIR, neighbours)
    assert (marginal.l1, marginal.l2_squared) == (sides * k, sides * k * k)
    assert marginal.monotone == (sides == 1)
    assert CellCounts((1,)).sensitivity(PAIR, neighbours).l1 == k
    public = neighbours == ReplaceOne()
    assert Total().sensitivity(PAIR, neighbours).l1 == (0 if public else k)
    error = ModelError((Marginal(("a1",)),), ((0, 0),)).sensitivity(PAIR, neighbours)
    assert error.linf == sides * k and not error.monotone


@pytest.mark.parametrize(("domain", "query", "tight"), CASES)
def test_answers_of_records_and_of_histograms_agree(
    domain: Domain, query: Query, tight: bool
) -> None:
    rows = databases(AddRemove(), domain.size, 3)
    listed = answers_of_histograms(query, domain, rows)
    assert listed.shape == (len(rows), query.size(domain))
    for row, wanted in zip(rows, listed, strict=True):
        data = Dataset.from_histogram(domain, row)
        backwards = Dataset(domain, data.codes[::-1])
        assert answer(query, data).tolist() == wanted.tolist()
        assert answer(query, backwards).tolist() == wanted.tolist()


def test_answers_by_hand() -> None:
    rows = np.array([[3, 0, 1, 2]])
    domain = PAIR

    def of(query: Query) -> list[int]:
        found: list[int] = answers_of_histograms(query, domain, rows)[0].tolist()
        return found

    assert of(Marginal(("a1",))) == [3, 3] and of(Marginal(("a2",))) == [4, 2]
    assert of(Marginal(("a1", "a2"))) == [3, 0, 1, 2]
    assert of(Marginal(("a2", "a1"))) == [3, 1, 0, 2]
    assert of(CellCounts((3, 1, 0))) == [2, 0, 3]
    assert of(Total()) == [6]
    assert of(BoundedSum("a1", (-4, 10), -1, 5)) == [-3 + 15]
    assert of(ModelError((Marginal(("a1",)), Marginal(("a2",))), ((1, 1), (9, 0)))) == [4, 7]


def test_marginals_of_random_domains_count_as_loops_do() -> None:
    random = np.random.default_rng(7)
    domain = Domain.from_cells("2x3x2")
    codes = np.stack([random.integers(0, c, 50) for c in domain.shape], axis=1)
    data = Dataset(domain, codes)
    for size in (1, 2, 3):
        for names in itertools.permutations(domain.names, size):
            places = [domain.names.index(name) for name in names]
            ranges = [range(domain.shape[place]) for place in places]
            wanted = [
                sum(all(r[p] == v for p, v in zip(places, values, strict=True)) for r in codes)
                for values in itertools.product(*ranges)
            ]
            assert answer(Marginal(names), data).tolist() == wanted


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Marginal(()), "one or more"),
        (lambda: Marginal(("a1", "a1")), "different"),
        (lambda: Marginal(("zz",)).size(PAIR), "zz"),
        (lambda: CellCounts(()), "one or more"),
        (lambda: CellCounts((1, 1)), "different"),
        (lambda: CellCounts((4,)).size(PAIR), "0 … 3"),
        (lambda: CellCounts((-1,)).size(PAIR), "0 … 3"),
        (lambda: BoundedSum("a1", (0, 1), 2, 1), "low <= high"),
        (lambda: BoundedSum("a1", (0, 1), 0, 2**31), "2\\^31"),
        (lambda: BoundedSum("a1", (0, 1, 2), 0, 3).size(PAIR), "2 codes"),
        (lambda: BoundedSum("zz", (0, 1), 0, 3).size(PAIR), "zz"),
        (lambda: BoundedSum("a1", (0.5, 1), 0, 3), "whole numbers"),
        (lambda: BoundedSum("a1", (0, 1), 0, 1.5), "whole number"),
        (lambda: ModelError((), ()), "one or more"),
        (lambda: ModelError((Marginal(("a1",)),), ((0, 0.5),)), "whole numbers"),
        (lambda: ModelError((Marginal(("a1",)),), ((0, 2**31),)), "2\\^31"),
        (lambda: ModelError((Marginal(("a1",)),), ((-(2**31), 0),)), "2\\^31"),
        (lambda: Marginal("a1"), "a list"),
        (lambda: Marginal((1,)), "a text"),
        (lambda: ModelError((Marginal(("a1",)),), ((0, 1, 2),)).size(PAIR), "2 counts"),
    ],
)
def test_questions_that_fit_no_domain_are_refused(make: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


def test_a_marginal_of_too_many_cells_names_its_attributes() -> None:
    wide = Domain.from_cells("4096x4096")
    huge = Domain("huge", tuple(
        type(a)(f"b{k}", a.values) for k, a in enumerate((*wide.attributes, *wide.attributes))
    ))  # fmt: skip
    with pytest.raises(TooLargeError, match="b0, b1, b2"):
        Marginal(("b0", "b1", "b2")).size(huge)


@pytest.mark.parametrize(("domain", "query", "tight"), CASES)
def test_plain_data_names_the_kind(domain: Domain, query: Query, tight: bool) -> None:
    assert query.to_json()["kind"] == query.kind
