"""The expected loss of a mechanism: how far its tables are expected to be from the true ones.

Loss is the L1 distance, the sum over cells of |m_i - n_i|, between a table of counts m that is
read in an output and the confidential table n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from audit.channels.columns import Columns
from audit.channels.measures.ends import Ends, pieces
from audit.statements.decimals import Enclosure
from synthesizers.errors import InputError, TooLargeError, rounded_count

IntArray = NDArray[np.int64]
Table = Sequence[int | Fraction]

MAX_DISTANCE = 2**53
"""Beyond it doubles do not hold every distance."""


def expected_losses(columns: Columns, tables: Sequence[Table]) -> Ends:
    """The expected loss under every database, [databases].

    ``tables``: what is read in each output, in the order of the outputs: a count for every
    cell, whole or a fraction. Raises InputError for anything else, and TooLargeError for
    counts whose distances doubles do not hold.

    Guarantee
    ---------
    The exact values, Σ over outputs of Pr[output | n]·Σ|m_i - n_i|, lie between the ends. Backed
    by the comparison with sums of fractions in
    ``tests/audit/channels/measures/test_expected_loss.py``.
    """
    cells, outputs = columns.databases.shape[1], len(columns.outputs)
    if len(tables) != outputs or not all(_has_counts(table, cells) for table in tables):
        raise InputError(
            f"an expected loss needs, for each of the {outputs} outputs, a table of {cells} counts "
            "that are whole numbers or fractions; found others"
        )
    unit = math.lcm(*(count.denominator for table in tables for count in table))
    whole = [[int(unit * count) for count in table] for table in tables]
    largest = max(abs(count) for table in whole for count in table)
    _require_distances(cells * max(largest, unit * int(columns.databases.max())))
    counts, confidential = np.array(whole, np.int64), unit * columns.databases[:, None]

    def added(first: int, ends: Ends) -> Ends:
        """What some outputs add, in units."""
        steps = np.abs(counts[first : first + ends.width] - confidential).sum(axis=2)
        return ends.times(steps).total(1)

    found = reduce(add, (added(first, ends) for first, ends in pieces(columns)))
    return found.weigh((Fraction(1, unit),) * len(columns.databases))


def loss_of_best_reading(columns: Columns, law: Sequence[Fraction]) -> Enclosure:
    """The least expected loss of all ways to read the outputs, averaged with a law of databases.

    ``law``: one weight of at least 0 for every listed database. Raises InputError for another
    law, and TooLargeError for counts whose distances doubles do not hold. Whoever knows the law
    and the channel reads in each output, cell by cell, a median of the count given the output;
    the least loss of a cell is attained at a count that some database has there.

    Guarantee
    ---------
    The exact value, Σ over outputs and cells of the least Σ law(n)·Pr[output | n]·|m - n_i| over
    all real m, lies in the enclosure. Backed by the comparison with all readings in fractions in
    ``tests/audit/channels/measures/test_expected_loss.py``.
    """
    if len(law) != len(columns.databases) or min(law) < 0:
        raise InputError(
            f"a law has one weight of at least 0 for each of the {len(columns.databases)} listed "
            "databases; found another number of them, or a negative one"
        )
    _require_distances(int(columns.databases.max()))
    readings = [(counts, np.unique(counts)) for counts in columns.databases.T]
    uses = sum(len(values) for _, values in readings)

    def added(joint: Ends, counts: IntArray, values: IntArray) -> Ends:
        """What one cell adds on some outputs: for each the least over the values read."""
        shape = joint.low.shape
        steps = (np.abs(counts - value)[:, None] for value in values)
        sums = [joint.times(np.broadcast_to(step, shape)).total(0) for step in steps]
        low, high = [found.low for found in sums], [found.high for found in sums]
        return Ends(np.min(low, axis=0), np.min(high, axis=0)).total(0)

    parts = (ends.weigh(law) for _, ends in pieces(columns, uses))
    return reduce(add, (added(joint, *one) for joint in parts for one in readings)).enclosure(0)


def no_tables(columns: Columns, accepts: Callable[[Any], bool]) -> str:
    """Why the outputs are no tables of counts over the cells; empty where they are.

    ``accepts``: says of one value whether it counts as a count.
    """
    cells = columns.databases.shape[1]
    if columns.released != "output":
        return "a transcript is released, which is not a table over the domain's cells"
    if any(len(output) != cells for output in columns.outputs):
        return f"an output is not a table over the domain's {cells} cells"
    if not all(accepts(value) for output in columns.outputs for value in output):
        return "an output holds other values than counts"
    return ""


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def _require_distances(half: int) -> None:
    """Refuse distances that may be twice as large as a number that doubles hold."""
    if 2 * half >= MAX_DISTANCE:
        raise TooLargeError(
            f"distances of up to {rounded_count(2 * half)} units are too large for doubles, which "
            "hold all whole numbers up to 2^53: use smaller counts, or coarser fractions of them"
        )


def _has_counts(table: Table, cells: int) -> bool:
    return len(table) == cells and all(isinstance(count, int | Fraction) for count in table)
