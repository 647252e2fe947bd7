"""DP-WGAN: its budget, its questions, what it refuses, and a run on made records."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import SampledGaussianBudget
from synthesizers.calibration import noise_multiplier
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import BudgetExceeded, InputError
from synthesizers.estimation.critics import mean_gradient
from synthesizers.estimation.networks import public_noise
from synthesizers.events import Draw, Event, MeasureSampled
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.dp_wgan import DPWGAN
from synthesizers.queries import CriticGradient
from synthesizers.queries.gradients import Critic, _unpack
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run

ONE, DELTA = Fraction(1), Fraction(1, 10**5)
DOMAIN = Domain.from_cells("3x2")
SETTING = Setting.of(DOMAIN, AddRemove(), 200)
PROGRAM = DPWGAN(ONE, DELTA, batch=20, steps=6, critic_steps=2, hidden=3, noise=4,
                 generator_hidden=5)  # fmt: skip


def answered(program: DPWGAN, setting: Setting, answer: int = 0) -> tuple[list[Event], Any]:
    asked: list[Event] = []

    def reply(event: Event) -> tuple[int, ...]:
        asked.append(event)
        size = event.query.size(setting.domain) if isinstance(event, MeasureSampled) else 1
        return (answer,) * size

    return asked, program(Curator(setting, program.budget(setting), reply))


def test_every_step_is_the_same_mechanism_at_new_weights() -> None:
    asked, _ = answered(PROGRAM, SETTING, 10**6)
    multiplier = noise_multiplier(ONE, DELTA, Fraction(1, 10), 6)
    assert PROGRAM.budget(SETTING) == SampledGaussianBudget(Fraction(1, 10), multiplier**-2, 6)
    assert len(asked) == 6 and len(set(asked)) == 6
    for event in asked:
        assert isinstance(event, MeasureSampled) and isinstance(event.query, CriticGradient)
        assert event.rate == Fraction(1, 10)
        assert event.noise == RoundedGaussian(multiplier * 2**20)
        assert event.query.attributes == DOMAIN.names and event.query.clip == PROGRAM.clip
        assert abs(_unpack(event.query.weights)).max() <= float(PROGRAM.weight_clip) * (1 + 1e-6)


def test_made_rows_are_new_in_every_step_and_clipped_as_records_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers, clips = [], []

    def noise(rows: int, width: int, number: int) -> Any:
        numbers.append(number)
        return public_noise(rows, width, number)

    def gradient(critic: Critic, rows: Any, clip: float) -> Any:
        clips.append(clip)
        return mean_gradient(critic, rows, clip)

    monkeypatch.setattr("synthesizers.programs.dp_wgan.public_noise", noise)
    monkeypatch.setattr("synthesizers.estimation.critics.mean_gradient", gradient)
    answered(PROGRAM, SETTING, 10**6)
    # Weights at first; a step's rows serve the critic, and in every second step the generator too.
    assert numbers == [-3, 1, 2, 2, 3, 4, 4, 5, 6, 6, 0]
    assert clips == [float(PROGRAM.clip)] * 6


def test_the_step_beyond_is_refused() -> None:
    def one_more(curator: Curator) -> Any:
        PROGRAM(curator)
        event = curator.ledger[0]
        assert isinstance(event, MeasureSampled)
        curator.measure_sampled(event.query, event.rate, event.noise, low=0, high=1)

    data = Dataset.from_histogram(DOMAIN, np.array([50, 20, 30, 0, 60, 40]))
    with pytest.raises(BudgetExceeded, match="all of them were made"):
        run(one_more, data, SETTING, PROGRAM.budget(SETTING), InsecureSeededEntropy(1))


def test_answers_decide_the_weights_and_equal_answers_give_equal_questions() -> None:
    first, again, other = (
        answered(PROGRAM, SETTING, n)[0] for n in (5 * 10**5, 5 * 10**5, -(10**6))
    )
    assert first == again and first[0] == other[0] and first[1:] != other[1:]


@pytest.mark.parametrize("neighbours", [ReplaceOne(), AddRemove(Unit("person", 2))])
def test_other_neighbours_are_refused_before_any_question(neighbours: Any) -> None:
    setting = Setting.of(DOMAIN, neighbours, 200)
    with pytest.raises(InputError, match="add-remove of a record"):
        PROGRAM.budget(setting)
    with pytest.raises(InputError, match="add-remove of a record"):
        PROGRAM(Curator(setting, SampledGaussianBudget(ONE / 2, ONE, 9), lambda event: (0,)))


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="batch must be below"):
        PROGRAM.budget(Setting.of(DOMAIN, AddRemove(), 20))
    with pytest.raises(InputError, match="public constant"):
        PROGRAM.budget(Setting.of(DOMAIN, AddRemove(), None))
    for changed in ({"steps": 0}, {"batch": 0}, {"clip": Fraction(0)}, {"noise": 0}):
        with pytest.raises(InputError):
            replace(PROGRAM, **changed)


def test_a_small_domain_gets_a_table_and_a_large_one_draws_from_a_seed() -> None:
    asked, output = answered(PROGRAM, SETTING)
    assert isinstance(output, Dataset) and output.records == 200
    assert not any(isinstance(event, Draw) for event in asked)
    wide = Domain.from_cells("10x10x10x10")
    asked, output = answered(PROGRAM, Setting.of(wide, AddRemove(), 5000), 3)
    assert output.records == 5000 and isinstance(asked[-1], Draw)


def test_it_learns_a_marginal_where_there_is_little_noise() -> None:
    counts = np.array([1400, 0, 100, 100, 200, 200])
    data = Dataset.from_histogram(DOMAIN, counts)
    setting = Setting.of(DOMAIN, AddRemove(), 2000)
    program = DPWGAN(Fraction(20), DELTA, batch=500, steps=200, critic_steps=1, hidden=0,
                     noise=8, generator_hidden=16, clip=Fraction(2),
                     learning_rate=Fraction(1, 200))  # fmt: skip
    made = run(program, data, setting, program.budget(setting), InsecureSeededEntropy(3)).output
    first = np.array(made.histogram()).reshape(3, 2).sum(axis=1) / 2000
    assert np.abs(first - np.array([0.7, 0.1, 0.2])).sum() / 2 < 0.25
