"""How often each value occurs in the records of each person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audit.utility.groups import ascending
from audit.utility.pair import Pair
from audit.utility.records import Records
from audit.utility.score import Undefined

Vectors = NDArray[np.int64]


def need_persons(pair: Pair) -> None:
    """Raise ``Undefined`` unless both tables say whose records they hold."""
    for table, what in zip(pair.tables, ("real", "synthetic"), strict=True):
        if table.persons is None:
            raise Undefined(
                f"the {what} table lacks the id column {pair.domain.individual!r}, so that it is "
                "not known whose record each is"
            )


def person_places(table: Records) -> tuple[NDArray[np.int64], int]:
    """The place [records] of each record's person among all, and the number of persons.

    The table must say whose records it holds, as ``need_persons`` makes sure.
    """
    assert table.persons is not None
    persons, places = np.unique(table.persons, return_inverse=True)
    return places.astype(np.int64, copy=False).reshape(-1), len(persons)


def count_vectors(table: Records, attributes: Sequence[str], *, ranked: bool) -> Vectors:
    """The counts [D, persons]: a row a value of each attribute and one for values outside it.

    Values are in the order of their codes, or with ``ranked`` as official programs sort
    them; persons in that of ``person_places``.
    """
    places, persons = person_places(table)
    blocks = []
    for name in attributes:
        attribute = table.domain.attribute(name)
        codes = table.column(name)
        if ranked:
            codes = ascending(attribute)[codes]
        rows = attribute.size + 1
        blocks.append(
            np.bincount(codes * persons + places, minlength=rows * persons).reshape(rows, persons)
        )
    return np.concatenate(blocks).astype(np.int64, copy=False)


def similar(counts: Vectors, target: NDArray[np.int64], limits: NDArray[np.int64]) -> int:
    """How many persons of ``counts`` [D, persons] are similar to ``target`` [D].

    In every dimension the difference is less than ``limits`` [D].
    """
    # Only a dimension with a count beyond its limit can rule a person out.
    above = counts.max(axis=1) - target >= limits
    below = target - counts.min(axis=1) >= limits
    kept = np.arange(counts.shape[1])
    for row in np.flatnonzero(above | below):
        kept = kept[np.abs(counts[row, kept] - target[row]) < limits[row]]
    return len(kept)
