"""What an attacker can be sure of, beside the chances of mechanisms that attain it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from audit.report.attestation.guessing import most_right
from audit.report.certificate.attacker import (
    certain_by,
    certified_guarantee,
    limit_by,
    promised_by,
    surest,
)
from audit.statements.evidence import Decision, Side
from proofs.guarantees import parse_guarantee
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from tests.audit.report import samples

F = Fraction
CERTIFICATES = samples.certificates()


def rise(text: str) -> str:
    return limit_by(parse_guarantee(text), ReplaceOne()).rise


def test_pure_privacy_limits_every_release() -> None:
    """Randomized response with ε attains e^ε/(1 + e^ε): 0.731058… for ε = 1."""
    assert rise("epsilon=1") == "50 % → at most 73.2 %"
    assert rise("epsilon=0") == "50 % → at most 50 %"
    assert rise("epsilon=100000") == "50 % → at most 100 %"
    limit = limit_by(parse_guarantee("epsilon=1"), AddRemove())
    assert "whether that record is there" in limit.note and "every possible release" in limit.note
    person = limit_by(parse_guarantee("epsilon=1"), AddRemove(Unit("person", 3)))
    assert "everything but one person can" in person.question


@pytest.mark.parametrize(
    ("text", "least"),
    [
        # (ε, δ): the mechanism that attains it tells all with δ, and otherwise answers at random.
        ("epsilon=1, delta=0.1", (math.e + F("0.1")) / (1 + math.e)),
        # N(0, 1) against N(μ, 1): Φ(μ/2).
        ("mu=1", 0.5 * (1 + math.erf(0.5 / math.sqrt(2)))),
        # The same two are ρ = μ²/2, and at order α, ε(α) = α μ²/2.
        ("rho=0.5", 0.5 * (1 + math.erf(0.5 / math.sqrt(2)))),
        ("alpha=2, rdp=1", 0.5 * (1 + math.erf(0.5 / math.sqrt(2)))),
    ],
)
def test_other_languages_limit_the_average_guess_and_say_so(text: str, least: float) -> None:
    guarantee = parse_guarantee(text)
    assert float(most_right(guarantee)) >= least - 1e-12
    limit = limit_by(guarantee, ReplaceOne())
    assert limit.question.endswith("guesses that one right") and "average" in limit.note
    shown = float(limit.rise.removeprefix("50 % → at most ").removesuffix(" %")) / 100
    assert least - 1e-12 <= shown < 1


def test_a_belief_grows_by_the_odds() -> None:
    assert surest(F(0), F(1, 1000)) == F(1, 1000)
    exact = math.e / (math.e + 999)
    assert exact <= float(surest(F(1), F(1, 1000))) <= exact * (1 + 1e-9)


def test_a_certificate_speaks_by_the_least_that_it_shows_of_the_whole_claim() -> None:
    proved = CERTIFICATES["proved"]
    assert certified_guarantee(proved) == parse_guarantee("epsilon=1.7")
    certainty = certain_by(proved)
    assert certainty is not None and str(certainty).endswith(
        "can be sure of: 50 % → at most 84.6 %."
    )
    theorem = replace(proved, evidence=proved.evidence[1:])
    assert certified_guarantee(theorem) == parse_guarantee("epsilon=1.9")
    part = replace(proved.evidence[0], whole=False)
    assert certified_guarantee(replace(proved, evidence=(part,))) == parse_guarantee("epsilon=2")


def test_a_refutation_speaks_by_what_violates_the_claim() -> None:
    certainty = certain_by(CERTIFICATES["refuted"])
    assert certainty is not None and certainty.rise == "50 % → 100 %"
    certainty = certain_by(CERTIFICATES["attack refuted"])
    assert certainty is not None and certainty.rise == "50 % → at least 97.3 %"
    assert (
        certainty.note == "The claim allows at most 73.2 %. The finding has a confidence of 95 %."
    )
    # Its witness alone: 3/10 against 1/10.
    certainty = certain_by(CERTIFICATES["gaussian"])
    assert certainty is not None and certainty.rise == "50 % → at least 75 %"
    certainty = certain_by(CERTIFICATES["infinite floor"])
    assert certainty is not None and certainty.rise == "50 % → up to 100 %"
    harmless = replace(
        samples.finding(Decision.VIOLATED, samples.bound(Side.CEILING, F(9), F(9))), witness=None
    )
    assert certain_by(samples.certificate(samples.claim(), harmless)) is None


@pytest.mark.parametrize(
    "name", ["attack unseen", "attack few", "attack invalid", "contradiction", "left open"]
)
def test_what_shows_nothing_says_nothing(name: str) -> None:
    assert certain_by(CERTIFICATES[name]) is None
    assert promised_by(CERTIFICATES[name]).rise.startswith("50 % → at most ")
