"""Statements about a certificate in the forms of in-toto, which others sign and gate on.

The Statement is that of version 1 of the in-toto attestation framework; its predicates are *Test
Result* 0.1 and *Simple Verification Result* 0.1 (in-toto/attestation, ``spec/v1/statement.md``,
``spec/predicates/test-result.md`` and ``svr.md``). A Statement has one predicate.
"""

from __future__ import annotations

import hashlib
from typing import Any

from audit.review.attestations.attestation import Attestation
from audit.review.rereading import Reread
from audit.statements.certificate import canonical
from audit.statements.evidence import Decision
from synthesizers.errors import InputError

STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
VERIFICATION = "https://in-toto.io/attestation/svr/v0.1"

_PASSED = (Decision.HOLDS, Decision.KEPT)
_FAILED = (Decision.VIOLATED, Decision.EXCEEDED, Decision.INVALID)


def state_test_result(attestation: Attestation) -> dict[str, Any]:
    """The audit as a test run: each finding, and the verdict, is a test.

    Guarantee
    ---------
    The result is PASSED only for PROVED and EXACT whose claim the independent checker found in the
    certificate, and FAILED wherever `dp-audit certify` fails. Backed by
    ``tests/audit/review/attestations/test_in_toto.py``.
    """
    tests = _tests(attestation)
    predicate = {
        "result": find_result(attestation.reread),
        "configuration": _configuration(attestation),
        **{key: [name for name, group in tests if group == key] for key in _GROUPS.values()},
    }
    return _state(attestation, TEST_RESULT, predicate)


def find_result(reread: Reread) -> str:
    """A certificate as the result of a test: PASSED, WARNED or FAILED.

    WARNED: NOT REFUTED, and what is shown by evidence that only an audit makes again.
    """
    if reread.certificate.verdict.exit_code != 0:
        return "FAILED"
    return "PASSED" if reread.is_shown and reread.is_rechecked else "WARNED"


def state_verification(attestation: Attestation) -> dict[str, Any]:
    """What was verified of the certificate, as properties; raises InputError where none is shown.

    Guarantee
    ---------
    There is one only for PROVED and EXACT, and a property of a proof only where the independent
    checker found the claim in it. Backed by ``tests/audit/review/attestations/test_in_toto.py``.
    """
    reread = attestation.reread
    certificate = reread.certificate
    if not reread.is_shown:
        raise InputError(
            "a verification result lists what is shown, and the verdict is "
            f"{certificate.verdict.value}: leave out --svr, or use --in-toto, which says so"
        )
    claim = certificate.claim
    properties = [
        "DP_AUDIT_CERTIFICATE_CONSISTENT",
        f"DP_AUDIT_STATES_{certificate.verdict.value}",
        *(["DP_AUDIT_PROOF_CHECKED"] if reread.is_rechecked else []),
        f"DP_AUDIT_CLAIM {claim.guarantee}",
        f"DP_AUDIT_NEIGHBOURS {claim.neighbours.name}",
        f"DP_AUDIT_UNIT {_unit(attestation)}",
    ]
    predicate = {
        "verifier": {"id": _package(attestation)},
        "timeCreated": attestation.timestamp,
        "properties": properties,
    }
    return _state(attestation, VERIFICATION, predicate)


def _state(attestation: Attestation, kind: str, predicate: dict[str, Any]) -> dict[str, Any]:
    files = (attestation.file, attestation.table)
    subjects = [
        {"name": one.name, "digest": {"sha256": one.sha256}} for one in files if one is not None
    ]
    return {
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": kind,
        "predicate": predicate,
    }


_GROUPS = {"PASSED": "passedTests", "WARNED": "warnedTests", "FAILED": "failedTests"}


def _tests(attestation: Attestation) -> list[tuple[str, str]]:
    """Every test by its name, and the list that it belongs to."""
    reread = attestation.reread
    certificate = reread.certificate
    tests = [(f"verdict: {certificate.verdict.value}", find_result(reread))]
    for place, one in enumerate(certificate.evidence, start=1):
        passed, failed = one.decision in _PASSED, one.decision in _FAILED
        result = "PASSED" if passed else "FAILED" if failed else "WARNED"
        tests.append((f"finding {place}, {one.auditor}: {one.decision.value}", result))
    if reread.proof is not None:
        result = "PASSED" if reread.is_rechecked else "WARNED"
        tests.append((f"{reread.proof.statement}: {reread.proof.status.value}", result))
    return [(name, _GROUPS[result]) for name, result in tests]


def _configuration(attestation: Attestation) -> list[dict[str, Any]]:
    reread = attestation.reread
    certificate = reread.certificate
    claim = certificate.claim
    said = {
        "subject": str(certificate.subject.get("name")),
        "claim": str(claim.guarantee),
        "neighbours": claim.neighbours.name,
        "unit": _unit(attestation),
        "released": claim.released,
        "databases": claim.covers,
    }
    if reread.command:
        said["command"] = reread.command
    # A descriptor needs a digest, a URI or its content: the digest is that of the annotations.
    sha256 = hashlib.sha256(canonical(said).encode("ascii")).hexdigest()
    asked = {"name": "dp-audit certify", "digest": {"sha256": sha256}, "annotations": said}
    return [asked, {"name": "dp-audit", "uri": _package(attestation)}]


def _unit(attestation: Attestation) -> str:
    unit = attestation.reread.certificate.claim.neighbours.unit
    return "record" if unit.is_record else f"person of at most {unit.max_records} records"


def _package(attestation: Attestation) -> str:
    return f"pkg:pypi/dp-audit@{attestation.version}"
