"""Reports: each published form is known by its keys, and nothing else is a report."""

from __future__ import annotations

import json

import pytest

from audit.review.criteria.reports import SCHEMAS, find_kind, make_report
from synthesizers.errors import InputError
from tests.audit.review.certificates import plain

CLOSED = [
    path.stem
    for path in sorted(SCHEMAS.glob("*.json"))
    if json.loads(path.read_text()).get("additionalProperties") is False
    and path.stem != "certificate"
]


@pytest.mark.parametrize("kind", CLOSED)
def test_a_form_is_known_by_its_keys(kind: str) -> None:
    schema = json.loads((SCHEMAS / f"{kind}.json").read_text())
    assert find_kind(dict.fromkeys(schema["required"])) == kind
    assert find_kind(dict.fromkeys(schema["properties"])) == kind
    assert find_kind({**dict.fromkeys(schema["required"]), "zebra": 1}) is None


def test_a_certificate_is_read_again() -> None:
    report = make_report("c.json", plain("exact"))
    assert report.kind == "certificate"
    assert report.certificate is not None and report.certificate.fault is None


def test_another_document_is_no_report() -> None:
    with pytest.raises(InputError, match="no report that dp-audit writes"):
        make_report("x.json", {"zebra": 1})
