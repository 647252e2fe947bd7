"""The table ``[write-up]``: what a submission states of its queries."""

from __future__ import annotations

from audit.review.submissions.sections import Section
from audit.review.submissions.stated_numbers import StatedNumber, read_number
from audit.review.submissions.submission import StatedQuery, StatedWriteUp
from synthesizers.errors import InputError

MOST_QUERIES = 10_000
"""The most queries of a write-up: nobody reads as many."""


def read_write_up(section: Section) -> StatedWriteUp:
    """The write-up of a table with ``file`` and ``[[write-up.query]]``, whose problems are noted.

    >>> section = Section({"query": [{"name": "counts", "sensitivity": "sqrt(2)"}]}, "[w]", [])
    >>> read_write_up(section).queries[0].sensitivity
    'sqrt(2)'
    """
    file = section.text("file")
    queries = tuple(map(_read_query, section.tables("query", MOST_QUERIES)))
    section.end()
    return StatedWriteUp(file, queries)


def _read_query(section: Section) -> StatedQuery:
    name = section.words("name")
    if not name and name == section.fields.get("name"):
        section.note("a query needs a name, in the write-up's words")
    query = StatedQuery(
        name or "",
        section.words("question"),
        _read_number(section, "sensitivity"),
        _read_number(section, "share"),
        section.words("noise"),
        section.words("file"),
        section.whole("line", 1),
    )
    section.end()
    return query


def _read_number(section: Section, key: str) -> str | None:
    """A number as it is written, which may be rounded or a root."""
    value = section.take(
        key, lambda value: _number(value) is not None, 'must be a number, as 2, 0.5 or "1/3"'
    )
    number = None if value is None else _number(value)
    if key == "share" and number is not None and (number.root or number.lower > 1):
        section.note("share must lie between 0 and 1: it is the query's part of the budget")
    return None if value is None else str(value)


def _number(value: object) -> StatedNumber | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return read_number(str(value), "it")
    except (InputError, ValueError):
        # A whole number of too many digits has no text.
        return None
