"""The generative model: marginals and gradients against loops and JAX, fits, records."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from synthesizers.estimation.generative import GenerativeModel, _marginal, _slopes
from synthesizers.estimation.models import NoisyMarginal

SHAPE = {"a": 2, "b": 3, "c": 2}
MODEL = GenerativeModel.start(SHAPE, 100.0, (8, 3, 6), 0.02)


def by_loops(model: GenerativeModel, names: tuple[str, ...]) -> list[float]:
    chances = model.generator.chances(model.noise)
    starts = dict(zip(SHAPE, (0, 2, 5), strict=True))
    cells = itertools.product(*(range(SHAPE[name]) for name in names))
    return [
        float(
            100
            * np.mean(
                [
                    np.prod([row[starts[n] + v] for n, v in zip(names, cell, strict=True)])
                    for row in chances
                ]
            )
        )
        for cell in cells
    ]


@pytest.mark.parametrize("names", [("a",), ("c", "b"), ("a", "b", "c")])
def test_marginals_are_means_of_products(names: tuple[str, ...]) -> None:
    assert MODEL.counts(names).tolist() == pytest.approx(by_loops(MODEL, names), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(2,), (2, 3), (2, 3, 4)])
def test_slopes_are_those_of_jax(sizes: tuple[int, ...]) -> None:
    jax = pytest.importorskip("jax", reason="the extra pgm is not installed")
    rng = np.random.default_rng(1)
    parts = [rng.random((5, size)).astype(np.float32) for size in sizes]
    wanted = rng.random(sizes).astype(np.float32)
    letters = "ijk"[: len(sizes)]

    def loss(parts: Any) -> Any:
        rows = ",".join(f"b{letter}" for letter in letters)
        mean = jax.numpy.einsum(f"{rows}->{letters}", *parts) / 5
        return ((mean - wanted) ** 2).sum() / 2

    slopes = jax.grad(loss)([jax.numpy.array(part) for part in parts])
    for one, other in zip(_slopes(parts, _marginal(parts) - wanted), slopes, strict=True):
        assert np.abs(one - np.asarray(other)).max() < 1e-6


def test_it_begins_all_but_independent() -> None:
    answers = [
        NoisyMarginal(("a",), np.array([120.0, -20]), 1.0),
        NoisyMarginal(("b",), np.array([50.0, 30, 20]), 1.0),
    ]
    begun = MODEL.independent(answers)
    first, second = np.array([100, 1]) / 101, np.array([0.5, 0.3, 0.2])
    product = 100 * np.outer(first, second).ravel()
    assert np.abs(begun.counts(("a", "b")) - product).sum() < 5
    assert np.abs(begun.averaged().counts(("a", "b")) - product).sum() < 5


def test_it_fits_what_it_can_represent() -> None:
    pair = np.array([30.0, 0, 10, 0, 40, 20])
    answers = [
        NoisyMarginal(("a", "b"), pair, 1.0),
        NoisyMarginal(("c",), np.array([75.0, 25]), 1.0),
    ]
    fitted = MODEL.fitted(answers, 600)
    assert np.abs(fitted.counts(("a", "b")) - pair).sum() < 5
    assert np.abs(fitted.counts(("c",)) - [75, 25]).sum() < 5
    assert np.abs(fitted.averaged().counts(("a", "b")) - pair).sum() < 5


def test_a_noisier_answer_counts_less() -> None:
    answers = [
        NoisyMarginal(("c",), np.array([80.0, 20]), 1.0),
        NoisyMarginal(("c",), np.array([20.0, 80]), 3.0),
    ]
    assert MODEL.fitted(answers, 600).counts(("c",)) == pytest.approx([65, 35], abs=2)


def test_equal_answers_give_equal_models_and_the_average_lags() -> None:
    answers = [NoisyMarginal(("a",), np.array([90.0, 10]), 1.0)]
    first, again = MODEL.fitted(answers, 20), MODEL.fitted(answers, 20)
    assert (first.counts(("a", "b")) == again.counts(("a", "b"))).all()
    start, now = MODEL.counts(("a",))[0], first.counts(("a",))[0]
    assert min(start, now) < first.averaged().counts(("a",))[0] < max(start, now)


def test_steps_shrink_to_nothing() -> None:
    """The average lags behind the last ten of 50 steps: at a constant rate, by eight of them."""
    fitted = MODEL.fitted([NoisyMarginal(("a",), np.array([90.0, 10]), 1.0)], 50)
    now, average = fitted.generator.parameters, fitted.average
    lag = max(float(np.abs(one - other).max()) for one, other in zip(now, average, strict=True))
    assert 0 < lag < 3 * fitted.rate


def test_records_follow_the_model() -> None:
    """Shares within 5 deviations of the model's: a right one fails with chance 1e-5."""
    codes = MODEL.records(40_000, np.random.default_rng(3))
    assert codes.shape == (40_000, 3)
    seen = np.bincount(codes[:, 0] * 3 + codes[:, 1], minlength=6) / 40_000
    wanted = MODEL.counts(("a", "b")) / 100
    assert (np.abs(seen - wanted) < 5 * np.sqrt(wanted / 40_000)).all()
    assert MODEL.records(5, np.random.default_rng(3)).shape == (5, 3)
