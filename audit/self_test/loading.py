"""The result of a self-test as a certificate carries it: the scale was tested before weighing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from audit.self_test.code import code_digest
from audit.self_test.run import SCHEMA, choose_liars
from audit.statements import strict_json
from synthesizers.errors import InputError

_AGAIN = "make it again with dp-audit self-test --json FILE"


def load_self_test(path: str) -> dict[str, Any]:
    """What a certificate says of the self-test in a file.

    Its form, how many liars were caught, how many honest cases accused, and digests of the code
    that was tested and of the whole table. Raises InputError for a file that is none, that was
    made by other code than is running, that has not every case of its form, or whose self-test
    failed.
    """
    text = strict_json.read_text(path)
    document = strict_json.parse(text, path, "the JSON of dp-audit self-test")
    if document.get("schema") != SCHEMA:
        raise InputError(f"{path} is no result of dp-audit self-test; {_AGAIN}")
    liars, controls = _rows(document, "liars", path), _rows(document, "controls", path)
    if document.get("code") != code_digest():
        raise InputError(f"the self-test in {path} ran other code than this; {_AGAIN}")
    caught = sum(row.get("caught") is True for row in liars)
    accused = sum(row.get("accused") is not False for row in controls)
    form = document.get("form")
    if caught < len(liars) or accused or not liars or form not in ("whole", "quick"):
        raise InputError(
            f"the self-test in {path} is not a whole or a quick one that succeeded "
            f"({caught} of {len(liars)} liars caught, {accused} honest cases accused); {_AGAIN}"
        )
    asked = choose_liars(form == "quick", None)
    rows = ([row.get("name") for row in liars], [row.get("name") for row in controls])
    if rows != ([a.name for a in asked], list(dict.fromkeys(a.honest.name for a in asked))):
        raise InputError(f"the self-test in {path} lacks cases of its form, or adds some; {_AGAIN}")
    return {
        "form": form,
        "liars": len(liars),
        "caught": caught,
        "honest": len(controls),
        "accused": accused,
        "version": str(document.get("version")),
        "code": code_digest(),
        "table": "sha256:" + hashlib.sha256(text.encode()).hexdigest(),
    }


def _rows(document: Mapping[str, Any], key: str, path: str) -> list[Mapping[str, Any]]:
    rows = document.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(f"the {key} of {path} are malformed; {_AGAIN}")
    return rows
