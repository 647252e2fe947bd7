"""The strongest tree of pairs, and records drawn along it."""

from __future__ import annotations

import numpy as np
import pytest

from synthesizers.estimation.record_targets import RecordTarget
from synthesizers.estimation.record_trees import (
    dependence,
    pair_counts,
    pair_noise,
    records_of_tree,
    strongest_tree,
)


def pair(columns: tuple[int, int], counts: list[list[int]]) -> RecordTarget:
    table = np.array(counts)
    return RecordTarget(columns, table.shape, table.ravel())


def test_pairs_of_targets_by_hand() -> None:
    wide = RecordTarget((2, 0, 1), (2, 1, 3), np.array([1, 2, 3, 4, 5, 6]))
    found = pair_counts(
        [RecordTarget((3,), (2,), np.array([1, 2])), wide, pair((1, 2), [[9, 9]] * 3)]
    )
    assert set(found) == {(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)}
    assert found[2, 1].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert found[1, 2].tolist() == [[1, 4], [2, 5], [3, 6]]
    assert found[0, 1].tolist() == [[5, 7, 9]] and found[2, 0].tolist() == [[6], [15]]


def test_dependence_by_hand() -> None:
    assert dependence(np.array([[2, 4], [1, 2]])) == pytest.approx(0)
    assert dependence(np.array([[5, 0], [0, 5]])) == pytest.approx(1 / 2)
    # Shares 3/8, 1/8, 1/8, 3/8 beside 1/4 each.
    assert dependence(np.array([[3, 1], [1, 3]])) == pytest.approx(1 / 4)
    assert dependence(np.zeros((2, 2), np.int64)) == 0


def test_the_tree_takes_the_strongest_edges_and_holds_by_the_weakest_of_a_path() -> None:
    # Of the triangle 0, 1, 2 the weakest pair is left out; 3 and 4 hang together apart from it.
    counts = {(0, 1): 1, (1, 2): 0, (0, 2): 2, (3, 4): 3}
    targets = [pair(names, [[4, off], [off, 4]]) for names, off in counts.items()]
    tree = strongest_tree(pair_counts(targets), 5)
    assert list(tree.parents.items()) == [(0, -1), (1, 0), (2, 1), (3, -1), (4, 3)]
    # 4/(8 + 2·off) less a quarter, four times and halved.
    one, two, three = ((4 - off) / (8 + 2 * off) for off in (1, 0, 3))
    wanted = np.eye(5)
    for a, b, hold in ((0, 1, one), (1, 2, two), (0, 2, min(one, two)), (3, 4, three)):
        wanted[a, b] = wanted[b, a] = hold
    assert tree.holds == pytest.approx(wanted)


def test_records_have_the_pairs_of_the_tree() -> None:
    first, second = [[30, 10, 0], [0, 20, 40]], [[5, 25], [10, 20], [40, 0]]
    alone = RecordTarget((3,), (3,), np.array([0, 25, 75]))
    targets = [pair((1, 0), first), pair((0, 2), second), alone]
    pairs = pair_counts(targets)
    tree = strongest_tree(pairs, 4)
    codes = records_of_tree(tree, targets, pairs, 100, np.random.default_rng(0))
    assert codes.shape == (100, 4)
    for target in targets:
        # Systematic within each value of the parent: off by less than a record a cell.
        assert np.abs(target.count_cells(target.cells(codes)) - target.counts).max() <= 1
    assert records_of_tree(tree, targets, pairs, 0, np.random.default_rng(0)).shape == (0, 4)


def test_pairs_are_joined_by_what_they_show_beyond_noise() -> None:
    targets = [pair((0, 1), [[4, 0], [0, 4]]), RecordTarget((1, 2, 3), (2, 2, 3), np.full(12, 5))]
    noise = pair_noise(targets, [1.0, 4.0])
    assert set(noise) == set(pair_counts(targets))
    # 4 cells off by the root of 2/pi each, of 8 records; 4 cells of variance 3·4, of 60.
    assert noise[1, 0] == pytest.approx(4 * (2 / np.pi) ** 0.5 / 8 / 2)
    assert noise[1, 2] == pytest.approx(4 * (12 * 2 / np.pi) ** 0.5 / 60 / 2)
    tree = strongest_tree(pair_counts(targets), 4, noise)
    assert dict(tree.parents) == {0: -1, 1: 0, 2: -1, 3: -1}
    assert tree.holds[0, 1] == pytest.approx(1 / 2 - noise[0, 1]) and tree.holds[2, 3] == 0
