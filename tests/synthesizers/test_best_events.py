"""The best of a random number of measurements: chances run by run, costs, budgets, and theorems."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from proofs.checker import check
from proofs.derivation import derivation
from proofs.guarantees import ApproxDP
from proofs.ledger.events import of_events, repetition_of
from proofs.ledger.programs import about_program, of_ledger
from proofs.search.account import account_epsilon
from proofs.search.best import strongest
from proofs.search.runs import concentrate_runs
from proofs.search.ways import concentrate, pure_of, stated_value
from synthesizers.budget import FREE, Cost, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import BudgetExceeded, InputError, ProtocolError, TooLargeError
from synthesizers.events import Databases, Measure, MeasureBest
from synthesizers.exact import enclose
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise, RoundedLaplace
from synthesizers.queries import Marginal, Query, Total
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.runs import GeometricRuns, LogarithmicRuns
from synthesizers.sampling import run

F = Fraction
DOMAIN = Domain.from_cells("2")
SHAPE = {"cell": 2}
CELLS = Marginal(("cell",))
Law = type[GeometricRuns] | type[LogarithmicRuns]
LAWS: list[Law] = [GeometricRuns, LogarithmicRuns]
NOISES: list[Noise] = [DiscreteLaplace(F(2)), RoundedLaplace(F(1, 2)), DiscreteGaussian(F(3))]


def pmf(law: Law, gamma: float, runs: int) -> float:
    """The chance of a number of runs."""
    if law is GeometricRuns:
        return gamma * (1 - gamma) ** (runs - 1)
    return (1 - gamma) ** runs / runs / math.log(1 / gamma)


def one_run(event: MeasureBest, counts: list[int]) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """The outcomes of one measurement and their chances, in doubles."""
    measure = Measure(event.query, event.noise, event.low, event.high)
    parts = measure.coordinates(Databases(DOMAIN, np.array([counts], np.int64)))
    outcomes: list[Any] = [()]
    chances = np.ones(1)
    for part in parts:
        outcomes = [(*before, *own) for before in outcomes for own in part.outcomes]
        chances = np.outer(chances, part.floats[:, 0]).ravel()
    return outcomes, chances


@given(
    st.sampled_from([F(1, 10), F(1, 3), F(9, 10)]),
    st.lists(st.integers(0, 2), min_size=2, max_size=2),
    st.sampled_from(NOISES),
    st.sampled_from([Total(), CELLS]),
    st.sampled_from(LAWS),
)
@settings(max_examples=25, deadline=None)
def test_chances_are_those_of_the_best_of_each_number_of_runs(
    gamma: Fraction, counts: list[int], noise: Noise, query: Query, law: Law
) -> None:
    event = MeasureBest(query, noise, law(gamma), -1, 2)
    outcomes, chances = one_run(event, counts)
    (coordinate,) = event.coordinates(Databases(DOMAIN, np.array([counts], np.int64)))
    assert list(coordinate.outcomes) == outcomes == sorted(outcomes)
    none_better = np.cumsum(chances)
    expected = np.zeros(len(outcomes))
    for runs in range(1, 400):
        expected += pmf(law, float(gamma), runs) * np.diff(none_better**runs, prepend=0)
    assert np.allclose(coordinate.floats[:, 0], expected, rtol=0, atol=1e-12)
    assert coordinate.floats.sum() == pytest.approx(1)


def test_drawn_answers_have_these_chances() -> None:
    """A right sampler fails with chance 1e-6, over the choice of the seed."""
    event = MeasureBest(CELLS, DiscreteLaplace(F(1)), GeometricRuns(F(1, 4)), 0, 3)
    data = Dataset.from_histogram(DOMAIN, np.array([2, 1]))
    (coordinate,) = event.coordinates(Databases(DOMAIN, data.histogram()[None, :]))
    entropy, draws = InsecureSeededEntropy(8), 1500
    setting = Setting.of(DOMAIN, AddRemove(), 3)

    def program(curator: Curator) -> list[int]:
        return list(curator.measure_best(CELLS, event.noise, event.runs, low=0, high=3))

    seen: Counter[Any] = Counter()
    for _ in range(draws):
        seen[run(program, data, setting, UnlimitedBudget(), entropy).output] += 1
    chances = dict(zip(coordinate.outcomes, coordinate.floats[:, 0], strict=True))
    assert set(seen) <= set(chances)
    statistic = sum((seen[o] - draws * p) ** 2 / (draws * p) for o, p in chances.items())
    assert statistic < chi2.ppf(1 - 1e-6, len(chances) - 1)


@pytest.mark.parametrize("law", LAWS)
def test_numbers_of_runs_have_their_law(law: Law) -> None:
    """A right sampler fails with chance 1e-6; the first coins to fail together are met, too."""
    runs, entropy, draws = law(F(1, 300)), InsecureSeededEntropy(9), 3000
    seen = np.array([runs.sample(entropy) for _ in range(draws)])
    assert seen.min() >= 1 and (seen > 256).sum() > 100
    edges = [0, 1, 2, 5, 20, 100, 256, 300, 500, 20_000]
    counts = np.histogram(seen, [edge + 0.5 for edge in edges])[0]
    sums = np.cumsum([0, *(pmf(law, 1 / 300, k) for k in range(1, 20_001))])
    chances = np.diff(sums[edges])
    statistic = ((counts - draws * chances) ** 2 / (draws * chances)).sum()
    assert statistic < chi2.ppf(1 - 1e-6, len(chances) - 1)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("relation", [AddRemove(), ReplaceOne()])
@pytest.mark.parametrize("gamma", [F(1, 50), F(1, 2)])
@pytest.mark.parametrize("query", [Total(), CELLS])
@pytest.mark.parametrize("law", LAWS)
def test_the_cost_is_no_less_than_the_theorems_say(
    noise: Noise, relation: Neighbours, gamma: Fraction, query: Query, law: Law
) -> None:
    event = MeasureBest(query, noise, law(gamma), 0, 3)
    cost = event.cost(DOMAIN, relation)
    repetition = repetition_of(event.to_json(DOMAIN, relation), SHAPE, relation)
    if cost.epsilon is not None:
        theorem = pure_of(repetition)
        assert check(derivation(theorem)).status == "checked"
        assert 0 <= cost.epsilon - stated_value(theorem) < F(1, 10**8)
    theorem = concentrate_runs(repetition.runs, concentrate([repetition.run]))
    assert check(derivation(theorem)).status == "checked"
    assert cost.rho is not None and cost.rho >= 0
    if cost.epsilon is None:
        assert 0 <= cost.rho - stated_value(theorem) < F(1, 10**5)
    (part,) = of_events([event.to_json(DOMAIN, relation)] * 3, SHAPE, relation)
    assert part.count == 3


@pytest.mark.parametrize(("law", "factor"), [(GeometricRuns, 3), (LogarithmicRuns, 2)])
def test_the_cost_of_the_whole_is_charged(law: Law, factor: int) -> None:
    """(2 + η)ε for a γ near 0; never less than the exact loss between small databases."""
    noise = DiscreteLaplace(F(2))
    rare = MeasureBest(CELLS, noise, law(F(1, 10**6)), 0, 2).cost(DOMAIN, ReplaceOne())
    assert rare.epsilon is not None and factor - F(1, 100) < rare.epsilon <= factor
    event = MeasureBest(CELLS, noise, law(F(1, 8)), 0, 2)
    cost = event.cost(DOMAIN, ReplaceOne())
    assert cost.epsilon is not None

    worst = 0.0
    databases = Databases(DOMAIN, np.array([[2, 0], [1, 1], [0, 2]], np.int64))
    (coordinate,) = event.coordinates(databases)
    for left, right in ((0, 1), (1, 0), (1, 2), (2, 1)):
        ratios = coordinate.floats[:, left] / coordinate.floats[:, right]
        worst = max(worst, float(np.log(ratios).max()))
    assert 1 < worst <= float(cost.epsilon)


def test_a_ledger_of_best_runs_has_a_theorem_about_its_program() -> None:
    event = MeasureBest(CELLS, DiscreteLaplace(F(4)), GeometricRuns(F(1, 4)), 0, 2)
    setting = Setting.of(DOMAIN, ReplaceOne(), 2)
    found = of_ledger((event, event), setting)
    assert found is not None and [one.count for one in found] == [2]
    (best, *_) = strongest(found, ApproxDP(F(1)))
    cost = event.cost(DOMAIN, ReplaceOne()).epsilon
    assert cost is not None and 0 <= 2 * cost - best.value < F(1, 10**8)
    about = about_program(best.theorem, {"kind": "module"}, frozenset({(event, event)}), setting)
    assert check(derivation(about)).status == "checked"
    assert "secret-runs" in about.hypotheses


def test_the_profile_of_a_run_serves_a_ledger_too() -> None:
    event = MeasureBest(Total(), DiscreteGaussian(F(16)), LogarithmicRuns(F(1, 40)), 0, 2)
    found = of_ledger((event,), Setting.of(DOMAIN, AddRemove(), 2))
    assert found is not None and found[0].name.startswith("the best of logarithmic runs of")
    best = account_epsilon(found, F(1, 10**6)).best
    assert best.rule == "profile of a repeated mechanism" and F(3, 2) < best.value < F(8, 5)


def ask(budget: Any, event: MeasureBest, times: int) -> int:
    curator = Curator(Setting.of(DOMAIN, AddRemove(), 2), budget, lambda _: (0,))
    for number in range(times):
        try:
            curator.ask(event)
        except BudgetExceeded:
            return number
    return times


def test_budgets_are_charged_for_the_whole_selection() -> None:
    laplace = MeasureBest(Total(), DiscreteLaplace(F(2)), GeometricRuns(F(1, 10)), 0, 3)
    one = laplace.cost(DOMAIN, AddRemove())
    assert one.epsilon is not None and one.rho is not None
    assert ask(PureBudget(one.epsilon * 2), laplace, 3) == 2
    assert ask(PureBudget(one.epsilon - F(1, 10**9)), laplace, 1) == 0
    assert ask(ZCDPBudget(one.rho), laplace, 2) == 1
    gauss = MeasureBest(Total(), DiscreteGaussian(F(50)), GeometricRuns(F(1, 10)), 0, 3)
    whole = gauss.cost(DOMAIN, AddRemove())
    assert whole.epsilon is None and whole.rho is not None and whole.rho > F(1, 100)
    assert ask(PureBudget(F(100)), gauss, 1) == 0
    assert ask(ZCDPBudget(whole.rho), gauss, 2) == 1


def test_what_never_moves_costs_nothing() -> None:
    for noise in NOISES:
        still = MeasureBest(Total(), noise, GeometricRuns(F(1, 10)), 0, 3)
        assert still.cost(DOMAIN, ReplaceOne()) == FREE
    assert GeometricRuns(F(1, 10)).cost(Cost(None, None)) == Cost(None, None)
    assert GeometricRuns(F(1, 10)).cost(Cost.pure(F(10**6))).epsilon == 3 * 10**6


def test_the_best_of_sure_runs_is_exact_where_chances_are() -> None:
    chances = GeometricRuns(F(1, 3)).best([F(1, 4), F(1, 4), F(1, 2)])
    # f(x) = x/(3 - 2x) at 1/4, 1/2 and 1.
    assert chances == [F(1, 10), F(1, 4) - F(1, 10), F(3, 4)]
    # ln(1 - 2x/3)/ln(1/3) at the same.
    logarithmic = LogarithmicRuns(F(1, 3)).best([F(1, 4), F(1, 4), F(1, 2)])
    ends = [0.0, *(math.log(1 - 2 * x / 3) / math.log(1 / 3) for x in (0.25, 0.5, 1))]
    for chance, expected in zip(logarithmic, np.diff(ends), strict=True):
        assert float(enclose(chance).lower) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("power", [-10, -47, -49, -60, -300])
def test_the_chance_of_a_rare_best_run_keeps_its_precision(power: int) -> None:
    rare = F(2) ** power
    (first, _) = LogarithmicRuns(F(1, 2)).best([rare, 1 - rare])
    ends = enclose(first)
    with mpmath.workdps(200):
        exact = mpmath.log1p(-(mpmath.mpf(2) ** power) / 2) / mpmath.log(mpmath.mpf(1) / 2)
        low, high = (mpmath.mpf(e.numerator) / e.denominator for e in (ends.lower, ends.upper))
        assert low <= exact <= high and high - low < exact * mpmath.mpf(2) ** -80


def test_a_uniform_number_is_read_until_it_decides() -> None:
    # Pr[K = 1] = (1/2)/ln 2: at that very number, whatever its digits, one run or two.
    runs = LogarithmicRuns(F(1, 2))
    for bits in (64, 256):
        with mpmath.workdps(120):
            edge = int(mpmath.floor(mpmath.mpf(2) ** bits / 2 / mpmath.log(2)))
        numbers = [runs._number(edge + step, bits) for step in (-1, 0, 1)]
        assert numbers == [1, 0, 2]
    assert runs._number(0, 64) == 1 and runs._number(2**64 - 1, 64) == 0


@pytest.mark.parametrize("gamma", [F(0), F(1), F(-1, 2), F(1, 10**7), 0.5, "1/2"])
def test_no_other_gamma_is_taken(gamma: Any) -> None:
    with pytest.raises(InputError):
        GeometricRuns(gamma)


def test_what_is_no_declared_class_is_refused() -> None:
    class Rigged(GeometricRuns):
        def sample(self, entropy: Any) -> int:
            return 1

    curator = Curator(Setting.of(DOMAIN, AddRemove(), 2), UnlimitedBudget(), lambda _: (0,))
    with pytest.raises(ProtocolError, match="GeometricRuns"):
        curator.measure_best(Total(), NOISES[0], Rigged(F(1, 2)), low=0, high=3)
    with pytest.raises(InputError, match="low <= high"):
        curator.measure_best(Total(), NOISES[0], GeometricRuns(F(1, 2)), low=3, high=0)
    wide = MeasureBest(Total(), NOISES[0], GeometricRuns(F(1, 2)), 0, 10**6)
    with pytest.raises(TooLargeError, match="best"):
        wide.coordinates(Databases(DOMAIN, np.array([[1, 1]], np.int64)))
