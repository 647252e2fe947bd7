"""Claims of every kind against channels whose answers are known by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from audit.auditors.deciding import decide
from audit.statements.evidence import Decision
from proofs.guarantees import parse_guarantee
from tests.audit.channels.slow_measures import channel_of_rows, randomised_response

# Randomised response with odds 3 : 1, so ε = ln 3 = 1.0986…; Σ P²/Q = (9/16)/(1/4) +
# (1/16)/(3/4) = 9/4 + 1/12 = 7/3, so D_2 = ln(7/3) = 0.8473…;
# μ = 2 Φ⁻¹(3/4) = 1.3489…; ρ: the largest D_α/α lies between KL = (1/2) ln 3 = 0.5493…
# (at α = 1) and ε²/2 = 0.6034….
RESPONSE = channel_of_rows([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
DISCLOSING = channel_of_rows([[Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1, 2)]])


@pytest.mark.parametrize(
    ("claim", "decision"),
    [
        ("epsilon=1.0987", Decision.HOLDS),
        ("epsilon=1.0986", Decision.VIOLATED),
        ("epsilon=0, delta=0.5", Decision.HOLDS),
        ("epsilon=0, delta=0.4999", Decision.VIOLATED),
        ("alpha=2, rdp=0.8473", Decision.HOLDS),
        ("alpha=2, rdp=0.8472", Decision.VIOLATED),
        ("mu=1.349", Decision.HOLDS),
        ("mu=1.3489", Decision.VIOLATED),
        ("rho=0.6035", Decision.HOLDS),
        ("rho=0.5493", Decision.VIOLATED),
    ],
)
def test_claims_either_side_of_the_value(claim: str, decision: Decision) -> None:
    found = decide(RESPONSE, parse_guarantee(claim))
    assert found.decision is decision
    assert found.witness is not None
    low, high = found.epsilon.floats()
    if "delta" not in claim:
        assert low <= math.log(3) <= high
    name = {"alpha": "rdp", "mu": "mu", "rho": "rho"}.get(claim.split("=")[0])
    assert (found.parameter[0] if found.parameter else None) == name
    assert (name or "epsilon") in found.finding


def test_the_divergence_is_compared_as_an_equality() -> None:
    # Σ P²/Q = 7/3 exactly, while e^(rdp) is never rational but at 0.
    zero = channel_of_rows([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 3), Fraction(2, 3)]])
    for claim in ("alpha=2, rdp=0", "rho=0", "mu=0", "epsilon=0"):
        assert decide(zero, parse_guarantee(claim)).decision is Decision.HOLDS


def test_an_infinite_loss_violates_every_finite_claim() -> None:
    for claim in ("epsilon=100", "rho=100", "mu=100", "alpha=2, rdp=100"):
        found = decide(DISCLOSING, parse_guarantee(claim))
        assert found.decision is Decision.VIOLATED
        assert found.epsilon.lower == math.inf


def test_exponential_chances_are_decided_too() -> None:
    channel = randomised_response(Fraction(1))
    assert decide(channel, parse_guarantee("epsilon=1")).decision is Decision.HOLDS
    assert decide(channel, parse_guarantee("rho=0.5")).decision is Decision.HOLDS
    assert decide(channel, parse_guarantee("rho=0.4")).decision is Decision.VIOLATED


@pytest.mark.parametrize("claim", ["rho=0.01", "rho=0.55", "rho=0.59", "rho=5", "rho=100"])
def test_a_decision_leaves_no_wide_enclosure_behind(claim: str) -> None:
    found = decide(RESPONSE, parse_guarantee(claim))
    assert found.parameter is not None
    low, high = found.parameter[1].floats()
    assert 0.5493 < low <= high <= low * (1 + 1e-7) < 0.6035
