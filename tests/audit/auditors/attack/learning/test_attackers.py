"""The portfolio: what its scores tell apart, beside the ideal score of cases with a known truth.

Laplace noise stands on the grid 2^-30, as its low bits tell more than its law (last test but one).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.neural_network import MLPClassifier

from audit.auditors.attack.columns.cuts import codes
from audit.auditors.attack.learning import learning, model_attackers
from audit.auditors.attack.learning.attackers import PORTFOLIO, Attacker
from audit.auditors.attack.scores.scores import score_from_json
from audit.auditors.attack.scores.simple_scores import Cells
from audit.auditors.attack.scores.weighings import Bins
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from tests.audit.auditors.attack.columns.test_choice_columns import OUTCOMES, TIES

Coins = NDArray[np.bool_]
Floats = NDArray[np.float64]
Batch = Callable[[Coins, np.random.Generator], NDArray[Any]]

PAIR = Pair(0, 1)
LOW, HIGH = {"a": 0, "b": 0}, {"a": 1, "b": 1}
POLES = Pair([LOW] * 200 + [HIGH] * 200, [LOW] * 192 + [HIGH] * 208, 8)
NAMED = {attacker.name: attacker for attacker in PORTFOLIO}


def on_grid(values: Floats) -> Floats:
    return np.round(values * 2.0**30) / 2.0**30


def half(coins: Coins, rng: np.random.Generator) -> NDArray[Any]:
    """A count of 0 or 1 with Laplace noise of scale 1/2: ε = 2."""
    return on_grid(coins + rng.laplace(0, 0.5, len(coins)))


def histogram(coins: Coins, rng: np.random.Generator) -> NDArray[Any]:
    """Five counts with Laplace noise of scale 1; one record moves between two: ε = 2."""
    found = rng.laplace(0, 1, (len(coins), 5))
    found[:, 0] += coins
    found[:, 1] += ~coins
    return on_grid(found)


def sparse_vector(coins: Coins, rng: np.random.Generator) -> NDArray[Any]:
    """Algorithm 6 of Lyu, Su & Li: ε = 4.03 at "first five above, then five below", of 0.0022."""
    queries = np.where(np.arange(10) < 5, ~coins[:, None], coins[:, None])
    threshold = 1 + rng.laplace(0, 2, (len(coins), 1))
    return np.asarray(queries + rng.laplace(0, 2, (len(coins), 10)) >= threshold)


def draw(batch: Batch, runs: int, seed: int) -> Runs:
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, runs).astype(np.bool_)
    return Runs(Outcomes.of_batch(batch(coins, rng), runs), coins)


def draw_tables(runs: int, seed: int) -> Runs:
    """Tables of 400 rows between two poles: one's count has Gaussian noise of deviation 10.

    In the other database it is 8 more.
    """
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, runs).astype(np.bool_)
    noise = rng.normal(0, 10, (runs, 3))
    found = []
    for end, (one, other) in zip(200 + 8 * coins + noise[:, 0], abs(noise[:, 1:]), strict=True):
        counts = np.rint([end, one, other]).astype(int)
        rows = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [*counts, 400 - counts.sum()], axis=0)
        found.append(pd.DataFrame(rows, columns=["a", "b"]))
    return Runs(Outcomes.of_outputs(found), coins)


def accuracy(scores: Floats, coins: Coins, share: float) -> float:
    """The log odds of a right guess, where the outermost ``share`` of either end is guessed."""
    low, high = np.quantile(scores, [share, 1 - share])
    made = (scores <= low) | (scores >= high)
    right = np.count_nonzero((scores >= high)[made] == coins[made])
    return math.log(right / (np.count_nonzero(made) - right))


def fitted(name: str, runs: Runs, pair: Pair = PAIR) -> Any:
    score = NAMED[name].fit(runs, pair)
    assert score is not None, name
    return score


def test_the_names_are_distinct_and_the_cheap_ones_come_first() -> None:
    assert len(NAMED) == len(PORTFOLIO)
    costs = [attacker.cost for attacker in PORTFOLIO]
    assert costs == sorted(costs)


# Log odds of guesses on 100,000 runs, of which a tenth are guessed, have a standard error of about
# sqrt((1 + e^2) / 10^4) = 0.03 at the truth 2; what the scores lose in learning comes on top.
@pytest.mark.parametrize(
    ("name", "least"),
    [("one column", 1.9), ("bins", 1.9), ("linear", 1.9), ("network", 1.9), ("trees", 1.85)],
)
def test_of_one_number_every_attacker_finds_the_tails(name: str, least: float) -> None:
    fresh = draw(half, 100_000, 2)
    score = fitted(name, draw(half, 6_000, 1))
    assert accuracy(score.evaluate(fresh.outcomes), fresh.coins, 0.05) > least


@pytest.mark.parametrize(
    ("name", "least"), [("bins", 1.85), ("weighted bins", 1.85), ("trees", 1.7), ("linear", 1.5)]
)
def test_of_a_histogram_the_plateau_of_two_bins_is_found(name: str, least: float) -> None:
    fresh = draw(histogram, 100_000, 4)
    score = fitted(name, draw(histogram, 12_000, 3))
    # The event of ratio e^2, that one bin lies above 1 and the other below 0, has the chance 1/4
    # under one coin and 0.034 under the other.
    assert accuracy(score.evaluate(fresh.outcomes), fresh.coins, 0.07) > least


def test_steps_are_flat_where_the_ratio_is() -> None:
    runs = draw(histogram, 40_000, 5)
    score = fitted("bins", runs)
    assert isinstance(score, Bins)
    # The three other counts say nothing, and enter with a chance of 1/n of Schwarz's criterion, as
    # a few edges are tried.
    assert score.columns.names == ("coordinate 1", "coordinate 2")
    for edges, values in zip(score.edges, score.values, strict=True):
        below, above = values[:-1][edges < -0.1], values[1:][edges > 1.1]
        # Their log ratios are ±1; counts of some 600 runs a bin alone would differ by 0.3.
        for flat in (below, above):
            assert len(flat) > 15
            assert abs(flat) == pytest.approx(1, abs=0.15)
            assert np.ptp(flat) < 0.1
        assert below[0] * above[-1] < 0
        # Between them a line, of some dozen steps.
        assert np.abs(np.diff(values)).max() < 0.5


def test_bins_of_the_largest_numbers_are_calibrated_without_overflow() -> None:
    coins = np.arange(4_000) % 2 == 1
    ends = np.where(coins, 1.0, -1.0) * np.linspace(0.5, 1, 4_000) * np.finfo(np.float64).max
    score = fitted("bins", Runs(Outcomes.of_batch(ends, 4_000), coins))
    found = score.evaluate(Outcomes.of_batch(ends, 4_000))
    assert ((found > 0) == coins).all()


@pytest.mark.parametrize("name", ["bins", "linear", "network", "trees"])
def test_of_a_sparse_vector_the_rare_event_scores_highest(name: str) -> None:
    score = fitted(name, draw(sparse_vector, 20_000, 6))
    cells = (np.arange(1024)[:, None] >> np.arange(10)) & 1 == 1
    scores = score.evaluate(Outcomes.of_batch(cells, 1024))
    first, second = cells[:, :5].sum(axis=1), cells[:, 5:].sum(axis=1)
    # The ratio depends on both counts of five; its two ends are the cells of ratio e^±4.03.
    largest = np.isin(np.arange(1024), np.argsort(scores)[-12:])
    smallest = np.isin(np.arange(1024), np.argsort(scores)[:12])
    assert largest[(first == 0) & (second == 5)].all()
    assert smallest[(first == 5) & (second == 0)].all()


def test_cells_are_the_log_ratio_of_frequent_outputs_and_are_shrunk_where_they_tell_nothing() -> (
    None
):
    rng = np.random.default_rng(7)
    coins = rng.integers(0, 2, 40_000).astype(np.bool_)
    truth = rng.random(40_000) < np.where(coins, 0.75, 0.25)
    runs = Runs(Outcomes.of_outputs(np.where(truth, "yes", "no").tolist()), coins)
    score = fitted("cells", runs)
    # Four standard errors of log(3).
    found = score.evaluate(Outcomes.of_outputs(["yes", "no", "never seen"]))
    assert found == pytest.approx([math.log(3), -math.log(3), 0], abs=0.1)
    assert isinstance(score, Cells) and score.telling == ("'yes'", "'no'")
    noise = Runs(Outcomes.of_outputs(rng.integers(0, 4000, 40_000).tolist()), coins)
    nothing = fitted("cells", noise)
    assert isinstance(nothing, Cells)
    # The unshrunk log ratios of ten runs each have a standard deviation of some 0.7.
    assert abs(nothing.values).max() < 0.5
    assert NAMED["cells"].fit(draw(half, 2_000, 8), PAIR) is None


def test_numbers_of_which_some_recur_by_chance_are_no_cells() -> None:
    runs = draw(half, 20_000, 9)
    rounded = np.round(runs.outcomes.blocks[0] * 2.0**14) / 2.0**14
    recurring = np.unique(rounded, return_counts=True)[1]
    assert 0.1 < recurring[recurring > 1].sum() / 20_000 < 0.5
    coarse = Runs(Outcomes.of_batch(rounded, 20_000), runs.coins)
    assert NAMED["cells"].fit(coarse, PAIR) is None


@pytest.mark.parametrize("attacker", PORTFOLIO, ids=list(NAMED))
def test_an_attacker_learns_the_same_from_the_same_runs(attacker: Attacker) -> None:
    learned: dict[str, tuple[Runs, Pair]] = {
        "marginals": (draw_tables(300, 10), POLES),
        "choices": (Runs(OUTCOMES, np.arange(len(OUTCOMES)) % 2 == 0), TIES),
    }
    runs, pair = learned.get(attacker.name, (draw(sparse_vector, 3_000, 10), PAIR))
    found = [attacker.fit(runs, pair) for _ in range(2)]
    assert found[0] is not None and found[1] is not None
    assert found[0].to_json() == found[1].to_json()


@pytest.mark.parametrize("attacker", PORTFOLIO, ids=list(NAMED))
def test_few_or_one_sided_or_odd_runs_give_nothing_or_a_finite_score(attacker: Attacker) -> None:
    odd = [1.5, None, Raised("KeyError"), "x", [math.nan, 2], pd.DataFrame({"a": [1, 2]})] * 80
    fresh = Outcomes.of_outputs(odd[:6])
    for coins in ([], [True], [True, False], [True] * 480, [True, False, False] * 160):
        runs = Runs(Outcomes.of_outputs(odd[: len(coins)]), np.array(coins, np.bool_))
        score = attacker.fit(runs, PAIR)
        if score is not None:
            found = score.evaluate(fresh)
            assert np.isfinite(found).all()
            assert (score_from_json(score.to_json()).evaluate(fresh) == found).all()


@pytest.mark.parametrize("name", ["one column", "cells", "weighted bins", "linear"])
def test_an_exception_that_only_one_database_raises_is_found(name: str) -> None:
    rng = np.random.default_rng(11)
    coins = rng.integers(0, 2, 2_000).astype(np.bool_)
    raised = coins & (rng.random(2_000) < 0.05)
    outputs = [Raised("KeyError") if r else 0.25 for r in raised]
    score = fitted(name, Runs(Outcomes.of_outputs(outputs), coins))
    high, low = score.evaluate(Outcomes.of_outputs([Raised("KeyError"), 0.25]))
    assert high > low


@pytest.mark.parametrize("name", ["one column", "weighted bins", "linear", "trees"])
def test_a_target_that_appears_in_a_table_is_found(name: str) -> None:
    rng = np.random.default_rng(12)
    base = [{"a": int(a), "b": int(b)} for a, b in rng.integers(0, 5, (30, 2))]
    target = {"a": 9, "b": 2}
    coins = np.arange(400) % 2 == 0

    def table(coin: bool) -> pd.DataFrame:
        pool = [*base, target] if coin else base
        return pd.DataFrame([pool[k] for k in rng.integers(0, len(pool), 30)])

    pair = Pair(base, [*base, target])
    runs = Runs(Outcomes.of_outputs([table(bool(coin)) for coin in coins]), coins)
    fresh = Outcomes.of_outputs([table(bool(coin)) for coin in coins])
    scores = fitted(name, runs, pair).evaluate(fresh)
    # 1 - (1 - 1/31)^30 = 0.63 of the tables hold it: 0.63 · 200 runs stand out.
    order = np.argsort(-scores)[:100]
    assert coins[order].mean() > 0.9


def test_low_bits_show_the_true_value_of_naive_noise_and_nothing_on_a_grid() -> None:
    def naive(coins: Coins, rng: np.random.Generator) -> NDArray[Any]:
        return np.asarray(100 * coins + rng.laplace(0, 1000, len(coins)))

    def rounded(coins: Coins, rng: np.random.Generator) -> NDArray[Any]:
        return on_grid(naive(coins, rng))

    def seconds(batch: Batch, learned: int, fresh: int) -> float:
        """Of the runs with the lowest scores, one in a hundred, how many are of the second."""
        score = fitted("bits", draw(batch, 20_000, learned))
        runs = draw(batch, 50_000, fresh)
        lowest = np.argsort(score.evaluate(runs.outcomes), kind="stable")[:500]
        return float(runs.coins[lowest].mean())

    # Near 0, noise alone has finer bits than noise beside 100: some 2 % of the runs of the first.
    assert seconds(naive, 13, 14) < 0.05
    # By the law alone at most e^0.1 : 1 runs are of the first; five standard errors below that.
    assert seconds(rounded, 15, 16) > 0.36


@pytest.mark.parametrize("batch", [half, histogram], ids=["number", "histogram"])
def test_trees_and_networks_are_those_that_were_fitted(
    batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    models: list[Any] = []

    def kept(kind: Any) -> Any:
        def made(**settings: Any) -> Any:
            models.append(kind(**settings))
            return models[-1]

        return made

    for kind in (GradientBoostingClassifier, MLPClassifier):
        monkeypatch.setattr(model_attackers, kind.__name__, kept(kind))
    runs, fresh = draw(batch, 4_000, 17), draw(batch, 1_000, 18)
    trees, network = fitted("trees", runs), fitted("network", runs)
    lesson = learning.values(runs, PAIR)
    matrix = lesson.columns.matrix(fresh.outcomes)
    pairs = zip(matrix.T, lesson.tallies, strict=True)
    binned = np.stack([codes(column, tally.edges) for column, tally in pairs], axis=1)
    expected = models[0].decision_function(binned)
    assert trees.evaluate(fresh.outcomes) == pytest.approx(expected, abs=1e-9)
    scaled = np.stack([network.scaling.scale_column(c, k) for k, c in enumerate(matrix.T)], axis=1)
    chance = models[1].predict_proba(scaled)[:, 1]
    found = 1 / (1 + np.exp(-network.evaluate(fresh.outcomes)))
    assert found == pytest.approx(chance, abs=1e-9)


def test_columns_are_computed_once_for_all_attackers(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = draw(histogram, 500, 19)
    calls: list[Runs] = []
    original = learning.columns_for

    def counted(runs: Runs, pair: Pair) -> Any:
        calls.append(runs)
        return original(runs, pair)

    monkeypatch.setattr(learning, "columns_for", counted)
    for attacker in PORTFOLIO:
        attacker.fit(runs, PAIR)
    assert len(calls) == 1
    PORTFOLIO[0].fit(draw(histogram, 500, 19), PAIR)
    assert len(calls) == 2


def test_columns_in_which_all_runs_agree_are_not_learned_from() -> None:
    coins = np.arange(100) % 2 == 0
    outputs = [[7.0, float(run), 0.0] for run in range(100)]
    lesson = learning.values(Runs(Outcomes.of_outputs(outputs), coins), PAIR)
    assert "coordinate 2" in lesson.columns.names
    assert "coordinate 1" not in lesson.columns.names
    assert (np.ptp(lesson.matrix, axis=0) > 0).all()


def test_scores_stay_small_enough_to_carry_in_a_certificate() -> None:
    runs = draw(histogram, 5_000, 20)
    for attacker in PORTFOLIO:
        score = attacker.fit(runs, PAIR)
        if score is not None:
            assert len(json.dumps(score.to_json())) < 200_000


def test_sixteen_tables_are_enough_to_weigh_marginals_and_numbers_are_left_to_others() -> None:
    runs = draw_tables(1016, 2)
    few, many = runs.take(np.arange(16)), runs.take(np.arange(16, 1016))

    def accuracy_of(name: str) -> float:
        score = NAMED[name].fit(few, POLES)
        scores = np.zeros(1000) if score is None else score.evaluate(many.outcomes)
        return float(np.mean((scores > np.median(scores)) == many.coins))

    # The count of the pole alone, whose noise is all that hides the coin, has Φ(0.4) = 0.655.
    assert accuracy_of("marginals") > max(0.62, accuracy_of("one column"))
    assert NAMED["marginals"].fit(draw(half, 100, 1), PAIR) is None
