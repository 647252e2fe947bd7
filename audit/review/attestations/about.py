"""What the user states of a deployment, because no certificate can know it."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from typing import Any

from audit.review.attestations.registry_schema import Field, part_of, require_value
from synthesizers.errors import InputError

FILL_IN = "FILL IN"

REQUIRED: tuple[Field, ...] = (
    ("url_slug",),
    ("deployment", "basic", "name"),
    ("deployment", "basic", "data_curators"),
    ("deployment", "basic", "description"),
    ("deployment", "basic", "intended_use"),
    ("deployment", "basic", "data_product_type"),
    ("deployment", "basic", "data_product_region"),
    ("deployment", "basic", "publication_date"),
    ("deployment", "administrative", "registry_authors"),
)
"""The fields without which there is no entry."""

OPTIONAL: tuple[Field, ...] = (
    ("deployment", "basic", "data_product_sector"),
    ("deployment", "deployment_model", "model_name_details"),
    ("deployment", "deployment_model", "actors"),
    ("deployment", "deployment_model", "release_type"),
    ("deployment", "deployment_model", "release_type_details"),
    ("deployment", "deployment_model", "data_source_type"),
    ("deployment", "deployment_model", "data_source_type_details"),
    ("deployment", "implementation", "preprocessing_and_hyperparameter_tuning"),
    ("deployment", "implementation", "justification"),
    ("deployment", "administrative", "sources"),
)
"""The fields that an entry may lack."""

ADDED: tuple[Field, ...] = (
    ("deployment", "dp_variant", "data_domain"),
    ("deployment", "dp_variant", "unprotected_quantities"),
    ("deployment", "privacy_loss", "privacy_unit_details"),
    ("deployment", "privacy_loss", "privacy_parameters_details"),
    ("deployment", "deployment_model", "access_type_details"),
    ("deployment", "accounting", "post_processing"),
    ("deployment", "accounting", "composition"),
    ("deployment", "implementation", "mechanisms"),
    ("deployment", "administrative", "notes"),
)
"""The fields that a certificate fills and the user may add to."""

FIELDS = (*REQUIRED, *OPTIONAL, *ADDED)

About = Mapping[Field, str | tuple[str, ...]]
"""What is stated, by field."""


def parse_about(text: str, path: str) -> About:
    """What a TOML text states; raises InputError for what an entry does not take of the user.

    Guarantee
    ---------
    Every value fits the schema's field, all required fields are there, and nothing that the
    certificate fills by itself is. Backed by ``tests/audit/review/attestations/test_about.py``.
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not TOML: {str(error)[:80]}") from None
    stated = dict(_leaves(document))
    known = {_name(field): field for field in FIELDS}
    for name in stated:
        if name not in known:
            raise InputError(f"{path}: {_explain_strange(name, tuple(known))}")
    found: dict[Field, str | tuple[str, ...]] = {}
    for name, value in stated.items():
        if FILL_IN in str(value):
            raise InputError(f"{path}: {name} still says {FILL_IN}; state it, or take it out")
        plain = value.isoformat() if type(value) is date else value
        # Most details have no type in the schema: all that is stated here is text.
        if not isinstance(plain, list) and (type(plain) is not str or not plain.strip()):
            raise InputError(f"{path}: {name} is a text that is not empty")
        try:
            require_value(known[name], plain)
        except InputError as error:
            raise InputError(f"{path}: {str(error).removeprefix('deployment.')}") from None
        found[known[name]] = tuple(plain) if isinstance(plain, list) else plain
    missing = [_name(field) for field in REQUIRED if field not in found]
    if missing:
        raise InputError(
            f"{path} does not state {', '.join(missing)}, which no certificate knows; "
            "dp-audit attest --draft-about FILE drafts a file that has them all"
        )
    return found


def draft_about() -> str:
    """A TOML file with every field that the user states, and what the registry says of it."""
    return "\n".join(_draft()) + "\n"


def _draft() -> Iterator[str]:
    yield "# What no certificate knows of a release, for dp-audit attest --about."
    yield f"# Write what is so in place of {FILL_IN!r}. Lines behind a # may stay out."
    yield "# What is stated here is marked in the entry as stated by you."
    tables = dict.fromkeys(field[:-1] for field in FIELDS)
    for table in tables:
        if table:
            yield ""
            yield f"[{table[-1]}]"
        for field in FIELDS:
            if field[:-1] == table:
                yield from _draft_field(field)


def _draft_field(field: Field) -> Iterator[str]:
    part = part_of(field)
    about = part.get("description") or f"{field[-1].replace('_', ' ').capitalize()}."
    # Markup and line breaks of the schema's own texts are not those of a comment.
    words = " ".join(re.sub("<[^>]*>", "", about).split())
    yield ""
    yield from textwrap.wrap(words, 96, initial_indent="# ", subsequent_indent="# ")
    if "enum" in part:
        yield f"# One of: {', '.join(part['enum'])}"
    if field in ADDED:
        yield "# Added to what the certificate says."
    value = f'["{FILL_IN}"]' if part.get("type") == "array" else f'"{FILL_IN}"'
    yield f"{'' if field in REQUIRED else '# '}{field[-1]} = {value}"


def _leaves(document: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in document.items():
        name = f"{above}{key}"
        if isinstance(value, dict):
            yield from _leaves(value, f"{name}.")
        else:
            yield name, value


def _name(field: Field) -> str:
    """A field as the user's file has it."""
    return ".".join(field).removeprefix("deployment.")


def _explain_strange(name: str, known: tuple[str, ...]) -> str:
    try:
        part_of(("deployment", *name.split(".")) if "." in name else (name,))
    except KeyError:
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else "see dp-audit attest --draft-about FILE"
        return f"no entry has the field {name[:60]!r}; {hint}"
    return f"{name} is filled from the certificate; take it out"
