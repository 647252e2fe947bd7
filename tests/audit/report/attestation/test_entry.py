"""Registry entries: valid by the schema, each field marked, and read back as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

import audit.review.attestations as attestations
from audit.report.attestation.entry import list_facts, make_entry, write_yaml
from audit.statements.evidence import Verdict
from synthesizers.errors import InputError
from tests.audit.report.samples import certificates
from tests.audit.review.attestations.made_attestations import attest, certify, state_all

SCHEMA = Path(attestations.__file__).with_name("registry") / "deployments-schema.json"
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text()))
ALL = sorted(certificates())


def leaves(part: dict[str, Any], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    found: dict[tuple[str, ...], Any] = {}
    for key, value in part.items():
        inner = isinstance(value, dict)
        found |= leaves(value, (*above, key)) if inner else {(*above, key): value}
    return found


@pytest.mark.parametrize("name", ALL)
def test_an_entry_is_valid_marked_and_read_back(name: str) -> None:
    certificate = certificates()[name]
    made = attest(certificate, about=state_all())
    if certificate.verdict not in (Verdict.PROVED, Verdict.EXACT, Verdict.NOT_REFUTED):
        with pytest.raises(InputError, match=f"the verdict is {certificate.verdict.value}"):
            make_entry(made)
        return
    entry = make_entry(made)
    VALIDATOR.validate(entry)
    assert yaml.safe_load(write_yaml(entry)) == entry
    notes = entry["deployment"]["administrative"]["notes"]
    assert notes.startswith("**NOT SHOWN**") == (certificate.verdict is Verdict.NOT_REFUTED)
    assert f"verdict {certificate.verdict.value} " in notes
    legend = {
        mark: line.partition("): ")[2].replace("\\", "").split(", ")
        for mark in ("shown", "assumed", "stated")
        for line in notes.splitlines()
        if line.startswith(f"- {mark} (")
    }
    assert ("shown" in legend) == (certificate.verdict in (Verdict.PROVED, Verdict.EXACT))
    marked = {field for fields in legend.values() for field in fields}
    assert {field[-1] for field in leaves(entry)} - marked <= {"notes"}
    for field, text in leaves(entry).items():
        of_field = {fact.mark for fact in list_facts(made) if fact.field == field}
        if len(of_field) > 1:
            for mark in of_field:
                assert f"{mark.capitalize()}: " in text, field
    assert entry["status"] == "Draft" and entry["tier"] == 2


def test_without_what_a_user_states_there_is_none() -> None:
    with pytest.raises(InputError, match=r"an entry needs .*--draft-about"):
        make_entry(attest(certificates()["proved"]))


def test_what_the_user_states_stands_beside_what_the_certificate_says() -> None:
    entry = make_entry(attest(certify().certificate, about=state_all()))["deployment"]
    mechanisms = entry["implementation"]["mechanisms"].split("\n\n")
    assert [part.split(":")[0] for part in mechanisms] == ["Shown", "Assumed", "Stated"]
    assert "additive-noise (law discrete-laplace, amount 1)" in mechanisms[0]
    assert mechanisms[2] == "Stated: Records lie in a vault."
    assert entry["administrative"]["notes"].endswith("Stated: An example.")
    assert entry["basic"]["data_curators"] == ["A clinic", "Another"]
    assert entry["basic"]["description"] == "Counts of visits.\n\n\\u202eBy month."
    assert entry["dp_variant"]["unprotected_quantities"].startswith("Assumed: The domain")
    assert "The number of records, 2, is public." in entry["dp_variant"]["unprotected_quantities"]
    assert list(entry) == [name for name in SCHEMA_ORDER if name in entry]


SCHEMA_ORDER = json.loads(SCHEMA.read_text())["properties"]["deployment"]["properties"]


@pytest.mark.parametrize(
    "value",
    [
        1e-6,
        1e-320,
        1.5,
        1e22,
        "no",
        "2026-01-31",
        "1e5",
        "a: b # c",
        "- x",
        "  lead\n\n trail: \n# no comment\n---\n\tx",
        "“é” 😀\n|",
        "x\ny\\u202e",
        "",
        ["a: b", "", "x\ny"],
    ],
)
def test_values_are_read_back_as_they_are(value: Any) -> None:
    for entry in ({"top": value}, {"a": {"b": value, "c": {"d": value}}}):
        text = write_yaml(entry)
        found = yaml.safe_load(text)
        stripped = json.loads(
            json.dumps(entry), object_hook=lambda part: {k: strip(v) for k, v in part.items()}
        )
        assert found == stripped
        assert type(leaves(found).popitem()[1]) is type(value)


def strip(value: Any) -> Any:
    """Lines of a text without spaces at their ends, as an entry's texts are."""
    if isinstance(value, str) and "\n" in value:
        return "\n".join(line.rstrip() for line in value.split("\n"))
    return value
