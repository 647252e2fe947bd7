"""What is found of repeated mechanisms: γ of a mean, and theorems close to the best."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from proofs.checker import check
from proofs.derivation import derivation
from proofs.guarantees import ZCDP, ApproxDP, RenyiDP
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.parts import Part, attains
from proofs.search.account import account_delta, account_epsilon
from proofs.search.best import strongest
from proofs.search.runs import gamma_of
from proofs.search.ways import Offer
from synthesizers.neighbours import AddRemove

F = Fraction
DELTA = F(1, 10**6)


def parts(text: str) -> tuple[Part, ...]:
    return of_terms(parse(text), AddRemove())


def offer_of(text: str, name: str, delta: Fraction = DELTA) -> Offer:
    (found,) = [one for one in account_epsilon(parts(text), delta).found if one.rule == name]
    return found


PROFILE = "profile of a repeated mechanism"
RENYI = "Rényi DP of repeated mechanisms"


@pytest.mark.parametrize("eta", ["0", "1", "-1/2", "-9/10", "7/2", "100"])
@pytest.mark.parametrize("expected", ["1.0001", "3/2", "10", "1000000"])
def test_the_gamma_of_a_mean_is_rounded_down(eta: str, expected: str) -> None:
    gamma, shape, wanted = gamma_of(F(expected), F(eta)), F(eta), F(expected)
    assert 0 < gamma < 1
    with mpmath.workdps(50):

        def mean(at: mpmath.mpf) -> mpmath.mpf:
            if shape == 0:
                return (1 / at - 1) / mpmath.log(1 / at)
            power = mpmath.mpf(shape.numerator) / shape.denominator
            return power * (1 / at - 1) / (1 - at**power)

        found, target = (mpmath.mpf(x.numerator) / x.denominator for x in (gamma, wanted))
        assert mean(found) >= target * (1 - mpmath.mpf(10) ** -40)
        assert mean(found * (1 + mpmath.mpf(10) ** -10)) < target


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("best_of(pure(epsilon=1), gamma=1e-100)", "2"),
        ("best_of(pure(epsilon=1), gamma=1e-100, eta=1)", "3"),
        ("best_of(pure(epsilon=1), gamma=1e-100, eta=-1/2)", "1.5"),
        ("best_of(pure(epsilon=1000000), expected=10, eta=1)", "3000000"),
        ("best_of_poisson(pure(epsilon=1000000), expected=10)", "1000010"),
        ("until_accepted(pure(epsilon=4) + pure(epsilon=0.99), stop=1e-60)", "9.98"),
    ],
)
def test_pure_runs_cost_what_the_literature_says(text: str, epsilon: str) -> None:
    # 2·(4 + 0.99) = 9.98 is what a registry of births was released with.
    best = account_epsilon(parts(text), F(0)).best
    assert F(epsilon) - F(1, 10**9) < best.value <= F(epsilon) + F(1, 10**9)
    assert check(derivation(best.theorem)).status == "checked"


def test_a_larger_chance_to_stop_costs_less() -> None:
    # ε + ln((γ + e^ε)/(1 + γe^ε)) at ε = 4.99 and γ = 1/100.
    text = "until_accepted(pure(epsilon=4) + pure(epsilon=0.99), stop=0.01)"
    best = account_epsilon(parts(text), F(0)).best
    with mpmath.workdps(30):
        odds = mpmath.exp(mpmath.mpf("4.99"))
        exact = mpmath.mpf("4.99") + mpmath.log((odds + mpmath.mpf("0.01")) / (1 + odds / 100))
        assert abs(mpmath.mpf(best.value.numerator) / best.value.denominator - exact) < 1e-15


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("best_of(gaussian(sigma=4), expected=10)", 1.901790),
        ("best_of(gaussian(sigma=4), expected=10, eta=1)", 2.271311),
        ("best_of_poisson(gaussian(sigma=4), expected=10)", 2.500872),
    ],
)
def test_renyi_runs_cost_what_the_formulas_of_the_literature_say(text: str, epsilon: float) -> None:
    assert abs(float(offer_of(text, RENYI).value) - epsilon) < 2e-6


def test_the_poisson_bound_is_that_of_the_literature_but_for_no_run_at_all() -> None:
    # Theorem 6 of Papernot & Steinke 2022, ρα + μδ + ln(μ)/(α - 1), with the δ of the best order at
    # ln(α/(α-1)); the chance e^-10 of no run at all is what is left.
    rho, orders = 1 / 32, [1 + 1.02**place for place in range(-100, 250)]

    def delta(order: float) -> float:
        gap = math.log(order / (order - 1))
        return min(math.exp((x - 1) * (x * rho - gap + math.log(1 - 1 / x))) / x for x in orders)

    best = min(
        order * rho
        + 10 * delta(order)
        + math.log(10) / (order - 1)
        + math.log(1 - 1 / order)
        + math.log(10**6 / order) / (order - 1)
        for order in orders
    )
    found = offer_of("best_of_poisson(gaussian(sigma=4), expected=10)", RENYI).value
    assert abs(float(found) - best) < 2e-3


@pytest.mark.parametrize("eta", [0.0, 1.0])
def test_the_search_for_orders_finds_the_least(eta: float) -> None:
    # Theorem 2 of Papernot & Steinke 2022 for a Gaussian of ρ = 1/32, at all orders of a fine grid.
    rho, gamma = 1 / 32, float(gamma_of(F(10), F(eta)))
    tail = mpmath.log(1 / gamma)
    other = mpmath.sqrt(tail / rho)
    fixed = (1 + eta) * ((other - 1) * rho + tail / other)
    grid = [1 + mpmath.mpf(1.002) ** place for place in range(0, 4000)]
    best = min(
        order * rho
        + fixed
        + mpmath.log(10) / (order - 1)
        + mpmath.log(1 - 1 / order)
        + mpmath.log(10**6 / order) / (order - 1)
        for order in grid
    )
    found = offer_of(f"best_of(gaussian(sigma=4), expected=10, eta={eta})", RENYI).value
    assert abs(float(found) - float(best)) < 1e-5


@pytest.mark.parametrize(
    "text",
    [
        "best_of(gaussian(sigma=4), expected=10)",
        "best_of_poisson(gaussian(sigma=4), expected=10)",
        "until_accepted(gaussian(sigma=2) + 3 * gaussian(sigma=9), stop=0.05)",
    ],
)
def test_the_profile_of_a_run_beats_its_divergences(text: str) -> None:
    found = account_epsilon(parts(text), DELTA)
    assert found.best.rule == PROFILE and found.lower == 0
    assert found.best.value < offer_of(text, RENYI).value
    assert check(derivation(found.best.theorem)).status == "checked"
    back = account_delta(parts(text), found.best.value).best
    assert back.rule == PROFILE and DELTA * F(9, 10) < back.value < DELTA * F(11, 10)


@pytest.mark.parametrize(
    "text",
    [
        "best_of(laplace(scale=1), expected=10) + gaussian(sigma=30)",
        "best_of(gaussian(sigma=4), expected=10) + 5 * gaussian(sigma=30) + laplace(epsilon=0.1)",
        "2 * best_of(zcdp(rho=0.01), expected=3) + zcdp(rho=0.1)",
        pytest.param(
            "best_of(poisson(q=0.01, gaussian(sigma=2)) + gaussian(sigma=20), expected=3)",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_repeated_mechanisms_add_up_with_others(text: str) -> None:
    together = account_epsilon(parts(text), DELTA)
    assert {RENYI, "basic composition"} <= {one.rule for one in together.found}
    once = [one for one in parts(text) if not one.repetition]
    lower = account_epsilon(once, DELTA).lower if once else F(0)
    assert 0 <= lower - together.lower < F(1, 2**150)
    assert not any(attains(one) for one in parts(text) if one.repetition)
    checked = [check(derivation(one.theorem)).status for one in together.found]
    assert set(checked) <= {"checked", "kernel only"} and "checked" in checked
    alone = account_epsilon([one for one in parts(text) if one.repetition], DELTA)
    assert alone.best.value < together.best.value or len(parts(text)) == 1


def test_runs_that_leak_have_their_profile() -> None:
    text = "best_of(gaussian(sigma=4) + pure(epsilon=1/10, delta=1e-9), expected=10)"
    found = account_epsilon(parts(text), DELTA).best
    assert found.rule == PROFILE
    assert found.value > offer_of("best_of(gaussian(sigma=4), expected=10)", PROFILE).value
    assert check(derivation(found.theorem)).status in ("checked", "kernel only")


def test_what_a_ledger_of_many_repeated_runs_costs_at_an_epsilon() -> None:
    text = "2 * best_of(gaussian(sigma=4), expected=10) + laplace(scale=9)"
    there = offer_of(text, RENYI)
    back = {one.rule: one.value for one in account_delta(parts(text), there.value).found}
    assert DELTA * F(99, 100) < back[RENYI] < DELTA * F(101, 100)


def test_claims_of_other_kinds_have_their_theorems() -> None:
    text = "best_of(gaussian(sigma=4), expected=10)"
    (zcdp, *_) = strongest(parts(text), ZCDP(F(1)))
    # ρ' at the best orders: ρ + (1 + η)(2·√(ρL) - ρ) + 2·√(ρ·ln E[K]), L = ln(1/γ).
    rho, tail = 1 / 32, float(mpmath.log(1 / mpmath.mpf(float(gamma_of(F(10), F(0))))))
    formula = 2 * (rho * tail) ** 0.5 + 2 * (rho * float(mpmath.log(10))) ** 0.5
    assert abs(float(zcdp.value) - formula) < 1e-6
    (renyi, *_) = strongest(parts(text), RenyiDP(F(20), F(1)))
    assert renyi.rule == RENYI and renyi.value < zcdp.value * 20
    assert strongest(parts(text), ApproxDP(F(1), DELTA))[0].rule == PROFILE


@pytest.mark.parametrize(
    "text",
    [
        "best_of(pure(epsilon=0), expected=10)",
        "best_of_poisson(gaussian(sigma=1, sensitivity=0), expected=1/1000)",
    ],
)
def test_what_tells_nothing_tells_nothing_when_repeated(text: str) -> None:
    assert account_epsilon(parts(text), DELTA).best.value == 0
