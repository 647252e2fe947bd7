"""Noise of whole numbers, by sums over all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import dp_audit as dpa
from audit.auditors.components.lattices import loss_on_lattice
from audit.auditors.components.pairs_of_chances import delta_of

LAWS = (
    ("binomial", (100.0, 0.5), stats.binom),
    ("poisson", (30.0,), stats.poisson),
    ("negative binomial", (5.0, 0.2), stats.nbinom),
)


@pytest.mark.parametrize(("name", "parameters", "law"), LAWS)
@pytest.mark.parametrize("shift", [1, -2])
@pytest.mark.parametrize("epsilon", [0.0, 0.4])
def test_a_profile_is_the_sum_over_all_whole_numbers(name, parameters, law, shift, epsilon):
    whole = np.arange(-10, 2000)
    first, second = law.pmf(whole, *parameters), law.pmf(whole - shift, *parameters)
    expected = float(np.maximum(first - math.exp(epsilon) * second, 0).sum())
    found = loss_on_lattice(name, parameters, shift)
    assert found is not None
    assert delta_of(found, epsilon, None) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_law_that_is_too_wide_is_left_open():
    assert loss_on_lattice("binomial", (1e12, 0.5), 1) is None


def count_with_noise(records, rng):
    return len(records) + int(rng.binomial(100, 0.5)) - 50


def arrived(records, rng):
    return [len(records) + int(rng.poisson(100)), len(records) + rng.normal(0, 10)]


CLAIMS = (
    (count_with_noise, "epsilon=0.5, delta=1e-2", 0),
    (count_with_noise, "epsilon=0.5, delta=1e-5", 1),
    (count_with_noise, "epsilon=1", 1),
    (arrived, "epsilon=0.5, delta=1e-2", 0),
    (arrived, "epsilon=0.5, delta=1e-7", 1),
)


@pytest.mark.parametrize(("function", "claim", "code"), CLAIMS)
def test_noise_of_whole_numbers_is_judged(function, claim, code):
    found = dpa.components(function, claim, neighbours="add-remove", cells=3, records=3)
    assert found.exit_code == code, found
