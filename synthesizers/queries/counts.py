"""Counts: queries in which a record adds 1 to at most one answer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from synthesizers.domain import Domain
from synthesizers.errors import InputError, TooLargeError, rounded_count
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.plain import PlainQuery, require_integers, require_text, require_tuple
from synthesizers.queries.query import MAX_ANSWERS, IntArray, Sensitivity


def sum_by_coordinate(
    coordinates: IntArray, values: IntArray, weights: IntArray, size: int
) -> IntArray:
    """Σ over records of weight · value, collected at each record's coordinate (-1: nowhere)."""
    if len(weights) == 1:
        summands = weights[0] * values
        kept = coordinates >= 0
        if not kept.all():
            coordinates, summands = coordinates[kept], summands[kept]
        total = np.zeros(size, np.int64)
        np.add.at(total, coordinates, summands)
        return total[None, :]
    totals = np.zeros((len(weights), size), np.int64)
    for record, coordinate in enumerate(coordinates):
        if coordinate >= 0:
            totals[:, coordinate] += weights[:, record] * values[record]
    return totals


def tally(coordinates: IntArray, weights: IntArray, size: int) -> IntArray:
    """Σ over records of weight, collected at each record's coordinate (-1: nowhere)."""
    if len(weights) != 1 or not (weights == 1).all():
        return sum_by_coordinate(coordinates, np.ones(len(coordinates), np.int64), weights, size)
    if coordinates.min(initial=0) < 0:
        coordinates = coordinates[coordinates >= 0]
    return np.bincount(coordinates, minlength=size)[None, :]


def cells_of_records(domain: Domain, attributes: tuple[str, ...], codes: IntArray) -> IntArray:
    """The cell of a marginal that each record lies in, the last attribute fastest, [records].

    Codes inside the domain and a marginal of at most `MAX_ANSWERS` cells are taken for granted.
    """
    cells = np.zeros(len(codes), np.int64)
    for name in attributes:
        place = domain.position(name)
        cells *= domain.shape[place]
        cells += codes[:, place]
    return cells


def count_sensitivity(counts_shift: bool, unit_sums: bool, neighbours: Neighbours) -> Sensitivity:
    """Sensitivity of counts in which a record adds 1 to at most one answer.

    ``counts_shift``: exchanging a record can lower one answer and raise another.
    ``unit_sums``: some record adds to no answer, or the number of records varies,
    so that exchanging can change the sum of the answers.
    """
    m = neighbours.unit.max_records
    if isinstance(neighbours, AddRemove):
        return Sensitivity(m, m * m, m, True)
    if counts_shift:
        return Sensitivity(2 * m, 2 * m * m, m, False)
    if unit_sums:
        return Sensitivity(m, m * m, m, True)
    return Sensitivity(0, 0, 0, True)


