"""Draws against a law: true laws are hardly ever accused, false ones are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from audit.testing.laws.agreement import least_p_value, require_agreement
from audit.testing.laws.law import LawBroken

LAW = {0: 0.5, 1: 0.25, 2: 0.15, 3: 0.09, 4: 0.01}


def drawn(law: dict[int, float], draws: int, seed: int) -> Counter[int]:
    generator = np.random.default_rng(seed)
    return Counter(generator.choice(list(law), size=draws, p=list(law.values())).tolist())


def test_p_values_of_the_true_law_are_at_least_uniform() -> None:
    values = np.array([least_p_value(LAW, drawn(LAW, 200, seed)) for seed in range(2000)])
    # Each share has a standard deviation of at most 0.0068 where the p-values are exactly uniform:
    # five of them above fail with a probability below 1e-6 (Hoeffding gives 2000 · 2 · 0.034²).
    for level in (0.01, 0.05, 0.2):
        assert np.mean(values <= level) <= level + 0.034


@pytest.mark.parametrize(
    "other",
    [
        {0: 0.4, 1: 0.35, 2: 0.15, 3: 0.09, 4: 0.01},
        {0: 0.5, 1: 0.25, 2: 0.15, 3: 0.05, 4: 0.05},
        # No single chance is far off, and together they have moved.
        {0: 0.46, 1: 0.22, 2: 0.18, 3: 0.12, 4: 0.02},
    ],
)
def test_draws_of_another_law_are_noticed(other: dict[int, float]) -> None:
    with pytest.raises(LawBroken, match="not of the stated law"):
        require_agreement(LAW, drawn(other, 4000, 5), "sample")


def test_many_chances_that_moved_a_little_are_noticed_together() -> None:
    law = dict.fromkeys(range(20), 0.05)
    moved = {outcome: 0.062 if outcome < 10 else 0.038 for outcome in law}
    with pytest.raises(LawBroken, match="not of the stated law"):
        require_agreement(law, drawn(moved, 4000, 3), "sample")


def test_a_draw_outside_the_support_is_noticed() -> None:
    assert least_p_value(LAW, Counter({0: 10, 9: 1})) == 0
    with pytest.raises(LawBroken, match="drew 9, whose stated chance is 0"):
        require_agreement(LAW, Counter({0: 10, 9: 1}), "sample")
    with pytest.raises(LawBroken, match="chance is 0"):
        require_agreement({**LAW, 5: 0.0}, Counter({5: 1}), "sample")


def test_a_certain_outcome_is_not_accused() -> None:
    assert least_p_value({7: 1.0}, Counter({7: 1000})) == 1
