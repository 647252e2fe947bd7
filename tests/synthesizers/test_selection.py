"""The exponential mechanism: exact chances, and a cost that its loss attains."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from synthesizers.budget import Cost
from synthesizers.errors import InputError
from synthesizers.exact import Exact, ExpRational, add, compare, divide
from synthesizers.queries import Sensitivity
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.selection import Exponential
from tests.synthesizers.brute_force import DIGITS, close, fraction

SCORES = [(0,), (0, 0), (3, 1), (5, 5, 2), (-7, 0, 7, 7), (1000, 0)]


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(2)])
@pytest.mark.parametrize("scores", SCORES)
def test_chances_are_normalised_weights_and_sum_to_one(
    scores: tuple[int, ...], rate: Fraction
) -> None:
    found: list[Exact] = [*Exponential(rate).chances(scores)]
    with mpmath.workdps(DIGITS):
        weights = [mpmath.exp(fraction(rate) * score) for score in scores]
        total = mpmath.fsum(weights)
        for chance, weight in zip(found, weights, strict=True):
            assert close(chance, weight / total)
    assert compare(functools.reduce(add, found), Fraction(1)) == 0


def test_ratios_of_chances_are_powers_of_e() -> None:
    first, second = Exponential(Fraction(1, 2)).chances([4, 1])
    assert compare(divide(first, second), ExpRational.exp(Fraction(3, 2))) == 0


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("most", [1, 2])
def test_the_cost_bounds_every_move_of_the_scores(monotone: bool, most: int) -> None:
    law = Exponential(Fraction(1, 2))
    cost = law.cost(Sensitivity(3 * most, 3 * most**2, most, monotone))
    assert cost == Cost(
        Fraction(most, 2) * (1 if monotone else 2),
        (Fraction(most, 2) * (1 if monotone else 2)) ** 2 / 8,
    )
    assert cost.epsilon is not None
    largest = ExpRational.of(0)
    for scores in ((0, 0, 0), (9, 0, 0), (20, -20, 0)):
        moves = [range(most + 1)] if monotone else [range(-most, most + 1)]
        for step in itertools.product(*moves, repeat=3):
            moved = tuple(s + d for s, d in zip(scores, step, strict=True))
            pairs = zip(law.chances(scores), law.chances(moved), strict=True)
            for before, after in pairs:
                for ratio in (before / after, after / before):
                    order = compare(ratio, ExpRational.exp(cost.epsilon))
                    assert order is not None and order <= 0
                    if compare(ratio, largest) == 1:
                        largest = ratio
    # Not attained, but approached: the candidate of overwhelming score takes nearly all of Z.
    if monotone:
        assert compare(largest, ExpRational.exp(cost.epsilon * Fraction(99, 100))) == 1
    else:
        assert compare(largest, ExpRational.exp(cost.epsilon / 2)) == 1


def test_zcdp_cost_bounds_the_renyi_divergence() -> None:
    """ε²/8 (Cesar & Rogers 2021): D_α <= α ε²/8 over all moves of up to 1, with α > 1."""
    law = Exponential(Fraction(1, 2))
    cost = law.cost(Sensitivity(3, 3, 1, False))
    assert cost.rho is not None
    for scores in ((0, 0, 0), (4, 0, 0), (2, 2, 0)):
        for step in itertools.product((-1, 0, 1), repeat=3):
            moved = [s + d for s, d in zip(scores, step, strict=True)]
            p = np.array([float(mpmath.mpf(c)) for c in _floats(law, scores)])
            q = np.array([float(mpmath.mpf(c)) for c in _floats(law, moved)])
            for alpha in (1.1, 2.0, 8.0, 40.0):
                divergence = np.log(np.sum(p**alpha * q ** (1 - alpha))) / (alpha - 1)
                assert divergence <= alpha * float(cost.rho) + 1e-12


def _floats(law: Exponential, scores: object) -> list[float]:
    values = [float(law.rate) * score for score in scores]
    weights = np.exp(np.array(values) - max(values))
    found: list[float] = (weights / weights.sum()).tolist()
    return found


def test_sampling_stays_among_the_candidates() -> None:
    entropy = InsecureSeededEntropy(3)
    seen = {Exponential(Fraction(1)).sample([0, 2, 1], entropy) for _ in range(300)}
    # Candidate 0 has chance 0.09: 300 draws miss it with probability below 1e-12.
    assert seen == {0, 1, 2}


@pytest.mark.parametrize("rate", [0, -1, 0.5, "1", None])
def test_rates_are_positive_rationals(rate: object) -> None:
    with pytest.raises(InputError, match="rate"):
        Exponential(rate)


def test_plain_data() -> None:
    assert Exponential(Fraction(1, 2)).to_json() == {"law": "exponential", "rate": "1/2"}
