"""The question at fault of a refutation: the one that spends more than it should."""

from __future__ import annotations

import inspect
import json
import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.certify import Effort, certify
from audit.report.certificate.view import certificate_view
from audit.statements.certificate import Certificate
from audit.statements.certificate_json import decode
from audit.statements.checks import Status
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Spending, Verdict
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from audit.verify import verify
from proofs.guarantees import parse_guarantee
from synthesizers.curator import Curator
from synthesizers.domain import Domain
from synthesizers.laws.public_laws import UniformChoice
from synthesizers.laws.subsample import Subsample
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import Marginal, Sensitivity, Total
from tests.audit.test_verify import made

F = Fraction


def three_questions(curator: Curator) -> list[int]:
    """Of ε 1/2, 1/4 for each unit of sensitivity, and a public draw between."""
    curator.measure(Total(), DiscreteLaplace(F(2)), low=0, high=2)
    curator.draw(UniformChoice(2))
    curator.measure(Marginal(("cell",)), DiscreteLaplace(F(4)), low=0, high=2)
    return list(curator.measure(Marginal(("cell",)), DiscreteLaplace(F(8)), low=0, high=2))


def gaussian(curator: Curator) -> list[int]:
    return list(curator.measure(Marginal(("cell",)), DiscreteGaussian(F(1)), low=0, high=2))


def subsampled(curator: Curator) -> list[int]:
    return list(curator.sanitize(Subsample(F(1, 2))))


def refuted(program: Any, claim: str, released: str = "transcript") -> Certificate:
    subject = ProgramSubject("three", program, True, {"parameters": {}})
    stated = Claim(parse_guarantee(claim), ReplaceOne(), released, Domain.from_cells("2"), 2)
    certificate = certify(subject, stated, Effort(auditors=("exhaustive",)), "x").certificate
    assert certificate.verdict is Verdict.REFUTED
    return certificate


def spending_of(certificate: Certificate) -> Spending:
    (found,) = [one.spending for one in certificate.evidence if one.spending is not None]
    return found


