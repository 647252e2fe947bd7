"""Plans: how many coins are guessed, and whether that sees what must be seen."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import laplace, norm

from audit.auditors.one_run.planning import find_accuracy, make_plan
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP

PURE, MU = ApproxDP(Fraction(1)), GaussianDP(Fraction(1))
DRAWS = 400_000


@pytest.mark.parametrize("share", [1.0, 0.7, 0.3, 0.05])
@pytest.mark.parametrize(
    ("guarantee", "leak", "noise"),
    [(PURE, 2.0, laplace(scale=0.5)), (MU, 2.0, norm(scale=0.5)), (MU, 0.5, norm(scale=2.0))],
)
def test_accuracy_is_that_of_the_clearest_scores(
    guarantee: Guarantee, leak: float, noise: object, share: float
) -> None:
    rng = np.random.default_rng(3)
    coins = rng.integers(0, 2, DRAWS)
    scores = coins + noise.rvs(DRAWS, random_state=rng) - 0.5  # type: ignore[attr-defined]
    clearest = np.argsort(-np.abs(scores))[: int(DRAWS * share)]
    seen = float(((scores[clearest] > 0) == coins[clearest]).mean())
    # 20,000 draws or more: 6 standard deviations are 0.022, a wrong one with a chance of 2e-9.
    assert find_accuracy(guarantee, leak, share) == pytest.approx(seen, abs=0.022)


def test_claims_of_one_gaussian_see_alike() -> None:
    same = [
        find_accuracy(guarantee, leak, 0.25)
        for guarantee, leak in (
            (MU, 2.0),
            (ZCDP(Fraction(1)), 2.0),
            (RenyiDP(Fraction(8), Fraction(1)), 16.0),
            # What a Gaussian of μ = 2 has at δ = 1e-5.
            (ApproxDP(Fraction(1), Fraction(1, 10**5)), 9.997),
        )
    ]
    assert same == pytest.approx([same[0]] * 4, rel=1e-3)


def test_a_plan_of_many_canaries_sees_half_the_noise_and_of_few_does_not() -> None:
    assert make_plan(PURE, 1.0, 2.0, 1000, 1, 1e-6).detected
    assert not make_plan(PURE, 1.0, 2.0, 50, 1, 1e-6).detected
    assert make_plan(MU, 1.0, 2.0, 1000, 1, 0.05).detected
    assert not make_plan(MU, 1.0, 2.0, 1000, 1, 1e-6).detected
    assert make_plan(MU, 1.0, 2.0, 1000, 8, 1e-6).detected


def test_the_users_number_of_guesses_is_kept() -> None:
    assert make_plan(PURE, 1.0, 2.0, 1000, 1, 1e-6, guesses=123).guesses == 123


def test_where_presence_alone_is_guessed_at_most_half_are() -> None:
    plan = make_plan(PURE, 1.0, 2.0, 1000, 1, 1e-6, one_sided=True)
    assert plan.guesses <= 500 and plan.detected
