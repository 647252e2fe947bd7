"""The schema of the curator protocol takes what the codec writes and reads, and no more keys."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit
from audit.testing.strategies import budgets, domains, events, relations, run_settings
from synthesizers.budget import SampledGaussianBudget
from synthesizers.errors import InputError
from synthesizers.events import Draw
from synthesizers.laws.public_laws import Multinomial
from synthesizers.plain_values import MAX_DIGITS
from synthesizers.questions_json import (
    budget_from_json,
    question_from_json,
    question_schemas,
    question_to_json,
    setting_to_json,
)
from tests.synthesizers.declared_examples import DECLARED
from tests.synthesizers.question_examples import domain_of, parts_of, put, questions_with

jsonschema = pytest.importorskip("jsonschema")

FOLDER = Path(audit.__file__).parent / "statements" / "schema"
SCHEMA = json.loads((FOLDER / "curator-protocol-1.json").read_text())
DEFINITIONS = SCHEMA["$defs"]


def validator(name: str) -> Any:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": DEFINITIONS})


QUESTION, BUDGET = validator("question"), validator("budget")


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_its_questions_are_those_of_the_codec() -> None:
    """Where a kind was added: write what `question_schemas` gives into the file's ``$defs``."""
    assert {name: DEFINITIONS[name] for name in question_schemas()} == question_schemas()
    certificate = json.loads(
        (Path(audit.__file__).parent / "statements/schema/1/certificate.json").read_text()
    )
    # A certificate's are closed and have limits; the keys are the same.
    keys = keys_of(certificate["$defs"]["domain"])
    assert keys_of(DEFINITIONS["domain"]) == [k for k in keys if k not in ("cells", "records")]
    assert keys_of(DEFINITIONS["unit"]) == list(
        dict.fromkeys(keys_of(certificate["properties"]["unit"]))
    )


def keys_of(schema: Any) -> list[str]:
    """The keys of all objects that a schema describes, in order."""
    if isinstance(schema, list):
        return [key for part in schema for key in keys_of(part)]
    if not isinstance(schema, dict):
        return []
    keys = [
        key for name, part in schema.get("properties", {}).items() for key in (name, *keys_of(part))
    ]
    return keys + keys_of(schema.get("items")) + keys_of(schema.get("oneOf"))


@pytest.mark.parametrize("value", DECLARED, ids=lambda value: type(value).__name__)
def test_what_the_codec_reads_is_of_the_schema(value: Any) -> None:
    strange = (None, True, 1.5, -1, 2**53, "", "a", "1/2", "9" * (MAX_DIGITS + 1), [], {}, [[]])
    for event in questions_with(value):
        plain = json.loads(json.dumps(question_to_json(event)))
        QUESTION.validate(plain)
        for path in parts_of(plain):
            for other in strange:
                changed = put(plain, path, other)
                try:
                    question_from_json(changed, domain_of(value))
                except InputError:
                    continue
                QUESTION.validate(changed)


@settings(max_examples=20)
@given(st.data())
def test_drawn_questions_and_settings_are_of_the_schema(data: st.DataObject) -> None:
    domain = data.draw(domains())
    QUESTION.validate(question_to_json(data.draw(events(domain))))
    setting = data.draw(run_settings(domain, data.draw(relations())))
    message = {"setting": setting_to_json(setting), "parameters": {"epsilon": "2"}}
    validator("setting_message").validate(message)


def test_numbers_of_as_many_digits_as_are_read_are_of_the_schema() -> None:
    QUESTION.validate(question_to_json(Draw(Multinomial(1, (10**MAX_DIGITS - 1,)))))


@given(budgets())
def test_budgets_are_of_the_schema(budget: Any) -> None:
    BUDGET.validate(budget.to_json())


def test_what_is_no_budget_is_not_of_the_schema() -> None:
    BUDGET.validate(SampledGaussianBudget(Fraction(1, 9), Fraction(4), 12).to_json())
    unit = {"name": "record", "max_records": 1}
    for plain in (
        {},
        {"epsilon": "1", "rho": "1"},
        {"epsilon": 1},
        {"epsilon": "1", "counted_unit": unit},
        {"unlimited": False},
        {"sampled": {"rate": "1/2"}},
        {"epsilon": "1", "note": ""},
    ):
        assert not BUDGET.is_valid(plain)
        with pytest.raises(InputError):
            budget_from_json(plain)


MESSAGES = [
    {"protocol": "dp-audit/curator", "version": 1, "runs": "one"},
    {"budget": {"unlimited": True}, "ledger": []},
    {"ask": {"event": "draw", "law": {"law": "seed", "bits": 62}}, "where": {"line": 3}},
    {"output": {"values": [1, "a", None, {"whole": "9" * 30}]}},
    {"output": {"records": [[0, 1]]}},
    {"spent": True},
    {"transcript": True},
    {"stopped": True},
    {"error": "no"},
    {"questions": [], "played": [[[0], "refused"], [[], "asks", 0]]},
    {"questions": [], "outputs": [{"values": [1]}], "played": [[[0], "outputs", [0, 0]]]},
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: str(next(iter(message))))
def test_a_programs_message_has_no_other_key_and_no_other_type(message: dict[str, Any]) -> None:
    program = validator("from_program")
    program.validate(message)
    assert not program.is_valid({**message, "note": "exact"})
    for path in parts_of(message)[1:]:
        for other in (1.5, {"a": 1}, [None, [True]], False):
            assert not program.is_valid(put(message, path, other))
