"""Which sets of columns a k-marginal score looks at: all of them, or a draw."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Hashable, Sequence

import numpy as np

from audit.metrics.score import standard_error
from synthesizers.errors import InputError

DRAWS = 300
"""Sets drawn where all would be more: as many as the longitudinal score of SDNist draws."""

_PROGRAM_DRAWS = {"sprint-2": 50, "sdnist-1": 50, "sdnist-2.5": 200}
"""Sets that the programs draw: option ``n_permutations`` of the scorer of sprint 2, attribute
``N_PERMUTATIONS`` of ``KMarginalScore`` in SDNist 2.4, and SDNist 2.5 at 30 columns or more."""

_PROGRAM_SEED = {"sprint-2": 123456, "sdnist-1": 12345, "sdnist-2.5": 0}
"""The random seed of each program when none is given."""

_ALL_BELOW = 30
"""Fewer columns than these, and SDNist 2.5 scores all pairs."""


def index_sets(
    items: int, k: int, draws: int, random: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """At most ``draws`` distinct sets of k of ``items``, ascending inside; all if they are fewer.

    A draw is uniform without replacement: among all sets of k, each collection of
    ``draws`` is equally likely.
    """
    total = math.comb(items, k)
    if draws >= total:
        return tuple(itertools.combinations(range(items), k))
    if 2 * draws > total:
        every = list(itertools.combinations(range(items), k))
        return tuple(every[place] for place in random.permutation(total)[:draws])
    found: dict[tuple[int, ...], None] = {}
    while len(found) < draws:
        found[tuple(sorted(random.choice(items, size=k, replace=False).tolist()))] = None
    return tuple(found)


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
    if mode == "sdnist-2.5" and draws is None and len(names) < _ALL_BELOW:
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


def sampling_error(parts: tuple[float, ...], total: int) -> float | None:
    """The standard error of a mean over sets drawn without replacement from ``total``.

    It is 0 if all were taken, and None for a single one among several: the usual
    standard error times the root of the share that was not drawn (Cochran,
    Sampling Techniques, theorem 2.2).
    """
    if len(parts) >= total:
        return 0.0
    error = standard_error(parts)
    return None if error is None else error * math.sqrt(1 - len(parts) / total)


def distinct_among(
    sets: Sequence[tuple[Hashable, ...]], columns: Collection[Hashable]
) -> int | None:
    """How many sets there are in all, if those given can have been drawn without replacement.

    They can if they are distinct sets of one size, out of ``columns``; None if not.
    """
    sizes = {len(names) for names in sets}
    apart = {frozenset(names) for names in sets}
    if len(sizes) != 1 or len(apart) < len(sets):
        return None
    (size,) = sizes
    own = frozenset(columns)
    if not all(len(names) == size and names <= own for names in apart):
        return None
    return math.comb(len(own), size)


def given_sets(metric: str, drawn: Sequence[object]) -> tuple[tuple[str, ...], ...]:
    """Column sets from the plain JSON of a draws file: each a list of names.

    Raises ``InputError`` for anything else.
    """
    sets = []
    for draw in drawn:
        names = tuple(draw) if isinstance(draw, list | tuple) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise InputError(
                f'{metric}: a draw must be a list of attributes, as in ["AGE", "SEX"], not {draw!r}'
            )
        sets.append(tuple(str(name) for name in names))
    if not sets:
        raise InputError(f"{metric}: no draw is given; leave the list out, or give one draw")
    return tuple(sets)
