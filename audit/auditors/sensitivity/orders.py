"""Functions that heed the order of records: what changes where records only change places.

A database is a multiset, so that a function of lists has a value for every order of it. Sums of
floats depend on the order, on mixed magnitudes and on overflow: Casacuberta, Shoemate, Vadhan &
Wagaman (2022), "Widespread Underestimation of Sensitivity in Differentially Private Libraries and
How to Fix It".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.auditors.sensitivity.answers import Answering, Outcome, Record, Seen
from audit.auditors.sensitivity.declaration import Declared
from audit.auditors.sensitivity.extremes import Extremes, extremes_of
from audit.auditors.sensitivity.families import rests
from audit.auditors.sensitivity.records import Records
from audit.auditors.sensitivity.tolerance import Tolerance
from synthesizers.neighbours import Neighbours, databases, neighbour_pairs

MOST_KINDS = 15
"""The most kinds of records whose lists are asked in every order (3616
lists of up to three)."""

MOST_ORDERED = 3
"""The most records of lists that are asked in every order (two that are
summed and one that comes round a sum once more)."""


@dataclass(frozen=True)
class Ordered:
    """What the order does: both are empty where it never matters.

    ``reordered``: where records only change places. ``neighbours``: between neighbours, in any
    order of either.
    """

    reordered: Extremes
    neighbours: Extremes
    covers: str


def try_orders(
    answering: Answering,
    space: Records,
    neighbours: Neighbours,
    records: int | None,
    declared: Declared,
    tolerance: Tolerance | None = None,
) -> Ordered:
    """Every order of small lists, and some orders of the families' databases.

    Of records that belong to somebody none are asked: that would take ids from their owners.

    Guarantee
    ---------
    Every pair is of one multiset, or of two that are neighbours. Backed by
    ``tests/audit/auditors/sensitivity/test_record_orders.py``.
    """
    kinds = (space.list_records() or space.telling())[:MOST_KINDS]
    covers = f"all lists, in every order, of up to {MOST_ORDERED} of {len(kinds)} records"
    if space.individual is not None:
        return Ordered({}, {}, covers)
    sizes = _sizes(neighbours, records)
    answers: dict[bytes, dict[str, tuple[tuple[Record, ...], Outcome]]] = {}
    groups = [databases(neighbours, len(kinds), size) for size in sizes]
    for row in itertools.chain.from_iterable(groups):
        key = row.tobytes()
        if key not in answers:
            answers[key] = dict(_orders(answering, kinds, row))
    small = [_between(one, one) for one in answers.values() if len(one) > 1]
    large = _families(answering, space, neighbours, records)
    reordered = extremes_of(
        (pair for pair in itertools.chain(*small, large) if _differ(pair)), declared, tolerance
    )
    if not small:
        return Ordered(reordered, {}, covers)
    pairs = (
        _between(answers[rows[a].tobytes()], answers[rows[b].tobytes()])
        for rows in groups
        for a, b in neighbour_pairs(neighbours, rows).tolist()
    )
    between = extremes_of(itertools.chain.from_iterable(pairs), declared, tolerance)
    return Ordered(reordered, between, covers)


def _sizes(neighbours: Neighbours, records: int | None) -> Sequence[int]:
    if not neighbours.records_public:
        return (min(MOST_ORDERED, MOST_ORDERED if records is None else records),)
    if records is None:
        return range(1, MOST_ORDERED + 1)
    return (records,) if records <= MOST_ORDERED else ()


def _orders(
    answering: Answering, kinds: Sequence[Record], row: NDArray[np.int64]
) -> Iterator[tuple[str, tuple[tuple[Record, ...], Outcome]]]:
    """Every different answer on a multiset, with a list that has it."""
    places = [place for place, count in enumerate(row.tolist()) for _ in range(count)]
    for order in dict.fromkeys(itertools.permutations(places)):
        database = tuple(kinds[place] for place in order)
        outcome = answering.answer(database)
        yield repr(outcome), (database, outcome)


def _between(
    left: dict[str, tuple[tuple[Record, ...], Outcome]],
    right: dict[str, tuple[tuple[Record, ...], Outcome]],
) -> Iterator[Seen]:
    for (first, before), (second, after) in itertools.product(left.values(), right.values()):
        yield Seen(first, second, (before, after))


def _families(
    answering: Answering, space: Records, neighbours: Neighbours, records: int | None
) -> Iterator[Seen]:
    """The families' databases backwards, and with every other record first."""
    # What is left beside a unit's records is smaller by these.
    whole = None if records is None else records + neighbours.unit.max_records
    for parts in rests(space, neighbours, whole):
        database = tuple(itertools.chain.from_iterable(parts))
        before = answering.answer(database)
        for other in (database[::-1], (*database[::2], *database[1::2])):
            yield Seen(database, other, (before, answering.answer(other)))


def _differ(pair: Seen) -> bool:
    return any(pair.changes)
