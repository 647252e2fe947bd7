"""Account: both ends hold the truth, and the lower one is claimed only where it is true."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from proofs.errors import ProofError
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.parts import Part
from proofs.search.account import Account, account_delta, account_epsilon
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from tests.proofs.closed_forms import (
    epsilon_at,
    gaussian_delta,
    mpf,
    responses_delta,
    zcdp_epsilon,
)

F = Fraction
OPTIMAL = "zCDP at the best order (Canonne, Kamath & Steinke)"


def parts_of(text: str) -> tuple[Part, ...]:
    return of_terms(parse(text), AddRemove())


def at(text: str, delta: str) -> Account:
    return account_epsilon(parts_of(text), F(delta))


def value_by(account: Account, rule: str) -> Fraction:
    (found,) = [offer.value for offer in account.found if offer.rule == rule]
    return found


def close(value: Fraction, reference: str, digits: int = 14) -> bool:
    """Whether a bound is no smaller than a reference, but for its last digit, and close to it."""
    with mpmath.workdps(30):
        wanted, slack = mpmath.mpf(reference), mpmath.mpf(10) ** -digits
        return bool(-slack * wanted <= mpf(value) - wanted <= slack * wanted)


@pytest.mark.parametrize(
    ("rho", "delta", "tail", "order", "gaussian"),
    [
        ("0.01", "1e-6", ".75338443776996769", ".6216926545596025", ".57505518577999729"),
        ("0.01", "1e-10", ".96970518243761624", ".86432118572417292", ".82354839086175706"),
        ("0.5", "1e-6", "5.756521769756932", "5.221534444530169", "4.886554117462212"),
        ("0.5", "1e-10", "7.2861404244151118", "6.8393294131208485", "6.547924066864951"),
        ("5", "1e-6", "21.622581362691099", "20.551948814041252", "19.423656474031051"),
        ("5", "1e-10", "26.459660262893472", "25.536334138512997", "24.569659039830499"),
    ],
)
def test_what_each_rule_makes_of_a_rho(
    rho: str, delta: str, tail: str, order: str, gaussian: str
) -> None:
    stated = at(f"zcdp(rho={rho})", delta)
    assert stated.best.rule == OPTIMAL and close(stated.best.value, order, 10)
    assert close(value_by(stated, "zCDP (Bun & Steinke)"), tail)
    assert stated.lower == 0
    noise = at(f"gaussian(sigma_squared={1 / (2 * F(rho))})", delta)
    assert close(noise.best.value, gaussian) and close(noise.lower, gaussian)
    with mpmath.workdps(40):
        assert mpf(stated.best.value) >= zcdp_epsilon(rho, delta)


@pytest.mark.parametrize(
    ("own", "count", "basic", "advanced", "tail"),
    [
        ("0.1", 10, "1", "1.7674290543447575", "1.7122581362691099"),
        ("0.1", 30, "3", "3.1946283015397916", "3.0291155473128487"),
        ("0.1", 100, "10", "6.3082309505134082", "5.756521769756932"),
        ("0.5", 20, "10", "18.24115270938528", "14.253940002383998"),
    ],
)
def test_the_older_rules_beside_the_tight_one(
    own: str, count: int, basic: str, advanced: str, tail: str
) -> None:
    account = at(f"{count} * randomized_response(epsilon={own})", "1e-6")
    optimal = value_by(account, "optimal composition, closed form")
    assert account.lower <= account.best.value <= optimal <= account.lower + F("1e-16")
    assert value_by(account, "basic composition") == F(basic)
    assert close(value_by(account, "advanced composition"), advanced)
    # The references are for rho = k·ε²/2; k·ε·tanh(ε/2) is less.
    with mpmath.workdps(30):
        assert mpf(value_by(account, "zCDP (Bun & Steinke)")) < mpmath.mpf(tail)
    values = [offer.value for offer in account.found]
    assert values == sorted(values)


@pytest.mark.parametrize(
    ("epsilon", "delta", "first"), [("0.01", "1e-8", 9), ("0.01", "1e-12", 17), ("1", "1e-8", 14)]
)
def test_where_gaussian_noise_begins_to_beat_laplace_noise(
    epsilon: str, delta: str, first: int
) -> None:
    # Laplace noise of deviation √2·k/ε on each of k answers has loss ε in all; Gaussian noise of
    # that deviation has μ² = k·ε²/(2k²).
    def gaussian(count: int) -> Fraction:
        squared = 2 * F(count) ** 2 / F(epsilon) ** 2
        return at(f"{count} * gaussian(sigma_squared={squared})", delta).best.value

    assert gaussian(first - 1) > F(epsilon) >= gaussian(first)


@pytest.mark.parametrize(
    "text",
    [
        "pure(epsilon=1)",
        "zcdp(rho=1)",
        "exponential(epsilon=1)",
        "renyi(order=8, epsilon=1)",
        "5 * poisson(q=0.1, laplace(epsilon=1))",
    ],
)
def test_what_is_known_by_a_guarantee_alone_has_no_lower_end(text: str) -> None:
    parts = parts_of(text)
    assert account_epsilon(parts, F("1e-6")).lower == 0
    assert account_delta(parts, F(4)).lower == 0


@pytest.mark.parametrize(
    ("text", "neighbours"),
    [
        ("4 * allocated(steps=40, times=2, gaussian(sigma=3))", AddRemove()),
        ("30 * fixed_size(sample=1, records=50, gaussian(sigma=1))", ReplaceOne()),
    ],
)
def test_where_a_pair_is_not_attained_the_ends_are_those_of_two(
    text: str, neighbours: Neighbours
) -> None:
    account = account_epsilon(of_terms(parse(text), neighbours), F("1e-6"))
    assert 0 < account.lower < account.best.value < 1.2 * account.lower
    assert account.recheckable is not None


def test_one_sample_of_a_fixed_size_has_ends_that_meet_and_are_checked_again() -> None:
    text = "fixed_size(sample=1, records=100, gaussian(sigma=1))"
    account = account_epsilon(of_terms(parse(text), ReplaceOne()), F("1e-6"))
    assert account.best is account.recheckable
    assert 0 <= account.best.value - account.lower < F("1e-9")


@pytest.mark.parametrize(
    "text",
    ["2 * laplace(epsilon=1)", "randomized_response(epsilon=2)", "discrete_laplace(scale=1/2)"],
)
def test_at_delta_zero_the_ends_meet(text: str) -> None:
    account = at(text, "0")
    assert account.lower == account.best.value == 2


def test_the_lower_end_is_below_the_truth_and_the_upper_is_not() -> None:
    with mpmath.workdps(40):
        account = at("64 * randomized_response(epsilon=0.2)", "1e-9")
        truth = epsilon_at(lambda e: responses_delta(64, "0.2", e), "1e-9")
        assert mpf(account.lower) <= truth <= mpf(account.best.value)
        assert account.best.value - account.lower < F("1e-15")
        account = at("10 * gaussian(sigma=3) + 5 * gaussian(sigma=7, sensitivity=2)", "1e-9")
        squared = F(10, 9) + F(20, 49)
        truth = epsilon_at(lambda e: gaussian_delta(squared, e), "1e-9")
        assert mpf(account.lower) <= truth <= mpf(account.best.value)


@pytest.mark.parametrize("delta", ["1", "-1e-9", "2"])
def test_a_delta_outside_its_range_is_refused(delta: str) -> None:
    with pytest.raises(ProofError, match="delta"):
        at("gaussian(sigma=1)", delta)


def test_gaussian_noise_has_no_epsilon_at_delta_zero() -> None:
    with pytest.raises(ProofError, match="delta"):
        at("gaussian(sigma=1) + laplace(epsilon=1)", "0")


@pytest.mark.parametrize(
    ("sigma", "epsilon", "delta"),
    [
        ("1", "0", ".38292492254802621"),
        ("1", "1", ".12693673750664395"),
        ("1", "5", "5.7937216919194941e-7"),
        ("2", "0.5", ".052440323287669662"),
        ("0.5", "4", ".084953318671071063"),
    ],
)
def test_the_delta_of_a_gaussian(sigma: str, epsilon: str, delta: str) -> None:
    account = account_delta(parts_of(f"gaussian(sigma={sigma})"), F(epsilon))
    assert close(account.best.value, delta) and close(account.lower, delta)
    assert account.best.rule == "Gaussian DP, closed form"


def test_the_delta_of_a_rho_is_the_inverse_of_its_epsilon() -> None:
    parts = parts_of("zcdp(rho=0.5)")
    epsilon = account_epsilon(parts, F("1e-6")).best.value
    account = account_delta(parts, epsilon)
    # Both ways say the same of ρ, but for the last digits.
    assert account.best.rule in (OPTIMAL, "Rényi DP at the best order")
    assert close(account.best.value, "1e-6", 6)


def test_the_delta_of_a_bounded_loss_ends_at_its_bound() -> None:
    parts = parts_of("3 * laplace(epsilon=1)")
    at_bound = account_delta(parts, F(3)).best
    assert at_bound.value == 0 and at_bound.rule == "basic composition"
    assert not at_bound.kernel_only
    assert account_delta(parts, F("2.9")).lower > 0


@pytest.mark.parametrize("text", ["zcdp(rho=1)", "gaussian(sigma=1)"])
def test_a_negative_epsilon_is_refused(text: str) -> None:
    with pytest.raises(ProofError, match="epsilon"):
        account_delta(parts_of(text), F(-1))


@pytest.mark.parametrize("text", ["gaussian(sigma=1)", "zcdp(rho=0.5)"])
def test_a_delta_too_small_to_be_stated_is_rounded_up(text: str) -> None:
    best = account_delta(parts_of(text), F(10**4)).best
    assert 0 < best.value < F(1, 10**900)


@pytest.mark.parametrize(
    "text",
    [
        "zcdp(rho=0.01) + poisson(q=0.01, gaussian(sigma=2))",
        "pure(epsilon=0.2, delta=1e-9) + zcdp(rho=0.01)",
        "pure(epsilon=0.2, delta=1e-9) + zcdp(rho=0.1) + best_of(gaussian(sigma=8), expected=5)",
        "poisson(q=0.01, gaussian(sigma=2)) + allocated(steps=50, gaussian(sigma=5))",
    ],
)
def test_a_mixed_ledger_has_the_delta_at_its_epsilon(text: str) -> None:
    """What only Rényi divergences add up has a δ at an ε as it has an ε at a δ."""
    epsilon = account_epsilon(parts_of(text), F("1e-6"))
    (renyi,) = [one for one in epsilon.found if one.rule.startswith("Rényi DP")][:1]
    found = account_delta(parts_of(text), renyi.value).best
    assert F("0.9e-6") < found.value < F("1.001e-6")
    assert not found.kernel_only


def test_no_delta_below_one_is_said_to_be_so() -> None:
    with pytest.raises(ProofError, match="delta"):
        account_delta(parts_of("zcdp(rho=100)"), F(0))


@pytest.mark.slow
def test_a_contours_epsilon_stands_rounded_up_where_the_checker_needs_room() -> None:
    variances = (200, 541, 1311, 2905, 4420, 6007, 8000)
    found = at(" + ".join(f"discrete_gaussian(sigma_squared={v})" for v in variances), "1e-10")
    other = found.recheckable
    assert found.best.kernel_only and other is not None
    assert "rounded up" in other.rule
    assert other.value <= found.best.value * F("1.0000003")


@pytest.mark.parametrize(
    "text", ["gaussian(sigma=3) + laplace(epsilon=0.3)", "poisson(q=0.1, gaussian(sigma=2))"]
)
def test_no_epsilon_is_rounded_up_that_the_checker_follows_or_never_can(text: str) -> None:
    assert not any("rounded up" in offer.rule for offer in at(text, "1e-6").found)


def test_the_lower_end_is_that_of_what_is_attained() -> None:
    """What else runs may tell nothing, or anything within its guarantee."""
    alone = account_epsilon(parts_of("3 * gaussian(sigma=5)"), F("1e-6"))
    repeated = "best_of(laplace(scale=9), gamma=0.5)"
    for more in ("zcdp(rho=0.1)", "renyi(order=8, epsilon=0.2)", repeated):
        mixed = account_epsilon(parts_of(f"3 * gaussian(sigma=5) + {more}"), F("1e-6"))
        assert 0 <= alone.lower - mixed.lower < F(1, 2**150) and mixed.lower > 0
        assert mixed.best.value > alone.best.value
    assert account_epsilon(parts_of("zcdp(rho=0.1)"), F("1e-6")).lower == 0


def test_rényi_divergences_of_one_order_add_up_at_it() -> None:
    """By Canonne, Kamath & Steinke 2020, Proposition 12."""
    found = account_epsilon(parts_of("renyi(order=8, epsilon=0.2) + gaussian(sigma=5)"), F("1e-6"))
    with mpmath.workdps(30):
        spread = mpmath.log(10**6) + 8 * mpmath.log(mpmath.mpf(7) / 8) - mpmath.log(7)
        truth = mpmath.mpf("0.2") + mpmath.mpf(8) / 50 + spread / 7
        assert 0 <= mpf(found.best.value) - truth < mpmath.mpf("1e-12")
    assert not found.best.kernel_only
    with pytest.raises(ProofError, match="renyi needs order above 1, found 1"):
        parts_of("renyi(order=1, epsilon=0.2)")
