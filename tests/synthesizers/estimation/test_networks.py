"""Generators and critics in NumPy: gradients against JAX and differences, steps against optax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from synthesizers.domain import Domain
from synthesizers.estimation import critics
from synthesizers.estimation.networks import (
    Adam,
    Generator,
    Heads,
    RMSProp,
    draw_codes,
    moving_average,
    public_noise,
    table_of,
)
from synthesizers.queries.gradients import LEAK, Critic, weights_of

HEADS = Heads.of((2, 3, 1))
RNG = np.random.default_rng(4)


def test_heads_are_laws() -> None:
    chances = HEADS.softmax(RNG.standard_normal((5, 6)).astype(np.float32) * 30)
    assert np.allclose(chances[:, :2].sum(1), 1) and np.allclose(chances[:, 2:5].sum(1), 1)
    assert np.allclose(chances[:, 5], 1) and chances.min() >= 0


@pytest.mark.slow
def test_the_generators_gradient_is_that_of_jax() -> None:
    jax = pytest.importorskip("jax", reason="the extra pgm is not installed")
    generator, noise = Generator.initial(HEADS, 3, 7), public_noise(4, 3, 0)
    at_chances = RNG.standard_normal((4, 6)).astype(np.float32)

    def value(parameters: Any) -> Any:
        hidden = jax.nn.relu(noise @ parameters[0] + parameters[1])
        scores = hidden @ parameters[2] + parameters[3]
        parts = [scores[:, a : a + n] for a, n in zip(HEADS.starts, HEADS.sizes, strict=True)]
        laws = jax.numpy.concatenate([jax.nn.softmax(part) for part in parts], axis=1)
        return (laws * at_chances).sum()

    wanted = jax.grad(value)([jax.numpy.array(part) for part in generator.parameters])
    found = generator.gradient(noise, generator.chances(noise), at_chances)
    for one, other in zip(found, wanted, strict=True):
        assert np.abs(one - np.asarray(other)).max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["adam", "rmsprop"])
def test_steps_are_those_of_optax(kind: str) -> None:
    optax = pytest.importorskip("optax", reason="the extra pgm is not installed")
    parameters = (np.array([1.0, -2.0], np.float32),)
    ours: Any = Adam.of(parameters, 0.1) if kind == "adam" else RMSProp.of(parameters, 0.1)
    theirs = optax.adam(0.1) if kind == "adam" else optax.rmsprop(0.1, decay=0.99)
    state, other = theirs.init(parameters), parameters
    for _ in range(5):
        gradient = (RNG.standard_normal(2).astype(np.float32),)
        parameters, ours = ours.step(parameters, gradient)
        moved, state = theirs.update(gradient, state)
        other = optax.apply_updates(other, moved)
        assert np.allclose(parameters[0], np.asarray(other[0]), atol=1e-2)


@pytest.mark.parametrize("hidden", [0, 1, 4])
@pytest.mark.parametrize("clip", [0.05, 100.0])
def test_public_gradients_are_those_of_differences_clipped(hidden: int, clip: float) -> None:
    flat, rows = RNG.standard_normal(weights_of(hidden, 6)), RNG.random((3, 6))

    def value(weights: Any, row: Any) -> float:
        critic = Critic.of(weights, 6, hidden)
        if not hidden:
            return float(row @ critic.inputs[:, 0])
        before = row @ critic.inputs + critic.bias
        return float(np.where(before < 0, LEAK * before, before) @ critic.output)

    def differences(function: Any, at: Any) -> Any:
        ends = [[function(at + s * e) for s in (1e-6, -1e-6)] for e in np.eye(len(at))]
        return np.array([(high - low) / 2e-6 for high, low in ends])

    each = [differences(lambda w, row=row: value(w, row), flat) for row in rows]
    clipped = [g * min(1, clip / np.linalg.norm(g)) for g in each]
    critic = Critic.of(flat, 6, hidden)
    assert np.abs(critics.mean_gradient(critic, rows, clip) - np.mean(clipped, 0)).max() < 1e-6
    by_row = [differences(lambda r: value(flat, r), row) for row in rows]
    assert np.abs(critics.at_rows(critic, rows) - by_row).max() < 1e-6


def test_a_table_is_the_mean_of_products() -> None:
    domain = Domain.from_cells("2x3")
    chances = np.array([[0.5, 0.5, 1, 0, 0], [0, 1, 0, 0.25, 0.75]], np.float32)
    wanted = [0.25, 0, 0, 0.25, 0.125, 0.375]
    assert table_of(domain, chances).tolist() == pytest.approx(wanted)


def test_codes_are_drawn_by_their_heads() -> None:
    """Each share is within 5 deviations of its chance: a right one fails with chance 1e-5."""
    heads = Heads.of((2, 3))
    chances = np.tile(np.array([[0.25, 0.75, 0.5, 0, 0.5]], np.float32), (40_000, 1))
    codes = draw_codes(chances, heads, np.random.default_rng(2))
    assert abs((codes[:, 0] == 0).mean() - 0.25) < 5 * (0.1875 / 40_000) ** 0.5
    assert set(codes[:, 1]) == {0, 2} and abs((codes[:, 1] == 0).mean() - 0.5) < 0.0125


def test_public_numbers_are_the_same_each_time_and_not_shared_between_streams() -> None:
    first, other = public_noise(3, 2, 1), public_noise(3, 2, 2)
    public_noise.cache_clear()
    assert (public_noise(3, 2, 1) == first).all() and not (first == other).any()
    assert not first.flags.writeable


def test_a_moving_average() -> None:
    one, two = (np.array([1.0], np.float32),), (np.array([3.0], np.float32),)
    assert moving_average(one, two, 0.75)[0].tolist() == [1.5]
