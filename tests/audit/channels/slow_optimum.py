"""Slow and obvious versions of the least loss of ε-DP mechanisms: another solver, or listing."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from audit.channels.channel import Channel
from audit.statements.decimals import Enclosure
from synthesizers.domain import Domain
from synthesizers.neighbours import Neighbours
from tests.synthesizers.brute_force import neighbours_by_persons

Counts = tuple[float, ...]
Law = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def grid(values: Sequence[float], cells: int) -> list[Counts]:
    """Every table with each count among the values."""
    return list(itertools.product(values, repeat=cells))


def tables(cells: int, records: int) -> list[Counts]:
    """Every table of so many records, found among all tables."""
    return [table for table in grid(range(records + 1), cells) if sum(table) == records]


def distance(left: Sequence[float], right: Sequence[float]) -> float:
    """Σ |m_i - n_i|."""
    return sum(abs(a - b) for a, b in zip(left, right, strict=True))


def least_losses(
    neighbours: Neighbours,
    databases: Sequence[Sequence[int]],
    outputs: Sequence[Counts],
    epsilon: float,
) -> tuple[float, float]:
    """The least average and the least largest loss: one unknown a pair, one row a limit; HiGHS."""
    count, width = len(databases), len(outputs)
    losses = np.array([[distance(row, output) for output in outputs] for row in databases])
    totals = np.kron(np.eye(count), np.ones(width))
    limits = []
    for a, left in enumerate(databases):
        for b, right in enumerate(databases):
            if neighbours_by_persons(neighbours, left, right):
                for output in range(width):
                    line = np.zeros((count, width))
                    line[a, output], line[b, output] = np.exp(-epsilon), -1
                    limits.append(line.ravel())
    upper = np.array(limits).reshape(-1, count * width)
    average = linprog(
        losses.ravel() / count, upper, np.zeros(len(upper)), totals, np.ones(count), method="highs"
    )
    each = np.hstack(
        [np.kron(np.eye(count), np.ones(width)) * losses.ravel(), -np.ones((count, 1))]
    )
    worst = linprog(
        np.append(np.zeros(count * width), 1),
        np.vstack([np.hstack([upper, np.zeros((len(upper), 1))]), each]),
        np.zeros(len(upper) + count),
        np.hstack([totals, np.zeros((count, 1))]),
        np.ones(count),
        method="highs",
    )
    assert average.fun is not None
    assert worst.fun is not None
    return float(average.fun), float(worst.fun)


def truncated_geometric(records: int, epsilon: float) -> Law:
    """Pr[released | count] for counts 0..n: two-sided geometric noise, ends taking the tails."""
    ratio = np.exp(-epsilon)
    law = np.zeros((records + 1, records + 1))
    for count in range(records + 1):
        for seen in range(1, records):
            law[count, seen] = (1 - ratio) / (1 + ratio) * ratio ** abs(seen - count)
        law[count, 0] = ratio**count / (1 + ratio)
        law[count, records] = ratio ** (records - count) / (1 + ratio)
    return law


def best_remap(records: int, epsilon: float) -> float:
    """The least average of 2·|released - count| over all maps of a truncated geometric answer."""
    law = truncated_geometric(records, epsilon).tolist()
    places = range(records + 1)
    return min(
        sum(law[count][seen] * 2 * abs(remap[seen] - count) for count in places for seen in places)
        / (records + 1)
        for remap in itertools.product(places, repeat=records + 1)
    )


def channel_of_tables(
    neighbours: Neighbours,
    databases: Sequence[Sequence[int]],
    outputs: Sequence[Sequence[int]],
) -> Channel:
    """A channel that releases each of the outputs alike, whatever the database."""
    listed = np.array(databases, np.int64)
    return Channel.of_floats(
        Domain.from_cells(str(listed.shape[1])),
        neighbours,
        listed,
        tuple(tuple(int(count) for count in output) for output in outputs),
        np.full((len(listed), len(outputs)), 1 / len(outputs)),
        3,
        "output",
    )


def near(ends: Enclosure, truth: float, slack: float = 1e-8) -> bool:
    """Whether an enclosure is narrow and holds a number known to within ``slack``."""
    lower, upper = ends.floats()
    return lower - slack <= truth <= upper + slack and upper - lower <= slack
