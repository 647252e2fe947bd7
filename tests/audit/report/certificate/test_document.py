from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import audit
from audit.report.certificate.document import certificate_table, certificate_text
from audit.statements.certificate import digest
from audit.statements.certificate_json import VERSION as SCHEMA
from tests.audit.report import samples

CERTIFICATES = samples.certificates()
PATH = Path(audit.__file__).parent / "statements" / "schema" / "1" / "certificate.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(PATH.read_text("utf-8")))


LATER = ("proof", "channel_certificate")
"""Keys that came later within the version."""


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every key that the contract names; what is free inside stays out."""
    found = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found.append((*prefix, key))
            if key not in ("subject", "replay", *LATER):
                found += paths(inner, (*prefix, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            found += paths(inner, (*prefix, place))
    return found


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)
    assert VALIDATOR.schema["$id"] == SCHEMA


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_follow_the_schema(name: str) -> None:
    text = certificate_text(CERTIFICATES[name])
    assert text.isascii() and text.endswith("}\n")
    data = json.loads(text)
    VALIDATOR.validate(data)
    assert digest(data) == data["digest"]


@pytest.mark.parametrize("name", ["exact", "refuted", "persons"])
def test_no_field_can_be_dropped(name: str) -> None:
    whole = json.loads(certificate_text(CERTIFICATES[name]))
    ways = paths(whole)
    assert ("evidence", 0, "witness", "probabilities", "to", "lower") in ways
    for way in ways:
        data = copy.deepcopy(whole)
        holder = data
        for step in way[:-1]:
            holder = holder[step]
        del holder[way[-1]]
        # Certificates written before these keys came keep their schema.
        assert VALIDATOR.is_valid(data) is (way[0] in LATER), f"dropping {way}"


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("verdict",), "PASSED"),
        (("schema",), "dp-audit/certificate/2"),
        (("bounds", "exact", "epsilon", "upper"), 2.0),
        (("bounds", "exact", "epsilon", "upper"), "nan"),
        (("bounds", "exact", "rigour"), "likely"),
        (("released",), "all"),
        (("unit", "max_records"), 2),
        (("digest",), "sha256:0"),
        (("claim",), "private"),
    ],
)
def test_values_of_another_form_are_refused(way: tuple[str, ...], value: object) -> None:
    data = json.loads(certificate_text(CERTIFICATES["exact"]))
    holder = data
    for step in way[:-1]:
        holder = holder[step]
    holder[way[-1]] = value
    assert not VALIDATOR.is_valid(data)


def test_keys_that_are_not_in_the_schema_are_refused() -> None:
    data = json.loads(certificate_text(CERTIFICATES["exact"]))
    assert VALIDATOR.is_valid(data)
    assert not VALIDATOR.is_valid({**data, "signature": "added"})
    data["evidence"][0]["seconds"] = "3"
    assert not VALIDATOR.is_valid(data)


def test_a_certificate_is_a_row_that_says_what_it_states() -> None:
    document = {
        "subject": {"kind": "program", "name": "geometric-sanitizer"},
        "claim": "epsilon=1",
        "neighbours": "replace-one",
        "released": "output",
        "verdict": "EXACT",
    }
    table = certificate_table([("folder/cert.json", document)])
    assert table.header[0] == "certificate" and table.header[-1] == "verdict"
    assert table.rows == (
        ("cert.json", "geometric-sanitizer", "epsilon=1", "replace-one", "output", "EXACT"),
    )
    assert "not re-checked here" in table.note


def test_the_documents_that_we_write_have_the_entries() -> None:
    certificate = next(iter(samples.certificates().values()))
    table = certificate_table([("c.json", certificate.to_json())])
    assert table.rows[0][-1] == certificate.verdict.value
