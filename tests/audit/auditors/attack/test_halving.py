"""Halving: the pair on which a mechanism fails is found, with the runs that are stated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.auditors.attack.attackers import PORTFOLIO
from audit.auditors.attack.halving import LEAST, SHARE, predict, rounds, search
from audit.auditors.attack.learning import Cost
from audit.auditors.attack.patterns import candidates
from audit.auditors.attack.rules import Score
from audit.auditors.attack.selection import Aim
from audit.parallel import Map, here
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Seeds
from proofs.guarantees import ApproxDP, Guarantee
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

Draws = NDArray[np.float64]
Mechanism = Callable[[list[Any], np.random.Generator, int], Draws]

DOMAIN = Domain("cells", (Attribute("cell", ("0", "1", "2", "3"), missing=True),))
CHEAP = PORTFOLIO[:2]
PURE = ApproxDP(Fraction(1))
RUNS = 20_000


@dataclass
class Box:
    """A mechanism that gives many outputs at once, all NaN where it raises instead."""

    mechanism: Mechanism
    name: str = "box"
    block: int = 1000
    asked: list[tuple[str, int, int]] = field(default_factory=list)

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        self.asked.append((pair.pattern, seed, len(coins)))
        rng = np.random.default_rng(seed)
        first = self.mechanism(pair.first, rng, len(coins))
        second = self.mechanism(pair.second, rng, len(coins))
        rows = np.where(coins[:, None], second, first)
        if not np.isnan(rows).any():
            return Outcomes.of_batch(rows, len(coins))
        return Outcomes.of_outputs([Raised("E") if np.isnan(row[0]) else row for row in rows])


def histogram(database: list[Any]) -> Draws:
    cells = [4 if record["cell"] is None else int(record["cell"]) for record in database]
    return np.bincount(cells, minlength=5).astype(float)


def honest(database: list[Any], rng: np.random.Generator, runs: int) -> Draws:
    return histogram(database) + rng.laplace(0, 1, (runs, 5))


def shows_empty_cells(database: list[Any], rng: np.random.Generator, runs: int) -> Draws:
    return np.where(histogram(database) > 0, honest(database, rng, runs), 0.0)


def exact_from_three(database: list[Any], rng: np.random.Generator, runs: int) -> Draws:
    counts = histogram(database)
    return np.where(counts >= 3, counts, honest(database, rng, runs))


def fails_on_missing(database: list[Any], rng: np.random.Generator, runs: int) -> Draws:
    found = honest(database, rng, runs)
    return found * np.nan if histogram(database)[4] else found


def little_noise_in_the_last_cell(
    database: list[Any], rng: np.random.Generator, runs: int
) -> Draws:
    found = honest(database, rng, runs)
    found[:, 3] = histogram(database)[3] + rng.laplace(0, 0.25, runs)
    return found


def little_noise_where_n_is_small(
    database: list[Any], rng: np.random.Generator, runs: int
) -> Draws:
    scale = 0.25 if len(database) <= 3 else 1
    return len(database) + rng.laplace(0, scale, (runs, 1))


def a_count(database: list[Any], rng: np.random.Generator, runs: int) -> Draws:
    return len(database) + rng.laplace(0, 10, (runs, 1))


def drawing(mechanism: Mechanism, seed: int = 1) -> Drawing:
    return Drawing(Box(mechanism), Seeds(seed), here)


def aim(guarantee: Guarantee = PURE) -> Aim:
    return Aim(guarantee, 0.05, 1e-6, RUNS // 2)


def found(
    mechanism: Mechanism,
    neighbours: Neighbours,
    records: int | None = None,
    guarantee: Guarantee = PURE,
    seed: int = 1,
) -> Pair:
    pairs = candidates(DOMAIN, neighbours, records, guarantee)
    return search(drawing(mechanism, seed), pairs, CHEAP, aim(guarantee), RUNS)[0]


def moved(pair: Pair) -> Draws:
    return histogram(pair.second) - histogram(pair.first)


# The ten searches that follow, tried with 40 seeds each, found such a pair in 399 of 400: with
# another seed a test fails in less than 1 of 10 cases, with this one in none.


def test_a_cell_that_shows_when_it_is_empty_is_found_empty_on_one_side() -> None:
    pair = found(shows_empty_cells, AddRemove())
    empty = (histogram(pair.first) == 0) != (histogram(pair.second) == 0)
    assert empty.any()


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=str)
def test_counts_that_show_from_three_on_are_found_there(neighbours: Neighbours) -> None:
    pair = found(exact_from_three, neighbours)
    change = moved(pair) != 0
    assert max(histogram(pair.first)[change].max(), histogram(pair.second)[change].max()) >= 3


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=str)
def test_an_exception_on_one_side_is_found(neighbours: Neighbours) -> None:
    pair = found(fails_on_missing, neighbours)
    assert (histogram(pair.first)[4] == 0) != (histogram(pair.second)[4] == 0)


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=str)
def test_a_cell_with_too_little_noise_is_the_one_that_changes(neighbours: Neighbours) -> None:
    assert moved(found(little_noise_in_the_last_cell, neighbours))[3] != 0


def test_too_little_noise_in_small_databases_is_found_there() -> None:
    assert len(found(little_noise_where_n_is_small, AddRemove(), 100).second) <= 4


def test_a_small_epsilon_is_shown_by_a_chain() -> None:
    assert found(a_count, AddRemove(), None, ApproxDP(Fraction(1, 10))).distance == 22


def test_no_chain_is_taken_where_neighbours_show_as_much_of_each_step() -> None:
    # At distance 20 of ε = 1 no wrong guess is seen: 10,000 runs show less than 0.4 of each step.
    ends = Pair([], [{"cell": "3"}] * 20, 20)
    pairs = (ends, Pair([], [{"cell": "3"}]))
    chosen, number = search(drawing(honest), pairs, CHEAP, aim(), RUNS)
    assert (chosen, number) == (pairs[1], 1)


def test_the_pair_found_does_not_depend_on_where_runs_are_drawn() -> None:
    def threads(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        with ThreadPoolExecutor(3) as pool:
            yield from pool.map(lambda call: function(*call), calls)

    # Pairs that are equally good, so that other runs would lead to another choice.
    pairs = [Pair([], [{"cell": str(cell)}]) for cell in (0, 1, 2, 3)]

    def chosen(share: Map, seed: int) -> int:
        drawn = Drawing(Box(honest, block=16), Seeds(seed), share)
        return search(drawn, pairs, CHEAP, aim(), RUNS // 4)[1]

    alone = [chosen(here, seed) for seed in range(4)]
    assert alone == [chosen(threads, seed) for seed in range(4)]
    assert len(set(alone)) > 1


def test_runs_are_as_many_as_stated_and_no_two_blocks_share_their_random_numbers() -> None:
    pairs = candidates(DOMAIN, AddRemove(), None, PURE)
    box = Box(honest, block=64)
    search(Drawing(box, Seeds(3), here), pairs, CHEAP, aim(), RUNS)
    plan = rounds(len(pairs), RUNS)
    assert sum(size for _, _, size in box.asked) == sum(one.pairs * one.runs for one in plan)
    seeds = [seed for _, seed, _ in box.asked]
    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize("candidates_", [*range(1, 20), 31, 32, 33, 60])
@pytest.mark.parametrize("runs", [0, 10, 399, 400, 2000, 20_000, 10**6])
def test_rounds_halve_what_is_left_within_the_share(candidates_: int, runs: int) -> None:
    plan = rounds(candidates_, runs)
    assert sum(one.pairs * one.runs for one in plan) <= SHARE * runs
    if not plan:
        assert candidates_ == 1 or SHARE * runs < 2 * LEAST
        return
    assert all(one.runs >= LEAST for one in plan)
    left = [one.pairs for one in plan]
    assert left[0] <= candidates_ and left[-1] == 2
    assert all(after == (before + 1) // 2 for before, after in pairwise(left))
    # No more pairs could take part, and what is left over is less than a run for each.
    if left[0] < candidates_:
        more = left[0] + 1
        assert SHARE * runs / ((more - 1).bit_length() * more) < LEAST
    spent = sum(one.pairs * one.runs for one in plan)
    assert spent > SHARE * runs - 1 - len(plan) - sum(left)


def test_with_too_few_runs_or_one_pair_the_first_is_taken_unseen() -> None:
    pairs = candidates(DOMAIN, AddRemove(), None, PURE)
    box = Box(honest)
    for tried, runs in ((pairs, 300), (pairs[5:6], RUNS)):
        chosen = search(Drawing(box, Seeds(1), here), tried, CHEAP, aim(), runs)
        assert chosen == (tried[0], 0)
    assert not box.asked


def test_of_pairs_that_say_nothing_the_first_is_taken() -> None:
    def silent(database: list[Any], rng: np.random.Generator, runs: int) -> Draws:
        return np.zeros((runs, 1))

    pairs = candidates(DOMAIN, AddRemove(), None, PURE)
    assert search(drawing(silent), pairs, CHEAP, aim(), RUNS)[1] == 0


def test_no_pairs_are_refused() -> None:
    with pytest.raises(InputError, match="at least one pair"):
        search(drawing(honest), (), CHEAP, aim(), RUNS)


def test_nothing_is_predicted_where_databases_are_treated_alike() -> None:
    """Of 60 streams each attacker's luck lasts in 1 %: more than 4 in 1 % of such tests."""
    same = Pair([], [])
    streams = [drawing(honest, seed).runs("search", same, 0, 200) for seed in range(60)]
    assert sum(predict(runs, same, CHEAP, aim()).floor > 0 for runs in streams) <= 4


