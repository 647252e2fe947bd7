"""Tables whose truth is known: records of one law, and releases that copy as many as is said."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.disclosure.tables import Tables
from audit.utility.records import Records
from synthesizers.domain import Attribute, Domain

DOMAIN = Domain(
    "people",
    (
        Attribute("a", ("x", "y", "z")),
        Attribute.binned("n", [0, 50, 100]),
        Attribute.binned("m", [0, 50, 100], missing=True),
        Attribute("o", tuple(map(str, range(9))), ordinal=True),
        Attribute("k", tuple(map(str, range(20)))),
    ),
)


def records(seed: int, size: int) -> Records:
    """Independent records of one law; nearly each is the only one of its numbers."""
    random = np.random.default_rng((99, seed))
    numbers = random.normal(50, 15, (2, size)).clip(0, 100).round(2)
    numbers[1, random.random(size) < 0.1] = np.nan
    bins = (numbers >= 50).astype(np.int64)
    bins[1, np.isnan(numbers[1])] = 2
    codes = [
        random.integers(0, 3, size),
        *bins,
        random.binomial(8, 0.4, size),
        np.minimum(random.geometric(0.15, size) - 1, 19),
    ]
    return Records(DOMAIN, np.stack(codes, axis=1), {"n": numbers[0], "m": numbers[1]})


def join(first: Records, second: Records) -> Records:
    """The records of one table and those of another."""
    return Records(
        DOMAIN,
        np.concatenate([first.codes, second.codes]),
        {name: np.concatenate([first.binned[name], second.binned[name]]) for name in first.binned},
    )


def release(real: Records, copies: int, seed: int, size: int) -> Records:
    """The first records of the real table, and others of the same law."""
    return join(real.take(np.arange(copies)), records(seed, size - copies))


def tables(
    seed: int, copies: int, size: int = 300, chosen: NDArray[np.bool_] | None = None
) -> Tables:
    """A real table and a holdout of so many records, and as large a release with so many copies."""
    real, holdout = (records(3 * seed + k, size) for k in range(2))
    return Tables(real, holdout, release(real, copies, 3 * seed + 2, size), chosen)