@dataclass(frozen=True, slots=True)
class Marginal(PlainQuery):
    """Counts over all cells of some attributes, last attribute fastest.

    Sensitivities: L1 m and L2 m under AddRemove, 2m and m·√2 under ReplaceOne,
    for a unit of at most m records (all of a person's records may hit one cell).
    """

    attributes: tuple[str, ...]
    kind = "marginal"

    def __post_init__(self) -> None:
        names = require_tuple(self.attributes, "attributes of a marginal")
        if set(map(type, names)) != {str}:
            names = tuple(require_text(name, "attribute of a marginal") for name in names)
        object.__setattr__(self, "attributes", names)
        if not self.attributes or len(set(self.attributes)) != len(self.attributes):
            raise InputError("a marginal needs one or more different attributes")

    def size(self, domain: Domain) -> int:
        """The product of the attributes' sizes; TooLargeError above `MAX_ANSWERS`."""
        cells = math.prod(domain.shape[domain.position(name)] for name in self.attributes)
        if cells > MAX_ANSWERS:
            named = ", ".join(self.attributes[:5]) + (", …" if len(self.attributes) > 5 else "")
            raise TooLargeError(
                f"the marginal of {len(self.attributes)} attributes ({named}) has "
                f"{rounded_count(cells)} cells, more than {MAX_ANSWERS}; "
                "take fewer attributes or coarser bins"
            )
        return cells

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Counts, [databases, cells of the marginal]."""
        size = self.size(domain)
        cells = cells_of_records(domain, self.attributes, codes)
        return tally(cells, weights, size)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        varies = not neighbours.records_public
        return count_sensitivity(self.size(domain) > 1, varies, neighbours)


@dataclass(frozen=True, slots=True)
class RecodedMarginal(PlainQuery):
    """Counts over groups of values: a marginal of attributes recoded to fewer values.

    ``groups``: for each attribute, the group of each code, from 0; records of a
    code whose group is -1 are counted nowhere. Sensitivities: those of `Marginal`.
    """

    attributes: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    kind = "recoded-marginal"

    def __post_init__(self) -> None:
        marginal = Marginal(self.attributes)
        groups = require_tuple(self.groups, "groups of a recoded marginal")
        groups = tuple(require_integers(codes, "groups of an attribute") for codes in groups)
        object.__setattr__(self, "attributes", marginal.attributes)
        object.__setattr__(self, "groups", groups)
        if len(groups) != len(self.attributes):
            raise InputError("a recoded marginal needs the groups of each of its attributes")
        for codes in groups:
            if not codes or min(codes) < -1 or max(codes) < 0:
                raise InputError("groups are numbered from 0, and -1 is for what is not counted")

    @property
    def shape(self) -> tuple[int, ...]:
        """How many groups each attribute has."""
        return tuple(max(codes) + 1 for codes in self.groups)

    def size(self, domain: Domain) -> int:
        """The product of the numbers of groups; InputError where codes and groups do not match."""
        for name, codes in zip(self.attributes, self.groups, strict=True):
            if len(codes) != domain.attribute(name).size:
                raise InputError(
                    f"the recoding of {name} needs a group for each of its "
                    f"{domain.attribute(name).size} codes, found {len(codes)}"
                )
        cells = math.prod(self.shape)
        if cells > MAX_ANSWERS:
            raise TooLargeError(
                f"a recoded marginal has {rounded_count(cells)} cells, more than {MAX_ANSWERS}; "
                "take fewer attributes or groups"
            )
        return cells

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Counts, [databases, groups]."""
        size = self.size(domain)
        cells = np.zeros(len(codes), np.int64)
        kept = np.ones(len(codes), np.bool_)
        for name, groups, radix in zip(self.attributes, self.groups, self.shape, strict=True):
            found = np.array(groups, np.int64)[codes[:, domain.position(name)]]
            kept &= found >= 0
            cells = cells * radix + found
        return tally(np.where(kept, cells, -1), weights, size)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        everywhere = all(min(codes) >= 0 for codes in self.groups)
        varies = not (everywhere and neighbours.records_public)
        return count_sensitivity(self.size(domain) > 1, varies, neighbours)


@dataclass(frozen=True, slots=True)
class CellCounts(PlainQuery):
    """Counts of some cells of the whole domain, in the order given."""

    cells: tuple[int, ...]
    kind = "cell-counts"

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", require_integers(self.cells, "cells that are counted"))
        if not self.cells or len(set(self.cells)) != len(self.cells):
            raise InputError("cell counts need one or more different cells")

    def size(self, domain: Domain) -> int:
        """The number of cells asked for; InputError for a cell outside the domain."""
        if min(self.cells) < 0 or max(self.cells) >= domain.size:
            raise InputError(f"cells must lie in 0 … {domain.size - 1}")
        return len(self.cells)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Counts, [databases, cells asked for]."""
        size = self.size(domain)
        order = np.argsort(np.array(self.cells, np.int64))
        wanted = np.array(self.cells, np.int64)[order]
        cells = domain.cells_of(codes)
        place = np.minimum(np.searchsorted(wanted, cells), size - 1)
        coordinates = np.where(wanted[place] == cells, order[place], -1)
        return tally(coordinates, weights, size)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """L1 m under AddRemove; under ReplaceOne 2m, or m where only one cell is counted."""
        size = self.size(domain)
        outside = size < domain.size or not neighbours.records_public
        return count_sensitivity(size > 1, outside, neighbours)


@dataclass(frozen=True, slots=True)
class Total(PlainQuery):
    """The number of records."""

    kind = "total"

    def size(self, domain: Domain) -> int:
        """One answer."""
        return 1

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """The number of records, [databases, 1]."""
        return np.asarray(weights.sum(axis=1, keepdims=True), np.int64)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """The unit's size m, or 0 where n is public."""
        return count_sensitivity(False, not neighbours.records_public, neighbours)


def whole_table(domain: Domain) -> Marginal:
    """The marginal of all attributes: the histogram itself."""
    return Marginal(domain.names)
