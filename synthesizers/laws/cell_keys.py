"""Cell-key perturbation: what every count is changed by is looked up in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from synthesizers.errors import InputError
from synthesizers.laws.cell_laws import CellwiseLaw
from synthesizers.plain import is_integer, require_rational, require_tuple

Changes = tuple[tuple[int, Fraction], ...]

MAX_CHANGE = 1000
"""The largest change of a count in a perturbation table."""


@dataclass(frozen=True, slots=True)
class PerturbationTable:
    """By what a count is changed, with which chance: ``rows[i - 1]`` for a count of i.

    The last row is that of all larger counts too. A row is its changes,
    ascending, with positive chances that sum to exactly 1; no change leaves a
    count below 0.
    """

    rows: tuple[Changes, ...]

    def __post_init__(self) -> None:
        rows = require_tuple(self.rows, "rows of a perturbation table")
        exact = tuple(_exact_row(count, row) for count, row in enumerate(rows, 1))
        object.__setattr__(self, "rows", exact)
        if not self.rows:
            raise InputError("a perturbation table needs at least one row, for a count of 1")

    def row(self, count: int) -> Changes:
        """The changes of a positive count."""
        return self.rows[min(count, len(self.rows)) - 1]


def _exact_row(count: int, row: object) -> Changes:
    """A row in Python's own whole numbers and fractions; InputError unless it is one."""
    name = f"perturbation of a count of {count}"
    pairs = [
        require_tuple(pair, "pair of a change and its chance") for pair in require_tuple(row, name)
    ]
    if not all(len(pair) == 2 and is_integer(pair[0]) for pair in pairs):
        raise InputError(f"{name}: changes are whole numbers, each with its chance")
    changes = [int(change) for change, _ in pairs]
    chances = [require_rational(chance, "chance of a change") for _, chance in pairs]
    if changes != sorted(set(changes)):
        raise InputError(f"{name}: changes ascend, and each stands once")
    if not all(-count <= change and abs(change) <= MAX_CHANGE for change in changes):
        raise InputError(
            f"{name}: changes lie from -{count}, for no count falls below 0, and are at most "
            f"{MAX_CHANGE} in size"
        )
    if not all(chance > 0 for chance in chances) or sum(chances) != 1:
        raise InputError(f"{name}: the chances are positive and sum to exactly 1")
    return tuple(zip(changes, chances, strict=True))


@dataclass(frozen=True, slots=True)
class CellKey(CellwiseLaw):
    """Every count but 0 is changed as the table says for it (Fraser & Wooton 2005).

    A cell's key is the sum, modulo the number of keys, of uniform keys of its
    records: uniform itself, and independent of other cells' keys, for no two
    cells share a record. Looking it up is drawing from the count's row.

    Guarantee
    ---------
    Zeros stay zeros and no count becomes negative. No finite ε holds. Backed by
    ``tests/synthesizers/laws/test_cell_keys.py``.
    """

    table: PerturbationTable
    name = "cell-key"

    def answers(self, count: int) -> Mapping[int, Fraction]:
        """The count with each change."""
        if count == 0:
            return {0: Fraction(1)}
        return {count + change: chance for change, chance in self.table.row(count)}
