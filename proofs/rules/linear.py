"""The rule of sensitivity of linear queries: sums of columns of an integer matrix."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.errors import require
from proofs.parameters import Shape
from proofs.rules.moves import Moves, Names, Place, cells_of, query_rule
from synthesizers.neighbours import AddRemove, Neighbours


@dataclass(frozen=True, slots=True)
class Layer:
    """A ``weight`` in one of the ``rows`` of each cell's column, or in none where that is -1."""

    weight: int
    rows: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class _Matrix:
    """What is needed of a matrix [answers, cells].

    ``entries``, ``l1``, ``l2_squared``: of a column, the most entries that are not 0, and the
    largest norms. ``ends``: the least and the largest entry of each row, of other rows than
    those of zeros.
    """

    answers: int
    entries: int
    l1: int
    l2_squared: int
    ends: list[tuple[int, int]]


@query_rule("linear")
def linear(
    neighbours: Neighbours, shape: Shape, attributes: Names, layers: tuple[Layer, ...]
) -> Moves:
    """Sums over records of the column that their cell has in an integer matrix of layers.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``, and of
    drawn matrices ``tests/proofs/rules/test_linear_rule.py``.
    """
    cells = cells_of(attributes, shape)
    fits = all(len(layer.rows) == cells for layer in layers)
    require(fits, "a layer has an answer or -1 for each cell")
    require(any(max(layer.rows) >= 0 for layer in layers), "one or more answers are needed")
    matrix = _matrix(layers, cells)
    added = isinstance(neighbours, AddRemove)
    return (_add_columns if added else _exchange_columns)(neighbours, matrix)


def _add_columns(neighbours: Neighbours, matrix: _Matrix) -> Moves:
    """A unit adds at most m columns."""
    m = neighbours.unit.max_records
    largest = max((max(most, -least) for least, most in matrix.ends), default=0)
    one_way = all(least >= 0 for least, _ in matrix.ends)
    l0 = min(m * matrix.entries, len(matrix.ends))
    return Moves(l0, m * matrix.l1, m * m * matrix.l2_squared, m * largest, one_way)


def _exchange_columns(neighbours: Neighbours, matrix: _Matrix) -> Moves:
    """A unit's columns come in the place of others; a person's number of records may change."""
    m = neighbours.unit.max_records
    ends = matrix.ends
    if not neighbours.unit.is_record:
        ends = [(min(least, 0), max(most, 0)) for least, most in ends]
    spans = [m * (most - least) for least, most in ends if least < most]
    # ‖a - b‖² is at most ‖a‖² + ‖b‖² where a and b have no negative entries.
    squares = (4 if any(least < 0 for least, _ in ends) else 2) * m * m * matrix.l2_squared
    longest = max(spans, default=0)
    return Moves(
        min(2 * m * matrix.entries, len(spans)),
        min(2 * m * matrix.l1, sum(spans)),
        min(squares, sum(span * span for span in spans)),
        longest,
        matrix.answers == 1 or longest == 0,
    )


def _matrix(layers: tuple[Layer, ...], cells: int) -> _Matrix:
    entries = l1 = squared = 0
    ends: dict[int, tuple[int, int]] = {}
    held: dict[int, int] = {}
    for cell in range(cells):
        column: dict[int, int] = {}
        for layer in layers:
            if (row := layer.rows[cell]) >= 0:
                column[row] = column.get(row, 0) + layer.weight
        column = {row: value for row, value in column.items() if value}
        for row, value in column.items():
            least, most = ends.get(row, (value, value))
            ends[row] = min(least, value), max(most, value)
            held[row] = held.get(row, 0) + 1
        entries = max(entries, len(column))
        l1 = max(l1, sum(abs(value) for value in column.values()))
        squared = max(squared, sum(value * value for value in column.values()))
    with_zeros = [
        (least, most) if held[row] == cells else (min(least, 0), max(most, 0))
        for row, (least, most) in ends.items()
    ]
    answers = 1 + max(max(layer.rows) for layer in layers)
    return _Matrix(answers, entries, l1, squared, with_zeros)
