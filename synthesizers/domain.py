"""Domains and datasets: which cells a database may fill, and the records in them.

A domain is public: attributes with their values, in order. A dataset is
confidential: one row of codes a record. Cells are numbered in mixed radix, the
last attribute fastest, so that a histogram over the cells reshaped to
``domain.shape`` is the contingency table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthesizers.attributes import Attribute, Hierarchy, first_repeated, require_text
from synthesizers.attributes_json import (
    attribute_from_json,
    attribute_to_json,
    hierarchy_from_json,
    hierarchy_to_json,
    json_list,
    json_object,
    json_text,
)
from synthesizers.errors import InputError, TooLargeError, rounded_count

__all__ = ["MAX_LISTED_CELLS", "Attribute", "Dataset", "Domain", "Hierarchy"]

MAX_LISTED_CELLS = 2**24
"""The most cells that a histogram or a list of all cells may have."""

_MAX_RECORDS = 2**28
_JSON_KEYS = frozenset({"name", "attributes", "hierarchies", "individual"})
_CELLS = re.compile(r"[1-9][0-9]{0,17}(?:x[1-9][0-9]{0,17})*")


@dataclass(frozen=True)
class Domain:
    """The attributes of a database, in order, and what is publicly known of them.

    ``individual`` names the column of a table that says whose record it is; it
    is not an attribute, and only person-level privacy needs it.

    Raises ``InputError`` for no attribute, repeated names, a hierarchy that does
    not fit its attribute, or an ``individual`` that is also an attribute.
    """

    name: str
    attributes: tuple[Attribute, ...]
    hierarchies: tuple[Hierarchy, ...] = ()
    individual: str | None = None

    def __post_init__(self) -> None:
        """Refuse attributes and hierarchies that do not fit together."""
        require_text(self.name, "the name of a domain")
        object.__setattr__(self, "attributes", tuple(self.attributes))
        object.__setattr__(self, "hierarchies", tuple(self.hierarchies))
        if not self.attributes:
            raise InputError("a domain needs at least one attribute")
        repeated = first_repeated(self.names)
        if repeated is not None:
            raise InputError(f"the attribute {repeated!r} is declared twice; keep it once")
        twice = first_repeated(hierarchy.attribute for hierarchy in self.hierarchies)
        if twice is not None:
            raise InputError(f"the attribute {twice!r} has two hierarchies; keep one")
        for hierarchy in self.hierarchies:
            attribute = self.attribute(hierarchy.attribute)
            if len(hierarchy.levels[0]) != attribute.size:
                raise InputError(
                    f"hierarchy of {attribute.name!r}: each level needs {attribute.size} groups, "
                    "one for each value (the missing value's last), and has "
                    f"{len(hierarchy.levels[0])}"
                )
        if self.individual is not None:
            require_text(self.individual, "the id column of [individual]")
            if self.individual in self.names:
                raise InputError(
                    f"the id column {self.individual!r} is also an attribute; an id is not released"
                )

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of codes of each attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @cached_property
    def size(self) -> int:
        """The number of cells: the exact product of the shape."""
        return math.prod(self.shape)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes' names, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    def position(self, name: str) -> int:
        """Return the index of the attribute called ``name``; ``InputError`` if there is none."""
        for index, attribute in enumerate(self.attributes):
            if attribute.name == name:
                return index
        raise InputError(f"there is no attribute {name!r}; the domain has {', '.join(self.names)}")

    def attribute(self, name: str) -> Attribute:
        """Return the attribute called ``name``; ``InputError`` if there is none."""
        return self.attributes[self.position(name)]

    def project(self, names: Sequence[str]) -> Domain:
        """Return the domain of the named attributes, in the order given.

        Their hierarchies and the id column stay. Raises ``InputError`` for an
        unknown or repeated name, or no name.
        """
        kept = tuple(self.attribute(name) for name in names)
        hierarchies = tuple(h for h in self.hierarchies if h.attribute in names)
        return Domain(self.name, kept, hierarchies, self.individual)

    def cells_of(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cell numbers [n] of code rows [n, d], the last attribute fastest.

        Raises ``TooLargeError`` if the domain has 2**63 cells or more, and
        ``InputError`` if the codes do not fit the domain.

        **Guarantee.** The inverse of ``codes_of``, for every domain below 2**63
        cells: backed by the round trip in ``tests/synthesizers/test_domain.py``.
        """
        self._require_numbered_cells()
        rows = _check_codes(codes, self)
        cells = np.zeros(len(rows), dtype=np.int64)
        for column, radix in enumerate(self.shape):
            cells *= radix
            cells += rows[:, column]
        return cells

    def codes_of(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the code rows [n, d] of cell numbers [n]; errors as ``cells_of``."""
        self._require_numbered_cells()
        array = np.asarray(cells)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise InputError("cell numbers must be one row of integers")
        if array.size and (array.min() < 0 or int(array.max()) >= self.size):
            raise InputError(f"cell numbers must lie from 0 to {self.size - 1}")
        rest = array.astype(np.int64)
        codes = np.empty((len(rest), len(self.attributes)), dtype=np.int64)
        for column in reversed(range(len(self.attributes))):
            rest, codes[:, column] = np.divmod(rest, self.shape[column])
        return codes

    def codes(self) -> NDArray[np.int64]:
        """Return the code rows [size, d] of all cells; ``TooLargeError`` above 2**24."""
        self.require_listable()
        return self.codes_of(np.arange(self.size, dtype=np.int64))

    def require_listable(self) -> None:
        """Raise ``TooLargeError`` if the domain has more than 2**24 cells."""
        if self.size > MAX_LISTED_CELLS:
            raise TooLargeError(
                f"the domain {self.name!r} has {rounded_count(self.size)} cells and at most "
                f"{MAX_LISTED_CELLS} can be listed; project it to fewer attributes"
            )

    def _require_numbered_cells(self) -> None:
        if self.size >= 2**63:
            raise TooLargeError(
                f"the domain {self.name!r} has {rounded_count(self.size)} cells and fewer than "
                "2**63 can be numbered; project it to fewer attributes"
            )

    @classmethod
    def from_cells(cls, text: str) -> Domain:
        """Return a small domain from its shape as text.

        ``"4"`` is one attribute ``cell`` of the values 0 to 3; ``"2x3"`` is ``a1``
        of 2 values and ``a2`` of 3. Raises ``InputError`` if the text is not of
        that form, ``TooLargeError`` above 2**24 cells.
        """
        if not isinstance(text, str) or _CELLS.fullmatch(text) is None:
            raise InputError(
                "cells must be a positive number or numbers joined by x, as in 4 or 2x3, "
                f"not {text!r}"
            )
        sizes = [int(part) for part in text.split("x")]
        if math.prod(sizes) > MAX_LISTED_CELLS:
            raise TooLargeError(
                f"cells {text} are {rounded_count(math.prod(sizes))} cells and at most "
                f"{MAX_LISTED_CELLS} can be listed; choose fewer, or give a domain file"
            )
        names = ["cell"] if len(sizes) == 1 else [f"a{k + 1}" for k in range(len(sizes))]
        return cls(
            text,
            tuple(
                Attribute(name, tuple(str(code) for code in range(size)))
                for name, size in zip(names, sizes, strict=True)
            ),
        )

    def to_json(self) -> dict[str, object]:
        """Return the domain as plain JSON, edges as exact text; read back by ``from_json``."""
        return {
            "name": self.name,
            "attributes": [attribute_to_json(attribute) for attribute in self.attributes],
            "hierarchies": [hierarchy_to_json(hierarchy) for hierarchy in self.hierarchies],
            "individual": self.individual,
        }

    @classmethod
    def from_json(cls, obj: object) -> Domain:
        """Return the domain that ``to_json`` wrote; ``InputError`` for anything else."""
        fields = json_object(obj, _JSON_KEYS, frozenset({"name", "attributes"}), "a domain")
        individual = fields.get("individual")
        hierarchies = json_list(fields.get("hierarchies", []), "hierarchies")
        return cls(
            json_text(fields["name"], "the name of a domain"),
            tuple(attribute_from_json(a) for a in json_list(fields["attributes"], "attributes")),
            tuple(hierarchy_from_json(hierarchy) for hierarchy in hierarchies),
            None if individual is None else json_text(individual, "individual"),
        )


@dataclass(frozen=True, eq=False)
class Dataset:
    """Confidential records of a domain: codes [records, d], read-only.

    ``persons`` [records], if known, says whose record each is: equal index,
    same person. Neither the repr nor any error shows a value or the number of
    records, which may be private too.

    Raises ``InputError`` for codes that are not integers, not of shape
    [records, d], or outside the domain, and for persons that do not fit.
    """

    domain: Domain
    codes: NDArray[np.int64]
    persons: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        """Refuse codes outside the domain, and freeze the arrays."""
        object.__setattr__(self, "codes", _freeze(_check_codes(self.codes, self.domain)))
        if self.persons is None:
            return
        if self.domain.individual is None:
            raise InputError(
                "records have a person index but the domain declares no id column; "
                "declare [individual]"
            )
        persons = np.asarray(self.persons)
        if persons.dtype.kind not in "iu" or persons.shape != (self.records,):
            raise InputError("the person index must be one integer for each record")
        if persons.size and persons.min() < 0:
            raise InputError("the person index must not be negative")
        object.__setattr__(self, "persons", _freeze(persons.astype(np.int64, copy=False)))

    def __repr__(self) -> str:
        """Return the domain alone: everything else is private."""
        return f"Dataset(domain={self.domain.name!r})"

    @property
    def records(self) -> int:
        """The number of records (private under add-remove)."""
        return int(self.codes.shape[0])

    def histogram(self) -> NDArray[np.int64]:
        """Return the counts [domain.size] of the cells; ``TooLargeError`` above 2**24."""
        self.domain.require_listable()
        counts = np.bincount(self.domain.cells_of(self.codes), minlength=self.domain.size)
        return counts.astype(np.int64, copy=False)

    @classmethod
    def from_histogram(cls, domain: Domain, counts: NDArray[np.int64]) -> Dataset:
        """Return the dataset with ``counts[c]`` records in cell ``c``, cells in order.

        Raises ``InputError`` unless counts are nonnegative integers of shape
        [domain.size], ``TooLargeError`` above 2**24 cells or 2**28 records.
        """
        domain.require_listable()
        array = np.asarray(counts)
        if array.dtype.kind not in "iu" or array.shape != (domain.size,):
            raise InputError(f"a histogram must be {domain.size} integers, one for each cell")
        if array.size and array.min() < 0:
            raise InputError("a histogram must not hold a negative count")
        if sum(map(int, array[array > 0])) > _MAX_RECORDS:
            raise TooLargeError(f"a histogram can be spelt out up to {_MAX_RECORDS} records")
        cells = np.repeat(np.arange(domain.size, dtype=np.int64), array.astype(np.int64))
        return cls(domain, domain.codes_of(cells))

    def clip_persons(self, max_records: int) -> Dataset:
        """Return the dataset with at most the first ``max_records`` records of each person.

        Raises ``InputError`` if persons are not known or ``max_records`` is not
        a positive integer.

        **Guarantee.** Whether a record is kept depends on the records of the
        same person alone, so that adding or removing a person changes at most
        ``max_records`` records of the result. Backed by the comparison with a
        loop over the records, and by the removal of persons, in
        ``tests/synthesizers/test_domain.py``.
        """
        if isinstance(max_records, bool) or not isinstance(max_records, int) or max_records < 1:
            raise InputError("the most records of a person must be a positive integer")
        if self.persons is None:
            raise InputError(
                "it is not known whose record each is; declare [individual] in the domain file and "
                "give a table with that id column"
            )
        order = np.argsort(self.persons, kind="stable")
        ordered = self.persons[order]
        starts = np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]
        positions = np.arange(len(ordered), dtype=np.int64)
        rank_in_person = positions - np.maximum.accumulate(np.where(starts, positions, 0))
        kept = np.sort(order[rank_in_person < max_records])
        return Dataset(self.domain, self.codes[kept], self.persons[kept])


def _check_codes(codes: NDArray[np.int64], domain: Domain) -> NDArray[np.int64]:
    array = np.asarray(codes)
    if array.dtype.kind not in "iu":
        raise InputError("codes must be integers")
    if array.ndim != 2 or array.shape[1] != len(domain.attributes):
        raise InputError(
            f"codes must have one column for each of the {len(domain.attributes)} attributes"
        )
    if array.shape[0]:
        low, high = array.min(axis=0), array.max(axis=0)
        for column, attribute in enumerate(domain.attributes):
            if low[column] < 0 or int(high[column]) >= attribute.size:
                raise InputError(
                    f"attribute {attribute.name!r}: a code lies outside 0 to {attribute.size - 1}"
                )
    return array.astype(np.int64, copy=False)


def _freeze(array: NDArray[np.int64]) -> NDArray[np.int64]:
    """``array`` itself if nobody can write to it, else a read-only copy."""
    if not array.flags.writeable and array.base is None:
        return array
    copy = array.copy(order="K")
    copy.setflags(write=False)
    return copy
