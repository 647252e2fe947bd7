"""Chains of neighbours between two databases that are given by their ends alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours

Owned = tuple[Any, ...]
"""The records of one unit: a single record, or those of one person."""


def chain_between(
    first: list[Any], second: list[Any], neighbours: Neighbours, individual: str | None
) -> list[list[Any]] | None:
    """Databases from ``first`` to ``second``, one unit changed in each step.

    ``individual``: the key that says whose a record is. None where persons are the unit and
    nothing tells whose records are whose. That each step is one of neighbours is not checked here:
    `audit.auditors.attack.pairs.given_pairs.chain_pair` does that.
    """
    if neighbours.unit.is_record:
        before, after = [(record,) for record in first], [(record,) for record in second]
    elif individual is not None:
        before, after = (_by_person(database, individual) for database in (first, second))
    else:
        return None
    kept, gone, come = _compare(before, after)
    if isinstance(neighbours, AddRemove):
        steps: list[tuple[Owned, Owned]] = [
            *((unit, ()) for unit in gone),
            *(((), u) for u in come),
        ]
    else:
        steps = _match_exchanges(gone, come, individual)
    return [
        [
            record
            for owned in (
                *kept,
                *(new for _, new in steps[:step]),
                *(old for old, _ in steps[step:]),
            )
            for record in owned
        ]
        for step in range(len(steps) + 1)
    ]


def _by_person(database: list[Any], individual: str) -> list[Owned]:
    found: dict[str, list[Any]] = {}
    for record in database:
        if not isinstance(record, dict) or individual not in record:
            raise InputError(f"a record has no {individual!r}, which says whose it is")
        found.setdefault(_text(record[individual]), []).append(record)
    return [tuple(sorted(owned, key=_text)) for owned in found.values()]


def _compare(
    before: Sequence[Owned], after: Sequence[Owned]
) -> tuple[list[Owned], list[Owned], list[Owned]]:
    """The units of both databases, of the first alone, of the second alone."""
    left, right = Counter(map(_text, before)), Counter(map(_text, after))
    units = {_text(unit): unit for unit in (*before, *after)}
    parts = (left & right, left - right, right - left)
    kept, gone, come = ([units[text] for text in part.elements()] for part in parts)
    return kept, gone, come


def _match_exchanges(
    gone: Sequence[Owned], come: Sequence[Owned], individual: str | None
) -> list[tuple[Owned, Owned]]:
    """Which unit is exchanged for which; a person whose records changed, for the same person."""
    if individual is None:
        return list(zip_longest(gone, come, fillvalue=()))
    old = {_text(owned[0][individual]): owned for owned in gone}
    new = {_text(owned[0][individual]): owned for owned in come}
    both = [person for person in old if person in new]
    left = [owned for person, owned in old.items() if person not in new]
    right = [owned for person, owned in new.items() if person not in old]
    changed = [(old[person], new[person]) for person in both]
    return [*changed, *zip_longest(left, right, fillvalue=())]


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
