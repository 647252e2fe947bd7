"""The registry's schema: what is let through is what jsonschema lets through."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

import audit.review.attestations.registry_schema as module
from audit.review.attestations.registry_schema import part_of, require_entry
from synthesizers.errors import InputError

FOLDER = Path(module.__file__).with_name("registry")
SCHEMA = json.loads((FOLDER / "deployments-schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=FormatChecker())

ENTRY: dict[str, Any] = {
    "url_slug": "one",
    "status": "Draft",
    "tier": 3,
    "deployment": {
        "basic": {
            "name": "one",
            "data_curators": ["us"],
            "description": "d",
            "intended_use": "u",
            "data_product_type": "Synthetic data",
            "data_product_region": "r",
            "publication_date": "2026-01-31",
        },
        "privacy_loss": {"privacy_parameters": {"epsilon": 1, "delta": 1e-6}},
        "administrative": {"registry_authors": ["me"]},
    },
}

CHANGES: list[tuple[tuple[str, ...], Any]] = [
    (("url_slug",), 3),
    (("status",), "Done"),
    (("tier",), 4),
    (("zebra",), "x"),
    (("deployment", "zebra"), "x"),
    (("deployment", "basic", "data_curators"), []),
    (("deployment", "basic", "data_curators"), "us"),
    (("deployment", "basic", "data_product_type"), "A table"),
    (("deployment", "basic", "publication_date"), "2026-02-30"),
    (("deployment", "basic", "publication_date"), "in June"),
    (("deployment", "privacy_loss", "privacy_parameters", "epsilon"), "1"),
    (("deployment", "privacy_loss", "privacy_parameters", "delta"), True),
    (("deployment", "privacy_loss", "privacy_parameters", "mu"), 1),
    (("deployment", "administrative"), {}),
]


def test_an_entry_that_fits_is_let_through() -> None:
    for delta in (1e-6, "one in a million"):
        entry = deepcopy(ENTRY)
        entry["deployment"]["privacy_loss"]["privacy_parameters"]["delta"] = delta
        VALIDATOR.validate(entry)
        require_entry(entry)


@pytest.mark.parametrize(("field", "value"), CHANGES)
def test_what_does_not_fit_is_refused(field: tuple[str, ...], value: Any) -> None:
    entry = deepcopy(ENTRY)
    part = entry
    for key in field[:-1]:
        part = part[key]
    part[field[-1]] = value
    assert not VALIDATOR.is_valid(entry)
    with pytest.raises(InputError):
        require_entry(entry)


def test_every_keyword_of_the_schema_is_read_or_says_something_in_words() -> None:
    """A keyword that is neither would be passed over without a word."""
    words = {"description", "description_long", "tier", "format"}
    read = {"type", "enum", "properties", "required", "additionalProperties", "items", "minItems"}

    def visit(part: dict[str, Any]) -> None:
        assert set(part) <= words | read, part
        for inner in part.get("properties", {}).values():
            visit(inner)
        if "items" in part:
            visit(part["items"])

    visit(SCHEMA)
    dates = [name for name, one in SCHEMA_BASIC.items() if "format" in one]
    assert dates == ["publication_date"]


SCHEMA_BASIC = part_of(("deployment", "basic"))["properties"]


def test_its_licence_lies_beside_it() -> None:
    assert (FOLDER / "LICENSE").read_text().startswith("MIT License")
