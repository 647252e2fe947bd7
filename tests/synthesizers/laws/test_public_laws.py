"""Laws of public randomness against draws counted one by one."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from synthesizers.errors import InputError
from synthesizers.laws.public_laws import Multinomial, UniformChoice
from synthesizers.randomness import InsecureSeededEntropy

pytestmark = pytest.mark.smoke


@pytest.mark.parametrize("records", [0, 1, 2, 4])
@pytest.mark.parametrize("weights", [(1,), (1, 2), (3, 0, 2), (1, 1, 1, 5), (0, 7)])
def test_multinomial_against_every_sequence_of_draws(
    records: int, weights: tuple[int, ...]
) -> None:
    wanted: Counter[tuple[int, ...]] = Counter()
    for sequence in itertools.product(range(len(weights)), repeat=records):
        chance = Fraction(1)
        for cell in sequence:
            chance *= Fraction(weights[cell], sum(weights))
        wanted[tuple(sequence.count(cell) for cell in range(len(weights)))] += chance
    law = Multinomial(records, weights)
    outcomes = law.outcomes()
    assert len(set(outcomes)) == len(outcomes) == law.count()
    assert {o: law.chance(o) for o in outcomes} == {o: c for o, c in wanted.items() if c}
    assert sum(map(law.chance, outcomes)) == 1
    assert all(law.chance(outcome) == 0 for outcome, chance in wanted.items() if not chance)


def test_counts_of_another_size_have_no_chance() -> None:
    law = Multinomial(3, (1, 2))
    for outcome in ((1, 1), (4, 0), (4, -1), (0, 0)):
        assert law.chance(outcome) == 0


def test_weights_that_are_noisy_answers_do_not_overflow() -> None:
    # Powers of numpy integers wrap around in silence; noisy answers are numpy integers.
    weights = tuple(np.array([10**6, 3 * 10**6]))
    law = Multinomial(np.int64(4), weights)
    assert law == Multinomial(4, (10**6, 3 * 10**6))
    assert law.chance((4, 0)) == Fraction(1, 256) and law.chance((0, 4)) == Fraction(81, 256)
    assert sum(map(law.chance, law.outcomes())) == 1


@pytest.mark.parametrize("options", [1, 2, 7])
def test_uniform_choices(options: int) -> None:
    law = UniformChoice(options)
    assert law.outcomes() == [(i,) for i in range(options)] and law.count() == options
    assert [law.chance(outcome) for outcome in law.outcomes()] == [Fraction(1, options)] * options
    drawn = {law.sample(InsecureSeededEntropy(5, i)) for i in range(400)}
    # The rarest of 7 options is missed by 400 draws with probability below 1e-26.
    assert drawn == set(law.outcomes())


def test_samples_are_outcomes() -> None:
    law = Multinomial(3, (2, 0, 1))
    for seed in range(50):
        drawn = law.sample(InsecureSeededEntropy(seed))
        assert drawn in law.outcomes() and all(type(count) is int for count in drawn)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Multinomial(-1, (1,)),
        lambda: Multinomial(1, ()),
        lambda: Multinomial(1, (0, 0)),
        lambda: Multinomial(1, (1, -1)),
        lambda: Multinomial(1, (0.5, 0.5)),
        lambda: Multinomial(True, (1,)),
        lambda: Multinomial(1.0, (1,)),
        lambda: UniformChoice(0),
        lambda: UniformChoice(2.5),
    ],
)
def test_parameters_are_checked(make: object) -> None:
    with pytest.raises(InputError):
        make()


def test_many_cells_are_no_trouble() -> None:
    law = Multinomial(1, (1,) * 1500)
    assert law.count() == 1500 == len(law.outcomes())


def test_plain_data() -> None:
    assert Multinomial(2, (1, 3)).to_json() == {"law": "multinomial", "records": 2, "cells": 2}
    assert UniformChoice(2).to_json() == {"law": "uniform", "options": 2}
