"""Tables to be compared: records coded over a declared domain, with the numbers behind the bins."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.utility.counts import Attributes, Counts, count_records
from synthesizers.attributes import Attribute
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.numerals import is_decimal
from synthesizers.tables import (
    check_columns,
    code_column,
    column_of,
    persons_in,
    refuse_faults,
    table_frames,
)

Outside = Literal["refuse", "cell"]
"""What to do with a value that the domain does not declare: an error, or a cell of its own."""

LARGEST = 1e100
"""The largest number in size that metrics reckon with: its square and cube are doubles."""


class NumbersTooLarge(InputError):
    """A metric reckons with the numbers of an attribute, and they would not fit its sums."""


@dataclass(frozen=True, eq=False)
class Records:
    """Records in the order of their file: codes [records, d] over ``domain``, in int64.

    The code ``domain.shape[c]`` stands for a value outside attribute c's declared
    ones, in tables read with ``outside="cell"`` alone. ``binned`` holds the numbers
    [records] behind the codes of binned attributes, NaN where there is none; in
    ``midpoints`` are those among them of which a record only names its bin, and
    the middle of the bin stands for the number. ``persons`` [records], if known,
    says whose record each is; ``ids`` [persons]: a hash of the id of each, as the table spells it.
    Neither the repr nor any error shows a value.

    Raises ``InputError`` for codes that are not integers, not of shape [records, d]
    or outside the domain by more than that one code, and for numbers or persons
    that are not one a record.
    """

    domain: Domain
    codes: NDArray[np.int64]
    binned: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    midpoints: frozenset[str] = frozenset()
    persons: NDArray[np.int64] | None = None
    ids: NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        """Refuse codes outside the domain, and lay the columns out one after the other."""
        codes = np.asarray(self.codes)
        width = len(self.domain.attributes)
        if codes.dtype.kind not in "iu" or codes.ndim != 2 or codes.shape[1] != width:
            raise InputError(
                f"codes must be integers, with one column for each of the {width} attributes"
            )
        lowest, highest = codes.min(axis=0, initial=0), codes.max(axis=0, initial=0)
        for attribute, low, high in zip(self.domain.attributes, lowest, highest, strict=True):
            if low < 0 or int(high) > attribute.size:
                raise InputError(
                    f"attribute {attribute.name!r}: a code lies outside 0 to {attribute.size - 1}, "
                    f"and {attribute.size} for values that are not declared"
                )
        object.__setattr__(self, "codes", np.asfortranarray(codes, dtype=np.int64))
        for name, numbers in self.binned.items():
            if self.domain.attribute(name).edges is None or numbers.shape != (len(codes),):
                raise InputError(
                    f"attribute {name!r}: the numbers behind its bins must be one a record, and "
                    "the domain must declare bins"
                )
        if self.persons is not None and self.persons.shape != (len(codes),):
            raise InputError("the person index must be one integer for each record")

    def __repr__(self) -> str:
        """Return the domain alone: everything else is private."""
        return f"Records(domain={self.domain.name!r})"

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.codes.shape[0])

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of codes of each attribute, the one for values outside it included."""
        most = self.codes.max(axis=0, initial=0)
        sizes = self.domain.shape
        return tuple(size + int(top >= size) for size, top in zip(sizes, most, strict=True))

    def column(self, attribute: str) -> NDArray[np.int64]:
        """The codes [records] of one attribute; ``InputError`` if there is none such."""
        return self.codes[:, self.domain.position(attribute)]

    def numbers(self, attribute: str) -> NDArray[np.float64]:
        """The numbers [records] of one attribute, NaN where a record has none.

        Raises ``InputError`` if the attribute's values are not numbers, and
        ``NumbersTooLarge`` if one of the table is beyond ``LARGEST`` in size.
        """
        if attribute not in self.binned:
            return label_numbers(self.domain.attribute(attribute))[self.column(attribute)]
        return _require_bounded(self.binned[attribute], attribute)

    def counts(self, sets: tuple[Attributes, ...], shape: tuple[int, ...]) -> Iterator[Counts]:
        """The counts of each set of attributes, in their order; ``shape`` codes an attribute.

        Raises ``InputError`` if the records have more codes, ``TooLargeError`` for a
        marginal of 2**63 cells or more.
        """
        if any(own > given for own, given in zip(self.shape, shape, strict=True)):
            raise InputError("a table must be counted over at least the codes that it has")
        return count_records(self.codes, self.domain, sets, shape)

    def take(self, rows: NDArray[np.int64]) -> Records:
        """The records at ``rows``, in that order."""
        return Records(
            self.domain,
            np.asfortranarray(self.codes[rows]),
            {name: numbers[rows] for name, numbers in self.binned.items()},
            self.midpoints,
            None if self.persons is None else self.persons[rows],
        )


def label_numbers(attribute: Attribute) -> NDArray[np.float64]:
    """The number of each code [size + 1]: the label's or the bin's middle.

    It is NaN for the missing value and for one outside the declared.
    Raises ``InputError`` if a value is not a number, or one beyond ``LARGEST`` in size.
    """
    numbers = np.full(attribute.size + 1, np.nan)
    if attribute.edges is not None:
        middles = [(a + b) / 2 for a, b in zip(attribute.edges, attribute.edges[1:], strict=False)]
        numbers[: len(middles)] = [float(middle) for middle in middles]
        return numbers
    if not is_numeric(attribute):
        raise InputError(
            f"attribute {attribute.name!r}: its values must be numbers here, of at most "
            f"{LARGEST:g} in size; declare bins, or values that are numbers"
        )
    numbers[: len(attribute.values)] = [float(value) for value in attribute.values]
    return numbers


