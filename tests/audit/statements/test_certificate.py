"""Certificates: derived, immutable, digested, and of the stated schema."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import audit
from audit.auditors.registry import AUDITORS
from audit.auditors.sensitivity.declaration import parse_declaration
from audit.auditors.sensitivity.examine import StatedQuery, examine
from audit.auditors.sensitivity.records import FloatColumn
from audit.certify import Effort, certify
from audit.statements.certificate import Certificate, canonical, digest
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Bound, Decision, Evidence, Side, Verdict
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from proofs.guarantees import ApproxDP, parse_guarantee
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.audit import third_party as theirs
from tests.audit.report.samples import attacks
from tests.audit.testing.laws.broken import Overspending

PROPERTIES = tuple(
    name
    for name, auditor in AUDITORS.items()
    if not auditor.unasked and ProgramSubject.category in auditor.takes
)
SCHEMA = Path(audit.__file__).parent / "statements" / "schema" / "1" / "certificate.json"


def finding(side: Side, value: int, whole: bool, decision: Decision = Decision.HOLDS) -> Evidence:
    ends = Enclosure(Fraction(value), Fraction(value))
    return Evidence("a", "f", decision, "c", whole, Bound(side, ends, f"c{value}", "exact"))


def certificate(*evidence: Evidence, kind: str = "program") -> Certificate:
    claim = Claim(ApproxDP(Fraction(1)), ReplaceOne(), "output", Domain.from_cells("2"), 3)
    return Certificate({"kind": kind, "name": "n"}, claim, evidence, ("assumed",), "again")


def made(
    name: str,
    values: dict[str, str],
    text: str,
    relation: Neighbours,
    *,
    cells: str = "2",
    records: int | None = 3,
    rows: int | None = None,
    released: str = "output",
    auditors: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    claim = Claim(parse_guarantee(text), relation, released, Domain.from_cells(cells), records)
    effort = Effort(rows=rows, auditors=auditors, runs=100)
    return certify(program_subject(name, values), claim, effort, "x").certificate.to_json()


def test_the_bound_of_a_side_is_the_one_that_covers_the_whole_claim() -> None:
    part, whole = finding(Side.EXACT, 1, False), finding(Side.EXACT, 2, True)
    for order in ((part, whole), (whole, part)):
        bound = certificate(*order).bound(Side.EXACT)
        assert bound is not None and bound.covers == "c2"
    assert certificate(part).bound(Side.EXACT) == part.bound
    assert certificate(part).bound(Side.CEILING) is None
    assert certificate().to_json()["bounds"] == {"floor": None, "exact": None, "ceiling": None}


def test_the_verdict_follows_from_the_evidence_alone() -> None:
    with pytest.raises(TypeError):
        Certificate({}, certificate().claim, (), (), "", verdict="EXACT")
    both = finding(Side.EXACT, 1, True), finding(Side.EXACT, 1, True, Decision.VIOLATED)
    assert certificate(*both).to_json()["verdict"] == "CONTRADICTION"
    assert certificate(*both, kind="module").to_json()["verdict"] == "REFUTED"
    assert certificate(*both, kind="channel").to_json()["verdict"] == "REFUTED"


@pytest.mark.parametrize(
    "field", ["subject", "claim", "evidence", "assumptions", "reproduce", "verdict"]
)
def test_a_certificate_cannot_be_changed(field: str) -> None:
    with pytest.raises((FrozenInstanceError, AttributeError)):
        setattr(certificate(finding(Side.EXACT, 1, True)), field, None)


def test_changing_the_plain_data_leaves_the_certificate_as_it_was() -> None:
    given: dict[str, Any] = {"kind": "program", "name": "n", "parameters": {"epsilon": "1"}}
    claim, evidence = certificate().claim, (finding(Side.EXACT, 1, True),)
    one = Certificate(given, claim, evidence, ("assumed",), "again")
    before = one.to_json()
    given["name"] = "other"
    changed = one.to_json()
    changed["subject"]["name"] = "other"
    changed["subject"]["parameters"]["epsilon"] = "2"
    changed["assumptions"].append("more")
    changed["evidence"][0]["replay"]["records"] = 1
    assert one.to_json() == before
    with pytest.raises(TypeError):
        one.subject["name"] = "other"


def test_the_digest_is_sha256_of_sorted_unspaced_ascii_json() -> None:
    document = certificate(finding(Side.EXACT, 1, True)).to_json()
    rest = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    assert document["digest"] == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    assert canonical({"b": 1, "a": "é"}) == '{"a":"\\u00e9","b":1}'


def test_the_digest_ignores_the_order_of_keys_and_nothing_else() -> None:
    document = certificate(finding(Side.EXACT, 1, True)).to_json()
    assert digest(dict(reversed(list(document.items())))) == document["digest"]
    for path in _paths(document):
        if path == ("digest",):
            continue
        changed = copy.deepcopy(document)
        place = changed
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = "something else"
        assert digest(changed) != document["digest"], path


def _paths(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    found = [prefix] if prefix else []
    return found + [path for key, part in items for path in _paths(part, (*prefix, key))]


GEOMETRIC = {"epsilon": "1"}
PERSON = Unit("person", 2)


def all_kinds() -> list[dict[str, Any]]:
    """One certificate of every verdict and of every kind of number."""
    geometric, dirichlet = "geometric-sanitizer", "multinomial-dirichlet"
    return [
        made(geometric, GEOMETRIC, "epsilon=1", ReplaceOne()),
        made(geometric, GEOMETRIC, "epsilon=1/3", ReplaceOne()),
        made(geometric, GEOMETRIC, "epsilon=1, delta=0.01", AddRemove(PERSON), records=2),
        made(geometric, GEOMETRIC, "epsilon=1", AddRemove(), records=None, rows=2),
        made(geometric, GEOMETRIC, "epsilon=1/2", AddRemove(), records=900),
        made(dirichlet, {}, "epsilon=3", ReplaceOne(), cells="3"),
        made(dirichlet, {}, "epsilon=1/9", ReplaceOne(), cells="8", records=60),
        made("subsample", {"fraction": "2/5"}, "epsilon=3", ReplaceOne()),
        made("subsample", {"fraction": "2/5"}, "epsilon=3, delta=2/5", ReplaceOne()),
        made("laplace-sanitizer", GEOMETRIC, "epsilon=0.3, delta=0.3", AddRemove()),
        made(geometric, GEOMETRIC, "rho=1/2", ReplaceOne()),
        made(geometric, GEOMETRIC, "mu=2", ReplaceOne()),
        made(geometric, GEOMETRIC, "alpha=2, rdp=1", ReplaceOne()),
        made(geometric, GEOMETRIC, "epsilon=1", ReplaceOne(), auditors=PROPERTIES),
        _of_overspender(),
        _of_rounding(),
    ]


def _of_rounding() -> dict[str, Any]:
    """A sum of floats beside its sensitivity, which it keeps up to rounding."""

    def total(records: list[dict[str, Any]]) -> float:
        return 0.1 + sum(record["x"] for record in records)

    stated = StatedQuery("total", total, FloatColumn("x", 0.0, 1.0), parse_declaration("l1=1"))
    findings = examine(stated, AddRemove(), [2], examples=5)
    return replace(_overspending(), evidence=findings).to_json()


def _of_overspender() -> dict[str, Any]:
    """A program that asks for more than its budget, recounted."""
    return _overspending().to_json()


def _overspending() -> Certificate:
    subject = ProgramSubject("overspending", Overspending(), False, {"parameters": {}})
    claim = Claim(parse_guarantee("epsilon=3"), AddRemove(), "output", Domain.from_cells("2"), 2)
    effort = Effort(trusted=True, auditors=("composition",))
    return certify(subject, claim, effort, "x").certificate


def test_every_kind_of_certificate_keeps_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    documents = [*all_kinds(), *(found.to_json() for found in attacks().values())]
    for document in documents:
        validator.validate(json.loads(json.dumps(document)))
    verdicts = {document["verdict"] for document in documents}
    assert verdicts == {verdict.value for verdict in Verdict} - {"CONTRADICTION"}
    decisions = {e["decision"] for document in documents for e in document["evidence"]}
    assert decisions == {decision.value for decision in Decision}
    assert {document["proof"] is None for document in documents} == {True, False}
    carried = [document["proof"] for document in documents if document["proof"] is not None]
    assert {frozenset(proof) for proof in carried} == {
        frozenset({"derivation"}),
        frozenset({"derivation", "alternatives"}),
    }
    broken = {**documents[0], "verdict": "passed"}
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(broken)


def _of_attack() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(attacks()["attack refuted"].to_json()))
    return found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("decision",), "passed"),
        (("witness", "test"), "by eye"),
        (("witness", "digest"), "sha256:0"),
        (("witness", "runs"), -1),
        (("witness", "correct"), "900"),
        (("witness", "p_value"), -1),
        (("witness", "rule", "low"), "nan"),
        (("witness", "rule"), []),
        (("witness", "pair"), {"first": 1}),
        (("witness", "pair", "distance"), 0),
        (("strict",), {"side": "floor"}),
        (("resolution",), {"detectable": None, "delta": 0, "runs": 1}),
    ],
)
def test_evidence_of_an_attack_of_another_form_breaks_the_schema(
    path: tuple[str, ...], value: Any
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    document = _of_attack()
    assert validator.is_valid(document)
    place = document["evidence"][0]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not validator.is_valid(document)


def test_a_claim_without_a_domain_keeps_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    without = replace(attacks()["attack invalid"].claim, domain=None, records=None)
    document = replace(attacks()["attack invalid"], claim=without).to_json()
    assert document["domain"] is None
    validator.validate(document)


def _without(key: str) -> dict[str, Any]:
    return {name: value for name, value in _DERIVATION.items() if name != key}


_STEP: dict[str, Any] = {"rule": "r", "premises": [], "parameters": {}, "conclusion": {}}
_DERIVATION: dict[str, Any] = {
    "schema": "dp-audit/derivation/1",
    "steps": [_STEP, {**_STEP, "premises": [0]}],
    "hypotheses": ["sampler"],
}


@pytest.mark.parametrize(
    ("proof", "valid"),
    [
        (None, True),
        ({"derivation": _DERIVATION}, True),
        ({"derivation": _DERIVATION, "alternatives": []}, True),
        ({"derivation": _DERIVATION, "alternatives": [_DERIVATION, _DERIVATION]}, True),
        ({}, False),
        ([], False),
        ("trust me", False),
        ({"derivation": None}, False),
        ({"alternatives": [_DERIVATION]}, False),
        ({"derivation": _DERIVATION, "alternatives": _DERIVATION}, False),
        ({"derivation": _DERIVATION, "alternatives": [{}]}, False),
        ({"derivation": {**_DERIVATION, "schema": "dp-audit/derivation/3"}}, False),
        ({"derivation": {**_DERIVATION, "steps": []}}, False),
        ({"derivation": {**_DERIVATION, "hypotheses": [1]}}, False),
        ({"derivation": {**_DERIVATION, "steps": [{**_STEP, "premises": [-1]}]}}, False),
        ({"derivation": {**_DERIVATION, "steps": [{**_STEP, "rule": 1}]}}, False),
        ({"derivation": {**_DERIVATION, "steps": [{"rule": "r"}]}}, False),
        ({"derivation": _without("schema")}, False),
        ({"derivation": _without("steps")}, False),
        ({"derivation": _without("hypotheses")}, False),
    ],
)
def test_a_proof_under_the_schema(proof: Any, valid: bool) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    document = {**made("geometric-sanitizer", GEOMETRIC, "epsilon=1", ReplaceOne()), "proof": proof}
    assert validator.is_valid(document) is valid


def test_the_proof_is_the_first_theorems_and_cannot_be_changed() -> None:
    first, second = (
        replace(finding(Side.CEILING, k, True), proof={"derivation": {"steps": [k]}})
        for k in (1, 2)
    )
    plain = finding(Side.EXACT, 1, True)
    one = certificate(plain, first, second)
    assert one.to_json()["proof"] == {"derivation": {"steps": [1]}}
    assert certificate(plain).to_json()["proof"] is None
    before = one.to_json()
    shown = one.proof
    assert shown is not None
    shown["derivation"]["steps"].append("forged")
    one.to_json()["proof"]["derivation"]["steps"].append("forged")
    assert one.to_json() == before


def test_the_digest_covers_the_proof() -> None:
    proved = certificate(replace(finding(Side.CEILING, 1, True), proof={"derivation": {}}))
    document = proved.to_json()
    for other in (None, {"derivation": {"steps": []}}):
        assert digest({**document, "proof": other}) != document["digest"]


def test_certified_numbers_are_strings() -> None:
    for document in all_kinds():
        for bound in (*document["bounds"].values(), *(e["bound"] for e in document["evidence"])):
            if bound is not None:
                ends = bound["epsilon"]
                assert isinstance(ends["lower"], str) and isinstance(ends["upper"], str)
        for evidence in document["evidence"]:
            for ends in (evidence["witness"] or {"probabilities": {}})["probabilities"].values():
                assert isinstance(ends["lower"], str) and isinstance(ends["upper"], str)


def test_a_certificate_never_praises() -> None:
    text = json.dumps(all_kinds()).lower()
    for word in ("passed", "secure", '"safe', "is safe"):
        assert word not in text


def test_what_a_module_adds_is_assumed() -> None:
    claim = Claim(ApproxDP(Fraction(1)), ReplaceOne(), "output", Domain.from_cells("2"), 2)
    module = ProgramSubject("m:a", theirs.first_cell, False)
    of_module = certify(module, claim, Effort(), "x").certificate
    of_ours = certify(program_subject("geometric-sanitizer", GEOMETRIC), claim, Effort(), "x")
    more = set(of_module.assumptions) - set(of_ours.certificate.assumptions)
    assert any("module's code" in line for line in more) and len(more) == 2
