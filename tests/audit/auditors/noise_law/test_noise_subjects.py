"""Stated samplers and mechanisms: every form, and every wrong return."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.auditors.noise_law import StatedMechanism, StatedNoise
from audit.auditors.noise_law.subjects import outputs, sampler
from synthesizers.errors import InputError, ProtocolError
from synthesizers.noise import DiscreteLaplace

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "sample",
    [
        lambda rng, size: rng.laplace(size=size),
        lambda size, rng: rng.laplace(size=size),
        lambda a, b: a.laplace(size=b),
        lambda size: RNG.laplace(size=size),
        lambda k: RNG.laplace(size=k),
        lambda rng: rng.laplace(),
        lambda: RNG.laplace(),
        lambda scale=1.0, *, rng=None, size=None: rng.laplace(0, scale, size),
        RNG.laplace,
        lambda size: [Fraction(1, 2)] * size,
        lambda size: list(range(size)),
    ],
)
def test_samplers_of_every_form_are_drawn_from(sample: Callable[..., Any]) -> None:
    draws = sampler("sampler", sample)(np.random.default_rng(1), 7)
    assert draws.shape == (7,)
    assert draws.dtype == np.float64


@pytest.mark.parametrize(
    "wrong",
    [
        lambda size: np.zeros(size + 1),
        lambda size: np.zeros((size, 1)),
        lambda size: 0.0,
        lambda size: None,
        lambda size: "noise",
        lambda size: ["0.1"] * size,
        lambda size: np.zeros(size, complex),
        lambda size: np.zeros(size, bool),
        lambda size: [[1.0], [2.0, 3.0]],
        lambda: None,
        lambda: np.zeros(2),
        lambda: True,
        lambda: 1j,
        lambda size: 1 / 0,
    ],
)
def test_what_is_no_noise_breaks_the_protocol(wrong: Callable[..., Any]) -> None:
    with pytest.raises(ProtocolError):
        sampler("sampler", wrong)(np.random.default_rng(1), 3)


def test_messages_do_not_tell_what_the_subject_said() -> None:
    def sample(size: int) -> None:
        raise ValueError("secret")

    with pytest.raises(ProtocolError) as caught:
        sampler("sampler", sample)(np.random.default_rng(1), 3)
    assert "secret" not in str(caught.value)
    assert "ValueError" in str(caught.value)


@pytest.mark.parametrize("form", [lambda a, b, c: 0, 3, lambda rng, size, loc: 0])
def test_forms_that_are_not_known_are_refused(form: Any) -> None:
    with pytest.raises(InputError, match="sampler is"):
        StatedNoise("sampler", form, "laplace(scale=1)")


@pytest.mark.parametrize("form", [lambda: 0, lambda a, b, c: 0, "text", 3])
def test_mechanisms_of_unknown_form_are_refused(form: Any) -> None:
    with pytest.raises(InputError):
        outputs("mechanism", form, 0.0)


def test_mechanisms_of_every_form_are_run() -> None:
    rng = np.random.default_rng(1)
    for mechanism in (
        lambda value, rng: value + rng.laplace(),
        lambda rng, value: value + rng.laplace(),
        lambda value: value + RNG.laplace(),
        lambda true, random_state=None: true + random_state.laplace(),
    ):
        assert outputs("mechanism", mechanism, 3.0)(rng).shape == (1,)

    def vector(values: list[float]) -> list[float]:
        values[0] += 1
        return values

    run = outputs("mechanism", vector, [1.0, 2.0])
    # The list is not the one that the run before changed.
    assert run(rng).tolist() == run(rng).tolist() == [2.0, 2.0]
    with pytest.raises(ProtocolError, match="array of 2 numbers"):
        outputs("mechanism", lambda value: value[:1], [1.0, 2.0])(rng)


@pytest.mark.parametrize(
    "values", [(), (0.0,), (0.0, np.nan), (0.0, [1.0]), ([], []), ("0", "1"), (0.0, np.inf)]
)
def test_values_must_be_numbers_of_one_shape(values: Any) -> None:
    with pytest.raises(InputError, match="values"):
        StatedMechanism("m", lambda value: value, "laplace(scale=1)", values)


def test_integer_noise_needs_integer_values() -> None:
    with pytest.raises(InputError, match="whole numbers"):
        StatedMechanism("m", lambda value: value, "discrete_laplace(scale=1)", (0, 0.5))


def test_values_are_a_power_of_two_apart_by_default() -> None:
    def compared(declared: str) -> tuple[object, ...]:
        return StatedMechanism("m", lambda value: value, declared).compared

    assert compared("laplace(scale=10)") == (0.0, 8.0)
    assert compared("laplace(scale=0.3)") == (0.0, 0.25)
    assert compared("discrete_laplace(scale=1/3)") == (0, 1)
    assert isinstance(compared("discrete_laplace(scale=5)")[1], int)


def test_our_own_noise_states_itself() -> None:
    stated = StatedNoise.of(DiscreteLaplace(Fraction(2)))
    first, second = (
        sampler("noise", stated.sample)(np.random.default_rng(seed), 50) for seed in (1, 1)
    )
    assert np.array_equal(first, second)
    assert stated.law.scale == 2
