"""Distances of public tables to the data: their values, and how far a unit moves them, exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours, databases, neighbour_pairs
from synthesizers.queries import Marginal, TableDistances, answer, answers_of_histograms
from tests.synthesizers.brute_force import RELATIONS, relation_id

SQUARE = Domain.from_cells("2x2")
ONE, OTHER, BOTH = Marginal(("a1",)), Marginal(("a2",)), Marginal(("a1", "a2"))
LISTS = ((ONE,), (ONE, OTHER), (ONE, OTHER, BOTH))


@cache
def listed(neighbours: Neighbours) -> tuple[Any, Any]:
    """All databases of a few records over the square, and which of them are neighbours."""
    rows = databases(neighbours, SQUARE.size, 2 * neighbours.unit.max_records)
    return rows, neighbour_pairs(neighbours, rows)


def largest_move(query: TableDistances, neighbours: Neighbours) -> int:
    """Of a score, over all pairs of neighbours with a few records."""
    rows, pairs = listed(neighbours)
    scores = answers_of_histograms(query, SQUARE, rows)
    return int(np.abs(scores[pairs[:, 1]] - scores[pairs[:, 0]]).max())


def numbers_on(marginals: tuple[Marginal, ...], counts: list[int]) -> tuple[int, ...]:
    """The counts of a table of the square on a list of marginals."""
    codes = np.repeat(SQUARE.codes(), counts, axis=0)
    data = Dataset(SQUARE, codes)
    return tuple(int(n) for marginal in marginals for n in answer(marginal, data))


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("marginals", LISTS, ids=len)
@pytest.mark.parametrize("scale", [1, 3])
def test_the_sensitivity_is_attained(
    neighbours: Neighbours, marginals: tuple[Marginal, ...], scale: int
) -> None:
    most = 2 * neighbours.unit.max_records
    model = numbers_on(marginals, [scale * most, 0, 0, 0])
    query = TableDistances(marginals, (model,), scale)
    sensitivity = query.sensitivity(SQUARE, neighbours)
    assert largest_move(query, neighbours) == sensitivity.linf > 0
    assert sensitivity.l1 == sensitivity.linf and not sensitivity.monotone


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@given(data=st.data())
def test_no_pair_of_neighbours_moves_a_score_further(
    neighbours: Neighbours, data: st.DataObject
) -> None:
    marginals = data.draw(st.sampled_from(LISTS))
    cells = sum(marginal.size(SQUARE) for marginal in marginals)
    tables = st.lists(st.integers(-3, 6), min_size=cells, max_size=cells).map(tuple)
    models = data.draw(st.lists(tables, min_size=1, max_size=3))
    query = TableDistances(marginals, tuple(models), data.draw(st.integers(1, 3)))
    sensitivity = query.sensitivity(SQUARE, neighbours)
    assert largest_move(query, neighbours) <= sensitivity.linf


@given(
    st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any),
    st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any),
)
def test_a_score_is_the_sum_of_the_total_variations(real: list[int], other: list[int]) -> None:
    n, rows = sum(real), sum(other)
    model = tuple(n * number for number in numbers_on(LISTS[2], other))
    data = Dataset(SQUARE, np.repeat(SQUARE.codes(), real, axis=0))
    (score,) = answer(TableDistances(LISTS[2], (model,), rows), data).tolist()
    variations = Fraction(0)
    for marginal in LISTS[2]:
        theirs = numbers_on((marginal,), other)
        pairs = zip(numbers_on((marginal,), real), theirs, strict=True)
        variations += sum((abs(Fraction(a, n) - Fraction(b, rows)) for a, b in pairs), Fraction(0))
    assert score == -rows * n * variations


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: TableDistances((), ((1,),)), "one or more marginals"),
        (lambda: TableDistances((ONE,), ()), "one or more tables"),
        (lambda: TableDistances((ONE,), ((1, 2),), 0), "1 … 2"),
        (lambda: TableDistances((ONE,), ((1, 2),), 2**31), "1 … 2"),
        (lambda: TableDistances((ONE,), ((2**62, 0),)), "2\\^62"),
        (lambda: TableDistances((ONE,) * 9, ((0, 0) * 9,), 2**31 - 1), "2\\^62"),
        (lambda: TableDistances((ONE,), ((1, 2, 3),)).size(SQUARE), "2 numbers, found 3"),
        (lambda: TableDistances((Marginal(("zz",)),), ((1,),)).size(SQUARE), "zz"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


def test_the_largest_numbers_are_exact() -> None:
    scale = 2**31 - 1
    query = TableDistances((ONE,), ((2**60, -(2**60)),), scale)
    data = Dataset(SQUARE, np.zeros((3, 2), np.int64))
    assert answer(query, data).tolist() == [-(2**60 - 3 * scale + 2**60)]
