"""Queries: the kinds of question that may be asked, with their sensitivity.

A query maps a database to a vector of integers. Its sensitivity follows from
its kind, the neighbours and the unit; nobody types it in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, TooLargeError, rounded_count
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.plain import require_integer, require_integers, require_text, require_tuple

IntArray = NDArray[np.int64]

MAX_ANSWERS = 1 << 24
"""The most answers of one query that are held as a dense vector (128 MiB of int64)."""

MAX_SUMMAND = 2**31 - 1
"""The largest size of a bound of a sum or of a model's count: what is summed of them in int64
over `MAX_ANSWERS` cells or 2^28 records stays exact (a choice of this project)."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far the answers of two neighbours lie apart, at most.

    ``l1``, ``l2_squared``, ``linf``: the norms of the difference, as integers.
    ``monotone``: between neighbours, all answers move in one direction.
    """

    l1: int
    l2_squared: int
    linf: int
    monotone: bool


class Query(Protocol):
    """A question of a declared kind."""

    @property
    def kind(self) -> str:
        """The name of the kind, as ledgers print it."""

    def size(self, domain: Domain) -> int:
        """How many integers the answer has."""

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """The answers for several databases over one list of records.

        ``codes``: [records, attributes]; ``weights``: [databases, records], how
        often each database holds each record. Returns [databases, size].
        """

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """The sensitivity under a neighbouring relation."""

    def to_json(self) -> dict[str, Any]:
        """The query as plain data."""


def answer(query: Query, dataset: Dataset) -> IntArray:
    """The true answer of one dataset, [size]. Private: never shown to a program."""
    ones = np.ones((1, dataset.records), np.int64)
    return np.asarray(query.answers(dataset.domain, dataset.codes, ones)[0], np.int64)


def answers_of_histograms(query: Query, domain: Domain, rows: IntArray) -> IntArray:
    """The true answers of every listed histogram, [databases, size]."""
    return query.answers(domain, domain.codes(), rows)


def _summed(coordinates: IntArray, values: IntArray, weights: IntArray, size: int) -> IntArray:
    """Σ over records of weight · value, collected at each record's coordinate (-1: nowhere)."""
    if len(weights) == 1:
        total = np.zeros(size, np.int64)
        kept = coordinates >= 0
        np.add.at(total, coordinates[kept], (weights[0] * values)[kept])
        return total[None, :]
    totals = np.zeros((len(weights), size), np.int64)
    for record, coordinate in enumerate(coordinates):
        if coordinate >= 0:
            totals[:, coordinate] += weights[:, record] * values[record]
    return totals


def _counted(counts_shift: bool, unit_sums: bool, neighbours: Neighbours) -> Sensitivity:
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
class Marginal:
    """Counts over all cells of some attributes, last attribute fastest.

    Sensitivities: L1 m and L2 m under AddRemove, 2m and m·√2 under ReplaceOne,
    for a unit of at most m records (all of a person's records may hit one cell).
    """

    attributes: tuple[str, ...]
    kind = "marginal"

    def __post_init__(self) -> None:
        names = require_tuple(self.attributes, "attributes of a marginal")
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
        columns = [domain.position(name) for name in self.attributes]
        cells = domain.project(self.attributes).cells_of(codes[:, columns])
        return _summed(cells, np.ones(len(codes), np.int64), weights, size)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        varies = not neighbours.records_public
        return _counted(self.size(domain) > 1, varies, neighbours)

    def to_json(self) -> dict[str, Any]:
        """The query as plain data."""
        return {"kind": self.kind, "attributes": list(self.attributes)}


@dataclass(frozen=True, slots=True)
class CellCounts:
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
        return _summed(coordinates, np.ones(len(codes), np.int64), weights, size)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """L1 m under AddRemove; under ReplaceOne 2m, or m where only one cell is counted."""
        size = self.size(domain)
        outside = size < domain.size or not neighbours.records_public
        return _counted(size > 1, outside, neighbours)

    def to_json(self) -> dict[str, Any]:
        """The query as plain data."""
        return {"kind": self.kind, "cells": list(self.cells)}


@dataclass(frozen=True, slots=True)
class Total:
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
        return _counted(False, not neighbours.records_public, neighbours)

    def to_json(self) -> dict[str, Any]:
        """The query as plain data."""
        return {"kind": self.kind}


