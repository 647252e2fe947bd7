"""Randomness that nobody hands a run: repeated by the run's seed while it is recorded, else not."""

from __future__ import annotations

import os
import random
import secrets

import numpy as np
import pytest

from audit.auditors.components.recording.hearing import listen_to
from audit.auditors.components.recording.held import replace_held
from audit.auditors.components.recording.running import Listened, run
from audit.auditors.components.recording.tape import Tape

GENERATOR = np.random.default_rng()
STATE = np.random.RandomState(7)
PYTHON = random.Random(7)
SYSTEM = random.SystemRandom()

SOURCES = {
    "os.urandom": lambda: os.urandom(8),
    "secrets.randbelow": lambda: secrets.randbelow(2**60),
    "secrets.token_hex": lambda: secrets.token_hex(8),
    "random.SystemRandom": lambda: random.SystemRandom().random(),
    "a held SystemRandom": lambda: SYSTEM.gauss(0, 1),
    "random.Random": lambda: random.Random().random(),
    "a held Random": lambda: PYTHON.random(),
    "default_rng": lambda: np.random.default_rng().normal(),
    "SeedSequence": lambda: np.random.SeedSequence().generate_state(1)[0],
    "RandomState": lambda: np.random.RandomState().normal(),
    "a held Generator": lambda: GENERATOR.normal(),
    "a held RandomState": lambda: STATE.normal(),
}


def draw(name: str, seed: int, recorded: bool):
    listened = Listened(lambda database, rng: str(SOURCES[name]()), None)
    return run(listened, [], seed, Tape() if recorded else None).output


@pytest.mark.parametrize("name", SOURCES)
def test_a_recorded_run_repeats_by_its_seed(name):
    with listen_to(()), replace_held():
        first, again, other = (draw(name, seed, True) for seed in (1, 1, 2))
        plain = {draw(name, 1, False) for _ in range(2)}
    assert first == again != other
    assert len(plain) == 2


@pytest.mark.parametrize("name", [name for name in SOURCES if name.startswith("a held")])
def test_what_is_held_is_as_before(name):
    kept = PYTHON.getstate(), STATE.get_state()[1].tolist(), GENERATOR.bit_generator.state
    with listen_to(()), replace_held():
        draw(name, 1, True)
    assert (PYTHON.getstate(), STATE.get_state()[1].tolist()) == kept[:2]
    assert GENERATOR.bit_generator.state == kept[2]
    assert type(GENERATOR) is np.random.Generator and type(STATE) is np.random.RandomState
    assert "gauss" not in vars(random.SystemRandom)
