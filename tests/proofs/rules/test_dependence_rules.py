"""How far scores of a Bayesian network move: exhaustion, large tables, and the queries."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from proofs import checker
from proofs.derivation import derivation
from proofs.errors import ProofError
from proofs.judgments import Stable
from proofs.kernel import prove
from synthesizers.domain import Domain
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    neighbour_pairs,
)
from synthesizers.queries import (
    MaximalCorrelation,
    MutualInformation,
    Query,
    answers_of_histograms,
)
from tests.synthesizers.brute_force import RELATIONS, relation_id

A, B, C = "a1", "a2", "a3"
SQUARE, TALL, THREES, CUBE = (Domain.from_cells(cells) for cells in ("2x2", "3x2", "3x3", "2x2x2"))


def bounds(domain: Domain, query: Query, neighbours: Neighbours) -> Stable:
    shape = dict(zip(domain.names, domain.shape, strict=True))
    given = {"neighbours": neighbours, "shape": shape, "query": query.to_json()}
    theorem = prove(query.kind, (), given)
    assert theorem.hypotheses == {"public"}
    assert isinstance(theorem.judgment, Stable)
    return theorem.judgment


def steps(
    domain: Domain, query: Query, rows: NDArray[np.int64], pairs: NDArray[np.int64]
) -> NDArray[np.int64]:
    answers = answers_of_histograms(query, domain, rows)
    return np.asarray(answers[pairs[:, 1]] - answers[pairs[:, 0]], np.int64)


def require_bounds(found: Stable, moved: NDArray[np.int64]) -> None:
    size = np.abs(moved)
    assert found.l0 is not None and found.integers
    assert (size > 0).sum(axis=1).max() <= found.l0
    assert size.sum(axis=1).max() <= found.l1
    assert (size**2).sum(axis=1).max() <= found.l2_squared
    assert size.max() <= found.linf
    one_way = ((moved >= 0).all(axis=1) | (moved <= 0).all(axis=1)).all()
    assert one_way or not found.monotone


EXHAUSTED = [
    (SQUARE, ((A, (B,)), (B, (A,))), 6),
    (TALL, ((A, (B,)), (B, (A,))), 5),
    (THREES, ((A, (B,)),), 5),
    (CUBE, ((A, (B, C)), (C, (A,)), (B, (A, C))), 3),
]


@pytest.mark.parametrize(("domain", "candidates", "most"), EXHAUSTED)
def test_bounds_hold_for_all_neighbours(domain: Domain, candidates: Any, most: int) -> None:
    for n in range(most + 1):
        rows = databases(ReplaceOne(), domain.size, n)
        pairs = neighbour_pairs(ReplaceOne(), rows)
        for scale in (1, 1000):
            query = MutualInformation(candidates, n, scale)
            found = bounds(domain, query, ReplaceOne())
            if len(pairs):
                require_bounds(found, steps(domain, query, rows, pairs))
    binary = tuple(c for c in candidates if domain.attribute(c[0]).size == 2)
    if not binary:
        return
    for neighbours in RELATIONS:
        rows = databases(neighbours, domain.size, min(most, 4))
        pairs = neighbour_pairs(neighbours, rows)
        scores = MaximalCorrelation(binary)
        moved = steps(domain, scores, rows, pairs)
        require_bounds(bounds(domain, scores, neighbours), moved)


def test_the_bounds_of_mutual_information_are_attained_but_for_its_rounding() -> None:
    """2x2: a record leaves (0,0) for (1,1) next to n-1 in (0,1); 3x3 at odd n: halves meet."""
    for n in (2, 3, 5, 17, 1001):
        scale = 1000
        pair = np.array([[1, n - 1, 0, 0], [0, n - 1, 1, 0]])
        query = MutualInformation(((A, (B,)),), n, scale)
        moved = np.abs(steps(SQUARE, query, pair, np.array([[0, 1]]))).max()
        exact = scale * (n * math.log2(n) - (n - 1) * math.log2(n - 1))
        assert math.isclose(moved, exact, abs_tol=6)
        assert bounds(SQUARE, query, ReplaceOne()).linf == math.floor(exact + 1e-9) + 6
        half = (n - 1) // 2
        if n % 2 == 0:
            continue
        crossed = np.array([[1, half, 0, half, 0, 0, 0, 0, 0], [0, half, 0, half, 0, 0, 0, 0, 1]])
        moved = np.abs(steps(THREES, query, crossed, np.array([[0, 1]]))).max()
        if half:
            exact = scale * ((n + 1) * math.log2((n + 1) / 2) - (n - 1) * math.log2((n - 1) / 2))
            assert math.isclose(moved, exact, abs_tol=6)
            assert bounds(THREES, query, ReplaceOne()).linf == math.floor(exact + 1e-9) + 6


@pytest.mark.parametrize("records", [10, 101, 1000, 10_000])
@pytest.mark.parametrize("domain", [SQUARE, THREES, CUBE], ids=lambda d: d.name)
def test_bounds_hold_in_large_databases(domain: Domain, records: int) -> None:
    """All but 3 records are alike, or lie on three cells in equal parts; one of them moves."""
    cells = range(domain.size)
    piles = [(cell,) for cell in cells] + list(itertools.combinations(cells, 3))
    rows = []
    for pile in piles:
        base = np.zeros(domain.size, np.int64)
        base[list(pile)] = (records - 3) // len(pile)
        base[pile[0]] += records - 3 - base.sum()
        for free in itertools.combinations_with_replacement(cells, 3):
            rows.append(base + np.bincount(free, minlength=domain.size))
    listed = np.unique(np.array(rows), axis=0)
    pairs = neighbour_pairs(ReplaceOne(), listed)
    candidates: Any = ((A, (B,)), (B, (A,)))
    if domain == CUBE:
        candidates = ((A, (B, C)), (B, (A,)))
    for query in (MutualInformation(candidates, records, 64), MaximalCorrelation(candidates)):
        if query.kind == "mutual-information" or 3 not in domain.shape:
            moved = steps(domain, query, listed, pairs)
            require_bounds(bounds(domain, query, ReplaceOne()), moved)


def both(domain: Domain, query: Query, neighbours: Neighbours) -> None:
    found, stated = bounds(domain, query, neighbours), query.sensitivity(domain, neighbours)
    assert (found.l1, found.l2_squared, found.linf, found.monotone) == (
        stated.l1,
        stated.l2_squared,
        stated.linf,
        stated.monotone,
    )


@given(
    sizes=st.lists(st.integers(1, 4), min_size=3, max_size=3),
    records=st.integers(0, 2**28),
    scale=st.integers(1, 2**20),
)
def test_the_kernel_agrees_with_the_queries(sizes: list[int], records: int, scale: int) -> None:
    domain = Domain.from_cells("x".join(map(str, sizes)))
    both(domain, MutualInformation(((A, (B,)), (C, (A, B))), records, scale), ReplaceOne())


@given(
    sizes=st.lists(st.integers(1, 4), min_size=2, max_size=2),
    records=st.integers(0, 2**28) | st.integers(0, 9),
    scale=st.integers(1, 2**20),
)
def test_the_checker_finds_the_same(sizes: list[int], records: int, scale: int) -> None:
    query = MutualInformation(((A, (B,)),), records, scale)
    shape = dict(zip((A, B), sizes, strict=True))
    given = {"neighbours": ReplaceOne(), "shape": shape, "query": query.to_json()}
    assert (
        checker.check(json.loads(json.dumps(derivation(prove(query.kind, (), given))))).status
        == "checked"
    )


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_kernel_agrees_about_maximal_correlation(neighbours: Neighbours) -> None:
    both(TALL, MaximalCorrelation(((B, (A,)),)), neighbours)
    both(CUBE, MaximalCorrelation(((B, (A,)), (C, (A, B)))), neighbours)


MALFORMED: list[tuple[str, dict[str, Any]]] = [
    ("mutual-information", {"candidates": [], "records": 3, "scale": 1}),
    ("mutual-information", {"candidates": [["a1", []]], "records": 3, "scale": 1}),
    ("mutual-information", {"candidates": [["a1", ["a1"]]], "records": 3, "scale": 1}),
    ("mutual-information", {"candidates": [["a1", ["b"]]], "records": 3, "scale": 1}),
    ("mutual-information", {"candidates": [["a1", "a2"]], "records": 3, "scale": 1}),
    ("mutual-information", {"candidates": [[["a1"], ["a2"]]], "records": 3, "scale": 1}),
    ("mutual-information", {"candidates": [["a1"]], "records": 3, "scale": 1}),
    ("mutual-information", {"candidates": [["a1", ["a2"]]], "records": -1, "scale": 1}),
    ("mutual-information", {"candidates": [["a1", ["a2"]]], "records": 3, "scale": 0}),
    ("mutual-information", {"candidates": [["a1", ["a2"]]], "records": 3}),
    ("mutual-information", {"candidates": [["a1", ["a2"]]], "records": 3, "scale": 1, "n": 1}),
    ("maximal-correlation", {"candidates": [["a1", ["a2"]]]}),
    ("maximal-correlation", {"candidates": [["a2", ["a1"]], ["a1", ["a2"]]]}),
    ("maximal-correlation", {"candidates": 3}),
    ("maximal-correlation", {"candidates": [["a2", ["a1"]]], "scale": 1}),
]


@pytest.mark.parametrize(("kind", "query"), MALFORMED)
def test_malformed_queries_are_refused(kind: str, query: dict[str, Any]) -> None:
    shape = {"a1": 3, "a2": 2}
    given = {"neighbours": ReplaceOne(), "shape": shape, "query": {"kind": kind, **query}}
    with pytest.raises(ProofError):
        prove(kind, (), given)


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne(Unit("person", 2))])
def test_mutual_information_needs_a_public_number_of_records(neighbours: Neighbours) -> None:
    query = MutualInformation(((A, (B,)),), 5)
    with pytest.raises(ProofError, match="replace-one of a record, and"):
        bounds(SQUARE, query, neighbours)
