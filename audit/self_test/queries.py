"""Queries of records, honest ones and those whose sensitivity is larger than declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Records = Sequence[Mapping[str, Any]]


def _cell(record: Mapping[str, Any]) -> int:
    return int(record["cell"])


def one_a_person(records: Records) -> list[int]:
    """Counts of three cells, of each person's first record alone."""
    firsts: dict[Any, int] = {}
    for record in records:
        firsts.setdefault(record["id"], _cell(record))
    counts = Counter(firsts.values())
    return [counts[cell] for cell in range(3)]


def all_of_a_person(records: Records) -> list[int]:
    """The same with all records of each person."""
    counts = Counter(map(_cell, records))
    return [counts[cell] for cell in range(3)]


def one_a_person_and_total(records: Records) -> list[int]:
    """Clipped counts, but the total counts every record."""
    return [*one_a_person(records)[:2], len(records)]


def disjoint_slices(records: Records) -> list[int]:
    """Records of cells 0 and 1, and of the others."""
    low = sum(_cell(record) <= 1 for record in records)
    return [low, len(records) - low]


def overlapping_slices(records: Records) -> list[int]:
    """Records of cells 0 and 1, and of 1 and above: cell 1 counts twice."""
    return [
        sum(_cell(record) <= 1 for record in records),
        sum(_cell(record) >= 1 for record in records),
    ]


def share_of_first(records: Records) -> Fraction:
    """The share of the first cell; a replaced record moves it by 1/n."""
    return Fraction(sum(_cell(record) == 0 for record in records), len(records))


def distance_from_uniform(records: Records) -> Fraction:
    """The L1 distance of the shares from equal ones: a replaced record moves two of them."""
    counts = Counter(map(_cell, records))
    return sum(
        (abs(Fraction(counts[cell], len(records)) - Fraction(1, 3)) for cell in range(3)),
        Fraction(0),
    )


def clipped_sum(records: Records) -> int:
    """The sum of values clipped to 1, one by one."""
    return sum(min(_cell(record), 1) for record in records)


def sum_clipped_late(records: Records) -> int:
    """The sum of values, clipped when all are added."""
    return min(sum(map(_cell, records)), len(records) + 2)
