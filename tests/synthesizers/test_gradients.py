"""Clipped gradients of a critic: against differences and JAX, one record at a time, and norms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.queries import CriticGradient
from synthesizers.queries.gradients import LEAK, Critic, one_hot, pack, weights_of

DOMAIN = Domain.from_cells("2x3")
CELLS, NAMES = 5, ("a1", "a2")
FINE = 2**20


def question(
    flat: Any, hidden: int, clip: Fraction = Fraction(1000), grid: int = FINE
) -> CriticGradient:
    return CriticGradient(NAMES, hidden, pack(np.asarray(flat)), clip, grid)


def drawn(hidden: int, seed: int = 0, size: float = 1.0) -> Any:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(weights_of(hidden, CELLS)) * size).astype(np.float32)


def value(flat: Any, hidden: int, record: Any) -> float:
    """The critic's value at a record, by loops."""
    x = np.zeros(CELLS)
    x[record[0]], x[2 + record[1]] = 1, 1
    if hidden == 0:
        return float(sum(x[i] * flat[i] for i in range(CELLS)))
    total = 0.0
    for unit in range(hidden):
        before = flat[CELLS * hidden + unit]
        before += sum(x[i] * flat[i * hidden + unit] for i in range(CELLS))
        total += flat[(CELLS + 1) * hidden + unit] * (before if before > 0 else LEAK * before)
    return float(total)


def by_differences(flat: Any, hidden: int, record: Any) -> Any:
    found, step = [], 1e-6
    for place in range(len(flat)):
        ends = []
        for sign in (1, -1):
            moved = flat.astype(np.float64).copy()
            moved[place] += sign * step
            ends.append(value(moved, hidden, record))
        found.append((ends[0] - ends[1]) / (2 * step))
    return np.array(found)


@pytest.mark.parametrize("hidden", [0, 1, 3])
def test_a_gradient_is_that_of_differences(hidden: int) -> None:
    flat = drawn(hidden)
    each = question(flat, hidden).answers(DOMAIN, DOMAIN.codes(), np.eye(6, dtype=np.int64))
    for record, found in zip(DOMAIN.codes(), each, strict=True):
        assert np.abs(found * 1000 / FINE - by_differences(flat, hidden, record)).max() < 2e-3


@pytest.mark.slow
def test_gradients_are_those_of_jax_for_each_record() -> None:
    jax = pytest.importorskip("jax", reason="the extra pgm is not installed")
    hidden, flat = 4, drawn(4, 3)

    def of(weights: Any, x: Any) -> Any:
        inputs, bias, output = (
            weights[: CELLS * hidden].reshape(CELLS, hidden),
            weights[CELLS * hidden : (CELLS + 1) * hidden],
            weights[(CELLS + 1) * hidden :],
        )
        return output @ jax.nn.leaky_relu(x @ inputs + bias, LEAK)

    ones, cells = one_hot(DOMAIN, NAMES, DOMAIN.codes())
    rows = np.zeros((6, cells), np.float32)
    np.put_along_axis(rows, ones, 1, axis=1)
    wanted = np.asarray(jax.vmap(jax.grad(of), (None, 0))(jax.numpy.array(flat), rows))
    norms = np.linalg.norm(wanted, axis=1)
    clip = float(np.median(norms))
    wanted = wanted * np.minimum(1, clip / norms)[:, None]
    asked = question(flat, hidden, Fraction(clip))
    found = asked.answers(DOMAIN, DOMAIN.codes(), np.eye(6, dtype=np.int64)) * clip / FINE
    assert np.abs(found - wanted).max() < 1e-5


