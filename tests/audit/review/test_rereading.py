"""Certificates read again: honest ones of every version are believed, and altered ones are not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.review.rereading import SHOWING, reread, reread_file, reread_text
from audit.statements.certificate import Certificate
from audit.statements.evidence import Decision, Side
from synthesizers.errors import InputError
from tests.audit.report.samples import bound, certificate, claim, finding
from tests.audit.review.attestations.made_attestations import certify
from tests.audit.review.certificates import GOLDEN, change, plain, sign

PROVED = certify()
APART = "before-isolation-module.json"
"""It is about a program of others, and does not say what kept it apart."""


@pytest.mark.parametrize(
    "path",
    sorted(path for path in GOLDEN.glob("*.json") if path.name != APART),
    ids=lambda path: path.stem,
)
def test_a_true_certificate_of_any_version_is_believed(path: Path) -> None:
    found = reread_file(path)
    assert found.fault is None and found.name == path.name
    assert found.certificate.verdict is found.document.verdict
    assert found.is_shown is (found.document.verdict in SHOWING)


def test_a_program_of_others_that_nothing_kept_apart_is_not_believed() -> None:
    found = reread_file(GOLDEN / APART)
    assert found.fault is not None and not found.is_shown
    assert "no isolation of the program, so that its evidence entails UNDECIDED" in found.fault
    with pytest.raises(InputError, match=f"^{APART} is not shown: it states no isolation"):
        found.require_believed("is not shown")


def test_what_is_shown_says_how_it_is_made_again() -> None:
    one = reread_text("cert.json", PROVED.json_text())
    assert one.is_shown and one.is_rechecked and one.certificate.verdict.value == "PROVED"
    assert one.document.digest == PROVED.to_json()["digest"]
    assert one.command.startswith("dp-audit certify geometric-sanitizer ")


def test_another_command_is_never_repeated() -> None:
    document = sign({**json.loads(PROVED.json_text()), "reproduce": "rm -r /"})
    assert reread("a", document).command == ""


def swap(verdict: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(verdict=verdict)


def lower_floor(document: dict[str, Any]) -> None:
    document["bounds"]["exact"]["epsilon"] = {"lower": "0.1", "upper": "0.1"}


def lower_claim(document: dict[str, Any]) -> None:
    document["claim"] = "epsilon=0.5"


def lower_proof(document: dict[str, Any]) -> None:
    """Less noise than the claim needs, in every step."""
    text = json.dumps(document).replace('"amount": "1"', '"amount": "1/2"')
    document.update(json.loads(text))


def drop_proof(document: dict[str, Any]) -> None:
    document["proof"] = None


def drop_hypotheses(document: dict[str, Any]) -> None:
    document["proof"]["derivation"]["hypotheses"] = []


@pytest.mark.parametrize(
    ("name", "alter", "said"),
    [
        ("exact", swap("PROVED"), "verdict does not follow"),
        ("refuted", swap("NOT REFUTED"), "entails REFUTED"),
        ("exact", lower_floor, "bounds.exact does not follow"),
        ("exact", lower_claim, "by exhaustive contradicts its decision, 'holds'"),
        ("all-code-module", drop_hypotheses, "the independent checker rejects its proof"),
    ],
)
def test_what_contradicts_itself_is_not_believed(
    name: str, alter: Callable[[dict[str, Any]], None], said: str
) -> None:
    fault = reread("a", change(name, alter)).fault
    assert fault is not None and said in fault


@pytest.mark.parametrize(
    ("alter", "says"),
    [
        (swap("EXACT"), "the stated evidence entails PROVED"),
        (lower_claim, "the independent checker rejects its proof|contradicts its decision"),
        (lower_proof, "the independent checker rejects its proof"),
        (drop_proof, "the stated evidence entails EXACT"),
    ],
)
def test_what_is_altered_is_not_believed_even_with_a_digest_of_its_own(
    alter: Callable[[dict[str, Any]], None], says: str
) -> None:
    document = json.loads(PROVED.json_text())
    alter(document)
    for altered, why in ((document, "its text was changed"), (sign(document), says)):
        try:
            fault = reread("a", altered).fault
        except InputError as error:
            fault = str(error)
        assert fault is not None and re.search(f"{why}|dp-audit does not write it so", fault)


def test_a_violation_below_the_claim_is_not_believed() -> None:
    small = finding(Decision.VIOLATED, bound(Side.EXACT, Fraction(1), Fraction(1)))
    fault = reread("a", certificate(claim("epsilon=2"), small).to_json()).fault
    assert fault is not None and "contradicts its decision, 'violated'" in fault


def test_an_altered_text_is_not_believed() -> None:
    document = plain("exact")
    document["assumptions"] = ["None."]
    assert reread("a", document).fault == "its text was changed after it was written"
    assert reread("a", sign(document)).fault is None


def test_another_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"schema": "dp-audit/ledger/1"}')
    with pytest.raises(InputError, match="no certificate that this version reads"):
        reread_file(tmp_path / "a.json")


def test_the_certificate_is_that_of_the_evidence() -> None:
    document = change("exact", swap("PROVED"))
    found = reread("a", document)
    assert isinstance(found.certificate, Certificate)
    assert found.certificate.verdict.value == "EXACT" and found.document.verdict.value == "PROVED"
