"""Networks: conditionals by hand, tables against products, and records that follow them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.estimation.blocks import Block, conditional, draw_records, table_of

DOMAIN = Domain.from_cells("2x3x2")


def test_a_conditional_by_hand() -> None:
    """Negatives count as 0; a row without a positive count follows the whole joint."""
    joint = np.array([[3.0, 1.0], [-2.0, -1.0], [0.0, 4.0]])
    found = conditional("a3", ("a2",), joint).chances(DOMAIN)
    assert found.tolist() == [[0.75, 0.25], [0.375, 0.625], [0.0, 1.0]]
    alone = conditional("a2", (), np.array([-1.0, 3.0, 1.0])).chances(DOMAIN)
    assert alone.tolist() == [[0.0, 0.75, 0.25]]
    nothing = conditional("a3", ("a1",), np.array([[-1.0, 0.0], [0.0, -4.0]])).chances(DOMAIN)
    assert nothing.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def drawn_network(seed: int) -> list[Block]:
    """a3, then a1 given a3, then a2 given a1 and a3: with some counts of 0."""
    random = np.random.default_rng(seed)
    return [
        conditional("a3", (), random.integers(0, 4, 2).astype(float)),
        conditional("a1", ("a3",), random.integers(0, 4, (2, 2)).astype(float)),
        conditional("a2", ("a3", "a1"), random.integers(0, 4, (2, 2, 3)).astype(float)),
    ]


def laws_of(network: list[Block]) -> list[np.ndarray]:
    shapes = [(2,), (2, 2), (2, 2, 3)]
    laws = [block.chances(DOMAIN) for block in network]
    return [law.reshape(shape) for law, shape in zip(laws, shapes, strict=True)]


@given(st.integers(0, 10**6))
def test_the_table_is_the_product_cell_by_cell(seed: int) -> None:
    network = drawn_network(seed)
    table = table_of(DOMAIN, network).reshape(DOMAIN.shape)
    last, first, middle = laws_of(network)
    for a1, a2, a3 in itertools.product(*map(range, DOMAIN.shape)):
        wanted = last[a3] * first[a3, a1] * middle[a3, a1, a2]
        assert table[a1, a2, a3] == pytest.approx(wanted)
    assert table.sum() == pytest.approx(1)


@given(st.integers(0, 10**6))
def test_records_follow_the_network(seed: int) -> None:
    """Systematic draws: each conditional's counts are within 1 of their expectation."""
    rows, network = 500, drawn_network(seed)
    data = draw_records(DOMAIN, network, rows, np.random.default_rng(seed))
    counts = data.histogram().reshape(DOMAIN.shape)
    laws = laws_of(network)
    last = counts.sum(axis=(0, 1))
    assert np.abs(last - rows * laws[0]).max() < 2
    pairs = counts.sum(axis=1)
    assert np.abs(pairs - last[None, :] * laws[1].T).max() < 2
    expected = pairs[:, None, :] * laws[2].transpose(1, 2, 0)
    assert np.abs(counts - expected).max() < 2
    assert (counts[table_of(DOMAIN, network).reshape(DOMAIN.shape) == 0] == 0).all()


def test_no_records_and_one_attribute() -> None:
    assert draw_records(DOMAIN, drawn_network(1), 0, np.random.default_rng(1)).records == 0
    line = Domain.from_cells("3")
    alone = [conditional("cell", (), np.array([1.0, 0.0, 3.0]))]
    found = draw_records(line, alone, 8, np.random.default_rng(1)).histogram()
    assert found.tolist() == [2, 0, 6]


def test_networks_out_of_order_or_incomplete_are_refused() -> None:
    network = drawn_network(2)
    for bad, words in (
        (network[::-1], "after those that draw what it is given"),
        (network[:2], "each attribute of their domain once"),
        ([*network, network[0]], "each attribute of their domain once"),
    ):
        with pytest.raises(InputError, match=words):
            table_of(DOMAIN, bad)
        with pytest.raises(InputError, match=words):
            draw_records(DOMAIN, bad, 3, np.random.default_rng(1))
