"""Describes a JSON schema to a reader: every key with its type and its meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docs.generated import DOCS, fill

FOLDER = DOCS.parent / "audit" / "statements" / "schema" / "1"

Schema = Mapping[str, Any]


def read_schemas(folder: Path = FOLDER) -> dict[str, Schema]:
    """The schema of every document, by the document's name."""
    return {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*"))}


SCHEMAS = read_schemas()
"""Every document's schema."""


def describe_schema(schema: Schema) -> str:
    """A heading, what the document is, its keys, and the forms that several of its keys share."""
    name = schema["$id"].split("/")[1]
    blocks = [f"### {name}", fill(schema["description"])]
    branches = schema.get("oneOf", [schema])
    for branch in branches:
        if len(branches) > 1:
            blocks.append(f"**{branch['title']}**")
        blocks.append("\n".join(_keys(branch, name, 0)))
    for shared, form in schema.get("$defs", {}).items():
        words = f"{_type(form, name)}. {form.get('description', '')}"
        blocks.append(f"#### {_anchor(name, shared)}\n\n{fill(words)}")
        keys = list(_keys(form, name, 0))
        if keys:
            blocks.append("\n".join(keys))
    return "\n\n".join(blocks)


def _anchor(name: str, shared: str) -> str:
    return f"{name}: {shared.replace('_', ' ')}"


def _keys(schema: Any, name: str, depth: int) -> Iterator[str]:
    """An item for each key of an object, or of the objects that a list or a map holds."""
    forms = list(_objects(schema))
    for number, inner in enumerate(forms, start=1):
        if len(forms) > 1:
            yield fill(f"*as one of {len(forms)} forms, number {number}:*", " " * 4 * depth + "- ")
        level = depth + (len(forms) > 1)
        required = inner.get("required", ())
        for key, value in inner.get("properties", {}).items():
            yield _item(f"`{key}`", value, key in required, name, level)
            yield from _keys(value, name, level + 1)
        for pattern, value in inner.get("patternProperties", {}).items():
            yield _item(f"any key like `{pattern}`", value, False, name, level)
            yield from _keys(value, name, level + 1)


def _item(key: str, schema: Any, required: bool, name: str, depth: int) -> str:
    optional = "" if required else ", may be absent"
    words = f"{key} ({_type(schema, name)}{optional})"
    meaning = schema.get("description", "") if isinstance(schema, dict) else ""
    return fill(f"{words}: {meaning}" if meaning else words, " " * 4 * depth + "- ")


def _objects(schema: Any) -> Iterator[Schema]:
    """The objects with keys of their own that a value is, or holds."""
    if not isinstance(schema, dict):
        return
    if "properties" in schema or "patternProperties" in schema:
        yield schema
    for inner in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _objects(inner)
    for word in ("items", "additionalProperties"):
        yield from _objects(schema.get(word))


def _type(schema: Any, name: str) -> str:
    """What a value is, in words."""
    if not isinstance(schema, dict) or not schema:
        return "anything"
    if "$ref" in schema:
        return _shared(schema["$ref"], name)
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in schema["enum"])
    parts = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if parts:
        return " or ".join(dict.fromkeys(_type(part, name) for part in parts))
    kinds: str | list[str] = schema.get("type", "anything")
    if isinstance(kinds, list):
        return " or ".join(WORDS.get(kind, kind) for kind in kinds)
    inner = schema.get("items" if kinds == "array" else "additionalProperties")
    if kinds in ("array", "object") and isinstance(inner, dict):
        return f"{WORDS[kinds]} of {_many(_type(inner, name))}"
    return WORDS.get(kinds, kinds)


def _shared(reference: str, name: str) -> str:
    """A link to a form that several keys share, or to another document."""
    document, _, path = reference.partition("#")
    shared = path.rpartition("/")[2].replace("_", " ")
    if document:
        other = document.split("/")[1]
        return f"[{other}](#{other})"
    return f"[{shared}](#{name}-{shared.replace(' ', '-')})"


def _many(words: str) -> str:
    """Of several: texts, whole numbers, lists of texts."""
    head, of, rest = words.partition(" of ")
    plain = head in WORDS.values() and head not in ("null", "true or false")
    return f"{head}s{of}{rest}" if plain else f"({words})" if " or " in words else words


WORDS: Mapping[str, str] = {
    "string": "text",
    "integer": "whole number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
    "null": "null",
    "number": "number",
}
"""JSON's types in a reader's words."""
