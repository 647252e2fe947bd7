"""Promises: what few runs foretell."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from audit.auditors.attack.searching.promise import guess_by_normal_laws


@pytest.mark.parametrize("apart", [0.0, 1.0, 3.0])
def test_normal_scores_tell_their_accuracy_as_well_as_so_many_guesses(apart: float) -> None:
    """Means and scatter over 2000 draws of 40 scores: of a binomial, within 15 % of its deviation.

    (With one seed: no chance of failing while the code is as it is.)
    """
    rng = np.random.default_rng(7)
    coins = np.arange(40) % 2 == 1
    found = [guess_by_normal_laws(rng.normal(apart * coins), coins) for _ in range(2000)]
    accuracies = np.array([one.correct / one.number for one in found])
    accuracy, number = norm.cdf(apart / 2), np.mean([one.number for one in found])
    deviation = np.sqrt(accuracy * (1 - accuracy) / number)
    assert accuracies.mean() == pytest.approx(accuracy, abs=0.01)
    assert accuracies.std() == pytest.approx(deviation, rel=0.2)
    assert number > 55


@pytest.mark.parametrize(
    ("scores", "coins"),
    [([], []), ([0, 1, 2], [0, 1, 1]), ([0, 0, 1, 1], [0, 0, 1, 1]), ([3, 3, 3, 3], [0, 1, 0, 1])],
)
def test_scores_that_do_not_scatter_tell_nothing(scores: list[float], coins: list[int]) -> None:
    """Nor do those of a single run on one database."""
    found = guess_by_normal_laws(np.array(scores, float), np.array(coins, bool))
    assert found.number == 0


def test_far_scores_are_not_believed_further_than_they_were_counted() -> None:
    """Twice as many guesses at most, right as often as six deviations apart."""
    rng, coins = np.random.default_rng(8), np.arange(40) % 2 == 1
    for apart in (50.0, 1e9, 1e300):
        found = guess_by_normal_laws(rng.normal(apart * coins), coins)
        assert found.number <= 80
