"""Coarse lattices, and parameters that no double or no test can hold."""

from __future__ import annotations

import numpy as np
import pytest

from audit.auditors.noise_law import StatedMechanism, StatedNoise, examine
from audit.statements.finding import violations
from synthesizers.errors import InputError


def plain(rng, size):
    return rng.laplace(0.0, 1.0, size)


@pytest.mark.parametrize("step", [0.5, 3, 10])
def test_noise_rounded_to_a_coarse_lattice_is_not_taken_for_repeated(step):
    stated = StatedNoise(
        "coarse", lambda rng, size: np.round(plain(rng, size) / step) * step, "laplace(scale=1)"
    )
    assert not violations(examine(stated, draws=20_000))


def test_no_noise_at_all_is_still_accused():
    stated = StatedNoise("none", lambda rng, size: np.zeros(size), "laplace(scale=1)")
    assert violations(examine(stated, draws=2000))


@pytest.mark.parametrize(
    "law",
    [
        "laplace(scale=1e400)",
        "laplace(scale=1e-400)",
        "discrete_gaussian(sigma=1e300)",
        "gaussian(sigma_squared=1e400)",
        "laplace(epsilon=1, sensitivity=1e400)",
        "uniform(low=-1e308, high=1e308)",
    ],
)
def test_a_law_beyond_the_doubles_is_refused(law):
    with pytest.raises(InputError, match="1e50"):
        StatedNoise("mine", plain, law)


@pytest.mark.parametrize("values", [5, ([[1, 2], 3], [2])])
def test_values_that_are_none_are_refused(values):
    with pytest.raises(InputError, match="finite numbers"):
        StatedMechanism("mine", lambda value, rng: value, "laplace(scale=1)", values)


def test_an_error_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="error"):
        examine(StatedNoise("mine", plain, "laplace(scale=1)"), error="small")
