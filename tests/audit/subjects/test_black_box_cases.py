"""The benchmark's black boxes: their truths by other means, and that they are what they are called.

Tests that draw have a fixed seed; a comment says how sure their outcome is over the seed.
"""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import laplace

from audit.subjects.runs import Runs, Seeds, draw_block

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture(scope="module")
def boxes() -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import black_boxes
    finally:
        sys.path.remove(str(BENCHMARKS))
    return black_boxes


def pattern_by_quad(ones: int, zeros: int) -> float:
    """Pr[exactly certain ``ones`` of five ones and ``zeros`` of five zeros are above]."""

    def inside(threshold: float) -> float:
        # The threshold 1 plus its noise; answers 1 and 0 plus theirs, all of scale 2.
        of_one, of_zero = (laplace.sf(1 + threshold - true, scale=2) for true in (1, 0))
        return float(
            laplace.pdf(threshold, scale=2)
            * of_one**ones
            * (1 - of_one) ** (5 - ones)
            * of_zero**zeros
            * (1 - of_zero) ** (5 - zeros)
        )

    ends = [-80, -20, -5, -1, 0, 5, 20, 80]
    return sum(quad(inside, *part, epsabs=1e-16)[0] for part in itertools.pairwise(ends))


def patterns_by_gauss() -> NDArray[np.float64]:
    """[6, 6], the same for every number of ones and zeros, by fixed nodes and closed tails."""
    nodes, weights = leggauss(60)
    total = np.zeros((6, 6))
    for start, end in itertools.pairwise([-100, -60, -30, -15, -8, -4, -2, -1, 0, 4, 12, 40, 100]):
        at = (start + end) / 2 + (end - start) / 2 * nodes
        weight = weights * (end - start) / 2 * np.exp(-abs(at) / 2) / 4
        above = [
            np.where(x > 0, 0.5 * np.exp(-abs(x) / 2), 1 - 0.5 * np.exp(-abs(x) / 2))
            for x in (at, at + 1)
        ]
        for a, b in itertools.product(range(6), repeat=2):
            chance = above[0] ** a * (1 - above[0]) ** (5 - a)
            total[a, b] += (weight * chance * above[1] ** b * (1 - above[1]) ** (5 - b)).sum()
    return total


def test_the_sparse_vector_truth_holds_by_two_quadratures(boxes: ModuleType) -> None:
    first = patterns_by_gauss()
    second = first.T  # the other database has its ones and zeros exchanged
    ways = np.outer(*[[math.comb(5, k) for k in range(6)]] * 2)
    assert (first * ways).sum() == pytest.approx(1, abs=1e-12)
    p, q = pattern_by_quad(5, 0), pattern_by_quad(0, 5)
    assert (first[5, 0], first[0, 5]) == (pytest.approx(p, rel=1e-9), pytest.approx(q, rel=1e-9))
    assert (p, q) == (pytest.approx(0.0022273, rel=1e-4), pytest.approx(3.956e-5, rel=1e-3))
    assert np.log(first / second).max() == pytest.approx(math.log(p / q))
    assert boxes.CASES["S6"].truth == pytest.approx(math.log(p / q), abs=5e-5)
    for epsilon, delta in ((1, 0.1182), (2, 0.0294)):
        found = (np.clip(first - math.exp(epsilon) * second, 0, None) * ways).sum()
        assert found == pytest.approx(delta, abs=5e-5)


@pytest.mark.parametrize("name", ["L1", "L½", "H5", "H5r", "L0.1"])
def test_the_truth_of_laplace_noise_is_the_distance_over_the_scale(
    boxes: ModuleType, name: str
) -> None:
    case = boxes.CASES[name]
    distance = np.abs(np.subtract(case.pair.first, case.pair.second)).sum()
    assert case.truth * case.pair.distance == pytest.approx(distance / case.box.function.scale)


def test_the_truth_of_gaussian_noise_is_the_distance_over_sigma(boxes: ModuleType) -> None:
    case = boxes.CASES["G1"]
    assert case.truth == abs(case.pair.first - case.pair.second) / case.box.function.sigma


def drawn(boxes: ModuleType, name: str, runs: int) -> Runs:
    case = boxes.CASES[name]
    return draw_block(case.box, case.pair, Seeds(1), "check", 0, 0, runs)


@pytest.mark.parametrize("name", ["L1", "L½", "H5", "H5r", "L0.1", "G1"])
def test_a_box_draws_from_the_law_of_its_name(boxes: ModuleType, name: str) -> None:
    # 20,000 runs; each empirical distribution function is within 0.035 of its law except with
    # probability 2 exp(-2 · 9000 · 0.035²) < 1e-9 (Massart 1990), and so for all together.
    case, runs = boxes.CASES[name], drawn(boxes, name, 20_000)
    numbers = np.asarray(runs.outcomes.blocks[0])
    for coin, database in ((False, case.pair.first), (True, case.pair.second)):
        for column, true in enumerate(np.atleast_1d(database)):
            noise = np.sort(numbers[runs.coins == coin, column] - true)
            mechanism = case.box.function
            expected = ndtr(noise) if name == "G1" else laplace.cdf(noise, scale=mechanism.scale)
            assert abs(expected - np.arange(1, len(noise) + 1) / len(noise)).max() < 0.035
    # Multiples of one number: true counts do not show in the last bits.
    assert (numbers * boxes.GRID == np.rint(numbers * boxes.GRID)).all()


