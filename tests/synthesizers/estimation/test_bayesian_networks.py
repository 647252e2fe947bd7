"""Networks: conditionals by hand, tables against products, and records that follow them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.estimation.bayesian_networks import (
    Conditional,
    conditional,
    network_records,
    network_table,
)

DOMAIN = Domain.from_cells("2x3x2")


def test_a_conditional_by_hand() -> None:
    """Negatives count as 0; a row without a positive count follows the whole joint."""
    joint = np.array([[3.0, 1.0], [-2.0, -1.0], [0.0, 4.0]])
    found = conditional("b", ("a",), joint)
    assert found.chances.tolist() == [[0.75, 0.25], [0.375, 0.625], [0.0, 1.0]]
    assert conditional("b", (), np.array([-1.0, 3.0, 1.0])).chances.tolist() == [0.0, 0.75, 0.25]
    nothing = conditional("b", ("a",), np.array([[-1.0, 0.0], [0.0, -4.0]]))
    assert nothing.chances.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def drawn_network(seed: int) -> list[Conditional]:
    """a3, then a1 given a3, then a2 given a1 and a3: with some counts of 0."""
    random = np.random.default_rng(seed)
    return [
        conditional("a3", (), random.integers(0, 4, 2).astype(float)),
        conditional("a1", ("a3",), random.integers(0, 4, (2, 2)).astype(float)),
        conditional("a2", ("a3", "a1"), random.integers(0, 4, (2, 2, 3)).astype(float)),
    ]


@given(st.integers(0, 10**6))
def test_the_table_is_the_product_cell_by_cell(seed: int) -> None:
    last, first, middle = drawn_network(seed)
    table = network_table(DOMAIN, [last, first, middle]).reshape(DOMAIN.shape)
    for a1, a2, a3 in itertools.product(*map(range, DOMAIN.shape)):
        wanted = last.chances[a3] * first.chances[a3, a1] * middle.chances[a3, a1, a2]
        assert table[a1, a2, a3] == pytest.approx(wanted)
    assert table.sum() == pytest.approx(1)


@given(st.integers(0, 10**6))
def test_records_follow_the_network(seed: int) -> None:
    """Systematic draws: each conditional's counts are within 1 of their expectation."""
    rows, network = 500, drawn_network(seed)
    data = network_records(DOMAIN, network, rows, np.random.default_rng(seed))
    counts = data.histogram().reshape(DOMAIN.shape)
    last = counts.sum(axis=(0, 1))
    assert np.abs(last - rows * network[0].chances).max() < 2
    pairs = counts.sum(axis=1)
    assert np.abs(pairs - last[None, :] * network[1].chances.T).max() < 2
    expected = pairs[:, None, :] * network[2].chances.transpose(1, 2, 0)
    assert np.abs(counts - expected).max() < 2
    assert (counts[network_table(DOMAIN, network).reshape(DOMAIN.shape) == 0] == 0).all()


def test_no_records_and_one_attribute() -> None:
    assert network_records(DOMAIN, drawn_network(1), 0, np.random.default_rng(1)).records == 0
    line = Domain.from_cells("3")
    alone = [conditional("cell", (), np.array([1.0, 0.0, 3.0]))]
    found = network_records(line, alone, 8, np.random.default_rng(1)).histogram()
    assert found.tolist() == [2, 0, 6]


def test_networks_out_of_order_or_incomplete_are_refused() -> None:
    network = drawn_network(2)
    for bad, words in (
        (network[::-1], "parents before their children"),
        (network[:2], "one conditional for each"),
        ([*network, network[0]], "one conditional for each"),
    ):
        with pytest.raises(InputError, match=words):
            network_table(DOMAIN, bad)
        with pytest.raises(InputError, match=words):
            network_records(DOMAIN, bad, 3, np.random.default_rng(1))
