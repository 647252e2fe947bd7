"""The forms of schemas that are known, and which one a document has."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from synthesizers.column_schemas import parse_schema
from synthesizers.drafts.draft import Bins, Draft
from synthesizers.drafts.entries import Document
from synthesizers.drafts.frictionless import draft_package, is_package
from synthesizers.drafts.own import draft_column_schema, is_column_schema
from synthesizers.drafts.sdnist import (
    draft_dictionary,
    draft_schema,
    is_dictionary,
    is_parameters,
    is_schema,
)
from synthesizers.drafts.sdv import draft_metadata, is_metadata
from synthesizers.errors import InputError

LARGEST = 64 * 2**20
"""Bytes of a schema: a larger file is a table."""


@dataclass(frozen=True)
class Form:
    """A form of schema: how to tell one, and how to read it (its name, bins, and one table)."""

    spoken: str
    fits: Callable[[Document], bool]
    draft: Callable[[Document, str, Bins, str | None], Draft]


FORMS = (
    Form("metadata of SDV or SDMetrics", is_metadata, draft_metadata),
    Form("a table schema or data package of Frictionless Data", is_package, draft_package),
    Form("the parameters.json of a DeID2 challenge", is_parameters, draft_schema),
    Form("a schema of SDNist", is_schema, draft_schema),
    Form("a column schema", is_column_schema, draft_column_schema),
    Form("a data dictionary of SDNist", is_dictionary, draft_dictionary),
)
"""The forms, the ones that can be told for sure first."""


def draft_schema_file(path: str | Path, bins: Bins, table: str | None = None) -> Draft:
    """The draft of a schema in a JSON file, or on standard input for ``-``.

    ``table``: the one that is meant, of several. Raises ``InputError`` for a file that cannot be
    read, is no JSON, or of none of the ``FORMS``.
    """
    spoken = "standard input" if str(path) == "-" else str(path)
    try:
        document = parse_schema(_read_text(path))
        form = _form_of(document)
        if form is None:
            known = "; ".join(one.spoken for one in FORMS)
            raise InputError(f"it has none of the forms that are known: {known}")
        return form.draft(document, _stem(path), bins, table)
    except InputError as error:
        raise type(error)(f"the schema {spoken}: {error}") from error


def say_conversion(path: str | Path, text: str) -> str | None:
    """What a text given as a domain file is instead, and the command that converts it.

    None for one of no form that is known, and for a column schema, which is a domain file.
    """
    try:
        form = _form_of(parse_schema(text))
    except InputError:
        return None
    if form is None or form.fits is is_column_schema:
        return None
    command = f"dp-audit domain --from-schema {shlex.quote(str(path))} --out domain.toml"
    return f"it is {form.spoken} and no domain file; convert it by: {command}"


def _form_of(document: Document) -> Form | None:
    return next((form for form in FORMS if form.fits(document)), None)


def _read_text(path: str | Path) -> str:
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a readable path"
        raise InputError(f"it cannot be read: {reason}") from error
    if len(content) > LARGEST:
        raise InputError(f"it is larger than {LARGEST} bytes; is it a table of records?")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("it is not UTF-8 text") from error


def _stem(path: str | Path) -> str:
    name = Path(path).name.removesuffix(".json").removesuffix(".schema")
    return "domain" if name in ("", "-") or not name.isprintable() else name
