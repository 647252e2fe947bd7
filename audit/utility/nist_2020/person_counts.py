"""How often each value occurs in the records of each person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audit.utility.labels import OUTSIDE
from audit.utility.pair import Pair
from audit.utility.records import Records
from audit.utility.score import Undefined
from audit.utility.value_order import ascending

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


def program_vectors(real: Records, synthetic: Records, attributes: Sequence[str]) -> list[Vectors]:
    """The counts [D, persons] of both tables as the scorers of sprint 3 and SDNist line them up.

    They join a table of counts of the first attribute and one of the second, whose
    columns are called by the values. A value of both attributes gets names that tell
    them apart; any other keeps its own. The synthetic columns are then looked up by the
    names of the real ones, and are 0 where there is none such. A value that only one of
    the tables has in both attributes therefore loses its counts, or lends those of
    one attribute to the other.
    """
    vectors, names = [], []
    for table in (real, synthetic):
        counts = count_vectors(table, attributes, ranked=True)
        occurs = counts.sum(axis=1) > 0
        values = [
            (side, text)
            for side, name in enumerate(attributes)
            for text in _ranked_labels(table, name)
        ]
        kept = [value for value, there in zip(values, occurs, strict=True) if there]
        both = {text for side, text in kept if side} & {text for side, text in kept if not side}
        vectors.append(counts[occurs])
        names.append([(side if text in both else None, text) for side, text in kept])
    places = {name: place for place, name in enumerate(names[1])}
    aligned = np.zeros((len(names[0]), vectors[1].shape[1]), dtype=np.int64)
    for place, name in enumerate(names[0]):
        if name in places:
            aligned[place] = vectors[1][places[name]]
    return [vectors[0], aligned]


def _ranked_labels(table: Records, name: str) -> list[str]:
    attribute = table.domain.attribute(name)
    # A blank keeps its empty name: the label of a missing value could be a value's name.
    texts = (*attribute.labels, OUTSIDE)
    return [texts[code] for code in np.argsort(ascending(attribute))]


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
