"""The linear program up to exchanges of cells against the one with an unknown a pair."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import audit.channels.measures.mechanisms as module
from audit.channels.measures.mechanisms import exchangeable_cells, mechanisms
from audit.channels.measures.optimum import Optimum, optimum
from synthesizers.errors import TooLargeError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit, databases, histograms
from tests.audit.channels.slow_measures import SHAPES
from tests.audit.channels.slow_optimum import channel_of_tables, least_losses, near, tables

pytestmark = pytest.mark.smoke

F = Fraction
PERSON = Unit("person", 2)
WHOLE: list[tuple[Neighbours, int, int]] = [
    (ReplaceOne(), 1, 3),
    (ReplaceOne(), 2, 4),
    (ReplaceOne(), 3, 3),
    (ReplaceOne(), 4, 2),
    (AddRemove(), 2, 3),
    (AddRemove(), 3, 2),
    (ReplaceOne(PERSON), 2, 3),
    (AddRemove(PERSON), 2, 3),
]


@pytest.mark.parametrize("records", [0, 2, 3])
@pytest.mark.parametrize(("neighbours", "cells", "most"), WHOLE)
def test_the_optimum_is_that_of_the_program_without_symmetry(
    neighbours: Neighbours, cells: int, most: int, records: int
) -> None:
    listed = databases(neighbours, cells, most).tolist()
    released = tables(cells, records)
    channel = channel_of_tables(neighbours, listed, [tuple(map(int, row)) for row in released])
    for epsilon in (F(0), F(1, 5), F(1), F(3)):
        found = optimum(channel, epsilon)
        assert isinstance(found, Optimum)
        average, worst = least_losses(neighbours, listed, released, float(epsilon))
        assert near(found.uniform, average)
        assert near(found.worst, worst)


@pytest.mark.parametrize(("neighbours", "listed"), SHAPES)
def test_incomplete_lists_of_databases(
    neighbours: Neighbours, listed: tuple[tuple[int, ...], ...]
) -> None:
    cells, records = len(listed[0]), 3
    released = tables(cells, records)
    channel = channel_of_tables(neighbours, listed, [tuple(map(int, row)) for row in released])
    found = optimum(channel, F(1, 2))
    assert isinstance(found, Optimum)
    average, worst = least_losses(neighbours, listed, released, 0.5)
    assert near(found.uniform, average)
    assert near(found.worst, worst)


def test_whole_lists_let_all_cells_be_exchanged() -> None:
    for neighbours, cells, records in WHOLE:
        listed = databases(neighbours, cells, records).tolist()
        labels = exchangeable_cells(channel_of_tables(neighbours, listed, listed))
        assert labels.tolist() == [0] * cells


def test_cells_are_exchanged_only_where_the_list_allows() -> None:
    listed = [(2, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)]
    channel = channel_of_tables(ReplaceOne(), listed, listed)
    assert exchangeable_cells(channel).tolist() == [0, 1, 1]
    # Closed under the turn 0 -> 1 -> 2 -> 0 alone, which is no exchange of two cells.
    turning = [(2, 1, 0), (0, 2, 1), (1, 0, 2)]
    channel = channel_of_tables(ReplaceOne(), turning, turning)
    assert exchangeable_cells(channel).tolist() == [0, 1, 2]
    # The first and the third cell, though neither goes with the second.
    listed = [(2, 0, 1), (1, 0, 2)]
    channel = channel_of_tables(ReplaceOne(), listed, listed)
    assert exchangeable_cells(channel).tolist() == [0, 1, 0]


def test_cells_are_not_exchanged_where_the_pairs_forbid_it() -> None:
    listed = databases(ReplaceOne(), 3, 1).tolist()
    channel = channel_of_tables(ReplaceOne(), listed, listed)
    # A relation of its own: the first two databases alone are neighbours.
    channel.__dict__["pairs"] = np.array([[0, 1]])
    assert exchangeable_cells(channel).tolist() == [0, 1, 1]


def test_entries_are_the_orbits_of_pairs_under_all_permutations() -> None:
    cells, records = 3, 4
    listed = [tuple(row) for row in histograms(cells, records).tolist()]
    found = mechanisms(channel_of_tables(ReplaceOne(), listed, listed), np.array(listed))
    orders = list(itertools.permutations(range(cells)))
    orbits = {
        frozenset((tuple(a[i] for i in order), tuple(b[i] for i in order)) for order in orders)
        for a in listed
        for b in listed
    }
    assert len(found.owners) == len(orbits)
    sizes = sorted(map(len, orbits))
    assert sorted((found.copies * found.sizes[found.owners]).tolist()) == sizes
    assert found.sizes.sum() == len(listed)
    assert np.bincount(found.owners, found.copies).tolist() == [len(listed)] * len(found.sizes)


@pytest.mark.parametrize(
    ("cap", "words"),
    [("MAX_ENTRIES", "chances"), ("MAX_LIMITS", "limits"), ("MAX_VISITED", "counts to visit")],
)
def test_too_large_a_program_says_how_large(
    monkeypatch: pytest.MonkeyPatch, cap: str, words: str
) -> None:
    listed = histograms(3, 4)
    channel = channel_of_tables(ReplaceOne(), listed.tolist(), listed.tolist())
    monkeypatch.setattr(module, cap, 10)
    with pytest.raises(TooLargeError, match=f"at least [0-9]+ {words}, more than the 10 "):
        mechanisms(channel, listed)


@pytest.mark.parametrize(
    ("cap", "found", "records"),
    [
        # 15 databases of 3 cells; 231 outputs of 3 cells.
        (134, 15 * 3**2, 4),
        (200, 231 * 3, 20),
        # (4,0,0), (3,1,0), (2,2,0), (2,1,1) and their 2, 4, 4, 6 neighbours, with 15 outputs each.
        (899, (4 + 16) * 15 * 3, 4),
    ],
)
def test_too_much_to_visit_is_refused_before_it_is_visited(
    monkeypatch: pytest.MonkeyPatch, cap: int, found: int, records: int
) -> None:
    listed = histograms(3, 4)
    channel = channel_of_tables(ReplaceOne(), listed.tolist(), listed.tolist())
    monkeypatch.setattr(module, "MAX_VISITED", cap)
    with pytest.raises(TooLargeError, match=f"at least {found} counts to visit"):
        mechanisms(channel, histograms(3, records))
    monkeypatch.setattr(module, "MAX_VISITED", 10**6)
    mechanisms(channel, histograms(3, records))