def test_the_sparse_vector_box_draws_its_patterns(boxes: ModuleType) -> None:
    # Of every number of ones and of zeros above: 50,000 runs a side, each of 36 frequencies is
    # within 0.0165 except with probability 2 exp(-2 · 49,000 · 0.0165²) < 1e-11 (Hoeffding).
    runs = drawn(boxes, "S6", 100_000)
    above = np.asarray(runs.outcomes.blocks[0])[~runs.coins]
    ways = np.outer(*[[math.comb(5, k) for k in range(6)]] * 2)
    expected = patterns_by_gauss() * ways
    found = np.zeros((6, 6))
    np.add.at(found, (above[:, :5].sum(1).astype(int), above[:, 5:].sum(1).astype(int)), 1)
    assert abs(found / len(above) - expected).max() < 0.0165
    assert abs(expected - expected.T).max() > 0.03


def probabilities(mechanism: Any, true: list[int]) -> NDArray[np.float64]:
    """[queries + 1], the chances that the first answer above is each query's, or none's.

    For a cut after one answer, by a fine sum over the noisy threshold.
    """
    scales = mechanism.threshold_scale, mechanism.query_scale
    at = np.linspace(-40 * scales[0], 40 * scales[0], 40_001)
    below = laplace.pdf(at, scale=scales[0]) * (at[1] - at[0])
    found = []
    for value in true:
        above = laplace.sf(at, value, scales[1])
        found.append((below * above).sum())
        below = below * (1 - above)
    return np.array([*found, below.sum()])


@pytest.mark.parametrize("name", ["SVT1", "SVT4"])
def test_a_cut_sparse_vector_gives_its_outputs_with_their_chances(
    boxes: ModuleType, name: str
) -> None:
    case = boxes.CASES[name]
    first, second = (
        probabilities(case.box.function, database)
        for database in (case.pair.first, case.pair.second)
    )
    assert first.sum() == pytest.approx(1, abs=1e-6)
    assert case.truth == pytest.approx(abs(np.log(first / second)).max(), abs=2e-4)
    runs = drawn(boxes, name, 40_000)
    answers = np.asarray(runs.outcomes.blocks[0])
    above = answers == 1
    places = np.where(above.any(axis=1), above.argmax(axis=1), answers.shape[1])
    for coin, expected in ((False, first), (True, second)):
        # Some 20,000 runs, seven outputs each: 5.5 standard errors of at most 0.0036.
        shares = np.bincount(places[runs.coins == coin], minlength=7) / (runs.coins == coin).sum()
        assert abs(shares - expected).max() < 0.02
    # It says nothing once it has stopped.
    assert (answers[above.any(axis=1)] == 2).sum() == (5 - places[places < 6]).sum()


def test_a_renewed_threshold_makes_each_answer_a_sparse_vector_of_its_own(
    boxes: ModuleType,
) -> None:
    case = boxes.CASES["SVT2"]

    def outputs(true: list[int]) -> NDArray[np.float64]:
        first = probabilities(case.box.function, true)
        parts = [first[-1:]]
        for place in range(len(true)):
            rest = true[place + 1 :]
            then = probabilities(case.box.function, rest) if rest else np.ones(1)
            parts.append(first[place] * then)
        return np.concatenate(parts)

    first, second = outputs(case.pair.first), outputs(case.pair.second)
    assert first.sum() == pytest.approx(1, abs=1e-6)
    assert case.truth == pytest.approx(abs(np.log(first / second)).max(), abs=2e-4)
    assert case.truth < 1


def test_a_sparse_vector_that_answers_betrays_its_threshold(boxes: ModuleType) -> None:
    # As in the proof of Lyu, Su & Li (2017) for their Algorithm 3: four answers below, and one that
    # is shown to lie below all counts. Under noise of scale 2 each of the five has the ratio e^½.
    case = boxes.CASES["SVT3"]
    at = np.linspace(-80.0, 40.0, 48_001)
    found = []
    for true in (case.pair.first, case.pair.second):
        chance = laplace.pdf(at, scale=2.0)
        for value in true[:4]:
            chance = chance * laplace.cdf(at, value, 2.0)
        shown = np.cumsum(chance) * laplace.pdf(at, true[4], 2.0)
        found.append(shown[np.rint(at) == -10].sum())
    assert case.truth == pytest.approx(abs(math.log(found[0] / found[1])), abs=1e-6)


def test_64_vectors_have_the_ratio_of_their_truth(boxes: ModuleType) -> None:
    case = boxes.CASES["SVT64"]
    at = np.linspace(-80.0, 80.0, 16_001)
    weight, tails = laplace.pdf(at, scale=2.0), [laplace.sf(at, v, 2.0) for v in (0, 1)]
    ratios = []
    for pattern in itertools.product([False, True], repeat=6):
        chances = []
        for true in (case.pair.first, case.pair.second):
            chance = weight
            for value, over in zip(true, pattern, strict=True):
                chance = chance * (tails[value] if over else 1 - tails[value])
            chances.append(chance.sum())
        ratios.append(abs(math.log(chances[0] / chances[1])))
    assert max(ratios) == pytest.approx(case.truth, abs=2e-4)
