"""Families of databases, small and large, on which sensitivities fail that hold on small ones.

Databases of little variety at many sizes: copies of one record, two kinds half and half, all
different in either order, one outlier, geometric counts. Along a *chain* each database is a
neighbour of the next, so that one call a database gives a pair: chains visit every size up to
`LONGEST`, and with it every threshold.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from audit.auditors.sensitivity.answers import Record
from audit.auditors.sensitivity.moves import Move, Owned
from audit.auditors.sensitivity.records import Records
from synthesizers.neighbours import AddRemove, Neighbours

LONGEST = 1030
"""The most records of a chain's databases (beyond the round sizes 1000
and 1024 at which code changes its ways)."""

SIZES = (1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000)
"""The sizes of the families' databases (three a decade, as on a
logarithmic grid, up to where a function of quadratic time takes a second)."""


@dataclass(frozen=True)
class Steps:
    """A chain: the ``grown`` parts come one after the other, each in the place of one ``gone``.

    Database k holds the first k parts of ``grown`` and, under an exchange, the parts of ``gone``
    from the k-th on; else ``gone`` is empty.
    """

    words: str
    grown: tuple[Owned, ...]
    gone: tuple[Owned, ...] = ()

    def databases(self, individual: str | None) -> Iterator[tuple[Record, ...]]:
        """The databases, in order."""
        for step in range(len(self.grown) + 1):
            parts = (*self.grown[:step], *self.gone[step:])
            yield tuple(
                record if individual is None else {individual: str(person + 1), **record}
                for person, owned in enumerate(parts)
                for record in owned
            )

    def move(self, step: int) -> Move:
        """The pair of database ``step`` and the one after it."""
        gone = self.gone[step] if self.gone else ()
        rest = (*self.grown[:step], *self.gone[step + 1 :])
        return Move(rest, gone, self.grown[step], step)


def chains(space: Records, neighbours: Neighbours, records: int | None) -> Iterator[Steps]:
    """Chains of databases of at most, or where n is public of exactly, ``records`` records.

    None for any number of records: then up to `LONGEST`.
    """
    m = neighbours.unit.max_records
    most = LONGEST if records is None else min(records, LONGEST)
    ends = space.telling()
    first, last = ends[0], ends[min(1, len(ends) - 1)]
    if isinstance(neighbours, AddRemove):
        units = most // m
        for one in ends[:2]:
            yield Steps("copies of one record", ((one,) * m,) * units)
        yield Steps("two kinds in turn", _in_turn(first, last, m, units))
        ladder = space.ladder(units)
        yield Steps("all different, ascending", tuple((one,) * m for one in ladder))
        yield Steps("all different, descending", tuple((one,) * m for one in reversed(ladder)))
        return
    for size in (s for s in SIZES if s * m <= LONGEST) if records is None else (records // m,):
        if not 0 < size * m <= LONGEST:
            continue
        for one, other in ((first, last), (last, first)) if len(ends) > 1 else ():
            yield Steps(
                "copies of one kind, then of another", ((other,) * m,) * size, ((one,) * m,) * size
            )
        if not neighbours.unit.is_record:
            yield Steps("persons without records, then with", ((last,) * m,) * size, ((),) * size)


def _in_turn(first: Record, last: Record, m: int, units: int) -> tuple[Owned, ...]:
    return tuple(((last, first)[unit % 2],) * m for unit in range(units))


def moves(space: Records, neighbours: Neighbours, records: int | None) -> Iterator[Move]:
    """Moves on the families' databases: a unit of each telling record, at the front and the end."""
    m = neighbours.unit.max_records
    ends = space.telling()
    units: list[tuple[Owned, Owned]] = [((), (one,) * m) for one in ends]
    if not isinstance(neighbours, AddRemove):
        if neighbours.unit.is_record:
            units = []
        units += [((a,) * m, (b,) * m) for a, b in itertools.combinations(ends, 2)]
    for rest in rests(space, neighbours, records):
        for gone, come in units:
            for place in dict.fromkeys((len(rest), 0)):
                yield Move(rest, gone, come, place)


def rests(
    space: Records, neighbours: Neighbours, records: int | None
) -> Iterator[tuple[Owned, ...]]:
    """What the neighbours share: every family at every size, nothing included."""
    m = neighbours.unit.max_records
    room = None if records is None else records - m
    if room is not None and room < 0:
        return
    exact = room is not None and neighbours.records_public
    if not exact or room == 0:
        yield ()
    sizes = [s for s in SIZES if room is None or s <= room]
    if room is not None and room > 0 and (exact or room not in sizes):
        sizes = [room] if exact else [*sizes, room]
    for size in sizes:
        for family in FAMILIES.values():
            found = family(space, size)
            if found is not None:
                yield tuple((one,) for one in found)


def _copies(space: Records, size: int) -> Sequence[Record]:
    return [space.telling()[0]] * size


def _copies_of_another(space: Records, size: int) -> Sequence[Record]:
    return [_last(space)] * size


def _halves(space: Records, size: int) -> Sequence[Record]:
    return [space.telling()[0]] * (size - size // 2) + [_last(space)] * (size // 2)


def _outlier(space: Records, size: int) -> Sequence[Record]:
    return [space.telling()[0]] * (size - 1) + [_last(space)]


def _different(space: Records, size: int) -> Sequence[Record]:
    ladder = space.ladder(size)
    # Where there are fewer kinds than records, each kind has its share.
    return [ladder[place * len(ladder) // size] for place in range(size)]


def _different_reversed(space: Records, size: int) -> Sequence[Record]:
    return list(reversed(_different(space, size)))


def _geometric(space: Records, size: int) -> Sequence[Record]:
    """Half of one kind, a quarter of the next, and so on."""
    kinds = space.ladder(max(size.bit_length(), 2))
    found: list[Record] = []
    for kind in kinds[:-1]:
        found += [kind] * ((size - len(found) + 1) // 2)
    return found + [kinds[-1]] * (size - len(found))


def _last(space: Records) -> Record:
    ends = space.telling()
    return ends[min(1, len(ends) - 1)]


FAMILIES: dict[str, Callable[[Records, int], Sequence[Record]]] = {
    "copies of one record": _copies,
    "copies of another": _copies_of_another,
    "two kinds, half and half": _halves,
    "one outlier": _outlier,
    "all different, ascending": _different,
    "all different, descending": _different_reversed,
    "geometric counts": _geometric,
}
"""Families by name: so many records over a space."""
