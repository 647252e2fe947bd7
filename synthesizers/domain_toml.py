"""A domain as TOML, for people to write.

::

    name = "patients"
    [attributes]
    sex   = { values = ["male", "female"] }
    age   = { bins = [0, 30, 45, 60, 120], ordinal = true }
    grade = { values = ["1", "2", "3"], ordinal = true, missing = true }
    [hierarchies.sex]
    levels = [["anyone", "anyone"]]
    [individual]
    id = "person_id"
    [rules]
    children = "age < 15 -> grade is missing"

Bin edges are taken exactly as written: 0.1 is 1/10, and a ratio is the text
``"1/3"``. They may also be dates, dates with times, or times of day, all without a zone:
``bins = [2020-01-01, 2021-01-01]``; parts of a microsecond, and 24:00, are written as texts.
``missing = "N"`` declares a missing value that tables write as N. The rules are texts
about single records; they are no part of the domain, and whoever uses them reads them.
The name defaults to the file's. No other keys are known. The text ``"FILL IN"`` in place of
values or bins marks what a draft leaves to its reader (``drafts``), and is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from fractions import Fraction

from synthesizers.attributes import Attribute, Hierarchy
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.numerals import rational
from synthesizers.quantities import Quantity, read_edges

FILL_IN = "FILL IN"
"""Stands for values or bins that are still to be written."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PLACE = re.compile(r"\(at (line [0-9]+, column [0-9]+|end of document)\)$")


def domain_from_toml(text: str, default_name: str) -> Domain:
    """Return the domain that a TOML text declares, ``default_name`` being used if it has no name.

    Raises ``InputError`` with the place of a fault of syntax, or the key that is
    unknown, absent or of the wrong type.
    """
    document = _parse(text)
    known = ("name", "attributes", "hierarchies", "individual", "rules")
    _require_known(document, known, "the file")
    _rules(document)
    if "attributes" not in document:
        raise InputError("the table [attributes] is missing; declare each attribute in it")
    attributes = _table(document["attributes"], "[attributes]")
    _require_filled(attributes)
    hierarchies = _table(document.get("hierarchies", {}), "[hierarchies]")
    name = document.get("name", default_name)
    if not isinstance(name, str):
        raise InputError("name must be text in quotes")
    return Domain(
        name,
        tuple(_attribute(key, declared) for key, declared in attributes.items()),
        tuple(_hierarchy(key, declared) for key, declared in hierarchies.items()),
        _individual(document),
    )


def rules_from_toml(text: str) -> tuple[str, ...]:
    """Return the rules that a domain file states, in their order; ``InputError`` as above."""
    return _rules(_parse(text))


def domain_to_toml(domain: Domain) -> str:
    """Return the TOML text that ``domain_from_toml`` reads back as ``domain``."""
    lines = [f"name = {quote(domain.name)}", "", "[attributes]"]
    lines += [attribute_line(attribute) for attribute in domain.attributes]
    for hierarchy in domain.hierarchies:
        levels = ", ".join(_array(level) for level in hierarchy.levels)
        lines += ["", f"[hierarchies.{_key(hierarchy.attribute)}]", f"levels = [{levels}]"]
    if domain.individual is not None:
        lines += ["", "[individual]", f"id = {quote(domain.individual)}"]
    return "\n".join(lines) + "\n"


def attribute_line(attribute: Attribute) -> str:
    """Return the line of ``[attributes]`` that declares an attribute."""
    edges = attribute.edges
    if edges is None:
        declared = f"values = {_array(attribute.values)}"
    else:
        declared = f"bins = [{', '.join(_edge_text(edge, attribute.quantity) for edge in edges)}]"
    label = attribute.missing_label or attribute.missing
    return write_line(attribute.name, declared, ordinal=attribute.ordinal, missing=label)


def write_line(name: str, declared: str, *, ordinal: bool, missing: bool | str) -> str:
    """Return a line of ``[attributes]``: what is declared, in TOML, and what else holds."""
    fields = [declared]
    if ordinal:
        fields.append("ordinal = true")
    if missing:
        fields.append(f"missing = {quote(missing) if isinstance(missing, str) else 'true'}")
    return f"{_key(name)} = {{ {', '.join(fields)} }}"


