"""Scores of a Bayesian network against slow versions from their definitions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.queries import (
    MaximalCorrelation,
    MutualInformation,
    answer,
    answers_of_histograms,
)
from synthesizers.queries.dependence import MAX_SCALE, round_term

MIXED = Domain.from_cells("2x3x2")
PAIRS = (("a1", ("a2",)), ("a2", ("a3", "a1")), ("a3", ("a2", "a1")))
BINARY = (("a1", ("a2",)), ("a1", ("a3", "a2")), ("a3", ("a2", "a1")))


def joint(table: NDArray[np.int64], candidate: Any) -> NDArray[np.int64]:
    """The joint counts [child, parents] of a table [2, 3, 2], by looping over its cells."""
    child, parents = candidate
    places = {"a1": 0, "a2": 1, "a3": 2}
    sizes = [table.shape[places[name]] for name in parents]
    found = np.zeros((table.shape[places[child]], math.prod(sizes)), np.int64)
    for cell in np.ndindex(*table.shape):
        column = 0
        for name, size in zip(parents, sizes, strict=True):
            column = column * size + cell[places[name]]
        found[cell[places[child]], column] += table[cell]
    return found


def information(counts: NDArray[np.int64]) -> float:
    """n·I in bits: n·Σ p log2(p/(q·r))."""
    n = counts.sum()
    total = 0.0
    for row, column in zip(*np.nonzero(counts), strict=True):
        c = counts[row, column]
        expected = counts[row].sum() * counts[:, column].sum() / n
        total += c * math.log2(c / expected)
    return total


def nearest_maximal(counts: NDArray[np.int64]) -> Fraction:
    """F over its scale: -n times the L1 distance to the nearest law of maximal correlation.

    Such a law gives each column to one row, and each row half of its mass; given the columns,
    the mass of a row that the counts lack has to be made up for, and is the distance's half.
    """
    n = int(counts.sum())
    best = None
    for given_to in itertools.product((0, 1), repeat=counts.shape[1]):
        lacking = Fraction(0)
        for row in (0, 1):
            held = sum(int(counts[row, c]) for c, to in enumerate(given_to) if to == row)
            lacking += max(Fraction(n, 2) - held, Fraction(0))
        best = -2 * lacking if best is None else max(best, -2 * lacking)
    assert best is not None
    return best


@given(st.lists(st.integers(0, 40), min_size=12, max_size=12), st.sampled_from([1, 3, 1000]))
def test_mutual_information_is_that_of_its_definition(counts: list[int], scale: int) -> None:
    row = np.array([counts], np.int64)
    query = MutualInformation(PAIRS, sum(counts), scale)
    found = answers_of_histograms(query, MIXED, row)[0]
    table = row.reshape(MIXED.shape)
    for score, candidate in zip(found.tolist(), PAIRS, strict=True):
        counted = joint(table, candidate)
        # Half a unit for each term that is not exact: cells, rows, columns and n.
        margin = (counted.size + sum(counted.shape) + 1) / 2
        wanted = scale * information(counted) if sum(counts) else 0
        assert abs(score - wanted) <= margin


def test_mutual_information_by_hand() -> None:
    """Two bits tied together, half each: I = 1 bit, n·I = n; independent ones have none."""
    pair = Domain.from_cells("2x2")
    rows = np.array([[4, 0, 0, 4], [2, 2, 2, 2], [8, 0, 0, 0], [1, 0, 0, 7], [1, 1, 1, 1]])
    query = MutualInformation((("a1", ("a2",)),), 8, 100)
    found = answers_of_histograms(query, pair, rows)[:, 0].tolist()
    # H(1/8) = 0.543564 bits; a database of another size scores 0.
    assert found == [800, 0, 0, 435, 0]


@given(st.lists(st.integers(0, 9), min_size=12, max_size=12))
def test_maximal_correlation_is_that_of_its_definition(counts: list[int]) -> None:
    row = np.array([counts], np.int64)
    found = answers_of_histograms(MaximalCorrelation(BINARY), MIXED, row)[0].tolist()
    table = row.reshape(MIXED.shape)
    assert found == [nearest_maximal(joint(table, candidate)) for candidate in BINARY]


def test_maximal_correlation_by_hand() -> None:
    """The extremes: a child that is half and half and follows its parent, and a constant."""
    pair = Domain.from_cells("2x2")
    rows = np.array([[3, 0, 0, 3], [0, 3, 3, 0], [6, 0, 0, 0], [2, 1, 1, 2], [0, 0, 0, 0]])
    query = MaximalCorrelation((("a1", ("a2",)),))
    assert answers_of_histograms(query, pair, rows)[:, 0].tolist() == [0, 0, -6, -4, 0]


@pytest.mark.parametrize("query", [MutualInformation(PAIRS, 50, 8), MaximalCorrelation(BINARY)])
def test_records_and_histograms_are_answered_alike(query: Any) -> None:
    random = np.random.default_rng(1)
    codes = np.stack([random.integers(0, size, 50) for size in MIXED.shape], axis=1)
    dataset = Dataset(MIXED, codes)
    listed = answers_of_histograms(query, MIXED, dataset.histogram()[None, :])[0]
    assert answer(query, dataset).tolist() == listed.tolist()


def test_rounded_terms_are_the_nearest_integers() -> None:
    with mpmath.workprec(400):
        for count in [1, 2, 3, 7, 1000, 48_842, 2**20, 2**28 - 1]:
            for scale in (1, 2, 999, MAX_SCALE):
                exact = scale * count * mpmath.log(count, 2)
                assert round_term(count, scale) == int(mpmath.floor(exact + mpmath.mpf("0.5")))
    assert round_term(0, 5) == 0


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne(Unit("person", 2))])
def test_mutual_information_has_no_bound_where_n_is_private(neighbours: Any) -> None:
    with pytest.raises(InputError, match="public number of records"):
        MutualInformation(PAIRS, 5).sensitivity(MIXED, neighbours)


def test_what_cannot_be_scored_is_refused() -> None:
    bad: list[tuple[Any, str]] = [
        (lambda: MutualInformation((), 3), "one or more candidates"),
        (lambda: MutualInformation((("a1", ()),), 3), "one or more parents"),
        (lambda: MutualInformation((("a1", ("a1",)),), 3), "different attributes"),
        (lambda: MutualInformation((("a1", ("a2",), ()),), 3), "child and the tuple"),
        (lambda: MutualInformation(PAIRS, -1), "2\\^28"),
        (lambda: MutualInformation(PAIRS, 2**28 + 1), "2\\^28"),
        (lambda: MutualInformation(PAIRS, 3, 0), "2\\^20"),
        (lambda: MutualInformation(PAIRS, 3, MAX_SCALE + 1), "2\\^20"),
        (lambda: MaximalCorrelation(()), "one or more candidates"),
        (lambda: MaximalCorrelation(PAIRS).size(MIXED), "a2 does not have two values"),
        (lambda: MaximalCorrelation((("b", ("a1",)),)).size(MIXED), "no attribute 'b'"),
    ]
    for make, words in bad:
        with pytest.raises(InputError, match=words):
            make()


def test_a_large_table_is_scored_within_int64() -> None:
    """2^28 records in finest units: n·I = n bits."""
    pair = Domain.from_cells("2x2")
    rows = np.array([[2**27, 0, 0, 2**27]])
    query = MutualInformation((("a1", ("a2",)),), 2**28, MAX_SCALE)
    assert answers_of_histograms(query, pair, rows).tolist() == [[2**48]]
