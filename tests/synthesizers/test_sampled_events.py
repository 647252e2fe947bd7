"""Sums over Poisson samples: chances against all coins, costs, budgets, and what is refused."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from synthesizers.budget import (
    FREE,
    Budget,
    Cost,
    PureBudget,
    SampledGaussianBudget,
    SampledSteps,
    UnlimitedBudget,
    ZCDPBudget,
    rebuilt,
)
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import BudgetExceeded, InputError, ProtocolError, TooLargeError
from synthesizers.events import Databases, MeasureSampled
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import DiscreteGaussian, clamped_mass
from synthesizers.queries import BoundedSum, Marginal, ModelError, Query, Total
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run

DOMAIN = Domain.from_cells("3")
SUM = BoundedSum("cell", (-2, 0, 2), -1, 1)
ONE = Fraction(1)
DISCRETE: Any = DiscreteGaussian(ONE)


def by_every_coin(event: MeasureSampled, counts: list[int], outcome: tuple[int, ...]) -> float:
    """The chance of an outcome, coin by coin."""
    records = [cell for cell, count in enumerate(counts) for _ in range(count)]
    total, rate = 0.0, float(event.rate)
    for coins in itertools.product((0, 1), repeat=len(records)):
        kept = np.bincount([r for r, c in zip(records, coins, strict=True) if c], minlength=3)
        answers = event.query.answers(DOMAIN, DOMAIN.codes(), kept[None, :].astype(np.int64))[0]
        part = rate ** sum(coins) * (1 - rate) ** (len(coins) - sum(coins))
        for answer, noisy in zip(answers.tolist(), outcome, strict=True):
            mass: Any = clamped_mass(event.noise, answer, noisy, event.low, event.high)
            part *= float(mass.lower)
        total += part
    return total


@given(
    st.fractions(Fraction(1, 10), 1, max_denominator=10),
    st.lists(st.integers(0, 2), min_size=3, max_size=3),
    st.sampled_from([SUM, Total(), Marginal(("cell",))]),
)
@settings(max_examples=25, deadline=None)
def test_chances_are_mixtures_over_all_coins(
    rate: Fraction, counts: list[int], query: Query
) -> None:
    event = MeasureSampled(query, rate, RoundedGaussian(Fraction(3, 4)), -1, 2)
    (coordinate,) = event.coordinates(Databases(DOMAIN, np.array([counts], np.int64)))
    assert len(coordinate.outcomes) == event.width(Databases(DOMAIN, np.zeros((1, 3), np.int64)))
    assert coordinate.floats.sum() == pytest.approx(1)
    for outcome in list(range(len(coordinate.outcomes)))[:: max(1, len(coordinate.outcomes) // 9)]:
        true = by_every_coin(event, counts, coordinate.outcomes[outcome])
        assert coordinate.floats[outcome, 0] == pytest.approx(true, rel=1e-12)


def test_drawn_answers_have_these_chances() -> None:
    """A right sampler fails with chance 1e-6, over the choice of the seed."""
    event = MeasureSampled(SUM, Fraction(1, 3), RoundedGaussian(ONE), -3, 3)
    data = Dataset.from_histogram(DOMAIN, np.array([2, 1, 4]))
    (coordinate,) = event.coordinates(Databases(DOMAIN, data.histogram()[None, :]))
    entropy, draws = InsecureSeededEntropy(5), 8000
    setting = Setting.of(DOMAIN, AddRemove(), 7)

    def program(curator: Curator) -> list[int]:
        return list(curator.measure_sampled(SUM, event.rate, event.noise, low=-3, high=3))

    seen: Counter[Any] = Counter()
    for _ in range(draws):
        seen[run(program, data, setting, UnlimitedBudget(), entropy).output] += 1
    chances = dict(zip(coordinate.outcomes, coordinate.floats[:, 0], strict=True))
    statistic = sum((seen[o] - draws * p) ** 2 / (draws * p) for o, p in chances.items())
    assert statistic < chi2.ppf(1 - 1e-6, len(chances) - 1)


def test_costs_under_each_relation() -> None:
    event = MeasureSampled(SUM, Fraction(1, 3), RoundedGaussian(Fraction(2)), -3, 3)
    step = SampledSteps(Fraction(1, 3), Fraction(1, 4))
    assert event.cost(DOMAIN, AddRemove()) == Cost(None, Fraction(1, 8), (step,))
    assert event.cost(DOMAIN, ReplaceOne()) == Cost(None, Fraction(1, 2))
    assert event.cost(DOMAIN, AddRemove(Unit("person", 3))).sampled is None
    still = MeasureSampled(BoundedSum("cell", (0, 0, 0), 0, 1), ONE, RoundedGaussian(ONE), 0, 1)
    assert still.cost(DOMAIN, AddRemove()) == FREE
    total = MeasureSampled(Total(), ONE, RoundedGaussian(ONE), 0, 1)
    assert total.cost(DOMAIN, ReplaceOne()) == FREE


def test_costs_of_steps_add_up() -> None:
    one = Cost(None, ONE, (SampledSteps(Fraction(1, 3), ONE),))
    other = Cost(None, ONE, (SampledSteps(Fraction(1, 4), ONE, 2),))
    assert (one + one + other).sampled == (
        SampledSteps(Fraction(1, 3), ONE, 2),
        SampledSteps(Fraction(1, 4), ONE, 2),
    )
    assert (one + FREE).sampled == one.sampled and (FREE + one) == one
    assert (one + Cost.pure(ONE)).sampled is None
    assert one.to_json()["sampled"] == [{"rate": "1/3", "mu_squared": "1", "steps": 1}]


BUDGET = SampledGaussianBudget(Fraction(1, 3), Fraction(1, 4), 2)


def asked(budget: Budget, *questions: dict[str, Any], neighbours: Any = None) -> int:
    """How many questions a curator of a budget answers."""
    setting = Setting.of(DOMAIN, neighbours or AddRemove(), 7)
    curator = Curator(setting, budget, lambda event: (0,))
    given = {"query": SUM, "rate": Fraction(1, 3), "noise": RoundedGaussian(Fraction(2))}
    for number, changed in enumerate(questions):
        try:
            curator.measure_sampled(**{**given, **changed}, low=-3, high=3)
        except BudgetExceeded:
            return number
    return len(questions)


def test_the_budget_of_steps_refuses_one_too_many_and_every_other_question() -> None:
    assert asked(BUDGET, {}, {}, {}) == 2
    assert asked(BUDGET, {}, {"noise": RoundedGaussian(Fraction(3))}) == 2
    assert asked(BUDGET, {}, {"noise": RoundedGaussian(Fraction(199, 100))}) == 1
    assert asked(BUDGET, {}, {"rate": Fraction(1, 4)}) == 1
    assert asked(BUDGET, {}, {"rate": Fraction(1)}) == 1
    assert asked(BUDGET, {"query": BoundedSum("cell", (0, 0, 0), 0, 0)}, {}, {}, {}) == 3
    assert asked(BUDGET, {}, neighbours=ReplaceOne()) == 0
    assert asked(BUDGET, {}, neighbours=AddRemove(Unit("person", 2))) == 0
    curator = Curator(Setting.of(DOMAIN, AddRemove(), 7), BUDGET, lambda event: (0,))
    with pytest.raises(BudgetExceeded, match="no such step"):
        curator.measure(Total(), DISCRETE, low=0, high=1)


def test_without_sampling_the_budgets_of_sums_take_the_whole_cost() -> None:
    assert asked(ZCDPBudget(Fraction(1, 4)), {}, {}, {}) == 2
    assert asked(PureBudget(Fraction(100)), {}) == 0
    assert asked(UnlimitedBudget(), {}, {}) == 2


def test_a_used_up_budget_says_so() -> None:
    step = Cost(None, ONE, (SampledSteps(Fraction(1, 3), Fraction(1, 4)),))
    assert not BUDGET.is_exhausted(FREE) and not BUDGET.is_exhausted(step)
    assert BUDGET.is_exhausted(step + step) and not BUDGET.is_exhausted(Cost.pure(ONE))
    assert BUDGET.to_json() == {"sampled": {"rate": "1/3", "mu_squared": "1/4", "steps": 2}}
    assert rebuilt(BUDGET) == BUDGET and BUDGET.neighbours is None


@pytest.mark.parametrize(("rate", "squared", "steps"), [(0, 1, 1), (1, 1, 1), (ONE / 2, 0, 1),
                                                        (ONE / 2, 1, 0)])  # fmt: skip
def test_impossible_budgets_are_refused(rate: Any, squared: Any, steps: int) -> None:
    with pytest.raises(InputError):
        SampledGaussianBudget(Fraction(rate), Fraction(squared), steps)


def test_scores_and_discrete_noise_are_not_asked_of_samples() -> None:
    curator = Curator(Setting.of(DOMAIN, AddRemove(), 7), UnlimitedBudget(), lambda event: (0,))
    scores = ModelError((Marginal(("cell",)),), ((0, 0, 0),))
    with pytest.raises(ProtocolError, match="does not know"):
        curator.measure_sampled(scores, ONE / 2, RoundedGaussian(ONE), low=0, high=1)
    with pytest.raises(ProtocolError, match="does not know"):
        curator.measure_sampled(SUM, ONE / 2, DISCRETE, low=0, high=1)
    with pytest.raises(ProtocolError, match="does not know"):
        curator.measure(SUM, RoundedGaussian(ONE), low=0, high=1)


def test_what_is_too_large_to_enumerate_says_why() -> None:
    wide = MeasureSampled(Marginal(("cell",)), ONE / 2, RoundedGaussian(ONE), -(2**40), 2**40)
    with pytest.raises(TooLargeError, match="share the sample"):
        wide.coordinates(Databases(DOMAIN, np.zeros((1, 3), np.int64)))
    many = MeasureSampled(SUM, ONE / 2, RoundedGaussian(ONE), 0, 1)
    with pytest.raises(TooLargeError, match="too many samples"):
        many.coordinates(Databases(DOMAIN, np.full((1, 3), 100, np.int64)))


@pytest.mark.parametrize("rate", [Fraction(0), Fraction(3, 2), Fraction(-1, 2), 0.5])
def test_impossible_rates_are_refused(rate: Any) -> None:
    with pytest.raises(InputError):
        MeasureSampled(SUM, rate, RoundedGaussian(ONE), 0, 1)