def _parse(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        place = _PLACE.search(str(error))
        where = f" (at {place.group(1)})" if place is not None else ""
        raise InputError(
            f"it is not valid TOML{where}; a domain file has a table [attributes] with lines like "
            'sex = { values = ["male", "female"] }'
        ) from error


def _attribute(name: str, declared: object) -> Attribute:
    what = f"attribute {name!r}"
    fields = _table(declared, what)
    _require_known(fields, ("values", "bins", "ordinal", "missing"), what)
    if ("values" in fields) == ("bins" in fields):
        raise InputError(f"{what}: it needs either values or bins, and not both")
    ordinal, missing = fields.get("ordinal", False), fields.get("missing", False)
    if not isinstance(ordinal, bool):
        raise InputError(f"{what}: ordinal must be true or false")
    if not isinstance(missing, bool | str) or missing == "":
        raise InputError(f"{what}: missing must be true, false, or the text that tables write")
    label = missing if isinstance(missing, str) else ""
    if "values" in fields:
        values = _texts(fields["values"], f"{what}: values")
        return Attribute(name, values, ordinal, None, bool(missing), label)
    quantity, edges = _edges(_array_of(fields["bins"], f"{what}: bins"), what)
    return Attribute.binned(
        name, edges, ordinal=ordinal, missing=bool(missing), missing_label=label, quantity=quantity
    )


def _require_filled(attributes: Mapping[str, object]) -> None:
    """Raise ``InputError`` with all that a draft leaves open."""
    left = [
        f"{name!r} ({key})"
        for name, fields in attributes.items()
        for key in ("values", "bins")
        if isinstance(fields, dict) and fields.get(key) == FILL_IN
    ]
    if left:
        raise InputError(
            f"it is a draft: write values or bins in place of {FILL_IN!r} for the attributes "
            f"{', '.join(left)}, or delete their lines"
        )


def _hierarchy(name: str, declared: object) -> Hierarchy:
    what = f"[hierarchies.{name}]"
    fields = _table(declared, what)
    _require_known(fields, ("levels",), what)
    levels = _array_of(fields.get("levels"), f"{what}: levels")
    return Hierarchy(name, tuple(_texts(level, f"{what}: each level") for level in levels))


def _individual(document: Mapping[str, object]) -> str | None:
    if "individual" not in document:
        return None
    fields = _table(document["individual"], "[individual]")
    _require_known(fields, ("id",), "[individual]")
    column = fields.get("id")
    if not isinstance(column, str):
        raise InputError("[individual] needs id, the name of the id column, as text in quotes")
    return column


def _rules(document: Mapping[str, object]) -> tuple[str, ...]:
    rules = _table(document.get("rules", {}), "[rules]")
    for name, text in rules.items():
        if not isinstance(text, str):
            raise InputError(f'[rules]: {name} must be a text, as in "age < 15 -> grade = N"')
    return tuple(map(str, rules.values()))


def _edges(declared: Sequence[object], what: str) -> tuple[Quantity, tuple[Fraction, ...]]:
    numbers = [_number(edge) for edge in declared]
    if None not in numbers:
        return Quantity.NUMBERS, tuple(number for number in numbers if number is not None)
    dated = [
        edge if isinstance(edge, str) else edge.isoformat()
        for edge in declared
        if isinstance(edge, str | date | time)
    ]
    found = read_edges(dated) if len(dated) == len(declared) else None
    if found is None:
        raise InputError(
            f'{what}: a bin edge must be a finite number or a ratio like "1/3", or all of them be '
            "dates or times like 2020-01-31 and 2020-01-31T17:30:00, without a time zone"
        )
    return found


def _number(declared: object) -> Fraction | None:
    if isinstance(declared, int) and not isinstance(declared, bool):
        return Fraction(declared)
    return rational(str(declared)) if isinstance(declared, Decimal | str) else None


def _table(declared: object, what: str) -> Mapping[str, object]:
    if not isinstance(declared, dict):
        raise InputError(f"{what} must be a table")
    return declared


def _array_of(declared: object, what: str) -> Sequence[object]:
    if not isinstance(declared, list):
        raise InputError(f"{what} must be an array, as in [ … ]")
    return declared


def _texts(declared: object, what: str) -> tuple[str, ...]:
    items = _array_of(declared, what)
    texts = tuple(item for item in items if isinstance(item, str))
    if len(texts) < len(items):
        raise InputError(f'{what} must be texts; write numbers in quotes, as in "1"')
    return texts


def _require_known(fields: Mapping[str, object], known: Sequence[str], what: str) -> None:
    unknown = [key for key in fields if key not in known]
    if unknown:
        raise InputError(
            f"{what} has the unknown key {unknown[0]!r}; the keys known there are "
            f"{', '.join(known)}"
        )


def quote(text: str) -> str:
    """Return a TOML basic string; JSON's escapes are a part of TOML's, which escapes DEL, too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _array(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(quote, texts))}]"


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) is not None else quote(name)


def _edge_text(edge: Fraction, quantity: Quantity) -> str:
    text = quantity.write(edge)
    # Python reads no more than microseconds of TOML's own times, and no 24:00.
    fine = quantity is Quantity.TIMES or (quantity is Quantity.MOMENTS and "." in text)
    return quote(text) if "/" in text or fine else text
