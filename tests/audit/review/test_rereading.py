"""Certificates read again: honest ones of every version are believed, and altered ones are not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.review.rereading import reread, reread_file
from audit.statements.certificate import Certificate
from audit.statements.evidence import Decision, Side
from synthesizers.errors import InputError
from tests.audit.report.samples import bound, certificate, claim, finding
from tests.audit.review.certificates import GOLDEN, change, plain, sign


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_a_true_certificate_of_any_version_is_believed(path: Path) -> None:
    found = reread_file(path)
    assert found.fault is None and found.name == path.name


def swap(verdict: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(verdict=verdict)


def lower_floor(document: dict[str, Any]) -> None:
    document["bounds"]["exact"]["epsilon"] = {"lower": "0.1", "upper": "0.1"}


def lower_claim(document: dict[str, Any]) -> None:
    document["claim"] = "epsilon=0.5"


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
