"""Runs: fair coins, block by block, the same wherever they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from audit.parallel import here
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Seeds

PAIR = Pair(0, 1)


@dataclass(frozen=True)
class Noisy:
    """A number with noise."""

    block: int = 100
    name: str = "noisy"

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        truth = np.where(coins, pair.second, pair.first)
        return Outcomes.of_batch(
            truth + np.random.default_rng(seed).laplace(size=len(coins)), len(coins)
        )


def backwards(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """The calls made last to first; the results in order."""
    return reversed([function(*arguments) for arguments in reversed(list(calls))])


def told(runs: Runs) -> list[tuple[int, bool]]:
    return list(zip(runs.outcomes.codes().tolist(), runs.coins.tolist(), strict=True))


def test_runs_do_not_depend_on_where_and_when_they_are_drawn() -> None:
    once = Drawing(Noisy(), Seeds(7), here).runs("certify", PAIR, 0, 1_000)
    again = Drawing(Noisy(), Seeds(7), backwards).runs("certify", PAIR, 0, 1_000)
    assert told(once) == told(again)


@pytest.mark.parametrize("change", ["seed", "stage", "number", "start"])
def test_other_seeds_stages_pairs_and_blocks_have_other_random_numbers(change: str) -> None:
    first = Drawing(Noisy(), Seeds(7), here).runs("certify", PAIR, 0, 200)
    other = Drawing(Noisy(), Seeds(8 if change == "seed" else 7), here).runs(
        "learn" if change == "stage" else "certify",
        PAIR,
        1 if change == "number" else 0,
        200,
        2 if change == "start" else 0,
    )
    assert not set(first.outcomes.codes().tolist()) & set(other.outcomes.codes().tolist())
    assert first.coins.tolist() != other.coins.tolist()


@pytest.mark.parametrize("runs", [0, 1, 2, 3, 99, 100, 101, 250])
def test_as_many_runs_are_made_as_asked_for(runs: int) -> None:
    blocks = list(Drawing(Noisy(), Seeds(7), here).blocks("learn", PAIR, 0, runs))
    assert sum(map(len, blocks)) == runs
    assert all(0 < len(block) <= 100 for block in blocks)
    assert len(blocks) >= min(runs, 2)


def test_coins_are_fair() -> None:
    coins = Drawing(Noisy(), Seeds(3), here).runs("learn", PAIR, 0, 40_000).coins
    heads = int(np.count_nonzero(coins))
    # A fair coin fails this for one seed in 5e8: two tails of 1e-9 each.
    assert binom.cdf(heads, 40_000, 0.5) > 1e-9
    assert binom.sf(heads - 1, 40_000, 0.5) > 1e-9
