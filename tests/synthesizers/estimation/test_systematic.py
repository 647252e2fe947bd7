"""Systematic choices: each value as often as its share, up to one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthesizers.estimation.systematic import systematic_choices


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 60), st.integers(0, 2**32))
def test_shares_are_met_up_to_one(groups: int, values: int, records: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    chances = generator.gamma(0.5, size=(groups, values)) * (
        generator.random((groups, values)) < 0.7
    )
    members = generator.integers(groups, size=records)
    found = systematic_choices(chances, members, generator)
    for group in set(members.tolist()):
        own = found[members == group]
        law = chances[group] if chances[group].sum() else np.ones(values)
        shares = len(own) * law / law.sum()
        counts = np.bincount(own, minlength=values)
        assert (np.abs(counts - shares) < 1 + 1e-6).all()
        assert not counts[law == 0].any()


def test_every_value_has_its_chance() -> None:
    # One record in each of 3000 groups: 6 standard deviations, chance of failing below 1e-8.
    chances = np.tile([0.2, 0.0, 0.8], (3000, 1))
    found = systematic_choices(chances, np.arange(3000), np.random.default_rng(1))
    assert (found == 0).sum() == pytest.approx(600, abs=6 * np.sqrt(480))
    assert not (found == 1).any()


def test_no_record_no_choice() -> None:
    assert systematic_choices(np.ones((2, 2)), np.zeros(0, int), np.random.default_rng(0)).size == 0
