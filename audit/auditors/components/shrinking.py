"""Smaller pairs that show the same: fewer records, then simpler values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from audit.auditors.components.asking import Ask
from audit.auditors.components.case import Case
from audit.auditors.components.looking import Looked, look
from audit.auditors.components.quantiles import recognise
from audit.auditors.components.unseen import add_unseen
from audit.auditors.data_independence.pairs import smaller
from audit.subjects.pair import Pair
from synthesizers.errors import ProtocolError

MOST_TRIED = 60
"""The most pairs that are tried for one finding; each takes eight runs."""


def look_closer(ask: Ask, looks: Sequence[Looked]) -> tuple[Looked, ...]:
    """The pairs, with what outputs and formulas tell besides."""
    return recognise(ask, add_unseen(ask, looks))


def shrink(case: Case, looked: Looked, shows: Callable[[Looked], bool]) -> Looked:
    """The smallest pair that was found to show the same, within `MOST_TRIED` pairs.

    First records that both databases hold go, in ever smaller stretches; then each value is
    replaced by the simplest one of the case's databases that still shows it.
    """
    if not (case.shrinks or case.simplifies):
        return looked
    kept, tried = looked, 0

    def still(pair: Pair) -> bool:
        nonlocal kept, tried
        if tried == MOST_TRIED:
            return False
        tried += 1
        try:
            found = look_closer(case.ask, look(case.ask, [pair], case.seed))
        except ProtocolError:
            return False
        if not (found and shows(found[0])):
            return False
        kept = found[0]
        return True

    if case.shrinks:
        smaller(looked.pair, still)
    if case.simplifies:
        _simplify(case, kept.pair, still)
    return kept


def _simplify(case: Case, pair: Pair, still: Callable[[Pair], bool]) -> None:
    values = _list_values(case)
    for side, place, name in list(_places(pair)):
        record = (pair.first if side == "first" else pair.second)[place]
        for value in values[name]:
            if _weight(value) >= _weight(record[name]):
                break
            tried = _exchange(pair, side, place, {**record, name: value})
            if tried is not None and still(tried):
                pair = tried
                break


def _places(pair: Pair) -> Iterator[tuple[str, int, str]]:
    """Every value: of records that both hold once, as they change together."""
    common = _common(pair)
    for side, database in (("second", pair.second), ("first", pair.first)):
        for place, record in enumerate(database):
            if side == "second" or place >= common:
                yield from ((side, place, name) for name in record)


def _exchange(pair: Pair, side: str, place: int, record: Any) -> Pair | None:
    """The pair with another record; None where its databases would be no neighbours."""
    common = _common(pair)
    first, second = list(pair.first), list(pair.second)
    if place < common:
        first[place] = second[place] = record
    else:
        (first if side == "first" else second)[place] = record
    changed = replace(pair, first=first, second=second)
    return changed if _apart(changed) == _apart(pair) else None


def _apart(pair: Pair) -> tuple[int, int]:
    """How many records either database has that the other one has not."""
    first, second = (Counter(map(_text, one)) for one in (pair.first, pair.second))
    return (first - second).total(), (second - first).total()


def _common(pair: Pair) -> int:
    same = [_text(a) == _text(b) for a, b in zip(pair.first, pair.second, strict=False)]
    return same.index(False) if False in same else len(same)


def _list_values(case: Case) -> dict[str, list[Any]]:
    """Of each attribute, the values that occur, the simplest first."""
    found: dict[str, dict[str, Any]] = {}
    for pair in case.pairs:
        for record in (*pair.first, *pair.second):
            for name, value in record.items():
                found.setdefault(name, {})[_text(value)] = value
    return {name: sorted(values.values(), key=_weight) for name, values in found.items()}


def _weight(value: Any) -> tuple[int, str]:
    """Short ones are simple, and of those the first."""
    text = _text(value)
    return len(text), text


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
