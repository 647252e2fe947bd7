"""Draws of all generators are seen, and are those of plain generators."""

from __future__ import annotations

import os
import random
import secrets

import numpy as np
import pytest
from numpy.random import default_rng

from audit.auditors.data_independence.recorded_draws import (
    Draw,
    Listener,
    RecordingGenerator,
    Seeding,
    overheard,
    recording,
)

CALLS = {
    "laplace": lambda g: g.laplace(1.0, 2.0, size=3),
    "normal": lambda g: g.normal(scale=0.5),
    "choice": lambda g: g.choice(["a", "b"], 4, p=[0.25, 0.75]).tolist(),
    "integers": lambda g: g.integers(0, 9, size=5),
    "multivariate_normal": lambda g: g.multivariate_normal([0, 0], np.eye(2)),
    "dirichlet": lambda g: g.dirichlet([1.0, 2.0]),
    "permutation": lambda g: g.permutation(5),
    "random": lambda g: g.random(),
    "geometric": lambda g: g.geometric(0.5, 3),
}


@pytest.mark.parametrize("law", CALLS)
def test_a_recorded_draw_is_that_of_a_plain_generator_and_is_told_once(law):
    heard = []
    g = recording(np.random.PCG64(5), heard.append)
    mine, plain = CALLS[law](g), CALLS[law](np.random.default_rng(5))
    assert np.array_equal(mine, plain)
    assert [draw.law for draw in heard] == [law]
    assert heard[0].place.startswith("test_recorded_draws.py:")
    assert isinstance(g, np.random.Generator)


def test_the_scale_of_additive_noise_is_told_and_no_other_parameter():
    heard = []
    g = recording(np.random.PCG64(5), heard.append)
    g.laplace(3.0, 2.0), g.normal(size=2), g.dirichlet([1.0, 4.0]), g.exponential(3.0)
    assert [draw.scale for draw in heard] == [2.0, 1.0, None, None]


def test_spawned_generators_tell_too():
    heard = []
    child = recording(np.random.default_rng(5).bit_generator, heard.append).spawn(1)[0]
    child.normal()
    assert [draw.law for draw in heard] == ["normal"]


def test_generators_of_all_kinds_are_overheard_with_their_seeds():
    listener, heard = Listener(), []
    listener.note = heard.append
    with overheard(listener):
        default_rng(7).laplace()
        np.random.RandomState(8).normal()
        np.random.seed(9)
        np.random.laplace(scale=2.0)
        random.seed(10)
        random.random()
        random.Random(11).random()
        np.random.Generator(np.random.PCG64(12)).normal()
        os.urandom(4)
        secrets.randbelow(5)
    seeds = [found.seed for found in heard if isinstance(found, Seeding)]
    assert seeds == [7, 8, 9, 10, 11, 12]
    laws = [found.law for found in heard if isinstance(found, Draw)]
    assert laws[:3] == ["laplace", "laplace", "random.random"]
    assert laws[3:].count("os.urandom") >= 2
    assert [f.scale for f in heard if isinstance(f, Draw)][:2] == [1.0, 2.0]


def test_afterwards_all_is_as_it_was():
    before = np.random.default_rng, np.random.laplace, np.random.RandomState, random.random
    with overheard(Listener()):
        assert isinstance(np.random.mtrand._rand, np.random.RandomState)
        assert isinstance(np.random.RandomState(1), np.random.RandomState)
        assert type(np.random.default_rng(1)) is RecordingGenerator
    after = np.random.default_rng, np.random.laplace, np.random.RandomState, random.random
    assert after == before
    assert type(default_rng(1)) is np.random.Generator


def test_a_generator_that_is_passed_on_is_not_made_again():
    listener, heard = Listener(), []
    listener.note = heard.append
    with overheard(listener):
        own = np.random.default_rng(1)
        assert np.random.default_rng(own) is own
    assert len(heard) == 1