@dataclass(frozen=True, slots=True)
class BoundedSum:
    """The sum over records of an integer that each value of an attribute stands for.

    ``values[code]`` is clipped to ``low … high`` before it is summed, and the
    sensitivity is that of the clipped values: the grid is declared, the data
    never choose it.
    """

    attribute: str
    values: tuple[int, ...]
    low: int
    high: int
    kind = "bounded-sum"

    def __post_init__(self) -> None:
        attribute = require_text(self.attribute, "attribute of a bounded sum")
        values = require_integers(self.values, "values of a bounded sum")
        object.__setattr__(self, "attribute", attribute)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "low", require_integer(self.low, "low of a bounded sum"))
        object.__setattr__(self, "high", require_integer(self.high, "high of a bounded sum"))
        if self.low > self.high:
            raise InputError("a bounded sum needs low <= high")
        if max(abs(self.low), abs(self.high)) > MAX_SUMMAND:
            raise InputError("the bounds of a bounded sum must lie within ±2^31")

    def size(self, domain: Domain) -> int:
        """One answer; InputError where the values do not fit the attribute."""
        if len(self.values) != domain.attribute(self.attribute).size:
            raise InputError(
                f"a bounded sum over {self.attribute} needs one value for each of its "
                f"{domain.attribute(self.attribute).size} codes, found {len(self.values)}"
            )
        return 1

    def _clipped(self) -> tuple[int, ...]:
        return tuple(min(max(value, self.low), self.high) for value in self.values)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """The clipped sum, [databases, 1]."""
        self.size(domain)
        values = np.array(self._clipped(), np.int64)[codes[:, domain.position(self.attribute)]]
        return np.asarray((weights @ values)[:, None], np.int64)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """m · max |value| under AddRemove; under ReplaceOne the span of what a unit adds."""
        self.size(domain)
        m, values = neighbours.unit.max_records, self._clipped()
        low, high = min(values), max(values)
        if isinstance(neighbours, AddRemove):
            span = m * max(abs(low), abs(high))
        elif neighbours.unit.is_record:
            span = high - low
        else:
            # A person may own no record, so a unit adds anything between these two.
            span = m * (max(high, 0) - min(low, 0))
        monotone = isinstance(neighbours, AddRemove) and low >= 0
        return Sensitivity(span, span * span, span, monotone)

    def to_json(self) -> dict[str, Any]:
        """The query as plain data."""
        return {
            "kind": self.kind,
            "attribute": self.attribute,
            "values": list(self.values),
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True, slots=True)
class ModelError:
    """Scores: for each candidate marginal, its L1 distance to a public model's counts.

    The score of MST, AIM and MWEM+PGM. It moves both ways between neighbours.
    """

    candidates: tuple[Marginal, ...]
    models: tuple[tuple[int, ...], ...]
    kind = "model-error"

    def __post_init__(self) -> None:
        candidates = require_tuple(self.candidates, "candidates of a model error")
        models = require_tuple(self.models, "models of a model error")
        models = tuple(require_integers(model, "counts of a model") for model in models)
        object.__setattr__(self, "candidates", candidates)
        object.__setattr__(self, "models", models)
        if not self.candidates or len(self.candidates) != len(self.models):
            raise InputError("model error needs one model for each of one or more candidates")
        if any(abs(count) > MAX_SUMMAND for model in self.models for count in model):
            raise InputError("the counts of a model must lie within ±2^31")

    def size(self, domain: Domain) -> int:
        """One score a candidate; InputError where a model does not fit its marginal."""
        for marginal, model in zip(self.candidates, self.models, strict=True):
            if marginal.size(domain) != len(model):
                raise InputError(
                    f"the model of {', '.join(marginal.attributes)} needs "
                    f"{marginal.size(domain)} counts, found {len(model)}"
                )
        return len(self.candidates)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """L1 distances, [databases, candidates]."""
        self.size(domain)
        scores = [
            np.abs(marginal.answers(domain, codes, weights) - np.array(model, np.int64)).sum(axis=1)
            for marginal, model in zip(self.candidates, self.models, strict=True)
        ]
        return np.stack(scores, axis=1)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """Each score moves by at most the L1 sensitivity of its marginal."""
        spans = [marginal.sensitivity(domain, neighbours).l1 for marginal in self.candidates]
        return Sensitivity(sum(spans), sum(s * s for s in spans), max(spans), max(spans) == 0)

    def to_json(self) -> dict[str, Any]:
        """The query as plain data."""
        return {
            "kind": self.kind,
            "candidates": [list(marginal.attributes) for marginal in self.candidates],
            "models": [list(model) for model in self.models],
        }


def whole_table(domain: Domain) -> Marginal:
    """The marginal of all attributes: the histogram itself."""
    return Marginal(domain.names)
