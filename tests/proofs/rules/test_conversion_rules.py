"""Conversions of pure, approximate and Gaussian DP: exact divergences, tightness, refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Guarantee,
    Mechanism,
    Odometer,
    Private,
    Profile,
    RenyiCurve,
    guarantee_to_json,
)
from proofs.losses import GaussianLoss, ResponseLoss
from proofs.parameters import Parameters
from proofs.rules.conversions import RULES
from proofs.rules.rule import Premises
from synthesizers.errors import TooLargeError
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.proofs.rules.divergences import (
    ORDERS,
    TINY,
    Law,
    above,
    accepted,
    amounts,
    chances,
    convert,
    excess,
    gaussian_excess,
    least,
    mp,
    pairs,
    renyi,
    response,
    response_excess,
    wide,
)

F = Fraction
SMALL = mp(TINY)


def weakens(strong: Guarantee, weak: Guarantee) -> bool:
    stated = guarantee_to_json(weak)
    return accepted(lambda: convert("weaken", strong, guarantee=stated)) and (
        convert("weaken", strong, guarantee=stated) == weak
    )


@given(st.tuples(amounts, chances), st.tuples(amounts, chances))
def test_weaken_never_strengthens(strong: Any, weak: Any) -> None:
    (a, d), (b, e) = strong, weak
    assert weakens(ApproxDP(a, d), ApproxDP(b, e)) == (a <= b and d <= e)
    assert weakens(ZCDP(a), ZCDP(b)) == (a <= b)
    assert weakens(GaussianDP(a), GaussianDP(b)) == (a <= b)
    assert weakens(ApproxZCDP(a, F(1), d), ApproxZCDP(b, F(1), e)) == (a <= b and d <= e)
    assert weakens(ApproxZCDP(F(1), a, d), ApproxZCDP(F(1), b, e)) == (a <= b and d <= e)


places = st.fractions(F(5, 4), 9, max_denominator=4)


@given(
    st.dictionaries(places, amounts, min_size=1, max_size=5),
    st.dictionaries(places, amounts, min_size=1, max_size=3),
)
def test_a_weaker_curve_rests_on_points_of_the_stronger(
    strong: dict[Fraction, Fraction], weak: dict[Fraction, Fraction]
) -> None:
    curve, wanted = (RenyiCurve(tuple(sorted(points.items()))) for points in (strong, weak))
    assert weakens(curve, wanted) == all(
        any(at >= order and known <= epsilon for at, known in strong.items())
        for order, epsilon in weak.items()
    )
    first, second = (
        Profile(tuple(sorted((at, value / 10) for at, value in points.items())))
        for points in (strong, weak)
    )
    assert weakens(first, second) == all(
        any(at <= epsilon and known <= delta for at, known in first.points)
        for epsilon, delta in second.points
    )


@given(pairs(), st.sampled_from(ORDERS), st.sampled_from(ORDERS))
@settings(max_examples=40)
def test_a_lower_order_may_use_the_divergence_of_a_higher(
    pair: tuple[Law, Law], one: Fraction, other: Fraction
) -> None:
    low, high = min(one, other), max(one, other)
    assert renyi(low, *pair) <= renyi(high, *pair) + SMALL
    value = above(renyi(high, *pair))
    assert weakens(RenyiCurve(((high, value),)), RenyiCurve(((low, value),)))


@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        (ApproxDP(F(1), F(0)), ZCDP(F(9))),
        (ZCDP(F(1)), GaussianDP(F(9))),
        (RenyiCurve(((F(2), F(1)),)), Profile(((F(2), F(9, 10)),))),
        (RenyiCurve(((F(2), F(1)),)), RenyiCurve(((F(2), F(1)), (F(3), F(9))))),
        (Profile(((F(2), F(1, 10)),)), Profile(((F(1), F(9, 10)),))),
        (Dominated(()), Dominated(())),
        (Odometer(((F(1), F(1)),), F(0)), Odometer(((F(1), F(1)),), F(0))),
    ],
)
def test_weaken_refuses_other_kinds_and_unreached_points(
    strong: Guarantee, weak: Guarantee
) -> None:
    with pytest.raises(ProofError):
        convert("weaken", strong, guarantee=guarantee_to_json(weak))


@given(pairs())
@settings(max_examples=15, deadline=None)
def test_pure_dp_bounds_every_renyi_divergence(pair: tuple[Law, Law]) -> None:
    epsilon = above(max(abs(wide.log(mp(a / b))) for a, b in zip(*pair, strict=True)))
    pure = ApproxDP(epsilon, F(0))
    rho = above(mp(epsilon) * wide.tanh(mp(epsilon) / 2))
    assert convert("pure-to-zcdp-tight", pure, rho=rho) == ZCDP(rho)
    assert convert("pure-to-zcdp", pure) == ZCDP(epsilon**2 / 2)

    def holds(order: Fraction, value: Fraction) -> bool:
        return accepted(lambda: convert("pure-to-renyi", pure, orders=[order], epsilons=[value]))

    for order in ORDERS:
        found = least(lambda value, order=order: holds(order, value), epsilon, 12)
        for p, q in (pair, pair[::-1]):
            exact = renyi(order, p, q)
            assert exact <= mp(found) + SMALL
            assert exact <= mp(order * rho) + SMALL
            assert exact <= mp(order * epsilon**2 / 2) + SMALL


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(3), F(20)])
def test_randomised_response_attains_the_divergence_of_pure_dp(epsilon: Fraction) -> None:
    pure = ApproxDP(epsilon, F(0))
    for order in ORDERS:
        enough = above(renyi(order, *response(epsilon)), 30)
        curve = convert("pure-to-renyi", pure, orders=[order], epsilons=[enough])
        assert curve == RenyiCurve(((order, enough),))
        with pytest.raises(ProofError):
            short = enough - F(2, 10**30)
            convert("pure-to-renyi", pure, orders=[order], epsilons=[short])


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(3)])
def test_the_tight_rho_of_pure_dp_is_that_of_randomised_response(epsilon: Fraction) -> None:
    pure = ApproxDP(epsilon, F(0))
    found = least(
        lambda rho: accepted(lambda: convert("pure-to-zcdp-tight", pure, rho=rho)), epsilon, 15
    )
    order = 1 + F(1, 10**20)
    attained = renyi(order, *response(epsilon)) / mp(order)
    assert mp(found - F(1, 10**15)) < attained < mp(found)


def test_without_a_loss_the_conversions_of_pure_dp_are_exact() -> None:
    nothing = ApproxDP(F(0), F(0))
    assert convert("pure-to-zcdp-tight", nothing, rho=0) == ZCDP(F(0))
    assert convert("pure-to-zcdp", nothing) == ZCDP(F(0))
    assert convert("pure-to-gdp", nothing, mu=0) == GaussianDP(F(0))
    curve = convert("pure-to-renyi", nothing, orders=[2, "7/2"], epsilons=[0, 0])
    assert curve == RenyiCurve(((F(2), F(0)), (F(7, 2), F(0))))


@given(pairs(), st.fractions(0, 2, max_denominator=20))
@settings(max_examples=40, deadline=None)
def test_the_response_pair_dominates_every_approximate_mechanism(
    pair: tuple[Law, Law], epsilon: Fraction
) -> None:
    gamma = wide.exp(mp(epsilon))
    delta = above(max(excess(gamma, *pair), excess(gamma, *pair[::-1])))
    found = convert("pure-to-pair", ApproxDP(epsilon, delta))
    assert found == Dominated(((1, ResponseLoss(epsilon, delta)),))
    factors = [wide.mpf(0), *(wide.exp(wide.mpf(step) / 4) for step in range(-12, 13))]
    for at in factors:
        bound = response_excess(at, epsilon, delta) + SMALL
        assert excess(at, *pair) <= bound
        assert excess(at, *pair[::-1]) <= bound


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(5)])
def test_the_gaussian_of_pure_dp_has_the_larger_profile(epsilon: Fraction) -> None:
    pure = ApproxDP(epsilon, F(0))
    mu = least(lambda mu: accepted(lambda: convert("pure-to-gdp", pure, mu=mu)), 20, 15)
    for step in range(-24, 25):
        gamma = wide.exp(wide.mpf(step) / 4)
        assert response_excess(gamma, epsilon, F(0)) <= gaussian_excess(gamma, mp(mu)) + SMALL
    one, less = wide.mpf(1), mp(mu - F(1, 10**15))
    assert response_excess(one, epsilon, F(0)) > gaussian_excess(one, less)


@given(pairs(), st.fractions(0, 2, max_denominator=20))
@settings(max_examples=40, deadline=None)
def test_approximate_dp_is_randomised_response_but_for_delta(
    pair: tuple[Law, Law], epsilon: Fraction
) -> None:
    gamma = wide.exp(mp(epsilon))
    delta = above(max(excess(gamma, *pair), excess(gamma, *pair[::-1])))
    found = convert("approx-to-approx-zcdp", ApproxDP(epsilon, delta))
    assert found == ApproxZCDP(F(0), epsilon**2 / 2, delta)
    # Parts of P and of Q, each of mass 1 - δ, whose ratios keep within e^±ε: a linear program.
    p, q = (np.array([float(value) for value in law]) for law in pair)
    size, limit = len(p), float(gamma) * (1 + 1e-9)
    each = np.eye(size)
    outcome = linprog(
        np.zeros(2 * size),
        A_ub=np.block([[each, -limit * each], [-limit * each, each]]),
        b_ub=np.zeros(2 * size),
        A_eq=np.kron(np.eye(2), np.ones(size)),
        b_eq=np.full(2, 1 - float(delta)),
        bounds=[(0.0, float(top)) for top in np.concatenate([p, q])],
    )
    assert outcome.status == 0
    first, second = (part / part.sum() for part in np.split(outcome.x, 2))
    kept = first > 1e-12
    for order in (1.01, 2.0, 8.0):
        moment = (first[kept] ** order * second[kept] ** (1 - order)).sum()
        assert np.log(moment) / (order - 1) <= order * float(epsilon**2 / 2) + 1e-6


@given(st.fractions(0, 6, max_denominator=30))
def test_gaussian_dp_is_the_gaussian_pair(mu: Fraction) -> None:
    pair = convert("gdp-to-pair", GaussianDP(mu))
    assert pair == Dominated(((1, GaussianLoss(mu**2)),) if mu else ())
    assert convert("gdp-to-zcdp", GaussianDP(mu)) == ZCDP(mu**2 / 2)


def test_the_divergence_of_a_gaussian_pair_is_that_of_its_zcdp() -> None:
    mu, order = wide.mpf("1.5"), 3

    def integrand(x: mpmath.mpf) -> mpmath.mpf:
        return wide.npdf(x, mu) ** order * wide.npdf(x) ** (1 - order)

    with wide.workdps(20):
        moment = wide.quad(integrand, [-10, 0, 4.5, 10, 20])
    assert convert("gdp-to-zcdp", GaussianDP(F(3, 2))) == ZCDP(F(9, 8))
    assert abs(wide.log(moment) / (order - 1) - mp(order * F(9, 8))) < 1e-12


def test_a_profile_gives_its_largest_epsilon_below_the_stated() -> None:
    profile = Profile(((F(1), F(1, 10)), (F(2), F(1, 100)), (F(3), F(0))))
    for stated, delta in ((1, F(1, 10)), ("1.99", F(1, 10)), (2, F(1, 100)), (9, F(0))):
        found = convert("profile-to-approx", profile, epsilon=stated)
        assert found == ApproxDP(F(stated), delta)
    with pytest.raises(ProofError):
        convert("profile-to-approx", profile, epsilon="0.99")
    one = convert("approx-to-profile", ApproxDP(F(2), F(1, 7)))
    assert one == Profile(((F(2), F(1, 7)),))
    assert convert("profile-to-approx", one, epsilon=2) == ApproxDP(F(2), F(1, 7))


PURE, LEAKING = ApproxDP(F(1), F(0)), ApproxDP(F(1), F(1, 10**9))


@pytest.mark.parametrize(
    ("rule", "premise", "parameters"),
    [
        ("pure-to-zcdp", LEAKING, {}),
        ("pure-to-zcdp-tight", LEAKING, {"rho": 1}),
        ("pure-to-zcdp-tight", PURE, {"rho": "0.4621"}),
        ("pure-to-zcdp-tight", PURE, {"rho": -1}),
        ("pure-to-renyi", LEAKING, {"orders": [2], "epsilons": [1]}),
        ("pure-to-renyi", PURE, {"orders": [1], "epsilons": [1]}),
        ("pure-to-renyi", PURE, {"orders": ["1/2"], "epsilons": [1]}),
        ("pure-to-renyi", PURE, {"orders": [2, 3], "epsilons": [1]}),
        ("pure-to-renyi", PURE, {"orders": [2, 3], "epsilons": [1, "0.5"]}),
        ("pure-to-renyi", PURE, {"orders": [], "epsilons": []}),
        ("pure-to-gdp", LEAKING, {"mu": 10}),
        ("pure-to-gdp", PURE, {"mu": 0}),
        ("pure-to-gdp", PURE, {"mu": -3}),
        ("pure-to-gdp", PURE, {"mu": "1.23"}),
        ("profile-to-approx", PURE, {"epsilon": 2}),
        ("profile-to-approx", Profile(((F(0), F(1, 2)),)), {"epsilon": -1}),
        ("gdp-to-zcdp", ZCDP(F(1)), {}),
        ("gdp-to-pair", PURE, {}),
        ("approx-to-approx-zcdp", ZCDP(F(1)), {}),
        ("pure-to-pair", ZCDP(F(1)), {}),
    ],
)
def test_a_violated_side_condition_is_refused(
    rule: str, premise: Guarantee, parameters: dict[str, Any]
) -> None:
    with pytest.raises(ProofError):
        convert(rule, premise, **parameters)


def test_powers_beyond_the_stated_size_are_refused_at_once() -> None:
    with pytest.raises(TooLargeError):
        convert("pure-to-renyi", PURE, orders=["1e900"], epsilons=[1])


def test_a_conversion_takes_one_premise() -> None:
    both = tuple(Private(Mechanism.of("M", {}), AddRemove(), PURE) for _ in range(2))
    for rule in RULES:
        for judgments in ((), both):
            with pytest.raises(ProofError):
                RULES[rule](Premises(rule, judgments), Parameters(rule, {}))


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
def test_the_neighbours_are_those_of_the_premise(neighbours: AddRemove | ReplaceOne) -> None:
    premise = Private(Mechanism.of("M", {}), neighbours, PURE)
    found = RULES["pure-to-pair"](Premises("pure-to-pair", (premise,)), Parameters("", {}))
    assert isinstance(found.judgment, Private)
    assert found.judgment.neighbours == neighbours