def numbers_alike(
    tables: tuple[Records, Records], attribute: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The numbers of one attribute in two tables, equally fine in both.

    Where one table only names the bins, the middles of the bins stand for the numbers
    of both. Raises ``InputError`` if the attribute's values are not numbers.
    """
    first, second = tables
    if attribute in first.midpoints | second.midpoints:
        middles = label_numbers(first.domain.attribute(attribute))
        real, synthetic = (middles[table.column(attribute)] for table in tables)
        return _require_bounded(real, attribute), _require_bounded(synthetic, attribute)
    return first.numbers(attribute), second.numbers(attribute)


def is_measured(attribute: Attribute) -> bool:
    """Whether an attribute is a quantity: binned, or ordinal with numbers for values.

    The numbers 1 and 2 of an attribute that is not ordinal are codes.
    """
    return attribute.edges is not None or (attribute.ordinal and is_numeric(attribute))


def is_numeric(attribute: Attribute) -> bool:
    """Whether every declared value of an attribute is a bin, or a number of at most ``LARGEST``."""
    return attribute.edges is not None or all(
        is_decimal(value) and abs(float(value)) <= LARGEST for value in attribute.values
    )


def _require_bounded(numbers: NDArray[np.float64], attribute: str) -> NDArray[np.float64]:
    """The numbers; ``NumbersTooLarge`` if one is beyond ``LARGEST`` in size."""
    if (np.abs(numbers) > LARGEST).any():
        raise NumbersTooLarge(
            f"attribute {attribute!r}: a number, or the middle of a bin, is beyond {LARGEST:g} in "
            "size and would not fit the sums; correct the table, or draw the outermost edges in"
        )
    return numbers


def of_dataset(dataset: Dataset) -> Records:
    """The records of a dataset; the middle of its bin stands for every binned number."""
    binned = {
        attribute.name: label_numbers(attribute)[dataset.codes[:, column]]
        for column, attribute in enumerate(dataset.domain.attributes)
        if attribute.edges is not None
    }
    codes = np.asfortranarray(dataset.codes)
    return Records(dataset.domain, codes, binned, frozenset(binned), dataset.persons)


def of_frame(
    frame: pd.DataFrame, domain: Domain, outside: Outside = "refuse", *, shown: bool = False
) -> Records:
    """The records of a data frame; values are matched as ``synthesizers.tables.from_frame`` does.

    Raises ``InputError`` for a missing or repeated column, and for values that
    the domain does not declare unless ``outside="cell"``; it quotes them if the table may be
    ``shown``.
    """
    check_columns([str(name) for name in frame.columns], domain)
    columns = [code_column(each, column_of(frame, each.name)) for each in domain.attributes]
    if outside == "refuse":
        refuse_faults(columns, shown=shown)
    codes = np.empty((len(frame), len(columns)), dtype=np.int64, order="F")
    binned: dict[str, NDArray[np.float64]] = {}
    midpoints: set[str] = set()
    for place, column in enumerate(columns):
        attribute = column.attribute
        lookup = np.where(column.codes < 0, attribute.size, column.codes)
        codes[:, place] = lookup[column.places]
        if attribute.edges is not None:
            numbers = _numbers(attribute, column.texts, lookup)
            named = ~np.isnan(label_numbers(attribute)[lookup])
            read = [attribute.quantity.double(text) is not None for text in column.texts]
            if any(named[at] and not exact for at, exact in enumerate(read)):
                midpoints.add(attribute.name)
            binned[attribute.name] = numbers[column.places]
    persons = persons_in(frame, domain)
    return Records(domain, codes, binned, frozenset(midpoints), persons, _hash_ids(frame, domain))


def _hash_ids(frame: pd.DataFrame, domain: Domain) -> NDArray[np.uint64] | None:
    if domain.individual is None or domain.individual not in map(str, frame.columns):
        return None
    return hash_texts(map(str, column_of(frame, domain.individual).unique()))


def hash_texts(texts: Iterable[str]) -> NDArray[np.uint64]:
    """A hash of 64 bits of each text."""
    return np.asarray(pd.util.hash_array(np.array(list(texts), dtype=object)), np.uint64)


def read_records(
    path: str | Path, domain: Domain, outside: Outside = "refuse", *, shown: bool = False
) -> Records:
    """The records of a table file, as ``synthesizers.tables.read_table`` reads it.

    Columns that the domain does not declare are left unread. Raises ``InputError``
    as ``of_frame``, and for a file that cannot be read or has no records.
    """
    frame = next(table_frames(path, domain, None), None)
    if frame is None or not len(frame):
        raise InputError(f"{path}: the table has no records")
    return of_frame(frame, domain, outside, shown=shown)


def _numbers(
    attribute: Attribute, texts: Sequence[str], codes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The number behind each code: the text's, or the middle of the bin that it names."""
    numbers = label_numbers(attribute)[codes]
    for place, text in enumerate(texts):
        # A missing value may be written as a number, such as -1.
        number = attribute.quantity.double(text)
        if number is not None and not (attribute.missing and text == attribute.missing_label):
            numbers[place] = number if math.isfinite(number) else np.nan
    return numbers
