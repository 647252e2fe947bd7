"""Statements of in-toto: their form, and that nothing passes that is not shown."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from audit.review.attestations.attestation import Attestation, NamedFile
from audit.review.attestations.in_toto import state_test_result, state_verification
from audit.statements.evidence import Verdict
from synthesizers.errors import InputError
from tests.audit.report.samples import certificates
from tests.audit.review.attestations.made_attestations import CONFIRMED, UNCHECKED, attest

SHOWN = (Verdict.PROVED, Verdict.EXACT)
ALL = sorted(certificates())

TEXTS = {"type": "array", "items": {"type": "string"}}
DESCRIPTOR = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "uri": {"type": "string", "pattern": "^[a-z]+:"},
        "digest": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]+$"},
        },
        "annotations": {"type": "object"},
    },
    "anyOf": [{"required": ["uri"]}, {"required": ["digest"]}],
    "additionalProperties": False,
}
RESULT = {
    "type": "object",
    "required": ["result", "configuration"],
    "properties": {
        "result": {"enum": ["PASSED", "WARNED", "FAILED"]},
        "configuration": {"type": "array", "items": DESCRIPTOR},
        **dict.fromkeys(("passedTests", "warnedTests", "failedTests"), TEXTS),
    },
    "additionalProperties": False,
}
VERIFICATION = {
    "type": "object",
    "required": ["verifier", "timeCreated", "properties"],
    "properties": {
        "verifier": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "string", "pattern": "^[a-z]+:"}},
            "additionalProperties": False,
        },
        "timeCreated": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "properties": TEXTS,
    },
    "additionalProperties": False,
}
"""Transcribed from the specifications of the two predicates, versions 0.1."""


def require_form(statement: dict[str, Any], kind: str, predicate: dict[str, Any]) -> None:
    form = {
        "type": "object",
        "required": ["_type", "subject", "predicateType", "predicate"],
        "properties": {
            "_type": {"const": "https://in-toto.io/Statement/v1"},
            "subject": {
                "type": "array",
                "minItems": 1,
                "items": {**DESCRIPTOR, "required": ["digest"]},
            },
            "predicateType": {"const": f"https://in-toto.io/attestation/{kind}/v0.1"},
            "predicate": predicate,
        },
        "additionalProperties": False,
    }
    Draft202012Validator(form, format_checker=FormatChecker()).validate(statement)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("proof", [None, UNCHECKED, CONFIRMED])
def test_nothing_passes_that_is_not_shown_and_checked(name: str, proof: Any) -> None:
    certificate = certificates()[name]
    verdict = certificate.verdict
    statement = state_test_result(attest(certificate, proof))
    require_form(statement, "test-result", RESULT)
    predicate = statement["predicate"]
    if verdict in SHOWN:
        assert predicate["result"] == ("PASSED" if proof is CONFIRMED else "WARNED")
    else:
        assert predicate["result"] == ("WARNED" if verdict is Verdict.NOT_REFUTED else "FAILED")
    groups = {"PASSED": "passedTests", "WARNED": "warnedTests", "FAILED": "failedTests"}
    assert predicate[groups[predicate["result"]]][0] == f"verdict: {verdict.value}"
    assert bool(predicate["failedTests"]) == (predicate["result"] == "FAILED")
    listed = [test for key in groups.values() for test in predicate[key]]
    assert len(set(listed)) == len(listed) == len(certificate.evidence) + (proof is not None) + 1


@pytest.mark.parametrize("name", ALL)
def test_a_verification_result_is_of_what_is_shown_alone(name: str) -> None:
    certificate = certificates()[name]
    if certificate.verdict not in SHOWN:
        with pytest.raises(InputError, match=f"the verdict is {certificate.verdict.value}"):
            state_verification(attest(certificate, CONFIRMED))
        return
    for proof in (None, UNCHECKED, CONFIRMED):
        statement = state_verification(attest(certificate, proof))
        require_form(statement, "svr", VERIFICATION)
        properties = statement["predicate"]["properties"]
        assert ("DP_AUDIT_PROOF_CHECKED" in properties) == (proof is CONFIRMED)
        assert f"DP_AUDIT_STATES_{certificate.verdict.value}" in properties
        assert f"DP_AUDIT_CLAIM {certificate.claim.guarantee}" in properties
        assert statement["predicate"]["timeCreated"] == "2026-01-31T12:00:00Z"


def with_table() -> Attestation:
    made = attest(certificates()["proved"], CONFIRMED)
    return replace(made, table=NamedFile("synth.csv", "a" * 64))


def test_the_subjects_are_the_files() -> None:
    statement = state_test_result(with_table())
    assert statement["subject"] == [
        {"name": "cert.json", "digest": {"sha256": "0" * 64}},
        {"name": "synth.csv", "digest": {"sha256": "a" * 64}},
    ]


def test_the_frameworks_own_bindings_read_the_test_result() -> None:
    pytest.importorskip("in_toto_attestation", reason="the extra peers is not installed")
    from google.protobuf import json_format
    from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
    from in_toto_attestation.v1 import resource_descriptor_pb2, statement_pb2

    stated = state_test_result(with_table())
    found = json_format.ParseDict(stated, statement_pb2.Statement())
    assert found.predicate_type == stated["predicateType"]
    predicate = test_result_pb2.TestResult()
    json_format.Parse(json.dumps(stated["predicate"]), predicate)
    assert list(predicate.passed_tests) == stated["predicate"]["passedTests"]
    for one in (*stated["subject"], *stated["predicate"]["configuration"]):
        json_format.ParseDict(one, resource_descriptor_pb2.ResourceDescriptor())
    assert base64.b64encode(found.SerializeToString())
