"""Which values of the real table a synthetic one lacks or adds, and how far its numbers reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from audit.utility.counts import Counted
from audit.utility.records import Records
from synthesizers.attributes import Attribute
from synthesizers.quantities import DAY, Quantity

Range = tuple[str, str]
"""The least and the largest number, or value of an ordinal attribute, as a table writes them."""


@dataclass(frozen=True)
class Coverage:
    """One attribute of one synthetic ``file``.

    ``lost``: values of the real table that the file never has, with the real records of each;
    ``invented``: those of the file that the real table never has, with the file's. ``unused``:
    how many declared values neither has. ``ranges`` of the real table and of the file; None without
    a number or an order.
    """

    attribute: str
    file: str
    lost: tuple[tuple[str, int], ...]
    invented: tuple[tuple[str, int], ...]
    unused: int
    ranges: tuple[Range | None, Range | None]


def cover(
    attribute: Attribute,
    file: str,
    labels: Sequence[str],
    counts: tuple[Sequence[int], Sequence[int]],
    numbers: tuple[Range | None, Range | None],
) -> Coverage:
    """What the file covers, by the counts of the real table and of the file.

    ``numbers``: the ranges of numbers, where they are known. Unless they are of both, the bins or
    values that occur tell the ranges of both; a table where none occurs has no range.
    """
    rows = list(zip(labels, *counts, strict=True))
    values = value_range(attribute, counts[0]), value_range(attribute, counts[1])
    told = all(known or not held for known, held in zip(numbers, values, strict=True))
    return Coverage(
        attribute.name,
        file,
        tuple((label, real) for label, real, synthetic in rows if real and not synthetic),
        tuple((label, synthetic) for label, real, synthetic in rows if synthetic and not real),
        sum(not real and not synthetic for _, real, synthetic in rows[: attribute.size]),
        numbers if told else values,
    )


def number_range(attribute: Attribute, table: Counted) -> Range | None:
    """From the least to the largest number behind bins; None where the table does not hold them."""
    name = attribute.name
    if not isinstance(table, Records) or name not in table.binned or name in table.midpoints:
        return None
    numbers = table.binned[name]
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return None
    return _text(attribute, float(known.min())), _text(attribute, float(known.max()))


def value_range(attribute: Attribute, counts: Sequence[int]) -> Range | None:
    """The outer edges of the bins that occur, or the outer ordinal values; None without order."""
    held = [code for code in range(len(attribute.values)) if counts[code]]
    if not held:
        return None
    if attribute.edges is not None:
        write = attribute.quantity.write
        return write(attribute.edges[held[0]]), write(attribute.edges[held[-1] + 1])
    return (attribute.values[held[0]], attribute.values[held[-1]]) if attribute.ordinal else None


def _text(attribute: Attribute, number: float) -> str:
    if attribute.quantity is Quantity.NUMBERS:
        return repr(number).removesuffix(".0")
    exact = Fraction(number)
    if attribute.quantity is Quantity.DATES:
        exact -= exact % DAY  # A column of dates may hold times as well.
    return attribute.quantity.write(exact)
