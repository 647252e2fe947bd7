"""First runs: compared with runs that share processes, and as many as a confirmation needs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.auditors.attack.guessing.floors import p_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.independence.dependence_tests import shift
from audit.auditors.attack.independence.first_runs import (
    FEWEST,
    MOST,
    compare,
    count_enough_steady,
    enough,
)
from audit.subjects.outcomes import Outcomes
from audit.subjects.runs import Runs
from proofs.guarantees import ApproxDP, GaussianDP, Guarantee

ONE = ApproxDP(Fraction(1))
ALARM = 9e-7


def runs(outputs: NDArray[Any], coins: NDArray[np.bool_]) -> Runs:
    return Runs(Outcomes.of_batch(outputs, len(coins)), coins)


def coins(random: np.random.Generator, count: int) -> NDArray[np.bool_]:
    return random.integers(0, 2, count).astype(np.bool_)


def laplace(random: np.random.Generator, count: int) -> Runs:
    tossed = coins(random, count)
    return runs(random.laplace(size=count) + tossed, tossed)


@pytest.mark.parametrize("error", [0.5, 0.1])
@pytest.mark.parametrize("law", ["laplace", "response", "pairs"])
def test_runs_of_one_law_are_told_apart_no_more_often_than_is_stated(
    law: str, error: float
) -> None:
    def drawn(random: np.random.Generator, count: int) -> Runs:
        tossed = coins(random, count)
        match law:
            case "laplace":
                outputs: NDArray[Any] = random.laplace(size=count) + tossed
            case "response":
                outputs = ((random.random(count) < 0.27) ^ tossed).astype(np.float64)
            case _:
                outputs = random.integers(0, 3, (count, 2)) + tossed[:, None]
        return runs(outputs, tossed)

    told = 0
    for seed in range(200):
        random = np.random.default_rng([seed, 7])
        told += compare(drawn(random, 20), drawn(random, 60), seed, error).nats >= 0
    # Hoeffding over 200 pairs of samples: a right test exceeds its error by 0.23 with 1e-9.
    assert told / 200 <= error + 0.23


@pytest.mark.parametrize(
    "change",
    [
        lambda outputs, tossed: outputs + 6,
        lambda outputs, tossed: outputs + np.where(tossed, 6, -6),
        lambda outputs, tossed: outputs * 30,
    ],
    ids=["another level", "opposite ways", "another spread"],
)
def test_first_runs_of_another_law_are_told_apart(change: Any) -> None:
    random = np.random.default_rng(3)
    tossed = coins(random, 40)
    first = runs(change(random.laplace(size=40), tossed), tossed)
    sign = compare(first, laplace(random, 400), 1, 1e-10)
    assert sign.nats >= 0
    assert "40 runs in processes of their own have other outputs" in sign.words
    assert compare(laplace(random, 40), laplace(random, 400), 1, 1e-10).nats < 0


def test_noise_that_a_server_draws_once_is_told_from_that_of_first_runs() -> None:
    random = np.random.default_rng(4)
    tossed = coins(random, 200)
    served = runs(tossed + 0.3, tossed)
    assert compare(laplace(random, 40), served, 1, 1e-10).nats >= 0


def test_failures_are_told_from_outputs() -> None:
    random = np.random.default_rng(5)
    tossed = coins(random, 40)
    failed = Runs(Outcomes.of_outputs(["failed"] * 40), tossed)
    assert compare(failed, laplace(random, 200), 1, 1e-10).nats >= 0


def test_a_shift_is_as_rare_as_is_stated_and_a_whole_one_takes_18_runs() -> None:
    random = np.random.default_rng(6)
    nats = [shift(random.random(30) - 0.5, 0.2).nats for _ in range(2000)]
    # Hoeffding over 2,000 samples: 0.072 above the error with a chance of 1e-9.
    assert np.mean(np.array(nats) >= 0) <= 0.2 + 0.072
    assert shift(np.full(18, 0.5), 1e-11).nats >= 0 > shift(np.full(17, 0.5), 1e-11).nats
    assert shift(np.zeros(0), 0.1).nats == -np.inf


@pytest.mark.parametrize(
    ("guarantee", "guesses"),
    [
        (ONE, Guesses(1000, 1000, 0, abstains=False)),
        (ONE, Guesses(4000, 3500, 500, abstains=False)),
        (ONE, Guesses(4000, 1900, 10)),
        (GaussianDP(Fraction(1)), Guesses(4000, 3900, 100, abstains=False)),
    ],
)
def test_as_many_first_runs_as_are_enough_refute_if_they_are_like_the_others(
    guarantee: Guarantee, guesses: Guesses
) -> None:
    found = enough(guesses, guarantee, ALARM, 1)
    assert found is not None and FEWEST <= found <= MOST
    scale = found / guesses.runs
    wrong = round(guesses.wrong * scale)
    correct = found - wrong if not guesses.abstains else round(guesses.correct * scale)
    alike = Guesses(found, correct, wrong, guesses.one_sided, guesses.abstains)
    assert p_value(alike, guarantee) <= ALARM


def test_guesses_that_hardly_violate_a_claim_are_not_confirmed_at_any_price() -> None:
    # e/(1+e) = 0.7311 is what the claim allows.
    assert enough(Guesses(10**6, 735_000, 265_000, abstains=False), ONE, ALARM, 1) is None
    assert enough(Guesses(100, 0, 0), ONE, ALARM, 1) is None


def test_steady_outputs_are_confirmed_by_as_many_runs_as_the_claim_asks() -> None:
    # 0.7311^45 is 7.6e-7: the two runs that show which outputs these are come to it.
    assert count_enough_steady(ONE, ALARM, 1) == FEWEST
    two = count_enough_steady(ApproxDP(Fraction(2)), ALARM, 1)
    # 0.8808^110 is 8.6e-7.
    assert two is not None and 112 <= two <= 112 * 1.25 + 1
    assert count_enough_steady(ApproxDP(Fraction(9)), ALARM, 1) is None
