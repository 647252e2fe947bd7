"""The codec of certificates: it takes what is written, and refuses whatever else is in a field."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from audit.statements.certificate import canonical
from audit.statements.certificate_json import decode, encode
from audit.statements.published import KEYWORDS, Strange
from synthesizers.errors import InputError

ROOT = Path(__file__).parents[3]
GOLDEN = sorted((ROOT / "tests" / "golden" / "certificates").glob("*.json"))
SCHEMA = json.loads((ROOT / "audit/statements/schema/1/certificate.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
FREE = ("parameters", "conclusion", "rule", "event", "first", "second", "versions", "events")
"""Keys under which the codec leaves the meaning to others."""


def documents() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in GOLDEN]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place of a document, but inside of what is free, and of each list its first member."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in FREE and path != ("channel_certificate",):
                yield from places(member, (*path, key))
    if isinstance(value, list):
        for key, member in enumerate(value[:1]):
            yield from places(member, (*path, key))


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    found = copy.deepcopy(document)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return found


def strange(document: Any) -> tuple[str, ...]:
    try:
        decode(document)
    except Strange as error:
        return error.notes
    return ()


def refused(document: Any) -> bool:
    try:
        return bool(strange(document))
    except InputError:
        return True


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_was_written_is_known(path: Path) -> None:
    document = json.loads(path.read_text())
    assert strange(document) == ()
    VALIDATOR.validate(document)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_is_read_is_written_again(path: Path) -> None:
    document = json.loads(path.read_text())
    again = encode(decode(document))
    # Keys that came later are always written.
    later = {key: again[key] for key in ("proof", "channel_certificate") if key not in document}
    assert canonical(again) == canonical({**document, **later})


@pytest.mark.parametrize("spelling", ["1.0", "01", "1E0", "+1", "0.50"])
def test_a_number_in_another_spelling_is_told(spelling: str) -> None:
    """Of an end of a bound it is false or malformed; so is a claim."""
    document = json.loads((GOLDEN[0].parent / "with-isolation-proved.json").read_text())
    for at in (
        ("bounds", "ceiling", "epsilon", "upper"),
        ("evidence", 0, "bound", "epsilon", "lower"),
        ("evidence", 0, "witness", "probabilities", "to", "upper"),
    ):
        assert refused(put(document, at, spelling)), at
    assert refused(put(document, ("claim",), f"epsilon={spelling}"))


@pytest.mark.parametrize("path", GOLDEN[:1] + GOLDEN[-8:], ids=lambda path: path.stem)
def test_a_key_that_is_added_anywhere_is_named(path: Path) -> None:
    """The schema refuses it there, too."""
    document = json.loads(path.read_text())
    objects = [(at, value) for at, value in places(document) if isinstance(value, dict)]
    assert len(objects) > 5
    for at, value in [((), document), *objects]:
        if at and (at[-1] in FREE or at == ("channel_certificate",)):
            continue
        if not at:
            forged = {**document, "note": "ε = 0.01"}
        else:
            forged = put(document, at, {**value, "note": "ε = 0.01"})
        (told,) = strange(forged)
        assert told.endswith("note: unknown key") and str(at[0] if at else "") in told
        assert not VALIDATOR.is_valid(forged), at


WRONG: tuple[Any, ...] = (True, 1, -1, 2.5, "x" * 200_000, "\x00", [], {}, [[]], 10**2000, 1e400)


@pytest.mark.parametrize("path", GOLDEN[:1] + GOLDEN[-8:], ids=lambda path: path.stem)
def test_what_is_of_another_type_is_refused_with_its_place(path: Path) -> None:
    document = json.loads(path.read_text())
    for at, value in places(document):
        if at[-1] in (*FREE, "individual", "detectable") or "matrix" in at:
            continue
        for wrong in WRONG:
            alike = type(wrong) is type(value) and not isinstance(wrong, dict)
            number = isinstance(wrong, int | float) and isinstance(value, int | float)
            if (alike or (number and type(wrong) is not bool)) and wrong not in (10**2000, 1e400):
                continue
            if type(wrong) is list and (value == [] or isinstance(value, list)):
                continue
            if isinstance(wrong, list) and value is None:
                continue
            forged = put(document, at, wrong)
            assert refused(forged), (at, wrong)


def test_a_truth_value_is_no_number_and_a_number_no_truth_value() -> None:
    document = json.loads(GOLDEN[0].read_text())
    for at, value in places(document):
        if type(value) is bool:
            assert refused(put(document, at, int(value))), at
        if type(value) is int and at[-1] not in FREE:
            assert refused(put(document, at, True)) and refused(put(document, at, float(value))), at
            assert refused(put(document, at, str(value))), at


def test_a_missing_key_is_named() -> None:
    later = {"proof", "channel_certificate", "isolation", "questions", "self_test"}
    for document in documents()[:2]:
        for key in document.keys() - later:
            with pytest.raises(InputError, match=f"{key}: it is missing"):
                strange({k: v for k, v in document.items() if k != key})
        for key in later:
            assert strange({k: v for k, v in document.items() if k != key}) == ()


def test_a_key_of_a_stranger_is_named_without_its_control_characters() -> None:
    (told,) = strange({**documents()[0], "\x1b[31m" + "x" * 10_000: 1})
    assert told.isprintable() and len(told) < 100


def keywords(schema: Any) -> Iterator[str]:
    """Every keyword of a schema and its parts."""
    if not isinstance(schema, dict):
        return
    for key, part in schema.items():
        yield key
        if key == "dependentRequired":
            continue
        parts = part.values() if key in ("properties", "$defs") else [part]
        for inner in part if key == "oneOf" else parts:
            yield from keywords(inner)


def test_every_keyword_of_the_schema_is_read() -> None:
    """What the door does not know, it would let through."""
    in_words = {"$schema", "$id", "title", "description", "$defs"}
    assert set(keywords(SCHEMA)) - in_words <= set(KEYWORDS)
