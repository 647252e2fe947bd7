"""JSON of strangers: one meaning a document, bounded in size and depth."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

from synthesizers.errors import InputError

MAX_BYTES = 64 * 1024 * 1024
"""The largest document that is read."""

MAX_DEPTH = 100
"""The most lists and objects inside one another."""


def read_text(path: str) -> str:
    """The text of a file of at most `MAX_BYTES`; raises InputError."""
    try:
        with Path(path).open("rb") as file:
            held = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or 'an error'}") from None
    return _text(held, path, MAX_BYTES)


def read_input(most: int = MAX_BYTES) -> str:
    """The text of standard input, at most so many bytes; raises InputError."""
    return _text(sys.stdin.buffer.read(most + 1), "standard input", most)


def _text(held: bytes, path: str, most: int) -> str:
    if len(held) > most:
        raise InputError(f"{path} is larger than {most} bytes; it is not read")
    try:
        return held.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} cannot be read: not UTF-8 text") from None


def parse(text: str, path: str, expected: str) -> dict[str, Any]:
    """The JSON object of a text; InputError for any other text.

    A key that is given twice, NaN and infinities are refused: readers differ in what they make of
    them. Lone surrogates are read; ASCII with escapes writes them again.
    """
    if len(text) > MAX_BYTES:
        raise InputError(f"{path} is larger than {MAX_BYTES // 2**20} MiB; it is not read")
    try:
        document = loads(text)
        require_shallow(document)
        json.dumps(document).encode("ascii")
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON; expected {expected}") from None
    if not isinstance(document, dict):
        raise InputError(f"{path} is a JSON value that is no object; expected {expected}")
    return document


def loads(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError or RecursionError where it has none, or several."""
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)


def require_shallow(document: object) -> None:
    """Raise ValueError beyond `MAX_DEPTH`: what reads the document may call itself."""
    level = [document]
    for _ in range(MAX_DEPTH):
        lists = [value for value in level if isinstance(value, list)]
        objects = [value for value in level if isinstance(value, dict)]
        level = [member for value in lists for member in value]
        level += [member for value in objects for member in value.values()]
    if level:
        raise ValueError("the document is nested too deeply")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
