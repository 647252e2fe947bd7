"""Far tables: databases of a claim that are as unlike as they can be.

Whatever reads its input shows a difference between some of them: not neighbours, but pairs that
hardly any noise hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from audit.auditors.attack.edges import at_or_above
from audit.auditors.attack.kinds import LARGEST, MODERATE
from audit.statements.claim import Claim
from audit.subjects.pair import Pair
from synthesizers.domain import Attribute
from synthesizers.neighbours import AddRemove

NUMBERS, LABELS = "numbers", "labels"
"""How the value of a bin may be written, see docs/submission-protocol.md."""

Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class FarPair:
    """Two tables, ``records`` of whose records differ.

    ``encoding``: how values of bins are written; "" where the domain has no bins. ``values``:
    whether the tables have other values, and not only another number of records.
    """

    pair: Pair
    records: int
    encoding: str
    values: bool = True

    @property
    def words(self) -> str:
        """What they are."""
        return self.pair.pattern


def far_pairs(claim: Claim, min_records: int = 0) -> tuple[FarPair, ...]:
    """Pairs far apart in the claim's domain, those first that nearly every subject tells apart.

    The first value of all attributes in every record against the last, and two kinds in halves
    against all values in turn, for each encoding; last, as few records as can be against all.
    ``min_records``: of a database, at least. None where the claim has no domain, or no record.
    """
    domain, size = claim.domain, _size(claim)
    if domain is None or size < max(min_records, 1):
        return ()
    found = []
    binned = any(attribute.edges is not None for attribute in domain.attributes)
    encodings = (NUMBERS, LABELS) if binned else ("",)
    # Where the unit is a person, each record is a person of its own.
    whose = domain.individual
    for values in (_ends, _kinds):
        for encoding in encodings:
            sides = values(domain.attributes, size, encoding)
            words = f"{sides[0][0]} against {sides[1][0]}"
            told = f"{words}, bins as {encoding}" if encoding else words
            first, second = (_owned(records, whose) for _, records in sides)
            if first != second:
                found.append(FarPair(Pair(first, second, 1, told), size, encoding))
    if isinstance(claim.neighbours, AddRemove) and min_records < size:
        few = f"{min_records} of them" if min_records else "no record"
        for encoding in encodings:
            words, records = _ends(domain.attributes, size, encoding)[1]
            least, most = (_owned(some, whose) for some in (records[:min_records], records))
            pair = Pair(least, most, 1, f"{few} against {words}")
            found.append(FarPair(pair, size - min_records, encoding, False))
    return tuple(found)


Side = tuple[str, list[Record]]


def _ends(attributes: Sequence[Attribute], size: int, encoding: str) -> tuple[Side, Side]:
    first = {one.name: _value(one, 0, encoding) for one in attributes}
    last = {one.name: _value(one, len(one.values) - 1, encoding) for one in attributes}
    return (f"{size} times the first values", [first] * size), (
        f"{size} times the last ones",
        [last] * size,
    )


def _kinds(attributes: Sequence[Attribute], size: int, encoding: str) -> tuple[Side, Side]:
    """First and last values, which hang together, against values of which each attribute has all.

    Steps of different lengths take the attributes through their values, so that they do not.
    """
    (_, first), (_, last) = _ends(attributes, size, encoding)
    spread = [
        {
            one.name: _value(one, row // _steps(attributes, place) % len(one.values), encoding)
            for place, one in enumerate(attributes)
        }
        for row in range(size)
    ]
    halves = first[: size // 2] + last[size // 2 :]
    return ("first and last values in halves", halves), ("all values in turn", spread)


def _steps(attributes: Sequence[Attribute], place: int) -> int:
    """After how many records an attribute takes its next value."""
    steps = 1
    for one in attributes[:place]:
        steps = steps * len(one.values) if steps < LARGEST else steps
    return steps


def _value(attribute: Attribute, code: int, encoding: str) -> str | int | float:
    """A value; a number of a bin is its least one, of the last bin the largest."""
    if attribute.edges is None or encoding == LABELS:
        return attribute.values[code]
    if code == len(attribute.values) - 1:
        return -at_or_above(-attribute.edges[-1])
    return at_or_above(attribute.edges[code])


def _owned(records: Sequence[Record], whose: str | None) -> list[Record]:
    """Records that are objects of their own, each with another owner where there is an id."""
    return [
        {**({} if whose is None else {whose: str(place + 1)}), **record}
        for place, record in enumerate(records)
    ]


def _size(claim: Claim) -> int:
    return MODERATE if claim.records is None else min(claim.records, LARGEST)
