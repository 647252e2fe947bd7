"""Fitted models: one clique against belief propagation and brute force, marginals, records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from synthesizers.estimation import graphical
from synthesizers.estimation.fitting import fit_model
from synthesizers.estimation.models import NoisyMarginal, noisy_total

SHAPE = {"a": 2, "b": 3, "c": 2, "d": 4}
NAMES = tuple(SHAPE)
TABLE = np.random.default_rng(5).gamma(0.4, size=tuple(SHAPE.values()))
TABLE *= 1000 / TABLE.sum()


def marginal(table: np.ndarray, attributes: tuple[str, ...]) -> np.ndarray:
    """Of a whole table, by its indices: an independent slow version."""
    counts: dict[tuple[int, ...], float] = {}
    for cell in np.ndindex(table.shape):
        key = tuple(cell[NAMES.index(name)] for name in attributes)
        counts[key] = counts.get(key, 0.0) + float(table[cell])
    return np.array([counts[key] for key in np.ndindex(*(SHAPE[n] for n in attributes))])


def noisy(attributes: tuple[str, ...], variance: float, seed: int) -> NoisyMarginal:
    truth = marginal(TABLE, attributes)
    noise = np.random.default_rng(seed).normal(size=len(truth)) * math.sqrt(variance)
    return NoisyMarginal(attributes, truth + noise, variance)


TREE = [("a",), ("b",), ("c",), ("d",), ("d", "a"), ("a", "c"), ("b", "c")]
CYCLE = [*TREE, ("b", "d")]
FOREST = [("a",), ("b", "c"), ("d",)]
TRIPLE = [("a", "b", "c"), ("c",), ("d", "c")]


@pytest.mark.parametrize(
    "sets", [TREE, CYCLE, FOREST, TRIPLE], ids=["tree", "cycle", "forest", "3"]
)
def test_both_estimators_agree(sets: list[tuple[str, ...]]) -> None:
    answers = [noisy(one, 16.0 + k, k) for k, one in enumerate(sets)]
    whole = fit_model(SHAPE, answers, 1000, 3000)
    field = graphical.fit_cliques(SHAPE, answers, 1000, 3000)
    for one in sets:
        assert field.counts(one) == pytest.approx(whole.counts(one), abs=0.02)


@pytest.mark.parametrize("fit", [fit_model, graphical.fit_cliques], ids=["clique", "tree"])
@pytest.mark.parametrize("sets", [CYCLE, TRIPLE], ids=["cycle", "3"])
def test_no_table_fits_better(fit: Callable[..., Any], sets: list[tuple[str, ...]]) -> None:
    # The loss is convex: it is above its least by at most the gap of Frank & Wolfe (Jaggi 2013).
    answers = [noisy(one, 16.0 + k, k) for k, one in enumerate(sets)]
    table = fit(SHAPE, answers, 1000, 3000).counts(NAMES).reshape(tuple(SHAPE.values()))
    gradient = np.zeros_like(table)
    for one in answers:
        surplus = (marginal(table, one.attributes) - one.counts) / one.variance
        held = dict(zip(np.ndindex(*(SHAPE[n] for n in one.attributes)), surplus, strict=True))
        for cell in np.ndindex(table.shape):
            gradient[cell] += held[tuple(cell[NAMES.index(n)] for n in one.attributes)]
    assert (table * gradient).sum() - 1000 * gradient.min() < 0.01


@pytest.mark.parametrize("sets", [TREE, CYCLE], ids=["tree", "cycle"])
def test_an_exact_fit_has_the_measured_marginals(sets: list[tuple[str, ...]]) -> None:
    answers = [NoisyMarginal(one, marginal(TABLE, one), 1.0) for one in sets]
    field = graphical.fit_cliques(SHAPE, answers, 1000, 3000)
    for one in sets:
        assert field.counts(one) == pytest.approx(marginal(TABLE, one), abs=0.1)
    assert field.counts(NAMES).sum() == pytest.approx(1000)


@pytest.mark.parametrize(
    "sets", [TREE, CYCLE, FOREST, TRIPLE], ids=["tree", "cycle", "forest", "3"]
)
def test_marginals_that_no_clique_holds(sets: list[tuple[str, ...]]) -> None:
    field = graphical.fit_cliques(SHAPE, [noisy(one, 4.0, 1) for one in sets], 1000, 100)
    table = field.counts(NAMES).reshape(tuple(SHAPE.values()))
    for size in (1, 2, 3):
        for one in combinations(reversed(NAMES), size):
            assert field.counts(one) == pytest.approx(marginal(table, one), abs=1e-8)


def test_a_linear_map_of_a_marginal_is_fitted() -> None:
    # The first two cells of b together, and the third: the rest is told by no answer.
    matrix = csr_array(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]))
    answers = [NoisyMarginal(("b",), np.array([30.0, 140.0]), 1.0, matrix)]
    for model in (
        fit_model(SHAPE, answers, 100, 500),
        graphical.fit_cliques(SHAPE, answers, 100, 500),
    ):
        assert model.counts(("b",)) == pytest.approx([15, 15, 70], abs=1e-3)


def test_a_later_fit_begins_where_the_earlier_ended() -> None:
    answers = [noisy(one, 9.0, 3) for one in TREE]
    first = graphical.fit_cliques(SHAPE, answers, 1000, 2000)
    again = graphical.fit_cliques(SHAPE, [*answers, noisy(("b", "d"), 1e12, 3)], 1000, 1, first)
    for one in TREE:
        assert again.counts(one) == pytest.approx(first.counts(one), abs=1e-3)


def test_nothing_measured_is_uniform() -> None:
    for model in (fit_model(SHAPE, [], 48, 5), graphical.fit_cliques(SHAPE, [], 48, 5)):
        assert model.counts(("b", "d")) == pytest.approx(np.full(12, 4))
        assert model.total == pytest.approx(48)


def test_small_domains_are_one_clique() -> None:
    cliques = [
        fit_model(shape, [noisy(("a",), 1.0, 1)], 1, 1).tree.cliques
        for shape in (SHAPE, {**SHAPE, "e": 100})
    ]
    assert cliques == [(NAMES,), (("a",), ("c",), ("b",), ("d",), ("e",))]


def test_the_noisy_total_weighs_by_variance() -> None:
    # Variances of the sums: 2·1 and 3·4, so weights 1/2 and 1/12: (10/2 + 24/12)/(7/12) = 12.
    answers = [
        NoisyMarginal(("a",), np.array([4.0, 6.0]), 1.0),
        NoisyMarginal(("b",), np.array([8.0, 8.0, 8.0]), 4.0),
        NoisyMarginal(("c",), np.array([900.0]), 0.1, csr_array(np.ones((1, 2)))),
    ]
    assert noisy_total(answers) == pytest.approx(12)
    assert noisy_total([]) == 1
    assert noisy_total([NoisyMarginal(("a",), np.array([-5.0, 1.0]), 1.0)]) == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-50, 400), min_size=6, max_size=6), st.integers(1, 1000))
def test_models_are_counts_of_their_total(counts: list[int], total: int) -> None:
    answers = [NoisyMarginal(("a", "b"), np.array(counts, float), 9.0)]
    for model in (
        fit_model(SHAPE, answers, total, 60),
        graphical.fit_cliques(SHAPE, answers, total, 60),
    ):
        found = model.counts(NAMES)
        assert (found >= 0).all() and found.sum() == pytest.approx(total)


def test_records_follow_the_model() -> None:
    # 6-sigma bounds of 48 cells: they fail with chance below 1e-7.
    rows = 40_000
    for fit in (fit_model, graphical.fit_cliques):
        model = fit(SHAPE, [noisy(one, 4.0, 1) for one in CYCLE], 1000, 300)
        codes = model.records(rows, np.random.default_rng(11))
        counts = np.zeros(tuple(SHAPE.values()))
        np.add.at(counts, tuple(codes.T), 1)
        shares = model.counts(NAMES) / 1000
        deviation = np.abs(counts.reshape(-1) - rows * shares)
        assert (deviation <= 6 * np.sqrt(rows * shares * (1 - shares)) + 6).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_authors_own_estimator_agrees() -> None:
    mbi = pytest.importorskip("mbi", reason="needs mbi: pip install 'dp-audit[pgm]'")
    answers = [noisy(one, 25.0, 7) for one in CYCLE]
    theirs = mbi.estimation.MirrorDescent().estimate(
        mbi.Domain.fromdict(SHAPE),
        [mbi.LinearMeasurement(a.counts, a.attributes, stddev=5.0) for a in answers],
        known_total=1000.0,
        iters=5000,
    )
    ours = graphical.fit_cliques(SHAPE, answers, 1000, 2000)
    for one in [*CYCLE, ("a", "b"), ("c", "d")]:
        counts = np.asarray(theirs.project(one).datavector())
        # They work in single precision, and of several minimisers may come to another.
        assert ours.counts(one) == pytest.approx(counts, abs=1.0)


def test_a_marginal_of_one_cell_moves_nothing_however_long_it_is_fitted() -> None:
    """Its answer is off the total: a potential that grew with it would overflow."""
    measured = [NoisyMarginal(("a",), np.array([260.0]), 1.0)]
    model = graphical.fit_cliques({"a": 1}, measured, 200.0, 400)
    again = graphical.fit_cliques({"a": 1}, measured, 200.0, 400, model)
    assert np.array_equal(again.counts(("a",)), [200.0])
    assert max(abs(table).max() for table in again.potentials.values()) == 0


def test_potentials_that_have_grown_far_are_taken_up_again() -> None:
    answers = [NoisyMarginal((name,), np.array([700.0, 300.0]), 2.0) for name in "ab"]
    model = graphical.fit_cliques({"a": 2, "b": 2}, answers, 1000, 50)
    grown = {names: table + 2000 for names, table in model.potentials.items()}
    again = graphical.fit_cliques(
        {"a": 2, "b": 2}, answers, 1000, 5, replace(model, potentials=grown)
    )
    assert again.counts(("a", "b")) == pytest.approx(model.counts(("a", "b")))
