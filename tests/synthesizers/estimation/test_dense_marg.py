"""DenseMarg against brute force, and the merging of pairs by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.estimation.dense_marg import dense_pairs, expected_noise, merge_cliques


def objective(chosen: list[int], distances: list[float], cells: list[int], rho: float) -> float:
    """Noise of the chosen under the split found by trying, and distances of the others."""
    left = sum(d for pair, d in enumerate(distances) if pair not in chosen)
    if not chosen:
        return left
    weights = np.array([cells[pair] for pair in chosen]) ** (2 / 3)
    shares = rho * weights / weights.sum()
    noise = sum(
        cells[pair] * math.sqrt(1 / (math.pi * share))
        for pair, share in zip(chosen, shares, strict=True)
    )
    return float(noise) + left


def test_the_split_is_the_best() -> None:
    # Two marginals of 8 and 64 cells share rho 4 : 16 = 1 : 4.
    cells, rho = np.array([8.0, 64]), 0.5
    noise = float(expected_noise((cells ** (2 / 3)).sum(), rho))
    assert noise == pytest.approx(objective([0, 1], [0, 0], [8, 64], rho))
    for first in np.linspace(0.01, 0.49, 49):
        other = 8 / math.sqrt(math.pi * first) + 64 / math.sqrt(math.pi * (rho - first))
        assert other >= noise - 1e-9


PAIRS = st.lists(st.tuples(st.floats(0, 500), st.integers(2, 60)), min_size=1, max_size=5)


@given(PAIRS, st.floats(0.01, 2))
def test_every_step_is_the_best_one_and_no_further_one_helps(
    pairs: list[tuple[float, int]], rho: float
) -> None:
    distances, cells = [d for d, _ in pairs], [c for _, c in pairs]
    chosen = dense_pairs(np.array(distances), np.array(cells, float), rho)
    for size in range(len(chosen) + 1):
        now = objective(chosen[:size], distances, cells, rho)
        rest = [pair for pair in range(len(pairs)) if pair not in chosen[:size]]
        steps = [objective([*chosen[:size], pair], distances, cells, rho) for pair in rest]
        best = min(steps, default=math.inf)
        if size < len(chosen):
            step = objective(chosen[: size + 1], distances, cells, rho)
            assert step == pytest.approx(best) and step < now + 1e-6
        else:
            assert best >= now - 1e-6


def test_the_greedy_choice_is_near_the_best_of_all() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        distances = random.exponential(100, 6).tolist()
        cells = random.integers(4, 60, 6).tolist()
        chosen = dense_pairs(np.array(distances), np.array(cells, float), 0.1)
        found = objective(chosen, distances, cells, 0.1)
        subsets = (list(s) for size in range(7) for s in combinations(range(6), size))
        best = min(objective(subset, distances, cells, 0.1) for subset in subsets)
        assert best - 1e-9 <= found <= 1.25 * best


def test_more_sensitive_marginals_are_dearer() -> None:
    distances, cells = np.array([40.0]), np.array([8.0])
    # 8/√(π·rho) = 45 at rho = 0.01; at half the price per ρ it is 32.
    assert dense_pairs(distances, cells, 0.01) == []
    assert dense_pairs(distances, cells, 0.02) == [0]
    assert dense_pairs(distances, cells, 0.02, 2.0) == []


SIZES = {"a": 2, "b": 3, "c": 4, "d": 5, "e": 2, "f": 2}


def test_cliques_replace_their_pairs() -> None:
    pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
    assert merge_cliques(pairs, SIZES, 24) == [("a", "b", "c"), ("c", "d")]
    assert merge_cliques(pairs, SIZES, 23) == pairs
    assert merge_cliques([], SIZES, 100) == []


def test_the_largest_clique_goes_first_and_the_next_may_share_two_attributes() -> None:
    four = list(combinations("abcd", 2))
    assert merge_cliques(four, SIZES, 120) == [("a", "b", "c", "d")]
    # Only three fit; the next clique would share two, and is kept; after it nothing is new.
    found = merge_cliques(four, SIZES, 60)
    assert found[:2] == [("a", "b", "c"), ("a", "b", "d")] and found[2:] == [("c", "d")]
    # Of the cliques with e, abce would share three attributes; abe shares two.
    more = [*four, ("a", "e"), ("b", "e"), ("c", "e")]
    assert merge_cliques(more, SIZES, 120) == [("a", "b", "c", "d"), ("a", "b", "e"), ("c", "e")]


def test_many_attributes_that_all_depend_are_merged_in_time() -> None:
    names = [f"x{place}" for place in range(30)]
    found = merge_cliques(list(combinations(names, 2)), dict.fromkeys(names, 2), 5000)
    assert max(map(len, found)) == 12
