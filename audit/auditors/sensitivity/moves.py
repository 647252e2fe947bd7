"""Moves: what two neighbours share, and the unit's records in which they differ."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from audit.auditors.sensitivity.answers import Record

Owned = tuple[Record, ...]

MOST_TRIED = 3000
"""The most moves that are tried to shrink one (seconds for databases of
a thousand records, which need two tries a record)."""


FEW = 12
"""Records that are simplified one by one (what is read by eye)."""


@dataclass(frozen=True)
class Move:
    """Neighbours: the ``rest``, which both hold, beside a unit's records ``gone`` or ``come``.

    The rest is in parts: each is a person's records where records have an id, or a single record.
    ``place``: before which part of the rest the unit's records stand.
    """

    rest: tuple[Owned, ...]
    gone: Owned
    come: Owned
    place: int

    def databases(self, individual: str | None) -> tuple[Owned, Owned]:
        """Both databases; what they share stands in the same order, with the same ids."""
        before, after = self.rest[: self.place], self.rest[self.place :]

        def spelled(unit: Owned) -> Owned:
            return tuple(
                record if individual is None else {individual: str(person + 1), **record}
                for person, owned in enumerate((*before, unit, *after))
                for record in owned
            )

        return spelled(self.gone), spelled(self.come)

    @property
    def differs(self) -> bool:
        """Whether the databases are two: the unit's records are not the same in another order."""
        return sorted(map(repr, self.gone)) != sorted(map(repr, self.come))


def shrunk(
    move: Move,
    exceeds: Callable[[Move], bool],
    simplest: Sequence[Record],
    may_drop: bool,
) -> Move:
    """A move that still exceeds, of which nothing can be left out and no kind of record simplified.

    Halves, quarters, … of the rest are left out before single parts (Zeller & Hildebrandt 2002,
    "Simplifying and Isolating Failure-Inducing Input"). ``simplest``: what may stand in a record's
    place, the simplest first; of `FEW` records or fewer, one by one. ``may_drop``: whether
    databases may have fewer records. After `MOST_TRIED` tries the least so far is taken.
    """
    left = MOST_TRIED
    current = move
    found = True
    while found:
        found = False
        for smaller in _smaller(current, simplest, may_drop):
            left -= 1
            if left < 0:
                return current
            if exceeds(smaller):
                current, found = smaller, True
                break
    return current


def _smaller(move: Move, simplest: Sequence[Record], may_drop: bool) -> Iterator[Move]:
    if may_drop:
        yield from _without(move)
    texts = {repr(record): record for owned in _parts(move) for record in owned}
    ranks = {repr(record): rank for rank, record in enumerate(simplest)}
    for old in texts:
        for new in simplest[: ranks.get(old, len(simplest))]:
            yield _map(move, old, new)
    if sum(map(len, _parts(move))) <= FEW:
        yield from _one_simpler(move, simplest, ranks)


def _one_simpler(
    move: Move, simplest: Sequence[Record], ranks: Mapping[str, int]
) -> Iterator[Move]:
    def of(owned: Owned) -> Iterator[Owned]:
        for place, record in enumerate(owned):
            for new in simplest[: ranks.get(repr(record), len(simplest))]:
                yield (*owned[:place], new, *owned[place + 1 :])

    for number, owned in enumerate(move.rest):
        for simpler in of(owned):
            yield replace(move, rest=(*move.rest[:number], simpler, *move.rest[number + 1 :]))
    yield from (replace(move, gone=simpler) for simpler in of(move.gone))
    yield from (replace(move, come=simpler) for simpler in of(move.come))


def _without(move: Move) -> Iterator[Move]:
    chunk = len(move.rest)
    while chunk:
        for start in range(0, len(move.rest), chunk):
            kept = (*move.rest[:start], *move.rest[start + chunk :])
            before = min(max(move.place - start, 0), chunk)
            yield replace(move, rest=kept, place=move.place - before)
        chunk //= 2
    for number, owned in enumerate(move.rest):
        for fewer in _one_less(owned) if len(owned) > 1 else ():
            yield replace(move, rest=(*move.rest[:number], fewer, *move.rest[number + 1 :]))
    if len(move.gone) == len(move.come) > 1:
        yield replace(move, gone=move.gone[1:], come=move.come[1:])
    if len(move.gone) + len(move.come) > 1 and len(move.gone) != len(move.come):
        yield from (replace(move, gone=fewer) for fewer in _one_less(move.gone))
        yield from (replace(move, come=fewer) for fewer in _one_less(move.come))


def _one_less(owned: Owned) -> Iterator[Owned]:
    return ((*owned[:place], *owned[place + 1 :]) for place in range(len(owned)))


def _parts(move: Move) -> Iterator[Owned]:
    return itertools.chain(move.rest, (move.gone, move.come))


def _map(move: Move, old: str, new: Record) -> Move:
    def of(owned: Owned) -> Owned:
        return tuple(new if repr(record) == old else record for record in owned)

    return replace(move, rest=tuple(map(of, move.rest)), gone=of(move.gone), come=of(move.come))
