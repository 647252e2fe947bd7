"""The prover: every offer is a theorem that says what was asked, and the checker agrees."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from proofs.checker import Result, check
from proofs.derivation import derivation
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.implication import implies
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.parts import Part, attains
from proofs.search import ways
from proofs.search.best import offers, settle, strongest
from proofs.search.ways import at_zero
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.proofs.closed_forms import mpf

F = Fraction
TEXTS = [
    "1000 * gaussian(sigma=30)",
    "100 * laplace(epsilon=0.1)",
    "100 * randomized_response(epsilon=0.1)",
    "3 * discrete_gaussian(sigma=4)",
    "2 * gaussian(sigma=3) + 2 * zcdp(rho=0.01)",
    "10 * exponential(epsilon=0.1) + randomized_response(epsilon=0.1)",
    "2 * pure(epsilon=0.1, delta=1e-9) + pure(epsilon=0.2)",
    "20 * poisson(q=0.1, pure(epsilon=0.5))",
]


def parts(text: str) -> tuple[Part, ...]:
    return of_terms(parse(text), AddRemove())


@pytest.mark.parametrize("text", TEXTS)
def test_every_offer_proves_its_value_and_says_what_the_checker_says(text: str) -> None:
    delta = F("1e-6")
    found = offers(parts(text), delta)
    assert [offer.value for offer in found] == sorted(offer.value for offer in found)
    for offer in found:
        assert implies(offer.theorem, ApproxDP(offer.value, delta), AddRemove())
        status = check(derivation(offer.theorem)).status
        assert status == ("kernel only" if offer.kernel_only else "checked")
        if offer.lower is not None and all(map(attains, parts(text))):
            assert offer.lower <= found[0].value


def test_some_numbers_are_the_kernels_alone() -> None:
    found = offers(parts("100 * laplace(epsilon=0.1)"), F("1e-6"))
    assert found[0].kernel_only and not found[1].kernel_only
    assert not any(offer.kernel_only for offer in offers(parts("gaussian(sigma=1)"), F("1e-6")))


def test_what_the_checker_rejects_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    def rejecting(data: object) -> Result:
        return Result("rejected", ("it does not follow",))

    monkeypatch.setattr(ways, "check", rejecting)
    with pytest.raises(ProofError):
        offers(parts("gaussian(sigma=1)"), F("1e-6"))


def test_of_equal_offers_the_checked_one_is_first() -> None:
    found = offers(parts("2 * laplace(epsilon=0.5)"), F(0))
    assert [offer.rule for offer in found] == ["sum of the largest losses", "basic composition"]
    assert {offer.value for offer in found} == {F(1)}


def test_a_search_that_fails_in_doubles_leaves_the_other_ways() -> None:
    found = offers(parts("gaussian(sigma=1e-200)"), F("1e-6"))
    assert found and all("zCDP" in o.rule or "composition" in o.rule for o in found)


CLAIMS: list[tuple[str, Guarantee, str]] = [
    ("1000 * gaussian(sigma=30)", ZCDP(F(1)), "5/9"),
    ("2 * laplace(epsilon=0.5)", RenyiDP(F(10**6), F(1)), "1"),
    ("4 * gaussian(sigma=2)", GaussianDP(F(1)), "1"),
    ("4 * gaussian(sigma=2)", RenyiDP(F(8), F(4)), "4"),
    ("10 * exponential(epsilon=1)", ZCDP(F(2)), "5/4"),
    ("3 * pure(epsilon=1)", ApproxDP(F(3)), "3"),
]


@pytest.mark.parametrize(("text", "claim", "value"), CLAIMS, ids=str)
def test_the_strongest_of_each_kind(text: str, claim: Guarantee, value: str) -> None:
    found = strongest(parts(text), claim)
    assert 0 <= F(value) - found[0].value <= F(value) / 10**5
    settled = settle(found, claim, AddRemove())
    assert settled is not None and implies(settled.theorem, claim, AddRemove())
    assert settle(found, claim, ReplaceOne()) is None


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("1000 * gaussian(sigma=30)", ZCDP(F("0.555"))),
        ("4 * gaussian(sigma=2)", GaussianDP(F("0.9999"))),
        ("4 * gaussian(sigma=2)", RenyiDP(F(8), F("3.9999"))),
        ("gaussian(sigma=1)", ApproxDP(F("4.88655"), F("1e-6"))),
        ("gaussian(sigma=1)", ApproxDP(F(10))),
        ("zcdp(rho=1)", GaussianDP(F(10))),
    ],
    ids=str,
)
def test_no_theorem_settles_what_is_false_or_unknown(text: str, claim: Guarantee) -> None:
    assert settle(strongest(parts(text), claim), claim, AddRemove()) is None


@pytest.mark.parametrize("count", [1, 10, 1000])
def test_the_mu_of_many_pure_mechanisms_grows_with_the_root_of_their_number(count: int) -> None:
    # One is the Gaussian of Φ(μ/2) = e^ε/(1 + e^ε); many add up in squares.
    found = strongest(parts(f"{count} * laplace(epsilon=0.1)"), GaussianDP(F(1)))
    with mpmath.workdps(30):
        truth = 1 / (1 + mpmath.exp(mpmath.mpf("-0.1")))
        one = 2 * mpmath.findroot(lambda x: mpmath.ncdf(x) - truth, 0.05)
        assert 0 <= mpf(found[0].value) - one * mpmath.sqrt(count) < mpmath.mpf("1e-8")


def test_the_rho_of_laplace_noise_is_that_of_its_pure_guarantee() -> None:
    found = strongest(parts("2 * laplace(epsilon=0.5)"), ZCDP(F(1)))
    with mpmath.workdps(30):
        expected = mpmath.tanh(mpmath.mpf("0.25"))
        assert 0 <= mpf(found[0].value) - expected < mpmath.mpf("1e-12")


@pytest.mark.slow
def test_the_smaller_guarantee_of_a_single_run_is_its_own() -> None:
    (found, *_) = offers(parts("pure(epsilon=1, delta=1e-3)"), F("1e-3"))
    assert found.value == 1
    with pytest.raises(ProofError):
        offers(parts("2 * pure(epsilon=1, delta=1e-3)"), F("1e-3"))


@pytest.mark.parametrize(
    ("text", "sum_of_deltas"),
    [
        ("7 * poisson(q=1e-9, gaussian(sigma=0.3))", "6.34e-9"),
        ("10 * poisson(q=0.01, gaussian(sigma=1e6))", "3.99e-8"),
        ("3 * gaussian(sigma=1e6) + randomized_response(epsilon=1e-7)", "1.25e-6"),
    ],
)
def test_noise_that_hides_nearly_all_has_an_epsilon_of_zero(text: str, sum_of_deltas: str) -> None:
    """``sum_of_deltas``: a little more than what the runs' δ at ε = 0 add up to."""
    parts = of_terms(parse(text), AddRemove())
    (best,) = offers(parts, F(sum_of_deltas))
    assert (best.value, best.lower, best.kernel_only) == (0, 0, False)
    assert at_zero(parts, F(sum_of_deltas) * F(99, 100)) is None
