"""Records made up over a domain: their values, first and last, and tables of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from audit.auditors.attack.pairs.edges import at_or_above
from synthesizers.domain import Attribute, Domain
from synthesizers.quantities import Quantity

Record = dict[str, Any]


class Encoding(Enum):
    """How a bin's values are spelt: as numbers in it, or as its label."""

    NUMBERS = "numbers"
    LABELS = "labels"


@dataclass(frozen=True)
class Records:
    """Records of a domain, with its bins in one encoding."""

    domain: Domain
    encoding: Encoding = Encoding.NUMBERS

    def value(self, attribute: Attribute, code: int) -> str | int | float | None:
        """A value by its code: the label, or the least number of a bin; None for the missing."""
        if code >= len(attribute.values):
            return None
        if self.reads_numbers(attribute):
            assert attribute.edges is not None
            return at_or_above(attribute.edges[code])
        return self._text(attribute, code)

    def last(self, attribute: Attribute) -> str | int | float:
        """The last value, or the largest number of the last bin."""
        if not self.reads_numbers(attribute):
            return self._text(attribute, -1)
        assert attribute.edges is not None
        return -at_or_above(-attribute.edges[-1])

    def reads_numbers(self, attribute: Attribute) -> bool:
        """Whether the attribute's values are numbers here."""
        numbers = attribute.edges is not None and attribute.quantity is Quantity.NUMBERS
        return numbers and self.encoding is Encoding.NUMBERS

    def _text(self, attribute: Attribute, code: int) -> str:
        """The label of a value; of bins of dates the first, and the last of all for code -1."""
        if attribute.edges is None or self.encoding is Encoding.LABELS:
            return attribute.values[code]
        return attribute.quantity.write(attribute.edges[code])

    def low(self) -> Record:
        """The first value of every attribute."""
        return {a.name: self.value(a, 0) for a in self.domain.attributes}

    def high(self) -> Record:
        """The last value of every attribute."""
        return {a.name: self.last(a) for a in self.domain.attributes}

    def middle(self) -> Record:
        """The middle value of every attribute."""
        return {a.name: self.value(a, len(a.values) // 2) for a in self.domain.attributes}

    def cell(self, number: int) -> Record:
        """The record of a cell, the last attribute fastest."""
        values = []
        for attribute in reversed(self.domain.attributes):
            number, code = divmod(number, attribute.size)
            values.append((attribute.name, self.value(attribute, code)))
        return dict(reversed(values))

    def turn(self, number: int) -> Record:
        """The record of a turn: each attribute is one value ahead of the one before it.

        In as many turns as an attribute has values it has each of them once.
        """
        return {
            a.name: self.value(a, (number + place) % len(a.values))
            for place, a in enumerate(self.domain.attributes)
        }

    def spread(self, records: int) -> tuple[Record, ...]:
        """Records of cells evenly apart, or of all cells in turn where these are fewer."""
        size = self.domain.size
        cells = (n % size if size <= records else n * size // records for n in range(records))
        return tuple(self.cell(cell) for cell in cells)

    def correlated(self, records: int) -> tuple[Record, ...]:
        """Records of which every value tells all others: all first, all second values, in turn."""
        sizes = [len(attribute.values) for attribute in self.domain.attributes]
        return tuple(
            {
                a.name: self.value(a, n % max(sizes) * size // max(sizes))
                for a, size in zip(self.domain.attributes, sizes, strict=True)
            }
            for n in range(records)
        )

    def within(self, cells: int, records: int) -> tuple[Record, ...]:
        """So many records in so many cells evenly apart, in turn."""
        few = self.spread(min(cells, self.domain.size))
        return tuple(few[n % len(few)] for n in range(records))