@dataclass(frozen=True)
class Listener:
    """An attacker with nothing to say, who notes on how many runs of which pair it could learn."""

    heard: list[tuple[str, int]]
    name: str = "listener"
    cost: Cost = Cost.LOW

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        self.heard.append((pair.pattern, len(runs)))
        return None


def test_each_round_learns_from_all_runs_so_far() -> None:
    pairs = [Pair([], [{"cell": str(cell)}], pattern=str(cell)) for cell in range(4)]
    listener = Listener([])
    chosen, _ = search(drawing(honest), pairs, (listener,), aim(), 4000)
    first, second = (one.runs for one in rounds(4, 4000))
    # Three quarters, as a fold is held out.
    expected = [3 * first // 4, 3 * (first + second) // 4]
    assert [runs for pattern, runs in listener.heard if pattern == chosen.pattern] == expected


def test_luck_in_few_runs_predicts_less_than_a_leak_in_many() -> None:
    pair = Pair([], [{"cell": "3"}])
    few = drawing(honest).runs("search", pair, 0, 40)
    lucky = Runs(few.outcomes, few.outcomes.blocks[0][:, 3] > 0.5)
    leak = drawing(little_noise_in_the_last_cell).runs("search", pair, 1, 4000)
    assert predict(lucky, pair, CHEAP, aim()) < predict(leak, pair, CHEAP, aim())


def test_the_floor_is_predicted_for_each_step() -> None:
    pair = Pair([], [{"cell": "3"}])
    runs = drawing(honest).runs("search", pair, 0, 4000)
    once = predict(runs, pair, CHEAP, aim()).floor
    four = predict(runs, Pair(pair.first, pair.second, 4), CHEAP, aim()).floor
    assert 0.4 < once < 1.1 and four == pytest.approx(once / 4)
