"""SARIF 2.1.0: what tests refuted, in the form that code hosts show beside the code.

Only the standard library is needed, so that a process that gathers results loads nothing else.
Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

RULES = {
    "channel": "The exact output probabilities of neighbouring databases exceed the claim.",
    "transcript": "The exact probabilities of all noisy answers exceed the claim.",
    "composition": "The questions asked cost more than is declared or claimed.",
    "sensitivity": "Answers of neighbours lie further apart than is declared.",
    "data-independence": "Something beside the noisy answers depends on the data.",
    "noise-law": "Noise is not of the law that is declared.",
    "utility-sanity": "Utility is better than the claim allows.",
    "attack": "Repeated runs tell neighbouring databases apart better than the claim allows.",
    "protocol": "The subject broke the protocol, so that nothing could be checked.",
    "undecided": "The claim was not shown as the test requires.",
}
"""What each rule says, by its id: the detectors of `audit.statements.finding`, hyphenated, and two
for tests that failed without an accusation."""


def sarif(found: Iterable[tuple[str, int, str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The log of one run.

    ``found``: file relative to the root, line (from 1) and name of a test, and what it found, as
    `audit.testing.claims.report_properties.as_json` writes it. Violations are errors; tests that
    failed for another reason are warnings; what was kept is left out.
    """
    results = [
        result
        for file, line, test, data in found
        for result in _results(data, _location(file, line), test)
    ]
    used = dict.fromkeys(str(result["ruleId"]) for result in results)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {**_driver(), "rules": [_rule(name) for name in used]}},
                "columnKind": "unicodeCodePoints",
                "results": [
                    {**result, "ruleIndex": list(used).index(str(result["ruleId"]))}
                    for result in results
                ],
            }
        ],
    }


def _driver() -> dict[str, Any]:
    try:
        number = version("dp-audit")
    except PackageNotFoundError:
        number = "0"
    return {"name": "dp-audit", "version": number}


def _rule(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "name": name.title().replace("-", ""),
        "shortDescription": {"text": RULES.get(name, name)},
    }


def _results(data: Mapping[str, Any], location: dict[str, Any], test: str) -> list[dict[str, Any]]:
    violations = data["violations"]
    about = f"{data['subject']}: {data['claim']} under {data['neighbours']}"
    told: list[tuple[str, str, str, Mapping[str, Any]]] = [
        (
            str(violation["detector"]).replace(" ", "-"),
            "error",
            f"{about}. {_sentence(violation)}{_pair(data['pair'] or violation['pair'])}",
            violation,
        )
        for violation in violations
    ]
    if not told and not data["kept"]:
        rule = "protocol" if data["trouble"] else "undecided"
        told.append((rule, "warning", f"{about}. {data['trouble'] or data['verdict']}", {}))
    return [
        {
            "ruleId": rule,
            "level": level,
            "message": {"text": message},
            "locations": [location],
            "partialFingerprints": {"dpAudit/v1": _fingerprint(test, rule, about)},
            "properties": {
                "test": test,
                "subject": data["subject"],
                "claim": data["claim"],
                "neighbours": data["neighbours"],
                "verdict": data["verdict"],
                "bounds": data["bounds"],
                "pair": data["pair"],
                "finding": violation,
            },
        }
        for rule, level, message, violation in told
    ]


def _pair(pair: Mapping[str, Any] | None) -> str:
    if pair is None:
        return ""
    return f" Databases: {json.dumps(pair['first'])} and {json.dumps(pair['second'])}."


def _sentence(violation: Mapping[str, Any]) -> str:
    told = f"{violation['about']}: declared {violation['declared']}, found {violation['found']}"
    return f"{told[:1].upper()}{told[1:]} ({violation['rigour']})."


def _fingerprint(*parts: str) -> str:
    """What a result keeps when lines move: of the test, the rule and the claim."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _location(file: str, line: int) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": file.replace("\\", "/"), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": line},
        }
    }
