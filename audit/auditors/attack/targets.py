"""Targets: the records in which two databases differ, and what the databases hold of values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from audit.subjects.pair import Pair

Record = Mapping[str, Any]

MOST_TARGETS = 3
"""Targets that get columns (a choice of this project: an exchanged record has two)."""


def databases(pair: Pair) -> tuple[list[Record], list[Record]]:
    """Both databases as records; empty where they are none."""
    found = [_records(database) for database in (pair.first, pair.second)]
    return (found[0] or [], found[1] or []) if None not in found else ([], [])


def _records(database: Any) -> list[Record] | None:
    if isinstance(database, list) and all(isinstance(record, Mapping) for record in database):
        return database
    return None


def targets(first: Sequence[Record], second: Sequence[Record]) -> list[Record]:
    """The records that one database holds more often than the other, each once."""
    counts = Counter(map(_text, second))
    counts.subtract(Counter(map(_text, first)))
    return [json.loads(text) for text, count in counts.items() if count][:MOST_TARGETS]


def _text(record: Record) -> str:
    return json.dumps(record, sort_keys=True)
