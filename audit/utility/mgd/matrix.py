"""AEMC under a user's own distances between the cells of a marginal (Li et al., section 3.1).

Any matrix will do: neither symmetry nor the triangle inequality is needed, as every pair of
cells gets an arc of its own in the flow of their section 4.2.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.solvers.four_layer import MOST_PAIRS, NEVER
from synthesizers.errors import InputError, TooLargeError, rounded_count
from synthesizers.exact import parse_rational

Distance = Fraction | Literal["infinite"]
"""What moving one record costs, where adding or removing one costs 1."""

Distances = tuple[tuple[Distance, ...], ...]
"""A row a cell that a record leaves, a column a cell that it moves to."""


def check_matrix(rows: Sequence[Sequence[object]], what: str) -> Distances:
    """The rows as a distance matrix.

    Raises ``InputError`` naming ``what`` if they are not square, for entries that are not exact
    or are negative, and for a diagonal other than 0; ``TooLargeError`` for too many cells.
    """
    if isinstance(rows, str) or not isinstance(rows, Sequence) or not rows:
        raise InputError(f"{what} must be a matrix, a list of rows")
    _check_cells(len(rows), what)
    found: list[tuple[Distance, ...]] = []
    for place, row in enumerate(rows, 1):
        if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != len(rows):
            raise InputError(
                f"{what} must be square, and row {place} has not as many entries as there are rows"
            )
        found.append(tuple(_exact(entry, f"{what}: an entry of row {place}") for entry in row))
    if any(row[cell] != 0 for cell, row in enumerate(found)):
        raise InputError(f"{what} must have 0 on the diagonal: staying costs nothing")
    return tuple(found)


def read_distances(path: str | Path, what: str) -> Distances:
    """The matrix in a CSV file without a header: decimals, fractions or ``infinite``.

    Raises ``InputError`` for a file that cannot be read, and whatever ``checked`` raises.
    """
    rows: list[list[Distance]] = []
    # A matrix repeats few texts, so each is read once.
    known: dict[str, Distance] = {"infinite": "infinite"}
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            for row in csv.reader(file):
                if not row:
                    continue
                _check_cells(max(len(row), len(rows) + 1), what)
                texts = [text.strip() for text in row]
                for text in texts:
                    if text not in known:
                        entry = f'{what}: an entry of row {len(rows) + 1}, if not "infinite",'
                        known[text] = parse_rational(text, entry)
                rows.append([known[text] for text in texts])
    except OSError as error:
        raise InputError(f"{what}: the file {path} cannot be read: {error.strerror}") from error
    except (ValueError, csv.Error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{what}: the file {path} is not a CSV file in UTF-8") from error
    return check_matrix(rows, what)


def in_units(distances: Distances, what: str) -> tuple[NDArray[np.int64], int]:
    """The matrix [cells, cells] in whole units, ``NEVER`` where nothing moves, and units in 1.

    From a distance of 2 on nothing moves, as removing a record and adding one costs no more.
    Raises ``TooLargeError`` naming ``what`` if the denominators have no common one in 64 bits.
    """
    entries = {entry for row in distances for entry in row}
    near = {entry for entry in entries if entry != "infinite" and entry < 2}
    unit = 1
    for entry in near:
        unit = math.lcm(unit, entry.denominator)
        if unit >= 2**61:
            raise TooLargeError(
                f"{what}: the denominators need more than 64 bits in common; take simpler fractions"
            )
    units = {entry: int(entry * unit) if entry in near else NEVER for entry in entries}
    return np.array([[units[entry] for entry in row] for row in distances], dtype=np.int64), unit


def _check_cells(cells: int, what: str) -> None:
    if cells**2 > MOST_PAIRS:
        raise TooLargeError(
            f"{what}: a matrix over {rounded_count(cells)} cells is too large, at most "
            f"{math.isqrt(MOST_PAIRS)} are held; take fewer attributes, or weights instead"
        )


def _exact(entry: object, what: str) -> Distance:
    if entry == "infinite":
        return "infinite"
    if isinstance(entry, bool) or not isinstance(entry, int | Fraction):
        raise InputError(
            f'{what} must be an integer or a fraction, so that it is exact, or "infinite"'
        )
    if entry < 0:
        raise InputError(f"{what} must be 0 or more")
    return Fraction(entry)
