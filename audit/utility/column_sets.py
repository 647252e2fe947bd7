"""Which sets of columns a k-marginal score looks at: all of them, or a draw."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Hashable, Sequence

import numpy as np

from audit.utility.score import standard_error
from synthesizers.errors import InputError

DRAWS = 300
"""Sets drawn where all would be more: as many as the longitudinal score of SDNist draws."""


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
