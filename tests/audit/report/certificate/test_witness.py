"""What a witness is judged by, in the language of each claim."""

from __future__ import annotations

import re
from fractions import Fraction

import mpmath
import pytest

from audit.report.certificate.witness import story
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision, Witness
from proofs.guarantees import parse_guarantee
from tests.audit.report import samples

pytestmark = pytest.mark.smoke

F = Fraction


def judgement(claim: str, first: Fraction, second: Fraction) -> str:
    witness = Witness((1, 0), (0, 1), ((1,),), (Enclosure(first, first), Enclosure(second, second)))
    return story(witness, samples.CLINIC, parse_guarantee(claim), Decision.VIOLATED).judgement


@pytest.mark.parametrize("threshold", [-6.0, -1.0, 0.25, 2.0])
@pytest.mark.parametrize("mu", ["0.1", "1", "3.5"])
def test_mu_allows_what_a_draw_of_two_normal_laws_shows(threshold: float, mu: str) -> None:
    # Seeing more than a threshold has these chances under N(μ, 1) and N(0, 1), by symmetry.
    second, most = (mpmath.ncdf(shift - threshold) for shift in (0, mpmath.mpf(mu)))
    text = judgement(f"mu={mu}", F(1, 2), F(float(second)))
    assert f"whose means lie μ = {mu} apart" in text
    found = re.search(
        r"chance under A to be at most (?:≈ )?(\S+)\. What was found goes beyond", text
    )
    assert found is not None
    assert float(found[1]) == pytest.approx(float(most), rel=1e-6)


@pytest.mark.parametrize(
    ("mu", "second", "most"),
    [("1", F(0), "0"), ("1", F(1), "1"), ("1" + "0" * 400, F(1, 2), "1"), ("0", F(1, 4), "0.25")],
)
def test_mu_at_its_ends(mu: str, second: Fraction, most: str) -> None:
    assert f"chance under A to be at most {most}. What" in judgement(f"mu={mu}", F(1), second)


def test_mu_with_chances_below_the_doubles() -> None:
    text = judgement("mu=1", F(1, 2), F(1, 10**400))
    found = re.search(r"at most ≈ (\S+)\. What", text)
    assert found is not None and 0 < float(found[1]) < 1e-290


@pytest.mark.parametrize(
    ("claim", "limit"),
    [
        ("rho=0.1", "ρ = 0.1, allows the Rényi divergence of every order α of A from B to be at"),
        ("alpha=2, rdp=1", "α = 2, ε(α) = 1, allows the Rényi divergence of that order of A from"),
    ],
)
def test_divergences_are_sums_over_all_outputs(claim: str, limit: str) -> None:
    text = judgement(claim, F(3, 4), F(1, 4))
    assert limit in text and "a sum over all outputs, to which what is shown here adds" in text
    assert text.endswith("goes beyond this: the claim is violated.")
    # No sum: where B cannot show an output that A can, every divergence is infinite.
    sure = judgement(claim, F(3, 4), F(0))
    assert limit in sure and "what is shown here alone makes it infinite" in sure
    assert "a sum over" not in sure


def test_epsilon_allows_a_factor() -> None:
    text = judgement("epsilon=2, delta=1/4", F(3, 4), F(1, 4))
    assert "at most e^2 ≈ 7.389 times the chance under B, plus δ = 0.25." in text


def test_every_decision_is_told_in_words_of_its_own() -> None:
    chance = Enclosure(F(1, 2), F(1, 2))
    witness = Witness((1, 0), (0, 1), ((1,),), (chance, chance))
    claim = parse_guarantee("epsilon=1")
    told = {d: story(witness, samples.CLINIC, claim, d).judgement for d in Decision}
    assert len(set(told.values())) == len(Decision)
    assert told[Decision.OPEN].endswith("What was found does not reach this.")
