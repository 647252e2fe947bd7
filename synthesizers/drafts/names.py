"""A draft of names and types alone: ``age:number``, ``sex:category``."""

from __future__ import annotations

from collections.abc import Sequence

from synthesizers.drafts.draft import Column, Draft, Gap, LeftOut, list_values
from synthesizers.errors import InputError

_ASKED = {
    "category": ("values", "the values that can occur", False),
    "number": ("bins", "edges, as in bins = [0, 30, 60]", True),
    "date": ("bins", "edges, as in bins = [2020-01-01, 2020-07-01, 2021-01-01]", True),
    "datetime": ("bins", "edges, as in bins = [2020-01-01T00:00:00, 2020-01-02T00:00:00]", True),
    "time": ("bins", 'edges, as in bins = ["00:00", "12:00", "24:00"]', True),
}
"""What a type leaves to fill in."""

TYPES = (*_ASKED, "boolean", "id")
"""The types that a name can have."""


def draft_names(columns: Sequence[str]) -> Draft:
    """The draft of columns that are written ``NAME:TYPE``; ``InputError`` for another form."""
    found: list[Column] = []
    ids = []
    for text in columns:
        name, colon, kind = text.rpartition(":")
        if not colon or not name or kind not in TYPES:
            raise InputError(
                f"a column is written NAME:TYPE, the type one of {', '.join(TYPES)}, as in "
                f"age:number; found {text!r:.60}"
            )
        if kind == "id":
            ids.append(name)
            found.append(LeftOut(name, "an id, which is not released"))
        elif kind == "boolean":
            found.append(list_values(name, ("False", "True")))
        else:
            key, ask, ordinal = _ASKED[kind]
            found.append(Gap(name, "values" if key == "values" else "bins", ask, "", ordinal))
    if len(ids) > 1:
        raise InputError(f"a domain has one id column, and {', '.join(map(repr, ids))} are ids")
    return Draft("domain", "names and types alone", tuple(found), ids[0] if ids else None)
