"""Tokens in words: what a facet was on one database and on the other, for a reader."""

from __future__ import annotations

import re
from collections.abc import Hashable

from audit.auditors.data_independence.facets import Digested

LONGEST = 120
"""The most characters of what a facet was on one database."""

_PLAIN = {"int", "float", "str", "bool", "bytes", "NoneType"}


def describe_apart(first: frozenset[Hashable], second: frozenset[Hashable]) -> tuple[str, str]:
    """What a facet was on the first and on the second database.

    What differs in nothing that words tell is "another" of its kind.
    """
    told, other = _describe(first), _describe(second)
    return told, f"another {other.removeprefix('a ')}" if told == other else other


def describe_name(name: str) -> str:
    """The name of a facet without what tells long texts apart."""
    return re.sub("…[0-9a-f]{8}", "…", name)


def _describe(tokens: frozenset[Hashable]) -> str:
    if not tokens:
        return "anything else"
    texts = sorted({_describe_one(token) for token in tokens})
    shown = " or ".join(texts[:3])
    return (shown if len(texts) <= 3 else f"{shown} or {len(texts) - 3} more")[:LONGEST]


def _describe_one(token: Hashable) -> str:
    match token:
        case bool():
            return "present" if token else "absent"
        case Digested(kind, size, _):
            return f"a {kind} of {size}" if size else f"a {kind}"
        case ("raised", str(kind)):
            return f"an exception ({kind})"
        case ("str", value):
            return repr(value)
        case (str(kind), value) if kind in _PLAIN:
            return str(value)
        case ("columns", tuple(names)):
            return ", ".join(map(repr, names)) or "none"
        case (str(), str(text)):
            return text
        case tuple() if all(isinstance(part, int) for part in token):
            return "x".join(map(str, token)) or "a single value"
        case None:
            return "none"
    return repr(token)