@given(
    st.integers(0, 4),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-30, 1e-6, 1.0, 1e6, 1e30]),
    st.fractions(Fraction(1, 1000), 1000, max_denominator=1000),
    st.sampled_from([1, 2, 3, 1000, FINE, 2**24]),
)
@settings(max_examples=200, deadline=None)
def test_no_record_adds_more_than_the_grid(
    hidden: int, seed: int, size: float, clip: Fraction, grid: int
) -> None:
    asked = question(drawn(hidden, seed, size), hidden, clip, grid)
    each = asked.answers(DOMAIN, DOMAIN.codes(), np.eye(6, dtype=np.int64))
    stated = asked.sensitivity(DOMAIN, AddRemove())
    for row in each.tolist():
        assert sum(entry * entry for entry in row) <= grid * grid == stated.l2_squared
        assert sum(map(abs, row)) <= stated.l1 and max(map(abs, row)) <= stated.linf


def test_long_gradients_keep_their_direction_and_reach_the_clip() -> None:
    flat = drawn(3, 1)
    one, two = (
        question(flat, 3, clip).answers(DOMAIN, DOMAIN.codes(), np.eye(6, dtype=np.int64))
        for clip in (Fraction(1, 10), Fraction(1, 100))
    )
    assert np.abs(one - two).max() <= 1
    assert np.linalg.norm(one, axis=1) == pytest.approx(np.full(6, FINE), rel=1e-4)


def test_a_linear_critic_of_one_attribute_gives_counts() -> None:
    asked = CriticGradient(("a2",), 0, pack(np.zeros(3)), Fraction(1), 1)
    counts = np.array([[1, 0, 2, 0, 4, 1]])
    assert asked.answers(DOMAIN, DOMAIN.codes(), counts).tolist() == [[1, 4, 3]]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(0, 5))
@settings(max_examples=50, deadline=None)
def test_what_a_record_adds_does_not_depend_on_others(others: list[int], own: int) -> None:
    asked, codes = question(drawn(5, 2), 5, Fraction(1, 3)), DOMAIN.codes()
    alone = asked.answers(DOMAIN, codes[[own]], np.ones((1, 1), np.int64))
    rest = asked.answers(DOMAIN, codes[others], np.ones((1, len(others)), np.int64))
    both = asked.answers(DOMAIN, codes[[*others, own]], np.ones((1, len(others) + 1), np.int64))
    assert (both - rest == alone).all()


def test_sensitivities() -> None:
    asked = question(drawn(1), 1, grid=10)
    root = math.isqrt(7 * 100)
    for relation, reach in (
        (AddRemove(), 1),
        (ReplaceOne(), 2),
        (AddRemove(Unit("person", 3)), 3),
        (ReplaceOne(Unit("person", 3)), 6),
    ):
        found = asked.sensitivity(DOMAIN, relation)
        assert (found.l1, found.l2_squared, found.linf) == (
            reach * root,
            100 * reach**2,
            10 * reach,
        )
        assert not found.monotone


def test_plain_data_name_the_weights_by_their_digest() -> None:
    plain = question(drawn(1), 1).to_json()
    assert plain["kind"] == "critic-gradient" and len(plain["weights_sha256"]) == 64
    assert plain["weights_sha256"] != question(drawn(1, 9), 1).to_json()["weights_sha256"]


@pytest.mark.parametrize(
    "changed",
    [
        {"hidden": -1},
        {"hidden": 2},
        {"weights": "not base 64!"},
        {"weights": "AAA="},
        {"weights": pack(np.full(7, np.nan))},
        {"clip": Fraction(0)},
        {"clip": 0.5},
        {"grid": 0},
        {"grid": 2**25},
        {"attributes": ("a1", "a1")},
        {"attributes": ("a1", "a9")},
    ],
)
def test_impossible_questions_are_refused(changed: dict[str, Any]) -> None:
    good = {"attributes": NAMES, "hidden": 1, "weights": pack(drawn(1)), "clip": Fraction(1)}
    with pytest.raises(InputError):
        CriticGradient(**{**good, "grid": 4, **changed}).size(DOMAIN)


def test_a_critic_has_the_layers_of_its_vector() -> None:
    critic = Critic.of(np.arange(14.0), CELLS, 2)
    assert critic.inputs.shape == (5, 2) and critic.inputs[4, 1] == 9
    assert critic.bias.tolist() == [10, 11] and critic.output.tolist() == [12, 13]