@pytest.mark.parametrize("released", ["transcript", "output"])
def test_a_question_above_its_own_cost_is_named(
    monkeypatch: pytest.MonkeyPatch, released: str
) -> None:
    def understated(self: Marginal, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        return Sensitivity(1, 1, 1, False)

    monkeypatch.setattr(Marginal, "sensitivity", understated)
    certificate = refuted(three_questions, "epsilon=1/5", released)
    found = spending_of(certificate)
    # Of questions 3 and 4, both of which spend twice their cost, the first spends more.
    assert found.question == 3 and found.total is None and found.declared is not None
    assert found.loss.lower <= F(1, 2) <= found.loss.upper < F(51, 100)
    assert found.declared.lower == found.declared.upper == F(1, 4)
    view = certificate_view(certificate)
    line = inspect.getsourcelines(three_questions)[1] + 4
    where = f"test_spending.py, line {line}"
    sentence = f"question 3 (measure marginal + discrete-laplace(scale=4), asked at {where})"
    assert (
        sentence in view.meaning and "spends ε ≈ 0.5 of the 0.25 that it declares" in view.meaning
    )
    assert sentence in view.evidence[0].finding


def test_losses_that_add_up_beyond_the_claim_name_the_question_that_passes_it() -> None:
    certificate = refuted(three_questions, "epsilon=3/5")
    found = spending_of(certificate)
    assert found.question == 4 and found.total is not None and found.declared is not None
    assert found.total.lower <= F(3, 4) <= found.total.upper
    assert found.loss.lower <= F(1, 4) <= found.loss.upper
    assert "question 4 (" in certificate_view(certificate).meaning


def test_a_claim_that_is_no_sum_of_losses_names_the_largest() -> None:
    certificate = refuted(gaussian, "rho=1/100")
    found = spending_of(certificate)
    assert (found.question, found.declared, found.total) == (1, None, None)
    assert "declares no cost in ε" in certificate_view(certificate).meaning
    infinite = refuted(subsampled, "epsilon=3")
    assert spending_of(infinite).loss.lower == math.inf
    assert "∞" in certificate_view(infinite).meaning


def test_too_many_transcripts_name_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.auditors.spending.MOST_WALKED", 3)
    certificate = refuted(three_questions, "epsilon=3/5")
    assert all(one.spending is None for one in certificate.evidence)
    assert certificate_view(certificate).meaning.endswith("violates it.")


def test_the_question_stands_in_the_certificate_and_a_forged_one_is_false() -> None:
    document = json.loads(json.dumps(made("refuted")))
    place = next(k for k, one in enumerate(document["evidence"]) if "spending" in one)
    assert decode(document).evidence[place].decision is Decision.VIOLATED
    assert verify(document).exit_code == 0
    for key, value in (("question", 7), ("asked", "nothing"), ("declared", None)):
        forged = json.loads(json.dumps(document))
        forged["evidence"][place]["spending"][key] = value
        wrong = [check for check in verify(forged).checks if "question at fault" in check.note]
        assert wrong, key
    older = json.loads(json.dumps(document))
    del older["evidence"][place]["spending"]
    assert all("question at fault" not in check.note for check in verify(older).checks)


def test_answers_that_are_no_numbers_of_one_length_are_told_too() -> None:
    values = {"k": "2", "groups": "0,0,1,1"}
    subject = program_subject("k-anonymity", values)
    stated = Claim(parse_guarantee("epsilon=3"), AddRemove(), "output", Domain.from_cells("4"), 2)
    certificate = certify(subject, stated, Effort(), "x").certificate
    assert spending_of(certificate).loss.lower == math.inf
    assert decode(certificate.to_json()).evidence[0].spending == spending_of(certificate)


THREE = """
from fractions import Fraction
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Marginal, Total

def measure(curator, scale):
    return curator.measure(Marginal(("cell",)), DiscreteLaplace(Fraction(scale)), low=0, high=2)

def ask(curator):
    curator.measure(Total(), DiscreteLaplace(Fraction(2)), low=0, high=2)
    return list(measure(curator, 2))
"""

WRITTEN = """
import json, sys

def say(message):
    print(json.dumps(message), flush=True)
    return json.loads(sys.stdin.readline())

def ask(place):
    return say({"ask": {
        "event": "measure", "query": {"kind": "marginal", "attributes": ["cell"]},
        "noise": {"law": "discrete-laplace", "scale": "4"}, "low": 0, "high": 2,
    }, **place})

said = say({"protocol": "dp-audit/curator", "version": 1, "runs": "many"})
said = say({"budget": {"unlimited": True}, "ledger": None})
while "begin" in said:
    said = ask({})
    if "answer" in said:
        said = ask({"where": {"file": "paper.tex", "line": 3, "step": "2a"}})
    if "stop" in said:
        said = say({"stopped": True})
    else:
        said = say({"output": {"values": said["answer"]}})
"""


@pytest.mark.parametrize(
    ("text", "name", "question", "where"),
    [
        (THREE, "three:ask", 2, "three.py, line 7"),
        (WRITTEN, f"command:{sys.executable} -I three.py", 2, "paper.tex, line 3, step 2a"),
    ],
)
def test_a_program_in_its_own_process_says_where_it_asks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    name: str,
    question: int,
    where: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("three.py").write_text(text)
    guarantee = parse_guarantee("epsilon=3/5")
    stated = Claim(guarantee, ReplaceOne(), "transcript", Domain.from_cells("2"), 2)
    effort = Effort(auditors=("exhaustive",))
    certificate = certify(program_subject(name, {}), stated, effort, "x").certificate
    found = spending_of(certificate)
    assert (found.question, found.where) == (question, where)
    assert f"asked at {where})" in certificate_view(certificate).meaning
    read = decode(certificate.to_json()).evidence[0].spending
    assert read is not None and read.where == where


def test_a_forged_place_of_the_question_is_left_open() -> None:
    document = json.loads(json.dumps(made("refuted")))
    place = next(k for k, one in enumerate(document["evidence"]) if "spending" in one)
    spending = document["evidence"][place]["spending"]
    assert spending["where"]
    spending["where"] = "elsewhere.py, line 1"
    notes = [check.note for check in verify(document).checks if check.status is Status.UNCHECKED]
    assert any("asked at" in note for note in notes)
