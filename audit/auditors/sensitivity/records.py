"""Records that a function is asked about: those of a domain, or of a column of floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from hypothesis import strategies as st

from audit.auditors.sensitivity.answers import Record
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.quantities import Quantity

MOST_LISTED = 200
"""The most records that are listed one by one (20 000 pairs)."""


class Records(Protocol):
    """The records that a database may hold.

    ``individual``: the key that says whose a record is, where records have it. ``complete``: a
    list of them all is all that a record may be.
    """

    @property
    def individual(self) -> str | None:
        """The key of a record's owner."""
        ...

    @property
    def complete(self) -> bool:
        """Whether the list leaves nothing out."""
        ...

    def list_records(self) -> tuple[Record, ...] | None:
        """The records worth telling apart, the simplest first; None where there are too many."""
        ...

    def ladder(self, count: int) -> tuple[Record, ...]:
        """At most ``count`` different records, from one end of the range to the other."""
        ...

    def telling(self) -> tuple[Record, ...]:
        """A few records at the ends and in the middle of the range, the ends first."""
        ...

    def strategy(self) -> st.SearchStrategy[Record]:
        """Any record."""
        ...

    def words(self) -> str:
        """What the listed records are, for a report."""
        ...


@dataclass(frozen=True)
class DomainRecords:
    """The records of a domain: a mapping from attribute to value.

    A value is its label and a missing value None, as in `audit.subjects.databases`; of a binned
    attribute it is a number, or a date as text, of which the ends of bins are listed.
    """

    domain: Domain

    @property
    def individual(self) -> str | None:
        """The domain's id column."""
        return self.domain.individual

    @cached_property
    def complete(self) -> bool:
        """Whether no attribute has bins, which hold more numbers than are listed."""
        return all(attribute.edges is None for attribute in self.domain.attributes)

    @cached_property
    def _values(self) -> tuple[tuple[Any, ...], ...]:
        return tuple(map(values_of, self.domain.attributes))

    @property
    def _count(self) -> int:
        return math.prod(map(len, self._values))

    def _record(self, number: int) -> Record:
        """One of them, by its number, the last attribute fastest."""
        found = []
        for name, values in zip(reversed(self.domain.names), reversed(self._values), strict=True):
            number, place = divmod(number, len(values))
            found.append((name, values[place]))
        return dict(reversed(found))

    def list_records(self) -> tuple[Record, ...] | None:
        """See `Records`."""
        if self._count > MOST_LISTED:
            return None
        return tuple(map(self._record, range(self._count)))

    def ladder(self, count: int) -> tuple[Record, ...]:
        """Evenly apart in the order of cells."""
        size = self._count
        places = (
            range(size)
            if size <= count
            else [n * (size - 1) // max(count - 1, 1) for n in range(count)]
        )
        return tuple(map(self._record, places))

    def telling(self) -> tuple[Record, ...]:
        """See `Records`."""
        size = self._count
        return tuple(
            self._record(n) for n in dict.fromkeys((0, size - 1, size // 2, min(1, size - 1)))
        )

    def strategy(self) -> st.SearchStrategy[Record]:
        """Any record, numbers within bins included."""
        # A strategy of dictionaries would draw their keys in any order.
        values = [
            _values_strategy(attribute, known)
            for attribute, known in zip(self.domain.attributes, self._values, strict=True)
        ]
        return st.tuples(*values).map(lambda row: dict(zip(self.domain.names, row, strict=True)))

    def words(self) -> str:
        """See `Records`."""
        return (
            f"{self._count} cells"
            if self.complete
            else f"{self._count} records at the ends of bins"
        )


def values_of(attribute: Attribute) -> tuple[Any, ...]:
    """What a record may hold: labels; of bins, the least number of each and the largest of all."""
    if attribute.edges is None:
        known: tuple[Any, ...] = attribute.values
    elif attribute.quantity is not Quantity.NUMBERS:
        known = tuple(map(attribute.quantity.write, attribute.edges))
    else:
        known = (
            *(_at_or_above(edge) for edge in attribute.edges[:-1]),
            -_at_or_above(-attribute.edges[-1]),
        )
    return (*known, None) if attribute.missing else known


def _values_strategy(attribute: Attribute, values: Sequence[Any]) -> st.SearchStrategy[Any]:
    listed = st.sampled_from(values)
    if attribute.edges is None or attribute.quantity is not Quantity.NUMBERS:
        return listed
    low, high = _at_or_above(attribute.edges[0]), -_at_or_above(-attribute.edges[-1])
    if low > high:
        return listed
    return listed | st.floats(
        float(low) if low == float(low) else math.nextafter(low, math.inf), float(high)
    )


def _at_or_above(edge: Fraction) -> int | float:
    """A number as JSON has it: the edge itself where it is whole, or the double next to it."""
    if edge.denominator == 1:
        return int(edge)
    near = float(edge)
    return near if Fraction(repr(near)) >= edge else math.nextafter(near, math.inf)


@dataclass(frozen=True)
class FloatColumn:
    """Records of one attribute, a double from ``low`` to ``high``.

    What is listed are the doubles on which arithmetic goes wrong: the ends and their neighbours,
    both zeros, the least subnormal, powers of two at which sums round, ties. Source: Casacuberta,
    Shoemate, Vadhan & Wagaman (2022), "Widespread Underestimation of Sensitivity in Differentially
    Private Libraries and How to Fix It" (overflow, re-ordering, rounding).
    Raises InputError unless the bounds are finite and in order.
    """

    name: str
    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = float(self.low), float(self.high)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise InputError("a column of floats needs finite bounds, the lower one first")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def individual(self) -> str | None:
        """None: its records are nobody's."""
        return None

    @property
    def complete(self) -> bool:
        """There are more doubles than are listed."""
        return False

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The listed doubles, simple ones first."""
        ulp = 2.0**-52
        ends = [self.low, self.high]
        around = [
            end * part
            for end in ends
            for part in (0.5, ulp, 3 * ulp, ulp / 2, 1 - ulp / 2, ulp * ulp)
        ]
        tried = [0.0, 1.0, *ends, -1.0, *around, 2.0**53, 1e16, 0.1, 1 / 3, -0.0, 5e-324]
        kept = [value for value in tried if self.low <= value <= self.high]
        # Equality of floats would take minus zero for zero.
        return tuple({value.hex(): value for value in kept}.values())

    def list_records(self) -> tuple[Record, ...]:
        """See `Records`."""
        return tuple({self.name: value} for value in self.values)

    def ladder(self, count: int) -> tuple[Record, ...]:
        """Evenly apart."""
        steps = max(count - 1, 1)
        parts = (Fraction(n, steps) for n in range(count))
        low, high = Fraction(self.low), Fraction(self.high)
        found = dict.fromkeys(float(low + part * (high - low)) for part in parts)
        return tuple({self.name: value} for value in found)

    def telling(self) -> tuple[Record, ...]:
        """The ends, the value next to zero, the middle."""
        middle = float((Fraction(self.low) + Fraction(self.high)) / 2)
        near = min(max(0.0, self.low), self.high)
        return tuple({self.name: v} for v in dict.fromkeys((near, self.high, self.low, middle)))

    def strategy(self) -> st.SearchStrategy[Record]:
        """Any record, the listed ones half of the time."""
        values = st.sampled_from(self.values) | st.floats(self.low, self.high)
        return st.fixed_dictionaries({self.name: values})

    def words(self) -> str:
        """See `Records`."""
        return f"{len(self.values)} floats from {self.low!r} to {self.high!r}"
