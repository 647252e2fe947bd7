"""The first screen of a certificate: it answers three questions, for every verdict."""

from __future__ import annotations

import re

import pytest

from audit.report.certificate.answers import answers_of
from audit.report.page import CertificateSection
from audit.statements.certificate import OWN_WORD
from audit.statements.evidence import Verdict
from tests.audit.report import samples
from tests.audit.report.pages import checked, page_of

CERTIFICATES = samples.certificates()


def steps(name: str) -> str:
    return " ".join(f"{step.text} {step.command}" for step in answers_of(CERTIFICATES[name]).steps)


@pytest.mark.parametrize("name", CERTIFICATES)
def test_the_three_answers_come_first_and_the_rest_is_folded(name: str) -> None:
    document = page_of(CertificateSection("It", CERTIFICATES[name]))
    text, answers = checked(document), answers_of(CERTIFICATES[name])
    assert answers.known and answers.steps
    assert re.findall(r"<h3>(.*?)</h3>", document)[:3] == [
        "What is known",
        "What is not known",
        "What to do next",
    ]
    open_part = document.split("<body>")[1].split('<details class="fold">')[0]
    assert "Megabytes" not in open_part and "<dl" not in open_part.split("Witness")[0]
    for words in ("The claim and the subject", "Bounds", "Evidence", "What this rests on"):
        assert f"<summary><strong>{words}</strong>" in document
    if answers.certainty is not None:
        assert answers.certainty.rise in text


def test_only_the_witness_of_a_violation_is_unfolded() -> None:
    refuted = page_of(CertificateSection("It", CERTIFICATES["refuted"]))
    exact = page_of(CertificateSection("It", CERTIFICATES["exact"]))
    assert refuted.index("odds, A against B") < refuted.index('<details class="fold">')
    assert exact.index("odds, A against B") > exact.index('<details class="fold">')


def test_every_verdict_says_what_to_do() -> None:
    said = {CERTIFICATES[name].verdict: steps(name) for name in CERTIFICATES}
    assert "dp-audit verify CERT.json" in said[Verdict.EXACT]
    assert "python -m proofs.checker CERT.json" in said[Verdict.PROVED]
    assert "Do not release" in said[Verdict.REFUTED]
    assert "--runs" in said[Verdict.NOT_REFUTED]
    assert "Evidence" in steps("left open") and "--runs 1500" in steps("attack few")
    assert "what two runs share" in said[Verdict.INVALID_RUN]
    assert "maintain dp-audit" in said[Verdict.CONTRADICTION]
    assert set(said) == set(Verdict)


def test_the_code_of_others_is_looked_for_in_a_folder() -> None:
    for name, certificate in CERTIFICATES.items():
        for step in answers_of(certificate).steps:
            if step.command.startswith(("dp-audit verify", "dp-audit replay")):
                named = certificate.subject.get("kind") not in OWN_WORD
                assert ("--folder FOLDER" in step.command) == named, name
                assert ("FOLDER is the one" in step.text) == named, name


def test_what_is_only_claimed_is_not_said_to_be_known() -> None:
    answers = answers_of(CERTIFICATES["attack few"])
    assert answers.certainty is None
    assert answers.unknown.startswith("The claim limits what an attacker who knows everything but")
    assert "Whether it is kept is not shown." in answers.unknown
    assert "50 % → at most 73.2 %" in answers.unknown


@pytest.mark.parametrize("name", CERTIFICATES)
def test_what_is_not_known_says_more_than_who_made_the_program(name: str) -> None:
    """A refutation of a program of our own rests on nothing, and yet it leaves something open."""
    certificate = CERTIFICATES[name]
    unknown = answers_of(certificate).unknown
    assert unknown != "The program is one of dp-audit's own."
    if certificate.verdict is Verdict.REFUTED:
        assert unknown.startswith("Whether a weaker claim holds is another question")
