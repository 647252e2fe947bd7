"""Sums over records: of an attribute's value, and of a matrix's columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.plain import (
    PlainQuery,
    require_integer,
    require_integers,
    require_text,
    require_tuple,
)
from synthesizers.queries.counts import Marginal, cells_of_records, sum_by_coordinate
from synthesizers.queries.query import MAX_ANSWERS, MAX_SUMMAND, IntArray, Sensitivity

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class BoundedSum(PlainQuery):
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


@dataclass(frozen=True, slots=True)
class Layer:
    """Part of a matrix of linear queries: one weight, and for each cell its answer, or -1."""

    weight: int
    rows: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", require_integer(self.weight, "weight of a layer"))
        object.__setattr__(self, "rows", require_integers(self.rows, "answers of a layer"))
        if self.weight == 0 or abs(self.weight) > MAX_SUMMAND:
            raise InputError("the weight of a layer must lie within ±2^31 and not be 0")
        if min(self.rows, default=-2) < -1 or max(self.rows) >= MAX_ANSWERS:
            raise InputError("a layer says for each cell which answer it adds to, -1 for none")


@dataclass(frozen=True, slots=True)
class LinearQueries(PlainQuery):
    """Linear queries on a marginal: a record adds its cell's column of an integer matrix.

    The matrix [answers, cells] is the sum of ``layers``; each puts its weight
    at one answer of every cell. Sensitivities: the largest norms of a column
    under AddRemove; under ReplaceOne the smaller of what two columns and what
    the ranges of the rows allow.
    """

    attributes: tuple[str, ...]
    layers: tuple[Layer, ...]
    kind = "linear"

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", Marginal(self.attributes).attributes)
        object.__setattr__(self, "layers", require_tuple(self.layers, "layers of linear queries"))
        if not self.layers or self._last < 0:
            raise InputError("linear queries need one or more layers, and one or more answers")
        # Entries of the matrix, their squares and the answers are summed in int64.
        if sum(abs(layer.weight) for layer in self.layers) > MAX_SUMMAND:
            raise InputError("the weights of all layers together must lie within ±2^31")

    @property
    def _last(self) -> int:
        return max(max(layer.rows) for layer in self.layers)

    def size(self, domain: Domain) -> int:
        """The number of answers; InputError where a layer does not fit the marginal."""
        cells = Marginal(self.attributes).size(domain)
        for layer in self.layers:
            if len(layer.rows) != cells:
                raise InputError(
                    f"a layer over {', '.join(self.attributes)} needs {cells} entries, "
                    f"found {len(layer.rows)}"
                )
        return self._last + 1

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Weighted counts, [databases, answers]."""
        size = self.size(domain)
        cells = cells_of_records(domain, self.attributes, codes)
        total = np.zeros((len(weights), size), np.int64)
        for layer in self.layers:
            coordinates = np.array(layer.rows, np.int64)[cells]
            values = np.full(len(codes), layer.weight, np.int64)
            total += sum_by_coordinate(coordinates, values, weights, size)
        return total

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        matrix = self._matrix(self.size(domain))
        m = neighbours.unit.max_records
        sizes = abs(matrix)
        l1, squared = (int(part.sum(axis=0).max()) for part in (sizes, sizes.multiply(sizes)))
        most, least = (_ends(matrix, pick) for pick in ("max", "min"))
        if isinstance(neighbours, AddRemove):
            monotone = bool((least >= 0).all())
            return Sensitivity(m * l1, m * m * squared, m * int(sizes.max()), monotone)
        if not neighbours.unit.is_record:
            # A person may own no record.
            most, least = np.maximum(most, 0), np.minimum(least, 0)
        ranges = [m * int(span) for span in most - least]
        columns = 2 if (least >= 0).all() else 4
        return Sensitivity(
            min(2 * m * l1, sum(ranges)),
            min(columns * m * m * squared, sum(span * span for span in ranges)),
            max(ranges),
            len(ranges) == 1 or max(ranges) == 0,
        )

    def _matrix(self, size: int) -> csr_array[np.int64]:
        cells = len(self.layers[0].rows)
        rows = np.concatenate([np.array(layer.rows, np.int64) for layer in self.layers])
        columns = np.tile(np.arange(cells), len(self.layers))
        weights = np.repeat(np.array([layer.weight for layer in self.layers], np.int64), cells)
        kept = rows >= 0
        entries = (weights[kept], (rows[kept], columns[kept]))
        # Every process of a program would wait for it, and hardly one asks such a question.
        from scipy.sparse import coo_array

        return coo_array(entries, shape=(size, cells)).tocsr()


def _ends(matrix: csr_array[np.int64], pick: str) -> IntArray:
    """The largest or the least entry of each row, zeros included, [answers]."""
    return np.asarray(getattr(matrix, pick)(axis=1).toarray(), np.int64).reshape(-1)
