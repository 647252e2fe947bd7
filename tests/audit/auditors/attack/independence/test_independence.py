"""The independence guard: catches runs that depend on each other, and leaves others alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from audit.auditors.attack.independence.independence import (
    LEAST,
    Independence,
    RunsKind,
    examine,
    take_initial,
)
from audit.auditors.attack.independence.probing import guard, probe
from audit.parallel import here
from audit.subjects.black_box import Starting
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Seeds

PAIR = Pair(0, 1)

Random = np.random.Generator
Coins = NDArray[np.bool_]
Outputs = NDArray[np.float64]
Law = Callable[[Random, Coins], Outputs]


def _coins(random: Random, runs: int) -> Coins:
    return random.integers(0, 2, runs).astype(np.bool_)


def _examined(law: Law, runs: int, seed: int = 0, error: float | None = None) -> Independence:
    random = np.random.default_rng([seed, runs])
    coins = _coins(random, runs)
    found = Runs(Outcomes.of_batch(law(random, coins), runs), coins)
    return examine(found, seed) if error is None else examine(found, seed, error=error)


def _cycle(random: Random, coins: Coins, period: int) -> NDArray[np.intp]:
    return np.arange(len(coins)) % period


def _moving(random: Random, runs: int, weight: float) -> Outputs:
    """Autoregressive noise of variance 1."""
    found = random.normal(size=runs)
    for run in range(1, runs):
        found[run] = weight * found[run - 1] + (1 - weight**2) ** 0.5 * found[run]
    return found


def _shared(random: Random, coins: Coins) -> Outputs:
    noise = random.laplace(size=len(coins) + 1)
    return noise[1:] + noise[:-1] + coins


def _several(random: Random, coins: Coins) -> Outputs:
    """Vectors, of which only the second number depends on the run before."""
    found = random.normal(size=(len(coins), 3))
    found[:, 1] = _moving(random, len(coins), 0.6)
    found[:, 0] *= 10
    return found


CHEATS: dict[str, Law] = {
    "the block's noise is repeated": lambda random, coins: (
        random.laplace(size=len(coins) // 2)[_cycle(random, coins, len(coins) // 2)] + coins
    ),
    "seeds cycle with period 100": lambda random, coins: (
        random.laplace(size=100)[_cycle(random, coins, 100)] + coins
    ),
    "randomised response with cycling seeds": lambda random, coins: (
        (random.random(97) < 0.3)[_cycle(random, coins, 97)] ^ coins
    ).astype(np.float64),
    "noise is cached for ten calls": lambda random, coins: (
        random.laplace(size=len(coins))[np.arange(len(coins)) // 10] + coins
    ),
    "noise is cached for two calls": lambda random, coins: (
        random.laplace(size=len(coins))[np.arange(len(coins)) // 2] + coins
    ),
    "one run in twenty is the one before": lambda random, coins: (
        lambda noise: np.where(random.random(len(coins)) < 0.05, np.roll(noise, 1), noise)
    )(random.laplace(size=len(coins))),
    "noise is shared with the next call": _shared,
    "noise is autoregressive": lambda random, coins: _moving(random, len(coins), 0.4) + coins,
    "every second output is larger": lambda random, coins: (
        random.laplace(size=len(coins)) + coins + 2 * (np.arange(len(coins)) % 2)
    ),
    "every second noise is the opposite of the one before": lambda random, coins: (
        np.repeat(random.laplace(size=len(coins) // 2), 2)
        * np.where(np.arange(len(coins)) % 2, -1, 1)
        + coins
    ),
    "a counter": lambda random, coins: np.arange(len(coins)) + 2.0 * coins,
    "outputs alternate on each database": lambda random, coins: (
        np.where(coins, np.cumsum(coins), np.cumsum(~coins)) % 2.0
    ),
    "outputs drift by two standard deviations": lambda random, coins: (
        random.normal(size=len(coins)) + coins + np.linspace(0, 2, len(coins))
    ),
    "outputs depend on the database of the run before": lambda random, coins: (
        random.laplace(size=len(coins)) + np.roll(coins, 1) + coins
    ),
    "one number of a vector is autoregressive": _several,
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_dependent_runs_are_found_among_a_thousand(cheat: str) -> None:
    # The weakest, autoregression, is 12 standard errors from 0, where 7.4 suffice.
    assert _examined(CHEATS[cheat], 1000).kind is RunsKind.DEPENDENT


def test_autoregression_of_three_tenths_is_found_in_nearly_every_thousand() -> None:
    def law(random: Random, coins: Coins) -> Outputs:
        return _moving(random, len(coins), 0.3) + coins

    # 9 standard errors from 0 on average, where 7.2 suffice: with a power of 0.95 in each of 20,
    # fewer than 15 are found with probability < 1e-3; 196 of 200 other seeds were.
    kinds = [_examined(law, 1000, seed).kind for seed in range(20)]
    assert kinds.count(RunsKind.DEPENDENT) >= 15


def test_a_drift_of_a_tenth_of_a_standard_deviation_is_found_in_a_hundred_thousand() -> None:
    def law(random: Random, coins: Coins) -> Outputs:
        return random.normal(size=len(coins)) + coins + np.linspace(0, 0.1, len(coins))

    found = _examined(law, 100_000)
    assert found.kind is RunsKind.DEPENDENT
    assert "grow" in found.finding


HONEST: dict[str, Law] = {
    "Laplace": lambda random, coins: random.laplace(size=len(coins)) + coins,
    "geometric": lambda random, coins: random.geometric(0.6, len(coins)) + 1.0 * coins,
    "rare": lambda random, coins: (random.random(len(coins)) < 1e-2).astype(np.float64),
    "randomised response": lambda random, coins: ((random.random(len(coins)) < 0.3) ^ coins).astype(
        np.float64
    ),
    "Cauchy": lambda random, coins: random.standard_cauchy(len(coins)) + coins,
    "on a grid": lambda random, coins: np.round(random.normal(size=len(coins)) + coins, 1),
    "not a number": lambda random, coins: np.where(
        random.random(len(coins)) < 0.3, np.nan, random.laplace(size=len(coins))
    ),
    "infinities": lambda random, coins: (
        np.where(random.random((len(coins), 2)) < 0.3, np.inf, random.laplace(size=(len(coins), 2)))
        * np.array([1, -1])
    ),
    "vectors": lambda random, coins: random.laplace(size=(len(coins), 4)) + coins[:, None],
    "steady on one database": lambda random, coins: np.where(
        coins, random.laplace(size=len(coins)), 0.0
    ),
}


@pytest.mark.parametrize("law", HONEST)
@pytest.mark.parametrize("runs", [10, 200])
def test_independent_runs_are_called_dependent_no_more_often_than_is_stated(
    law: str, runs: int
) -> None:
    # 20 audits at an error of 0.2: more than 16 alarms have, by Hoeffding, a probability below
    # exp(-2 · 20 · 0.65²) < 1e-7 at the very error, and the guard's is below it.
    kinds = [_examined(HONEST[law], runs, seed, error=0.2).kind for seed in range(20)]
    assert kinds.count(RunsKind.DEPENDENT) <= 16


@pytest.mark.parametrize("law", HONEST)
@pytest.mark.parametrize("runs", [1, 2, 3, 10, 5000])
def test_independent_runs_are_left_alone(law: str, runs: int) -> None:
    # Fails with probability 3.4e-10 for each case, and that is the guard's own promise.
    assert _examined(HONEST[law], runs).kind is RunsKind.INDEPENDENT


def test_texts_tables_exceptions_and_nested_data_are_looked_at() -> None:
    random = np.random.default_rng(0)
    coins = _coins(random, 400)

    def output(number: float, run: int) -> object:
        match int(number * 100) % 5:
            case 0:
                return f"text {number}"
            case 1:
                return pd.DataFrame({"x": [number, run], "y": ["a", "b"]})
            case 2:
                return Raised("ValueError")
            case 3:
                return {"mean": number, "names": ["a", None]}
        return number

    numbers = random.random(400)
    honest = Outcomes.of_outputs([output(number, 0) for number in numbers])
    assert examine(Runs(honest, coins), 1).kind is RunsKind.INDEPENDENT
    cached = Outcomes.of_outputs([output(numbers[run // 4], 0) for run in range(400)])
    assert examine(Runs(cached, coins), 1).kind is RunsKind.DEPENDENT


def test_a_drift_inside_tables_and_nested_data_is_seen() -> None:
    random = np.random.default_rng(0)
    coins = _coins(random, 600)
    drifting = random.normal(size=600) + np.linspace(0, 2, 600)
    tables = [pd.DataFrame({"x": [x, random.normal()], "y": ["a", "b"]}) for x in drifting]
    nested = [{"mean": float(x), "n": 3} for x in drifting]
    for outputs in (tables, nested):
        found = examine(Runs(Outcomes.of_outputs(outputs), coins), 1)
        assert found.kind is RunsKind.DEPENDENT


def test_a_score_may_show_what_no_single_number_shows() -> None:
    random = np.random.default_rng(0)
    coins = _coins(random, 1000)
    hidden = _moving(random, 1000, 0.6)
    outputs = [f"{x:.9f}" for x in hidden]
    runs = Runs(Outcomes.of_outputs(outputs), coins)
    assert examine(runs, 1).kind is RunsKind.INDEPENDENT
    assert examine(runs, 1, score=hidden).kind is RunsKind.DEPENDENT


def test_one_output_a_database_is_deterministic_or_constant() -> None:
    coins = np.arange(2 * LEAST) % 2 == 1
    differ = Outcomes.of_batch(coins.astype(np.float64), len(coins))
    same = Outcomes.of_batch(np.ones(len(coins)), len(coins))
    assert examine(Runs(differ, coins), 0).kind is RunsKind.DETERMINISTIC
    assert examine(Runs(same, coins), 0).kind is RunsKind.CONSTANT
    few = Runs(differ, coins).take(np.arange(2 * LEAST - 1))
    assert examine(few, 0).kind is RunsKind.INDEPENDENT


def test_the_same_seed_gives_the_same_finding() -> None:
    law = HONEST["randomised response"]
    assert _examined(law, 500, 3) == _examined(law, 500, 3)


def test_the_part_of_stopped_runs_has_one_of_few_lengths_and_shares_sum_to_one() -> None:
    lengths: dict[int, float] = {}
    coins = np.zeros(3000, np.bool_)
    runs = Runs(Outcomes.of_batch(np.zeros(3000), 3000), coins)
    for count in range(1, 3001):
        part, share = take_initial(runs.take(np.arange(count)))
        assert 0.79 * count - 1 <= len(part) <= count
        # A look of one length has one share, whatever came after it.
        assert lengths.setdefault(len(part), share) >= share
    assert sum(lengths.values()) <= 1
    assert len(lengths) < 40


# Boxes, for new calls and new processes.


@dataclass
class Box:
    """Laplace noise on the number of the database, with whatever is wrong with it."""

    name: str = "box"
    block: int = 500

    def draw(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
        return Outcomes.of_batch(self.noise(len(coins), seed) + coins, len(coins))

    def noise(self, runs: int, seed: int) -> Outputs:
        return np.random.default_rng(seed).laplace(size=runs)


@dataclass
class Isolated(Box):
    """The same, which can be run in a new process."""

    serves: bool = False

    def draw_afresh(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
        return type(self)().draw(pair, coins, seed)

    draw_first = draw_afresh


@dataclass
class SeededInside(Box):
    def noise(self, runs: int, seed: int) -> Outputs:
        return np.random.default_rng(0).laplace(size=runs)


@dataclass
class SeededAtImport(Isolated):
    state: Random = field(default_factory=lambda: np.random.default_rng(0))

    def noise(self, runs: int, seed: int) -> Outputs:
        return self.state.laplace(size=runs)


@dataclass
class OwnEntropy(Isolated):
    """Randomness that is not what the box was handed."""

    calls: ClassVar[int] = 0

    def noise(self, runs: int, seed: int) -> Outputs:
        OwnEntropy.calls += 1
        return np.random.default_rng([seed, OwnEntropy.calls]).laplace(size=runs)


@dataclass
class Cached(Isolated):
    """One noise, drawn in the first call of the process."""

    kept: float | None = None

    def noise(self, runs: int, seed: int) -> Outputs:
        if self.kept is None:
            self.kept = float(np.random.default_rng(seed).laplace())
        return np.full(runs, self.kept)


@dataclass
class Deterministic(Isolated):
    def noise(self, runs: int, seed: int) -> Outputs:
        return np.zeros(runs)


def _guarded(box: Box, runs: int = 1000) -> Independence:
    drawing = Drawing(box, Seeds(1), here)
    return guard(box, PAIR, drawing.runs("learn", PAIR, 0, runs), seed=1)


def test_a_box_that_uses_the_randomness_it_is_handed_is_repeatable() -> None:
    for box in (Box(), Isolated()):
        found = _guarded(box)
        assert found.kind is RunsKind.INDEPENDENT
        assert found.repeatable
    assert not isinstance(Box(), Starting)
    assert isinstance(Isolated(), Starting)


def test_a_box_with_randomness_of_its_own_is_not_repeatable_and_no_finding() -> None:
    found = _guarded(OwnEntropy())
    assert found.kind is RunsKind.INDEPENDENT
    assert found.repeatable is False


def test_a_seed_inside_is_found_from_a_single_block_of_runs() -> None:
    box = SeededInside(block=4000)
    learned = Runs(box.draw(PAIR, _coins(np.random.default_rng(0), 1000), 1), np.zeros(1000, bool))
    found = probe(box, PAIR, learned, seed=1)
    assert found.kind is RunsKind.DEPENDENT
    assert "a new call gave 100 of 100 outputs again" in found.finding
    assert _guarded(box).kind is RunsKind.DEPENDENT


def test_a_seed_at_import_is_found_by_new_processes() -> None:
    found = _guarded(SeededAtImport())
    assert found.kind is RunsKind.DEPENDENT
    assert "a new process gave 100 of 100 outputs again" in found.finding


def test_few_new_runs_suffice_for_outputs_that_hardly_ever_repeat() -> None:
    box = SeededAtImport()
    learned = Runs(box.draw(PAIR, np.zeros(1, bool), 1), np.zeros(1, bool))
    assert probe(box, PAIR, learned, seed=1, runs=25).kind is RunsKind.DEPENDENT
    assert probe(Isolated(), PAIR, learned, seed=1, runs=25).kind is RunsKind.INDEPENDENT


@pytest.mark.parametrize("runs", [80, 200, 1000])
def test_noise_that_is_drawn_once_a_process_is_no_deterministic_box(runs: int) -> None:
    assert _guarded(Cached(), runs).kind is RunsKind.DEPENDENT
    assert _guarded(Deterministic(), runs).kind is RunsKind.DETERMINISTIC


def test_what_hardly_ever_changes_is_not_called_cached() -> None:
    @dataclass
    class Rare(Isolated):
        def noise(self, runs: int, seed: int) -> Outputs:
            return (np.random.default_rng(seed).random(runs) < 0.02).astype(np.float64)

    @dataclass
    class Later(Rare):
        """Its learning runs happened to be all the same."""

        def draw(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
            return Outcomes.of_batch(coins.astype(np.float64), len(coins))

        def draw_afresh(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
            return Rare().draw(pair, coins, seed)

    # Some 4 of 200 new runs differ, where 1000 before did not: a chance of 5^-4 or so.
    assert _guarded(Later()).kind is RunsKind.DETERMINISTIC


def test_a_batch_form_with_a_seed_inside_is_found_though_it_is_called_once_a_database() -> None:
    # Its blocks have other numbers of runs on each database: what repeats lies a number of runs
    # apart that is the same only among the runs on one database.
    random = np.random.default_rng(0)
    noise = np.random.default_rng(5).laplace(size=60)
    blocks = []
    for _ in range(2):
        coins = _coins(random, 60)
        places = np.where(coins, np.cumsum(coins), np.cumsum(~coins)) - 1
        blocks.append(Runs(Outcomes.of_batch(noise[places] + 3 * coins, 60), coins))
    found = examine(Runs.join(blocks), 1)
    assert found.kind is RunsKind.DEPENDENT
    assert "are the same" in found.finding


def test_binary_outputs_with_a_seed_inside_are_found() -> None:
    @dataclass
    class Response(Box):
        def draw(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
            flips = np.random.default_rng(0).random(len(coins)) < 0.27
            return Outcomes.of_batch((flips ^ coins).astype(np.float64), len(coins))

    assert _guarded(Response()).kind is RunsKind.DEPENDENT


def test_the_runs_of_new_calls_are_counted() -> None:
    assert _guarded(Box(), 200).runs == 200 + 3 * 100
    assert _guarded(Isolated(), 200).runs == 200 + 5 * 100
    assert _guarded(Box(block=30), 200).runs == 200 + 3 * 30
