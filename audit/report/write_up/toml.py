"""The machine-readable list of queries: ``[[write-up.query]]``, as a submission.toml has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.report.words import clean
from audit.review.submissions.stated_numbers import spell_share
from audit.review.write_ups.asked import AskedQuery
from synthesizers.domain_toml import quote


def queries_toml(asked: Sequence[AskedQuery]) -> str:
    """A table for each question, with the keys of `StatedQuery` that are known."""
    if not asked:
        return "[write-up]\nquery = []\n"
    return "\n".join("\n".join(_lines(one)) + "\n" for one in asked)


def query_fields(one: AskedQuery) -> dict[str, str | int]:
    """A question by the keys of `StatedQuery`; what is not known is left out."""
    fields = {
        "name": one.name,
        "question": one.question,
        "sensitivity": one.sensitivity,
        "share": None if one.share is None else spell_share(one.share),
        "noise": one.noise,
        "file": one.file,
        "line": one.line,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _lines(one: AskedQuery) -> Iterator[str]:
    yield "[[write-up.query]]"
    for key, value in query_fields(one).items():
        yield f"{key} = {value if isinstance(value, int) else _text(value)}"


def _text(value: str) -> str:
    """A text of TOML: literal where that can be read back, otherwise with escapes."""
    if "'" not in value and clean(value) == value and '"' in value:
        return f"'{value}'"
    return quote(value)
