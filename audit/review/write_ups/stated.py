"""The ``[write-up]`` table of a submission: what it states of its queries, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from audit.review.submissions.submission import StatedQuery, StatedWriteUp
from audit.review.write_ups.numbers import read_number
from synthesizers.errors import InputError

TEXTS = ("name", "question", "sensitivity", "share", "noise", "file")
KEYS = (*TEXTS, "line")
"""The keys of a query, those of `StatedQuery`."""

MOST_QUERIES = 10_000
"""The most queries of a write-up: nobody reads as many."""

MOST_CHARACTERS = 100_000
"""The most characters of one text."""

LARGEST_LINE = 10**9
"""The largest number of a line."""


def read_stated(table: Mapping[str, Any]) -> StatedWriteUp:
    """The ``[write-up]`` table: ``file`` and ``[[write-up.query]]``; raises InputError.

    >>> read_stated({"query": [{"name": "counts", "share": "1/2"}]}).queries[0].share
    '1/2'
    """
    _require_keys(table, ("file", "query"), "[write-up]")
    queries = table.get("query", [])
    if type(queries) is not list or len(queries) > MOST_QUERIES:
        raise InputError(f"write-up.query is a list of at most {MOST_QUERIES} tables")
    file = _text(table, "file", "[write-up]")
    return StatedWriteUp(file, tuple(_query(one, place) for place, one in enumerate(queries, 1)))


def _query(plain: object, place: int) -> StatedQuery:
    where = f"query {place} of [[write-up.query]]"
    if not isinstance(plain, Mapping):
        raise InputError(f"{where} is a table of {', '.join(KEYS)}")
    _require_keys(plain, KEYS, where)
    texts = {key: _text(plain, key, where) for key in TEXTS}
    name = texts.pop("name")
    if not name:
        raise InputError(f"{where} needs a name")
    if texts["sensitivity"] is not None:
        read_number(texts["sensitivity"], f"sensitivity of {where}")
    if texts["share"] is not None:
        share = read_number(texts["share"], f"share of {where}")
        if share.root or share.lower > 1:
            raise InputError(f"share of {where} is a part of the budget, from 0 to 1")
    line = plain.get("line")
    if line is not None and (type(line) is not int or not 1 <= line <= LARGEST_LINE):
        raise InputError(f"line of {where} is a whole number from 1 on")
    return StatedQuery(name=name, line=line, **texts)


def _text(table: Mapping[str, Any], key: str, where: str) -> str | None:
    value = table.get(key)
    if key in ("sensitivity", "share") and type(value) in (int, Decimal):
        return str(value)
    if value is not None and (type(value) is not str or len(value) > MOST_CHARACTERS):
        example = ' such as "1/2" or "0.5"' if key in ("sensitivity", "share") else ""
        raise InputError(f"{key} of {where} is a text{example}")
    return value


def _require_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    strange = [key for key in table if key not in known]
    if strange:
        keys = ", ".join(known)
        raise InputError(f"{where} has the keys {keys}; found {str(strange[0])[:40]!r}")
