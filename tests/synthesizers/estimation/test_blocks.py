"""Blocks: tables and records of attributes drawn set by set."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.estimation.blocks import (
    Block,
    cell_count,
    draw_records,
    release_blocks,
    table_of,
    uniform_rest,
)
from synthesizers.estimation.systematic import Choices, independent_choices, systematic_choices
from synthesizers.events import is_seed
from synthesizers.neighbours import AddRemove

THREE = Domain.from_cells("2x3x2")
A1 = Block(("a1",), np.array([1.0, 3.0]))
A2_GIVEN_A1 = Block(("a2",), np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 3.0]]), ("a1",))
A3 = Block(("a3",), np.array([0.0, 5.0]))


def generator() -> np.random.Generator:
    return np.random.default_rng(20_261_123)


def by_hand(a1: int, a2: int, a3: int) -> float:
    second = ((0.5, 0.5, 0.0), (0.0, 0.25, 0.75))[a1][a2]
    return (0.25, 0.75)[a1] * second * (0.0, 1.0)[a3]


def test_the_table_is_the_product_of_chances() -> None:
    table = table_of(THREE, [A1, A2_GIVEN_A1, A3]).reshape(THREE.shape)
    for cell in np.ndindex(*THREE.shape):
        assert table[cell] == pytest.approx(by_hand(*cell))


def test_the_last_attribute_of_a_block_is_fastest() -> None:
    block = Block(("a2", "a1"), np.arange(6.0))
    table = table_of(Domain.from_cells("2x3"), [block]).reshape(2, 3)
    assert table * 15 == pytest.approx(np.array([[0, 2, 4], [1, 3, 5]]))


def test_records_of_a_block_of_several_attributes_have_its_cells() -> None:
    # Cell 4 of (a2, a1) is a2 = 2, a1 = 0; cell 1 is a2 = 0, a1 = 1.
    block = Block(("a2", "a1"), np.array([0.0, 1, 0, 0, 3, 0]))
    records = draw_records(Domain.from_cells("2x3"), [block], 8, generator())
    assert Counter(map(tuple, records.codes.tolist())) == {(0, 2): 6, (1, 0): 2}


def test_lines_without_weight_are_pooled_and_nothing_is_uniform() -> None:
    pooled = Block(("a2",), np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 3.0]]), ("a1",))
    assert pooled.chances(THREE).tolist() == [[0.25, 0, 0.75], [0.25, 0, 0.75]]
    nothing = Block(("a2",), np.zeros((2, 3)), ("a1",))
    assert nothing.chances(THREE) == pytest.approx(np.full((2, 3), 1 / 3))


def test_weights_of_another_size_are_refused() -> None:
    with pytest.raises(InputError, match="2 lines of 3 cells"):
        Block(("a2",), np.zeros((3, 3)), ("a1",)).chances(THREE)


def test_attributes_that_no_block_draws_are_uniform() -> None:
    blocks = uniform_rest(THREE, [A3])
    assert [block.attributes for block in blocks] == [("a3",), ("a1",), ("a2",)]
    table = table_of(THREE, blocks).reshape(THREE.shape)
    assert table[:, :, 1] == pytest.approx(np.full((2, 3), 1 / 6))
    assert cell_count(THREE, ()) == 1 and cell_count(THREE, ("a1", "a2")) == 6


@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=2),
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=2),
    st.integers(0, 60),
)
def test_systematic_draws_give_each_cell_its_share_up_to_one(
    first: list[int], second: list[list[int]], rows: int
) -> None:
    blocks = [
        Block(("a1",), np.array(first, float)),
        Block(("a2",), np.array(second, float), ("a1",)),
        A3,
    ]
    codes = draw_records(THREE, blocks, rows, generator()).codes
    assert codes.shape == (rows, 3)
    ones = Counter(codes[:, 0].tolist())
    for value, chance in enumerate(blocks[0].chances(THREE)[0]):
        assert abs(ones[value] - chance * rows) <= 1 + 1e-9
    pairs = Counter(map(tuple, codes[:, :2].tolist()))
    for (a1, a2), chance in np.ndenumerate(blocks[1].chances(THREE)):
        assert abs(pairs[a1, a2] - chance * ones[a1]) <= 1 + 1e-9
        assert chance > 0 or pairs[a1, a2] == 0
    assert (codes[:, 2] == 1).all()


@pytest.mark.parametrize("choices", [systematic_choices, independent_choices])
def test_records_follow_the_table(choices: Choices) -> None:
    rows = 40_000
    blocks = [A1, A2_GIVEN_A1, A3]
    data = draw_records(THREE, blocks, rows, generator(), choices)
    # 12 cells of deviation at most rows/2 each way, Hoeffding and a union bound: a right sampler
    # fails with probability < 24·exp(-2·600²/40000) < 1e-6.
    assert np.abs(data.histogram() - rows * table_of(THREE, blocks)).max() < 600


def test_blocks_are_put_together_independently() -> None:
    rows = 40_000
    blocks = [
        Block((name,), np.ones(size)) for name, size in zip(THREE.names, THREE.shape, strict=True)
    ]
    # As above.
    histogram = draw_records(THREE, blocks, rows, generator()).histogram()
    assert np.abs(histogram - rows / 12).max() < 600


def test_independent_draws_scatter_more_than_systematic_ones() -> None:
    block = [Block(("cell",), np.ones(2))]
    coin = Domain.from_cells("2")
    heads = {
        choices: [
            int(draw_records(coin, block, 1000, g, choices).histogram()[0])
            for g in map(np.random.default_rng, range(50))
        ]
        for choices in (systematic_choices, independent_choices)
    }
    assert set(heads[systematic_choices]) <= {499, 500, 501}
    # P[|Bin(1000, 1/2) - 500| <= 1] < 0.08, so that fifty such draws have probability < 1e-50.
    assert not set(heads[independent_choices]) <= {499, 500, 501}


def test_zero_chances_are_never_drawn_among_many_lines() -> None:
    lines = Domain.from_cells("1000x7")
    weights = generator().integers(0, 2, (1000, 7)).astype(float)
    weights[:, 3] = 1
    blocks = [Block(("a1",), np.ones(1000)), Block(("a2",), weights, ("a1",))]
    for choices in (systematic_choices, independent_choices):
        codes = draw_records(lines, blocks, 50_000, generator(), choices).codes
        assert (weights[codes[:, 0], codes[:, 1]] > 0).all()


def test_a_small_domain_needs_no_seed_and_a_large_one_takes_one() -> None:
    def reply(event: Any) -> tuple[int, ...]:
        assert is_seed(event)
        return (5,)

    for cells, seeds in (("2x3", 0), ("100x50", 1)):
        domain = Domain.from_cells(cells)
        setting = Setting.of(domain, AddRemove(), 12)
        curator = Curator(setting, UnlimitedBudget(), reply)
        data = release_blocks(curator, [Block(("a1",), np.arange(domain.shape[0]) + 1.0)], 12)
        assert data.records == 12 and len(curator.ledger) == seeds
    small = release_blocks(
        Curator(Setting.of(THREE, AddRemove(), 12), UnlimitedBudget(), reply), [], 12
    )
    assert small.histogram().tolist() == [1] * 12
