"""From expressions to theorems: what each name stands for, and what it rests on."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from proofs.errors import ProofError
from proofs.judgments import Private
from proofs.ledger.events import of_events
from proofs.ledger.expressions import parse
from proofs.ledger.terms import MAX_DIFFERENT, of_terms
from proofs.losses import (
    AllocationLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    SampledGaussianLoss,
)
from proofs.parts import Part, attained_losses, attains
from proofs.profiles.entry_moments import concentration, largest, leak, pairs, total
from synthesizers.errors import TooLargeError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.proofs.closed_forms import mpf

F = Fraction
SHAPE = {"sex": 2, "age": 3}
MARGINAL = {"kind": "marginal", "attributes": ["sex"]}


def one(text: str, neighbours: Neighbours | None = None) -> Part:
    (found,) = of_terms(parse(text), neighbours or AddRemove())
    return found


def pure(found: Part) -> Fraction:
    assert all(leak(entry) == 0 for _, entry in found.entries)
    return sum((count * largest(entry) for count, entry in found.entries), F(0))


def rho(found: Part) -> Fraction:
    return total((count, concentration(entry, 128)) for count, entry in found.entries).upper


def losses(found: Part) -> object:
    return pairs(found.entries)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(sigma=2)",
        "gaussian(sigma_squared=4)",
        "gaussian(mu=0.5)",
        "gaussian(sigma=6, sensitivity=3)",
        "gaussian(mu=0.5, sensitivity=7)",
    ],
)
def test_a_gaussian_by_any_of_its_parameters(text: str) -> None:
    assert losses(one(text)) == ((1, GaussianLoss(F(1, 4))),)


@pytest.mark.parametrize(
    "text",
    ["laplace(epsilon=0.1)", "laplace(scale=10)", "laplace(scale=30, sensitivity=3)"],
)
def test_laplace_noise_by_any_of_its_parameters(text: str) -> None:
    found = one(text)
    assert pure(found) == F(1, 10)
    assert losses(found) == ((1, LaplaceLoss(F(1, 10))),)


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("discrete_laplace(scale=5, sensitivity=2)", "2/5"),
        ("randomized_response(epsilon=0.3)", "0.3"),
        ("exponential(epsilon=0.3)", "0.3"),
        ("pure(epsilon=0.3)", "0.3"),
    ],
)
def test_pure_guarantees(text: str, epsilon: str) -> None:
    assert pure(one(text)) == F(epsilon)


def test_the_exponential_mechanism_has_a_quarter_of_the_usual_rho() -> None:
    assert rho(one("exponential(epsilon=1)")) == F(1, 8)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "7"])
def test_the_rho_of_a_pure_guarantee_is_the_least(epsilon: str) -> None:
    with mpmath.workdps(40):
        e, found = mpf(epsilon), mpf(rho(one(f"pure(epsilon={epsilon})")))
        assert 0 <= found - e * mpmath.tanh(e / 2) < mpmath.mpf("1e-15") * found


def test_equal_terms_are_one_component() -> None:
    found = of_terms(parse("2 * laplace(epsilon=0.1) + 3 * laplace(epsilon=1/10)"), AddRemove())
    assert [(part.count, part.name) for part in found] == [(5, "laplace(epsilon=0.1)")]


def test_no_more_mechanisms_are_added_up_than_can_be() -> None:
    terms = parse(" + ".join(f"pure(epsilon={n})" for n in range(MAX_DIFFERENT + 1)))
    with pytest.raises(TooLargeError, match=str(MAX_DIFFERENT)):
        of_terms(terms, AddRemove())


@pytest.mark.parametrize(
    "text",
    [
        "laplace(epsilon=0)",
        "laplace(epsilon=1, sensitivity=0)",
        "laplace(scale=1, sensitivity=0)",
        "gaussian(mu=1, sensitivity=0)",
        "exponential(epsilon=0)",
        "pure(epsilon=0)",
        "poisson(q=0.5, laplace(epsilon=0))",
    ],
)
def test_what_tells_nothing_costs_nothing(text: str) -> None:
    assert pure(one(text)) == 0


def test_a_gaussian_of_a_fixed_answer_has_no_losses() -> None:
    assert losses(one("gaussian(sigma=1, sensitivity=0)")) == ()
    assert pure(one("poisson(q=0.5, gaussian(sigma=1, sensitivity=0))")) == 0


def test_a_poisson_sample_of_everything_is_the_mechanism() -> None:
    assert losses(one("poisson(q=1, gaussian(sigma=2))")) == losses(one("gaussian(sigma=2)"))


def test_a_gaussian_on_a_poisson_sample() -> None:
    expected = ((1, SampledGaussianLoss(F(1, 100), F(1, 4))),)
    for inner in ("gaussian(sigma=2)", "gaussian(mu=0.5)", "gaussian(sigma=4, sensitivity=2)"):
        assert losses(one(f"poisson(q=0.01, {inner})")) == expected


@pytest.mark.parametrize("inner", ["laplace(epsilon=1)", "pure(epsilon=1, delta=0.001)"])
def test_a_poisson_sample_amplifies(inner: str) -> None:
    ((count, entry),) = one(f"poisson(q=0.1, {inner})").entries
    assert count == 1
    with mpmath.workdps(40):
        expected = mpmath.log1p(mpf("0.1") * mpmath.expm1(1))
        assert 0 <= mpf(largest(entry)) - expected < mpmath.mpf("1e-18")
    assert leak(entry) == (F(1, 10000) if "delta" in inner else 0)


@pytest.mark.parametrize(
    ("text", "neighbours"),
    [
        ("poisson(q=0.1, gaussian(sigma=1))", ReplaceOne()),
        ("allocated(steps=9, gaussian(sigma=1))", ReplaceOne()),
        ("allocated(steps=9, times=10, gaussian(sigma=1))", AddRemove()),
        ("allocated(steps=9, laplace(epsilon=1))", AddRemove()),
        ("fixed_size(sample=1, records=9, gaussian(sigma=1))", AddRemove()),
        ("fixed_size(sample=10, records=9, gaussian(sigma=1))", ReplaceOne()),
        ("poisson(q=0.1, laplace(epsilon=1))", ReplaceOne()),
        ("poisson(q=0.1, gaussian(sigma=1))", AddRemove(Unit("person", 2))),
        ("poisson(q=0.1, zcdp(rho=1))", AddRemove()),
        ("poisson(q=0.1, discrete_gaussian(sigma=1))", AddRemove()),
        ("discrete_laplace(scale=1, sensitivity=1/2)", AddRemove()),
        ("discrete_gaussian(sigma=1, sensitivity=1/2)", AddRemove()),
    ],
)
def test_what_no_rule_covers_is_refused(text: str, neighbours: Neighbours) -> None:
    with pytest.raises(ProofError):
        of_terms(parse(text), neighbours)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("gaussian(sigma=2)", True),
        ("laplace(epsilon=1)", True),
        ("discrete_laplace(epsilon=1)", True),
        ("discrete_gaussian(sigma=2)", True),
        ("randomized_response(epsilon=1)", True),
        ("poisson(q=0.1, gaussian(sigma=2))", True),
        ("allocated(steps=9, gaussian(sigma=2))", True),
        ("allocated(steps=9, times=2, gaussian(sigma=2))", False),
        ("exponential(epsilon=1)", False),
        ("pure(epsilon=1)", False),
        ("pure(epsilon=1, delta=0.1)", False),
        ("zcdp(rho=1)", False),
        ("poisson(q=0.1, laplace(epsilon=1))", False),
    ],
)
def test_which_mechanisms_attain_their_pairs(text: str, own: bool) -> None:
    assert attains(one(text)) is own


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne(Unit("person", 3))])
def test_an_expression_rests_on_its_sensitivity_and_an_event_does_not(
    neighbours: Neighbours,
) -> None:
    event = {
        "event": "measure",
        "query": MARGINAL,
        "noise": {"law": "discrete-laplace", "scale": "2"},
    }
    (asked,) = of_events([event], SHAPE, neighbours)
    for found, stated in ((one("laplace(scale=2)", neighbours), True), (asked, False)):
        assert ("stated-sensitivity" in found.theorem.hypotheses) is stated
        assert isinstance(found.theorem.judgment, Private)
        assert found.theorem.judgment.neighbours == neighbours


def test_equal_events_are_counted_whatever_their_stated_costs() -> None:
    noise = {"law": "discrete-laplace", "scale": "2"}
    event = {"event": "measure", "query": MARGINAL, "noise": noise}
    found = of_events([event, {**event, "cost": {"epsilon": "7"}}], SHAPE, AddRemove())
    assert [part.count for part in found] == [2]
    assert found[0].name == 'discrete-laplace(scale=2) on ["sex"]'
    assert pure(found[0]) == F(1, 2)


def test_a_law_without_a_finite_guarantee_has_no_theorem() -> None:
    with pytest.raises(ProofError, match="bootstrap"):
        of_events([{"event": "sanitize", "law": {"law": "bootstrap"}}], SHAPE, ReplaceOne())


def test_a_gaussian_in_some_of_several_steps() -> None:
    found = losses(one("allocated(steps=9, gaussian(sigma=2, sensitivity=3))"))
    assert found == ((1, AllocationLoss(9, F(9, 4))),)
    assert losses(one("allocated(steps=2, times=2, gaussian(sigma=2))")) == (
        (1, GaussianLoss(F(1, 2))),
    )
    several = attained_losses(one("allocated(steps=9, times=2, gaussian(sigma=2))"))
    assert several == ((1, GaussianLoss(F(1, 9))),)


def test_a_gaussian_on_a_sample_of_a_fixed_size() -> None:
    text = "fixed_size(sample=2, records=8, gaussian(sigma=2))"
    found = of_terms(parse(text), ReplaceOne())[0]
    assert losses(found) == ((1, FixedSizeLoss(F(1, 4), F(1, 4))),)
    assert not attains(found) and attained_losses(found) == (
        (1, SampledGaussianLoss(F(1, 4), F(1, 4))),
    )
    everyone = of_terms(parse(text.replace("8", "2")), ReplaceOne())[0]
    assert losses(everyone) == ((1, GaussianLoss(F(1, 4))),)
    assert pure(one("allocated(steps=9, gaussian(sigma=2, sensitivity=0))")) == 0
