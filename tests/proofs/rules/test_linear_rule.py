"""Linear queries: the kernel's bounds against the columns of drawn matrices, by exhaustion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.queries import Layer, LinearQueries
from tests.proofs.rules.moved import bounds, differences, listed
from tests.synthesizers.brute_force import RELATIONS

CELLS = 4


def matrix(query: LinearQueries) -> NDArray[np.int64]:
    """The matrix [answers, cells], entry by entry."""
    found = np.zeros((1 + max(max(layer.rows) for layer in query.layers), CELLS), np.int64)
    for layer in query.layers:
        for cell, row in enumerate(layer.rows):
            if row >= 0:
                found[row, cell] += layer.weight
    return found


weights = st.integers(-4, 4).filter(bool)
layers = st.builds(
    Layer, weights, st.lists(st.integers(-1, 3), min_size=CELLS, max_size=CELLS).map(tuple)
)


@st.composite
def linear_queries(draw: st.DrawFn) -> LinearQueries:
    """Layers of which one at least adds to an answer."""
    first = draw(layers.filter(lambda layer: max(layer.rows) >= 0))
    others = draw(st.lists(layers, max_size=3))
    return LinearQueries(("cell",), (first, *others))


@given(query=linear_queries(), neighbours=st.sampled_from(RELATIONS))
def test_drawn_matrices_are_bounded(query: LinearQueries, neighbours: Neighbours) -> None:
    domain = Domain.from_cells(str(CELLS))
    rows, pairs = listed(CELLS, neighbours)
    steps = (rows[pairs[:, 1]] - rows[pairs[:, 0]]) @ matrix(query).T
    assert (differences(domain, query, neighbours) == steps).all()
    found, sizes = bounds(domain, query, neighbours), np.abs(steps)
    norms = (sizes.sum(axis=1).max(), (sizes**2).sum(axis=1).max(), sizes.max())
    stated = (found.l1, found.l2_squared, found.linf)
    assert all(bound >= norm for bound, norm in zip(stated, norms, strict=True))
    assert found.l0 is not None and found.l0 >= (sizes > 0).sum(axis=1).max()
    one_way = ((steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)).all()
    assert one_way or not found.monotone
    # The largest move of one answer is attained; of a sum of answers it is where records are added.
    assert found.linf == norms[2]
    if isinstance(neighbours, AddRemove):
        assert stated == norms
    said = query.sensitivity(domain, neighbours)
    assert stated == (said.l1, said.l2_squared, said.linf) and found.monotone == said.monotone


@given(query=linear_queries(), records=st.integers(1, 10**6), exchange=st.booleans())
def test_a_persons_bounds_grow_with_its_records(
    query: LinearQueries, records: int, exchange: bool
) -> None:
    domain = Domain.from_cells(str(CELLS))
    relation = ReplaceOne if exchange else AddRemove
    one, many = (bounds(domain, query, relation(Unit("person", m))) for m in (1, records))
    assert (many.l1, many.linf) == (records * one.l1, records * one.linf)
    assert many.l2_squared == records**2 * one.l2_squared


@pytest.mark.parametrize("exchange", [False, True])
def test_a_tree_of_counts_costs_its_height(exchange: bool) -> None:
    """Eight leaves and the sums above them: a record is in four nodes, an exchange moves six."""
    heights = (tuple(range(7, 15)), (3, 3, 4, 4, 5, 5, 6, 6), (1,) * 4 + (2,) * 4, (0,) * 8)
    tree = LinearQueries(("cell",), tuple(Layer(1, rows) for rows in heights))
    found = bounds(Domain.from_cells("8"), tree, ReplaceOne() if exchange else AddRemove())
    expected = (8, 8, 8, 1, False) if exchange else (4, 4, 4, 1, True)
    assert (found.l0, found.l1, found.l2_squared, found.linf, found.monotone) == expected
