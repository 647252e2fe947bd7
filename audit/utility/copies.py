"""Synthetic records that are real ones, value for value, and synthetic tables that are one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.utility.records import Records, hash_texts


@dataclass(frozen=True)
class Copies:
    """How many ``records`` of a synthetic table equal a real one in every attribute.

    ``of_unique``: those of them whose real record no other real one equals. ``whole``: both tables
    hold the same records, each as often. ``persons``: how many ids of the synthetic table are those
    of real persons, unless it numbers its persons from 0 or 1 on.
    """

    records: int
    of_unique: int
    whole: bool
    persons: int = 0


def count_copies(real: Records, synthetic: Records) -> Copies:
    """The copies in a synthetic table over the domain of the real one.

    Binned attributes are compared by their numbers, and by their bins where one of the tables only
    names these.
    """
    numbered = _number_records(real, synthetic)
    mine, theirs = numbered[: real.records], numbered[real.records :]
    size = int(numbered.max(initial=-1)) + 1
    held = np.bincount(mine, minlength=size)
    made = np.bincount(theirs, minlength=size)
    whole = bool((held == made).all())
    persons = _count_persons(real, synthetic)
    return Copies(int(made[held > 0].sum()), int(made[held == 1].sum()), whole, persons)


def _count_persons(real: Records, synthetic: Records) -> int:
    if real.ids is None or synthetic.ids is None:
        return 0
    number = len(synthetic.ids)
    own = (hash_texts(map(str, range(first, first + number))) for first in (0, 1))
    if any(np.isin(synthetic.ids, numbers).all() for numbers in own):
        return 0
    return int(np.isin(synthetic.ids, real.ids).sum())


def find_alike(tables: Mapping[str, Records]) -> tuple[tuple[str, ...], ...]:
    """The names of tables that hold the same records, each as often, in whatever order.

    Compared by a hash of 64 bits a record: two tables of a million records that differ in one are
    told apart but for a chance of 1 in 10^13.
    """
    named: dict[bytes, list[str]] = {}
    for name, table in tables.items():
        hashes = np.zeros(table.records, dtype=np.uint64)
        for column in (*table.codes.T, *table.binned.values()):
            hashes = hashes * _PRIME + pd.util.hash_array(np.ascontiguousarray(column))
        named.setdefault(np.sort(hashes).tobytes(), []).append(name)
    return tuple(tuple(names) for names in named.values() if len(names) > 1)


_PRIME = np.uint64(1_000_003)
"""What a hash is multiplied with before the next column is added (odd, so that nothing is lost)."""


def _number_records(real: Records, synthetic: Records) -> NDArray[np.int64]:
    """One number a record, [real and synthetic], alike where all attributes are."""
    numbered = np.zeros(real.records + synthetic.records, dtype=np.int64)
    bins_alone = real.midpoints | synthetic.midpoints
    for attribute in real.domain.attributes:
        columns = real.column(attribute.name), synthetic.column(attribute.name)
        numbered = _join(numbered, np.concatenate(columns))
        if attribute.edges is not None and attribute.name not in bins_alone:
            numbers = np.concatenate([table.binned[attribute.name] for table in (real, synthetic)])
            # A record without a number has the place -1.
            numbered = _join(numbered, pd.factorize(numbers)[0] + 1)
    return numbered


def _join(numbered: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers of pairs, from 0 on without gaps: no product overflows."""
    pairs = numbered * (int(column.max(initial=0)) + 1) + column
    joined: NDArray[np.int64] = pd.factorize(pairs)[0]
    return joined.astype(np.int64, copy=False)
