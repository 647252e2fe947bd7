"""Pairs of neighbours that show what depends on the data, small ones first; and smaller ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from audit.auditors.attack.pairs.patterns import list_candidates
from audit.auditors.attack.pairs.records import Encoding
from audit.statements.claim import Claim
from audit.subjects.pair import Pair

SIZES = (*range(2, 13), 20, 50, 100, 1000)
"""Sizes at which one more pair each ends: small ones, and those where rules of thumb by n
switch."""


def list_neighbours(
    claim: Claim,
    most: int,
    least: int = 0,
    encodings: Sequence[Encoding] = (Encoding.NUMBERS,),
) -> tuple[Pair, ...]:
    """At most ``most`` verified pairs of neighbours of a claim, the smallest first.

    ``least``: the fewest records of a database; ``encodings``: those that bins are spelt in. The
    records that make a difference and those around them are those of
    `audit.auditors.attack.pairs.patterns`: alone, in an empty database, beside others and equals,
    at the ends of bounds, missing. Raises InputError where no two databases are neighbours.
    """

    def steps(size: int | None) -> list[Pair]:
        made = list_candidates(replace(claim, records=size), least, encodings)
        return [pair for pair in made if pair.distance == 1]

    records = claim.records
    found = steps(records)
    if not claim.neighbours.records_public or records is None:
        sizes = [size for size in SIZES if least < size and (records is None or size <= records)]
        larger = [max(steps(size), key=_size, default=None) for size in sizes]
        both = zip_longest(found, larger)
        found = [pair for one in both for pair in one if pair is not None]
    return tuple(sorted(found[:most], key=_size))


def _size(pair: Pair) -> int:
    return len(pair.first) + len(pair.second)


def smaller(pair: Pair, shows: Callable[[Pair], bool]) -> Pair:
    """The pair with as many records taken from both databases as still ``shows`` the same.

    Records that stand first in both, as in `list_neighbours`, go in ever smaller stretches, as in
    Zeller & Hildebrandt's delta debugging (2002); what is left are neighbours all the same.
    """
    if not isinstance(pair.first, list) or not isinstance(pair.second, list):
        return pair
    common = _common(pair.first, pair.second)
    stretch = common
    while stretch:
        start = 0
        while start < common:
            gone = slice(start, min(start + stretch, common))
            tried = replace(
                pair, first=_without(pair.first, gone), second=_without(pair.second, gone)
            )
            if shows(tried):
                pair, common = tried, common - (gone.stop - gone.start)
            else:
                start += stretch
        stretch //= 2
    return pair


def _common(first: list[Any], second: list[Any]) -> int:
    """How many records stand first in both."""
    same = (_text(a) == _text(b) for a, b in zip(first, second, strict=False))
    return next((i for i, equal in enumerate(same) if not equal), min(len(first), len(second)))


def _text(record: Any) -> str:
    return json.dumps(record, sort_keys=True)


def _without(records: list[Any], gone: slice) -> list[Any]:
    return records[: gone.start] + records[gone.stop :]
