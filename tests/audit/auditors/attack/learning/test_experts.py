"""Experts: where scores are cut, how guesses came out, who leads, and who learns from little."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.auditors.attack.guessing.betting import Stakes, stakes
from audit.auditors.attack.learning.experts import (
    TAILS,
    WAY_SHARES,
    Experts,
    earner,
    experts,
    leader,
    tail,
)
from audit.auditors.attack.learning.quick_attackers import DirectionAttacker, ForemostAttacker
from audit.auditors.attack.learning.tails import Scored
from audit.auditors.attack.scores.rules import Score
from audit.auditors.attack.scores.simple_scores import Single
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from proofs.guarantees import ApproxDP

Array = NDArray[np.float64]
PAIR = Pair(0, 1)
CLAIM = ApproxDP(Fraction(1))
KINDS = ((1, False), (1, True))


def aim(epsilon: float) -> Stakes:
    return stakes(CLAIM, np.array([epsilon]), KINDS)


def told(outputs: Array, coins: NDArray[np.bool_]) -> Runs:
    return Runs(Outcomes.of_batch(outputs, len(coins)), coins)


def laplace(runs: int, seed: int, scale: float = 0.5) -> tuple[Array, NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, runs).astype(np.bool_)
    return coins + rng.laplace(0, scale, runs), coins


def test_a_tail_holds_its_share_of_the_scores_on_either_side() -> None:
    scores, coins = laplace(1000, 0)
    found = tail(Scored.of(scores, coins), 0.12, aim(1.0))
    assert found is not None
    assert np.mean(scores <= found[0]) == pytest.approx(0.12, abs=0.002)
    assert np.mean(scores >= found[1]) == pytest.approx(0.12, abs=0.002)


def test_a_tail_rests_where_every_bet_on_it_would_have_lost() -> None:
    """Guesses from scale 0.5 are right in 7 of 8 cases: enough against 1, too few against 3."""
    scored = Scored.of(*laplace(2000, 1))
    assert tail(scored, 0.25, aim(1.0)) is not None
    assert tail(scored, 0.25, aim(3.0)) is None


def brute_force(scores: Array, coins: NDArray[np.bool_], table: Stakes) -> float:
    """The most that tails of two sides earn, over all thresholds among the scores."""
    best = 0.0
    lows = [-math.inf, *np.unique(scores)]
    for low in lows:
        for high in [*np.unique(scores), math.inf]:
            if low < high:
                right = int(np.where(coins, scores >= high, scores <= low).sum())
                wrong = int((scores >= high).sum() + (scores <= low).sum()) - right
                tally = [right, wrong + 1 + math.sqrt(wrong), len(scores) - right - wrong]
                best = max(best, float((table.factors[0, :, :3] @ np.array(tally)).max()))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_earner_earns_nearly_what_the_best_thresholds_do(seed: int) -> None:
    scores, coins = laplace(200, seed)
    table = aim(1.0)
    found = earner(Scored.of(scores, coins), table)
    assert found is not None
    right = int(np.where(coins, scores >= found[1], scores <= found[0]).sum())
    wrong = int((scores >= found[1]).sum() + (scores <= found[0]).sum()) - right
    tally = np.array([right, wrong + 1 + math.sqrt(wrong), len(scores) - right - wrong])
    earned = float((table.factors[0, :, :3] @ tally).max())
    assert 0.8 * brute_force(scores, coins, table) <= earned
    assert earned <= brute_force(scores, coins, table) + 1e-9


def test_the_earner_follows_the_hypothesis_into_the_telling_tail() -> None:
    """A tenth of the runs tells nearly all, the rest a little: against 2 only the tenth is bet."""
    rng = np.random.default_rng(3)
    coins = rng.integers(0, 2, 4000).astype(np.bool_)
    sure = rng.random(4000) < 0.1
    right = rng.random(4000) < np.where(sure, 0.99, 0.7)
    scores = np.where(right == coins, 1.0, -1.0) * np.where(sure, 2.0, 1.0)
    assert earner(Scored.of(scores, coins), aim(2.0)) == (-2.0, 2.0)
    weak = earner(Scored.of(scores, coins), aim(0.1))
    assert weak is not None
    assert max(abs(weak[0]), abs(weak[1])) <= 1.0


def test_the_earner_rests_where_nothing_is_to_be_earned() -> None:
    rng = np.random.default_rng(4)
    coins = rng.integers(0, 2, 500).astype(np.bool_)
    assert earner(Scored.of(rng.normal(size=500), coins), aim(1.0)) is None
    assert earner(Scored.of(np.zeros(500), coins), aim(1.0)) is None


def test_the_tally_is_that_of_each_rule_by_its_kind() -> None:
    scores, coins = laplace(400, 5)
    runs = told(scores, coins)
    score = ForemostAttacker().fit(runs, PAIR)
    assert score is not None
    # Thresholds are scores that occur: a guess is made at the threshold itself.
    low, high = np.sort(scores)[[100, 300]]
    some = Experts(
        score, np.array([low, -math.inf, math.nan, low]), np.array([high, high, math.nan, math.inf])
    )
    tally = some.bet(runs).reshape(4, 2, 3)
    for expert in (0, 1, 3):
        rule = some.rule(expert)
        assert rule is not None
        found = rule.count(runs.outcomes, runs.coins)
        kind = int(found.one_sided)
        expected = [found.correct, found.wrong, found.runs - found.number]
        assert tally[expert, kind].tolist() == expected
        assert not tally[expert, 1 - kind].any()
    assert some.rule(2) is None
    assert not tally[2].any(), "an expert that rests neither guesses nor abstains"


def test_one_expert_cuts_a_score_in_each_way() -> None:
    scores, coins = laplace(2000, 6)
    score = ForemostAttacker().fit(told(scores, coins), PAIR)
    assert score is not None
    found = experts(score, scores, coins, [aim(1.0), aim(1.9)])
    assert len(found.lows) == len(TAILS) + 2 == len(WAY_SHARES)
    assert WAY_SHARES.sum() == pytest.approx(1)
    assert (np.diff(found.lows[:4]) < 0).all()
    assert (np.diff(found.highs[:4]) > 0).all()


def test_the_leader_has_earned_most_with_what_it_began_with() -> None:
    tally = np.array([[20, 2, 0, 0, 0, 0], [40, 3, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]])
    even = np.log([1 / 3, 1 / 3, 1 / 3])
    assert leader(tally, aim(1.0), even) == 1
    assert leader(tally, aim(1.0), np.log([0.98, 0.001, 0.019])) == 0


def test_nobody_leads_where_all_bets_have_lost() -> None:
    tally = np.array([[5, 5, 0, 0, 0, 0], [10, 9, 0, 0, 0, 0]])
    assert leader(tally, aim(1.0), np.log([0.5, 0.5])) is None


def accuracy(score: Score, runs: Runs) -> float:
    scores = score.evaluate(runs.outcomes)
    return float(np.mean((scores >= np.median(scores)) == runs.coins))


def columns(runs: int, seed: int) -> Runs:
    """Five values of which the second and the fourth move, in opposite directions."""
    rng = np.random.default_rng(seed)
    coins = rng.integers(0, 2, runs).astype(np.bool_)
    shift = np.outer(coins, [0.0, 1.0, 0.0, -1.0, 0.0])
    return told(shift + rng.laplace(0, 0.5, (runs, 5)), coins)


@pytest.mark.parametrize("reach", [0.5, 1.0])
def test_a_direction_is_learned_from_sixty_runs(reach: float) -> None:
    """A threshold on the best column is right in 0.82 of cases, the likelihood ratio in 0.89."""
    score = DirectionAttacker(reach).fit(columns(60, 7), PAIR)
    assert score is not None
    assert accuracy(score, columns(20_000, 8)) > 0.84


def test_a_short_reach_is_deaf_to_far_values() -> None:
    outputs = columns(100, 9)
    block = np.asarray(outputs.outcomes.blocks[0]).copy()
    block[:10, 0] = 1e9 * (2.0 * outputs.coins[:10] - 1)
    swayed = DirectionAttacker(0.5).fit(told(block, outputs.coins), PAIR)
    assert swayed is not None
    assert accuracy(swayed, columns(20_000, 8)) > 0.84


def test_the_foremost_column_is_found_and_turned() -> None:
    runs = columns(200, 10)
    score = ForemostAttacker().fit(runs, PAIR)
    assert isinstance(score, Single)
    assert score.column.names[0] in ("coordinate 2", "coordinate 4")
    assert score.rising == (score.column.names[0] == "coordinate 2")
    assert accuracy(score, columns(20_000, 8)) > 0.75
    turned = ForemostAttacker().fit(Runs(runs.outcomes, ~runs.coins), PAIR)
    assert isinstance(turned, Single)
    assert turned.rising is not score.rising


def test_a_single_value_is_its_own_direction() -> None:
    scores, coins = laplace(50, 11)
    assert isinstance(DirectionAttacker(1.0).fit(told(scores, coins), PAIR), Single)


@pytest.mark.parametrize("attacker", [ForemostAttacker(), DirectionAttacker(1.0)])
def test_nothing_is_learned_where_nothing_varies_or_one_coin_is_missing(
    attacker: ForemostAttacker | DirectionAttacker,
) -> None:
    mixed = np.array([True, False] * 5)
    assert attacker.fit(told(np.ones((10, 3)), mixed), PAIR) is None
    rng = np.random.default_rng(12)
    assert attacker.fit(told(rng.normal(size=(10, 3)), np.ones(10, np.bool_)), PAIR) is None


def test_an_exception_is_a_column_too() -> None:
    coins = np.array([True, False] * 20)
    outcomes = Outcomes.of_outputs([Raised("ValueError") if coin else 1.0 for coin in coins])
    score = ForemostAttacker().fit(Runs(outcomes, coins), PAIR)
    assert score is not None
    assert accuracy(score, Runs(outcomes, coins)) == 1.0
