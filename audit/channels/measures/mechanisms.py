"""All mechanisms that a channel competes with, as the unknowns and limits of a linear program.

Where exchanging two cells maps the listed databases, their neighbours and the outputs to
themselves, a mechanism averaged over such exchanges is as private, loses as much on average over
the databases and no more in the worst case. So one number stands for all pairs of database and
output that exchanges turn into each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.channels.columns import Columns
from synthesizers.errors import TooLargeError, rounded_count

IntArray = NDArray[np.int64]

MAX_ENTRIES = 8_000
MAX_LIMITS = 25_000
"""The most unknowns and limits of a linear program (two programs of this
size take about 20 s on one core)."""

MAX_VISITED = 20_000_000
"""The most counts that are visited to find them (about 3 s)."""


@dataclass(frozen=True, eq=False)
class Mechanisms:
    """The chances X[output | database] of any mechanism, alike wherever exchanges of cells make so.

    A *class* holds the databases, an *entry* the pairs of database and output, that exchanges
    turn into each other. ``sizes``: the databases of each class. ``outputs``: how many there are.
    By entry: ``owners``, its class; ``copies``, how many outputs of one database of that class
    share it; ``losses``, the L1 distance between database and output. ``limits``: pairs of
    entries (a, b), [limits, 2]; ε-differential privacy is X_a <= e^ε·X_b for all of them.

    The chances under one database sum to 1: Σ copies·X over the entries of a class. An X that
    satisfies this and the limits is a mechanism, and every mechanism averages to one.
    """

    sizes: IntArray
    outputs: int
    owners: IntArray
    copies: IntArray
    losses: IntArray
    limits: IntArray


def mechanisms(columns: Columns, outputs: IntArray) -> Mechanisms:
    """The mechanisms from a channel's databases to ``outputs``, [outputs, cells] counts.

    ``outputs`` are distinct, and closed under every exchange of cells under which the
    databases and their neighbours are. Raises TooLargeError above the caps.

    Guarantee
    ---------
    Every neighbour of some database of each class, hence up to exchanges every pair of
    neighbours, appears in the limits with every output. Exchanges are used where the listed
    databases and pairs were seen to allow them. Backed by the comparison with the program
    that has one unknown a pair of database and output in
    ``tests/audit/channels/measures/test_mechanisms.py``.
    """
    cells = columns.databases.shape[1]
    require_visits(len(columns.databases) * cells**2)
    require_visits(len(outputs) * cells)
    labels = exchangeable_cells(columns)
    values = np.unique(np.concatenate([columns.databases.ravel(), outputs.ravel()]))
    ranked = np.searchsorted(values, columns.databases) + labels * len(values)
    released = np.searchsorted(values, outputs)
    _, first, sizes = np.unique(
        np.sort(ranked, axis=1), axis=0, return_index=True, return_counts=True
    )
    partners = {row: _partners(columns, row) for row in first.tolist()}
    visits = sum(1 + len(found) for found in partners.values())
    require_visits(visits * len(outputs) * cells)

    def pairs_with(database: int) -> IntArray:
        """The database beside every output, in a form that exchanges of cells leave alone."""
        return np.sort(ranked[database] * len(values) + released, axis=1)

    numbers: dict[bytes, int] = {}
    owners: list[int] = []
    copies: list[int] = []
    losses: list[int] = []
    for owner, row in enumerate(first.tolist()):
        found, places, counts = np.unique(
            pairs_with(row), axis=0, return_index=True, return_counts=True
        )
        numbers |= {pair.tobytes(): len(numbers) + n for n, pair in enumerate(found)}
        owners += [owner] * len(found)
        copies += counts.tolist()
        losses += np.abs(outputs[places] - columns.databases[row]).sum(axis=1).tolist()
        _require("chances", len(owners), MAX_ENTRIES)
    limits: set[tuple[int, int]] = set()
    for row, near in partners.items():
        here = [numbers[pair.tobytes()] for pair in pairs_with(row)]
        for partner in near:
            there = [numbers[pair.tobytes()] for pair in pairs_with(partner)]
            limits |= {(a, b) for a, b in zip(here, there, strict=True) if a != b}
        _require("limits", len(limits), MAX_LIMITS)
    return Mechanisms(
        np.asarray(sizes, np.int64),
        len(outputs),
        np.array(owners, np.int64),
        np.array(copies, np.int64),
        np.array(losses, np.int64),
        np.array(sorted(limits), np.int64).reshape(-1, 2),
    )


def exchangeable_cells(columns: Columns) -> IntArray:
    """For every cell the first cell with which it may be exchanged, [cells].

    Exchanges of two cells that leave the databases and pairs of neighbours as they are generate
    all permutations within a group of such cells, so one cell a group need be tried.
    """
    labels = np.arange(columns.databases.shape[1])
    for cell in range(1, len(labels)):
        for first in np.unique(labels[:cell]).tolist():
            if _is_symmetry(columns, first, cell):
                labels[cell] = first
                break
    return np.asarray(labels, np.int64)


def _is_symmetry(columns: Columns, first: int, second: int) -> bool:
    """Whether exchanging two cells maps the databases and pairs of neighbours to themselves."""
    rows, moved = columns.databases, columns.databases.copy()
    moved[:, [first, second]] = rows[:, [second, first]]
    order, moved_order = np.lexsort(rows.T), np.lexsort(moved.T)
    if not np.array_equal(rows[order], moved[moved_order]):
        return False
    image = np.empty(len(rows), np.int64)
    image[moved_order] = order
    pairs = np.sort(image[columns.pairs], axis=1)
    return np.array_equal(np.unique(pairs, axis=0), np.unique(columns.pairs, axis=0))


def _partners(columns: Columns, database: int) -> list[int]:
    """The row numbers of a database's neighbours."""
    left, right = columns.pairs.T
    found: list[int] = np.concatenate([right[left == database], left[right == database]]).tolist()
    return found


def require_visits(count: int) -> None:
    """Refuse more than `MAX_VISITED` counts; raises TooLargeError."""
    _require("counts to visit", count, MAX_VISITED)


def _require(what: str, found: int, most: int) -> None:
    if found > most:
        raise TooLargeError(
            f"the linear program has at least {rounded_count(found)} {what}, more than the "
            f"{most} that are solved; take fewer cells or records"
        )
