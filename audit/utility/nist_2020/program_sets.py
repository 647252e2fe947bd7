"""The column sets that official programs draw for their k-marginal scores."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from audit.utility.nist_2020.sdnist import SDNIST

_PROGRAM_DRAWS = {"sprint-2": 50, "sdnist-1": 50, SDNIST: 200}
"""Sets that the programs draw: option ``n_permutations`` of the scorer of sprint 2, attribute
``N_PERMUTATIONS`` of ``KMarginalScore`` in ``sdnist/metrics/kmarg_old.py``, and SDNist 2.x at 30
columns or more."""

_PROGRAM_SEED = {"sprint-2": 123456, "sdnist-1": 12345, SDNIST: 0}
"""The random seed of each program when none is given."""

_ALL_BELOW = 30
"""Fewer columns than these, and SDNist 2.x scores all pairs."""


def program_seed(mode: str, seed: int) -> int:
    """The seed that a program uses: 0 stands for its own."""
    return seed or _PROGRAM_SEED.get(mode, 0)


def program_sets(
    mode: str, columns: Sequence[str], k: int, draws: int | None, seed: int
) -> tuple[tuple[str, ...], ...]:
    """The column sets that an official program draws from ``seed``, with its own generator.

    ``sprint-2``: k of the sorted columns without replacement inside a draw.
    ``sprint-3``: all ordered sets of k. ``sdnist-1``: k of the sorted columns with
    replacement, so that a column may come twice. ``sdnist-2.5``: all sets of k
    where there are fewer than 30 columns, else as ``sdnist-1``.
    """
    if mode == "sprint-3":
        return tuple(itertools.permutations(columns, k))
    names = sorted(columns)
    if mode == SDNIST and draws is None and len(names) < _ALL_BELOW:
        if len(names) == 1:
            return ((names[0],) * k,)
        return tuple(itertools.combinations(names, k))
    random = np.random.RandomState(program_seed(mode, seed))
    number = _PROGRAM_DRAWS[mode] if draws is None else draws
    replace = mode != "sprint-2"
    return tuple(
        tuple(names[place] for place in random.choice(len(names), size=k, replace=replace))
        for _ in range(number)
    )
