"""PRAM: every record passes through a matrix of chances, whole or in one attribute."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.errors import InputError, TooLargeError
from synthesizers.intervals import log_interval
from synthesizers.laws.chance_files import chance, read_lines, require_whole
from synthesizers.laws.contingency import contingency_table
from synthesizers.laws.responses import answers
from synthesizers.neighbours import Neighbours, histogram_count
from synthesizers.plain import require_count, require_integers, require_tuple
from synthesizers.randomness import Entropy

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]
Weights = tuple[tuple[int, ...], ...]

MAX_VALUES = 1000
"""The most values that a matrix of chances is made for."""

MAX_COUNTS = 20_000_000
"""The most counts in all tables that some listed database may give, database by database."""


@dataclass(frozen=True, slots=True)
class PostRandomisation:
    """Every record's value passes through a matrix of chances (Gouweleeuw et al. 1998).

    ``weights`` [values, values]: value i becomes j with chance weights[i][j]/total,
    whole numbers of the same total in every row. The values are those of one
    attribute; ``before`` and ``after`` are the numbers of combinations of the
    attributes before and after it, which stay as they are. Both 1: the values are
    the cells themselves.

    Guarantee
    ---------
    ``chance`` is exact. Where the whole record is randomised, ε is the logarithm
    of the largest ratio within a column, rounded up: it bounds the loss of one
    record replaced, and the loss comes that close to it. No finite bound holds
    where a zero stands beside a non-zero, where another attribute stays as it
    is, or where the number of records is private, for it shows. Backed by
    ``tests/synthesizers/laws/test_pram.py``.
    """

    weights: Weights
    before: int = 1
    after: int = 1
    name = "post-randomisation"
    certainty = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _require_weights(self.weights))
        around = "numbers of combinations before and after"
        object.__setattr__(self, "before", require_count(self.before, around))
        object.__setattr__(self, "after", require_count(self.after, around))
        if min(self.before, self.after) < 1:
            raise InputError(f"the {around} must be positive")

    def __hash__(self) -> int:
        # It is the key of a cache: one row tells matrices apart as well as all of them.
        return hash((self.weights[0], self.before, self.after))

    @property
    def total(self) -> int:
        """What every row sums to: the weight that stands for 1."""
        return sum(self.weights[0])

    @property
    def shape(self) -> tuple[int, int, int]:
        """A table's axes: combinations before, values, combinations after."""
        return (self.before, len(self.weights), self.after)

    def answer(self, source: int, cells: int) -> tuple[int, ...]:
        """Each value's weight as the answer of a record of the value ``source``."""
        return self.weights[source]

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every table that some listed database may give; TooLargeError for too many."""
        sizes = [contingency_table(row, self.shape).sum(axis=1).ravel().tolist() for row in rows]
        values = len(self.weights)
        images = sum(math.prod(histogram_count(values, n) for n in parts) for parts in sizes)
        if images * rows.shape[1] > MAX_COUNTS:
            raise TooLargeError(
                f"post-randomisation has too many outcomes for {len(rows)} databases to list them; "
                "take fewer cells or records"
            )
        return sorted(set().union(*(self._images(tuple(row)) for row in rows.tolist())))

    def _images(self, counts: Outcome) -> list[Outcome]:
        """Every table that one database may give."""
        options = [answers(self, part) for part in self._parts(counts)]
        chosen = np.array(list(itertools.product(*options)), np.int64)
        tables = chosen.reshape(-1, self.before, self.after, len(self.weights)).swapaxes(2, 3)
        return list(map(tuple, tables.reshape(len(chosen), -1).tolist()))

    def _parts(self, counts: Outcome) -> list[Outcome]:
        """The counts of the values, for each combination of the attributes that stay."""
        table = contingency_table(np.array(counts, np.int64), self.shape).swapaxes(1, 2)
        return list(map(tuple, table.reshape(-1, len(self.weights)).tolist()))

    def chance(self, counts: Outcome, outcome: Outcome) -> Fraction:
        """The exact chance of an outcome."""
        weight = 1
        for part, image in zip(self._parts(counts), self._parts(outcome), strict=True):
            weight *= answers(self, part).get(image, 0)
        return Fraction(weight, self.total ** sum(counts))

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw, value by value."""
        table = contingency_table(counts, self.shape)
        released = np.zeros(self.shape, np.int64)
        for value, weights in enumerate(self.weights):
            holders = table[:, value, :]
            places = np.indices(holders.shape).reshape(2, -1)
            first, last = np.repeat(places, holders.ravel(), axis=1)
            drawn = samplers.categorical(weights, len(first), entropy)
            np.add.at(released, (first, drawn, last), 1)
        return released.ravel()

    def cost(self, neighbours: Neighbours) -> Cost:
        """See the class."""
        if not neighbours.records_public or self.before * self.after > 1:
            return UNBOUNDED
        columns = [column for column in zip(*self.weights, strict=True) if any(column)]
        if not all(map(all, columns)):
            return UNBOUNDED
        ratio = max(Fraction(max(column), min(column)) for column in columns)
        return Cost.pure(log_interval(ratio, 64).upper)

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""
        rows = [[str(Fraction(weight, self.total)) for weight in row] for row in self.weights]
        return {"law": self.name, "matrix": rows, "before": self.before, "after": self.after}


def _require_weights(matrix: object) -> Weights:
    rows = require_tuple(matrix, "rows of a matrix of chances")
    weights = tuple(require_integers(row, "weights of a matrix of chances") for row in rows)
    if not 1 <= len(weights) <= MAX_VALUES or any(len(row) != len(weights) for row in weights):
        raise InputError(f"a matrix of chances is square, of at most {MAX_VALUES} values")
    if min(map(min, weights)) < 0:
        raise InputError("the weights of a matrix of chances are whole numbers >= 0")
    if len({sum(row) for row in weights}) > 1 or not any(weights[0]):
        raise InputError("the rows of a matrix of chances have the same positive sum")
    return weights


def retaining(retain: Fraction, values: int) -> Weights:
    """The matrix that keeps a value with chance ``retain``, else takes one of the others evenly.

    A single value has no others and is kept. Raises InputError for more than
    `MAX_VALUES` values.
    """
    if values > MAX_VALUES:
        raise InputError(
            f"a matrix of chances is made for at most {MAX_VALUES} values, found {values}; "
            "randomise one attribute, or take fewer cells"
        )
    if values == 1:
        return ((1,),)
    keep, move = retain.numerator * (values - 1), retain.denominator - retain.numerator
    return tuple(
        tuple(keep if value == source else move for value in range(values))
        for source in range(values)
    )


def read_matrix(path: str) -> Weights:
    """The matrix of a CSV file without a header: k lines of k chances, line i for value i.

    Decimals and fractions are taken exactly. Raises InputError unless every
    line sums to exactly 1.
    """
    lines = read_lines(path)
    size = len(lines)
    if size > MAX_VALUES:
        raise InputError(f"{path} has {size} lines; a matrix has at most {MAX_VALUES}")
    rows = []
    for number, cells in lines:
        where = f"{path}, line {number}"
        if len(cells) != size:
            raise InputError(
                f"{where}: found {len(cells)} numbers in a file of {size} lines; a matrix has as "
                "many columns as lines, and no header"
            )
        rows.append([chance(cell, f"{where}, column {c}") for c, cell in enumerate(cells, 1)])
        require_whole(rows[-1], where)
    scale = math.lcm(*(value.denominator for row in rows for value in row))
    return tuple(tuple(int(value * scale) for value in row) for row in rows)
