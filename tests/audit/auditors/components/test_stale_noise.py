"""Noise of whole numbers that repeats honestly is not called stale; what is held is named."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dp_audit as dpa
from audit.auditors.components.recording.steps import Call
from audit.auditors.components.stale import REPEATED, _chance_of_most
from audit.statements.evidence import Decision

ABOUT = {"neighbours": "add-remove", "cells": 2, "records": 2}
FRESH = np.random.default_rng()


def repeats(records, rng):
    """Noise that is 0 four times of five."""
    return len(records) + int(rng.geometric(0.8)) - int(rng.geometric(0.8))


def seldom(records, rng):
    """Noise that is 1 but for once in ten thousand runs."""
    return len(records) + int(rng.geometric(0.9999))


def held_fresh(records, rng):
    return len(records) + FRESH.laplace(scale=1.0)


def seeded(records, rng):
    own = np.random.default_rng(3)
    return len(records) + int(own.geometric(0.3)) - int(own.geometric(0.3))


def stale(function, claim: str, seed: int = 0) -> list[dpa.results.Finding]:
    found = dpa.components(function, claim, seed=seed, **ABOUT)
    return [one for one in found.findings if one.about == "fresh noise"]


@pytest.mark.parametrize("function", [repeats, seldom, held_fresh])
@pytest.mark.parametrize("seed", range(3))
def test_honest_noise_is_not_stale(function, seed):
    assert stale(function, "epsilon=20", seed) == []


def test_whole_numbers_of_a_fixed_seed_are():
    (found,) = stale(seeded, "epsilon=1")
    assert found.decision is Decision.VIOLATED and "the seed 3" in found.found


def test_the_error_is_stated_where_the_claim_is_too_weak_to_be_refuted():
    (found,) = stale(seeded, "epsilon=20")
    assert found.decision is Decision.EXCEEDED
    assert found.error == REPEATED < 1e-7


@pytest.mark.parametrize(
    ("law", "parameters", "chance"),
    [
        ("geometric", {"p": 0.3}, 0.3),
        ("integers", {"low": 0, "high": 4}, 0.25),
        ("discrete laplace", {"scale": 2.0}, (1 - math.exp(-0.5)) / (1 + math.exp(-0.5))),
        ("unknown", {}, None),
    ],
)
def test_the_chance_of_a_repetition_is_that_of_the_law(law, parameters, chance):
    call = Call("primitive", law, parameters, None, (1,), "line")
    assert _chance_of_most(call) == (None if chance is None else pytest.approx(chance))
