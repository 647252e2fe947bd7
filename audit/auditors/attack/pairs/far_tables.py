"""Far tables: databases of a claim that are as unlike as they can be.

Whatever reads its input shows a difference between some of them: not neighbours, but pairs that
hardly any noise hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.auditors.attack.pairs.encodings import list_encodings
from audit.auditors.attack.pairs.records import Encoding, Record, Records
from audit.auditors.attack.pairs.sizes import LARGEST, MODERATE
from audit.statements.claim import Claim
from audit.subjects.pair import Pair
from synthesizers.domain import Attribute
from synthesizers.neighbours import AddRemove


@dataclass(frozen=True, eq=False)
class FarPair:
    """Two tables that differ in ``records`` records, or by so many.

    ``encoding``: how bins are spelt. ``values``: whether the tables have other values, and not only
    another number of records.
    """

    pair: Pair
    records: int
    encoding: Encoding
    values: bool = True

    @property
    def words(self) -> str:
        """What they are."""
        return self.pair.pattern


def list_far_pairs(claim: Claim, min_records: int = 0) -> tuple[FarPair, ...]:
    """Pairs far apart in the claim's domain, those first that nearly every subject tells apart.

    The first value of all attributes in every record against the last, and two kinds in halves
    against all values in turn, for each encoding; last, as few records as there may be against all.
    ``min_records``: of a database, at least. None where the claim has no domain, or no record.
    """
    domain, size = claim.domain, _size(claim)
    if domain is None or size < max(min_records, 1):
        return ()
    found = []
    encodings = list_encodings(domain)
    # Where the unit is a person, each record is a person of its own.
    whose = domain.individual
    for values in (_ends, _kinds):
        for encoding in encodings:
            sides = values(Records(domain, encoding), size)
            words = f"{sides[0][0]} against {sides[1][0]}"
            told = f"{words}, bins as {encoding.value}" if len(encodings) > 1 else words
            first, second = (_own_records(records, whose) for _, records in sides)
            if first != second:
                found.append(FarPair(Pair(first, second, 1, told), size, encoding))
    if isinstance(claim.neighbours, AddRemove) and min_records < size:
        for encoding in encodings:
            words, records = _ends(Records(domain, encoding), size)[1]
            fewest = f"{min_records} of them" if min_records else "no record"
            all_records = _own_records(records, whose)
            pair = Pair(all_records[:min_records], all_records, 1, f"{fewest} against {words}")
            found.append(FarPair(pair, size - min_records, encoding, False))
    return tuple(found)


Side = tuple[str, list[Record]]


def _ends(records: Records, size: int) -> tuple[Side, Side]:
    attributes = records.domain.attributes
    first = {one.name: _value(records, one, 0) for one in attributes}
    last = {one.name: records.last(one) for one in attributes}
    return (f"{size} times the first values", [first] * size), (
        f"{size} times the last ones",
        [last] * size,
    )


def _kinds(records: Records, size: int) -> tuple[Side, Side]:
    """First and last values, which hang together, against values of which each attribute has all.

    Steps of different lengths take the attributes through their values, so that they do not.
    """
    (_, first), (_, last) = _ends(records, size)
    attributes = records.domain.attributes
    spread = [
        {
            one.name: _value(records, one, row // _steps(attributes, place) % len(one.values))
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


def _value(records: Records, attribute: Attribute, code: int) -> str | int | float | None:
    """A value; a number of a bin is its least one, of the last bin the largest."""
    if code == len(attribute.values) - 1:
        return records.last(attribute)
    return records.value(attribute, code)


def _own_records(records: Sequence[Record], whose: str | None) -> list[Record]:
    """Records that are objects of their own, each with another owner where there is an id."""
    return [
        {**({} if whose is None else {whose: str(place + 1)}), **record}
        for place, record in enumerate(records)
    ]


def _size(claim: Claim) -> int:
    return MODERATE if claim.records is None else min(claim.records, LARGEST)
