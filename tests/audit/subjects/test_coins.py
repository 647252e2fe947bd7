"""Coins of canaries: fair, the same from the same seed, and told by nothing else."""

import numpy as np
from scipy.stats import binom

from audit.subjects.coins import derive_seed, draw_coins


def test_coins_follow_from_seed_and_run_and_are_others_for_others() -> None:
    coins = draw_coins("ab12", 0, 1000)
    assert (coins == draw_coins("ab12", 0, 1000)).all()
    assert (coins[:300] == draw_coins("ab12", 0, 300)).all()
    for other in (draw_coins("ab12", 1, 1000), draw_coins("ab13", 0, 1000)):
        # 500 of 1000 alike, ± 8 standard deviations: wrong with a chance below 1e-14.
        assert abs(int((coins == other).sum()) - 500) < 127


def test_coins_are_fair() -> None:
    heads = int(draw_coins("7", 3, 100_000).sum())
    # Two-sided, a fair one fails with a chance of 1e-9.
    assert binom.ppf(5e-10, 100_000, 0.5) <= heads <= binom.isf(5e-10, 100_000, 0.5)


def test_seeds_of_trainings_differ_by_purpose_and_run() -> None:
    seeds = {derive_seed("5", purpose, run) for purpose in ("a", "b") for run in range(50)}
    assert len(seeds) == 100
    assert max(seeds) < 2**48


def test_a_training_seed_does_not_make_the_coins() -> None:
    coins = draw_coins("5", 0, 64)
    again = np.random.default_rng(derive_seed("5", "training among canaries", 1))
    assert (coins != again.integers(0, 2, 64).astype(np.bool_)).any()
