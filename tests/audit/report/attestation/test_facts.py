"""What is said of a field, and how it is known."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from audit.report.attestation.facts import (
    escape,
    find_facts,
    name_variant,
    round_up,
    spell_parameters,
)
from audit.statements.evidence import Verdict
from proofs.guarantees import parse_guarantee
from synthesizers.errors import InputError
from tests.audit.report.samples import HOSTILE, certificates
from tests.audit.review.attestations.made_attestations import attest

ALL = sorted(certificates())


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_shown_unless_it_is(name: str) -> None:
    certificate = certificates()[name]
    facts = list(find_facts(attest(certificate)))
    shown = {fact.field[-1] for fact in facts if fact.mark == "shown"}
    if certificate.verdict not in (Verdict.PROVED, Verdict.EXACT):
        assert not shown
        return
    assert {"variant_name", "privacy_unit", "privacy_unit_details", "data_domain"} <= shown
    # That something is public, central, or drawn by its law is nowhere shown.
    assert not shown & {"unprotected_quantities", "model_name", "access_type", "post_processing"}


def test_what_is_not_refuted_says_so_beside_its_parameters() -> None:
    for name in ALL:
        certificate = certificates()[name]
        facts = list(find_facts(attest(certificate)))
        (details,) = (f.text for f in facts if f.field[-1] == "privacy_parameters_details")
        refuted = certificate.verdict is Verdict.NOT_REFUTED
        assert str(details).startswith("NOT SHOWN") == refuted, name


@pytest.mark.parametrize(
    ("claim", "variant", "parameters"),
    [
        ("epsilon=1/10", "Pure DP", {"epsilon": 0.1}),
        ("epsilon=2, delta=1e-6", "Approximate DP", {"epsilon": 2.0, "delta": 1e-6}),
        ("rho=1/2", "Zero-concentrated DP", {"rho": 0.5}),
        ("alpha=8, rdp=2", "Renyi DP", {}),
        ("mu=1", "Custom", {}),
    ],
)
def test_a_claim_has_the_variant_and_the_parameters_of_its_kind(
    claim: str, variant: str, parameters: dict[str, float]
) -> None:
    assert name_variant(parse_guarantee(claim)) == variant
    assert spell_parameters(parse_guarantee(claim)) == parameters


@pytest.mark.parametrize("value", ["1/3", "2/3", "1/10", "7", "1e-320", "1e-400", "123456789/7"])
def test_a_number_is_not_below_what_is_claimed(value: str) -> None:
    exact = Fraction(value)
    found = round_up(exact)
    assert Fraction(repr(found)) >= exact
    assert float(exact) <= found <= math.nextafter(math.nextafter(float(exact), 9e99), 9e99)


def test_a_number_beyond_the_doubles_is_refused() -> None:
    with pytest.raises(InputError, match="beyond the numbers of a registry entry"):
        round_up(Fraction(10**400))


def test_text_of_strangers_is_no_markup() -> None:
    assert escape("<b>*a*_b_`c`$x$[d](e)&lt;") == (r"\<b\>\*a\*\_b\_\`c\`\$x\$\[d\](e)\&lt;")
    for fact in find_facts(attest(certificates()["hostile"])):
        text = str(fact.text)
        assert "<script>" not in text and "\x1b" not in text and "\u202e" not in text
        assert HOSTILE not in text


def test_a_ledger_is_stated_and_nothing_of_it_is_shown() -> None:
    ledger = {
        "budget": {"epsilon": "1"},
        "spent": {"epsilon": "1", "rho": None},
        "events": [
            {"event": "measure", "noise": {"law": "discrete-laplace"}},
            {"event": "draw"},
        ],
    }
    made = attest(certificates()["proved"])
    before, after = list(find_facts(made)), list(find_facts(replace(made, ledger=ledger)))
    added = [fact for fact in after if fact not in before]
    assert [fact.mark for fact in added] == ["stated", "stated"]
    asked = "By its ledger the release asked 1 question (budget: epsilon = 1; spent: epsilon = 1)."
    assert added[0].text == asked and "discrete-laplace" in str(added[1].text)
