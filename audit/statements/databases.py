"""Databases in certificates: long lists of few kinds of record, as kinds with counts.

Of a database as ``{"kinds": [record, …], "order": [kind, times, kind, times, …]}`` the records
follow one after the other: so many times the first kind that is named, then the next. It says
exactly what the list says, order included.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

from synthesizers.errors import InputError

MOST_EXPANDED = 1_000_000
"""The most records of a database in this form (more than any search makes)."""

_KEYS = {"kinds", "order"}


def compact(database: list[Any]) -> dict[str, Any]:
    """A list of records as its kinds and their order; raises ValueError for what is no JSON."""
    texts = [json.dumps(record, sort_keys=True, allow_nan=False) for record in database]
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    stretches = [(places[text], len(list(same))) for text, same in groupby(texts)]
    return {
        "kinds": [json.loads(text) for text in places],
        "order": [number for stretch in stretches for number in stretch],
    }


def is_compact(shown: Any) -> bool:
    """Whether a database is shown as kinds and their order."""
    return isinstance(shown, dict) and shown.keys() == _KEYS


def expand(shown: Any) -> Any:
    """The list of records of a database in that form; any other as it is. Raises InputError."""
    if not is_compact(shown):
        return shown
    kinds, order = shown["kinds"], shown["order"]
    whole = isinstance(kinds, list) and isinstance(order, list) and len(order) % 2 == 0
    if not whole or not all(type(number) is int and number >= 0 for number in order):
        raise InputError("a database of the certificate is no list of kinds and their order")
    stretches = list(zip(order[::2], order[1::2], strict=True))
    if any(kind >= len(kinds) for kind, _ in stretches):
        raise InputError("a database of the certificate names a kind that it does not list")
    if sum(times for _, times in stretches) > MOST_EXPANDED:
        raise InputError(f"a database of the certificate has more than {MOST_EXPANDED} records")
    texts = [json.dumps(kind) for kind in kinds]
    return [json.loads(texts[kind]) for kind, times in stretches for _ in range(times)]
