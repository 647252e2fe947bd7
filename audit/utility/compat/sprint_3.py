"""The edge map as the scorer of sprint 3 adds it up, and HOC as that scorer and SDNist have it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.utility.groups import ascending, number_cells
from audit.utility.labels import OUTSIDE
from audit.utility.nist_2020.person_counts import Vectors, count_vectors
from audit.utility.pair import Marginal
from audit.utility.records import Records
from audit.utility.score import Undefined
from synthesizers.domain import Domain

PROGRAM_DIMENSIONS = 99
"""21 shifts and 78 pickup areas: the programs stop at any other number."""

PROGRAM_SEED = 123456
"""The seed of the scorer of sprint 3; SDNist has none, and 0 takes this one as well."""


def program_edges(marginal: Marginal, ends: tuple[str, str], domain: Domain) -> float:
    """The score of a table of edges over 1000, summed in the order of ascending values."""
    ranks = {name: ascending(domain.attribute(name)) for name in ends}
    order = np.argsort(number_cells(marginal, ends, ranks))
    distance = float(np.abs(marginal.differences)[order].sum())
    return (2.0 - distance) / 2.0


def program_draws(
    draws: int, seed: int, persons: int, dimensions: int, slack: tuple[int, int]
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The persons and the slacks that the programs draw, with their generator."""
    low, high = slack
    state = np.random.RandomState(seed)
    return tuple(
        (
            int(state.randint(low=0, high=persons)),
            tuple(state.randint(low, high + 1, size=dimensions).tolist()),
        )
        for _ in range(draws)
    )


def program_vectors(
    real: Records, synthetic: Records, attributes: Sequence[str], mode: str
) -> list[Vectors]:
    """The counts [D, persons] of both tables as the scorers of sprint 3 and SDNist line them up.

    They join a table of counts of the first attribute and one of the second, whose
    columns are called by the values. A value of both attributes gets names that tell
    them apart; any other keeps its own. The synthetic columns are then looked up by the
    names of the real ones, and are 0 where there is none such. A value that only one of
    the tables has in both attributes therefore loses its counts, or lends those of
    one attribute to the other. Raises ``Undefined`` for another number of dimensions.
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
    if len(names[0]) != PROGRAM_DIMENSIONS:
        raise Undefined(
            f"the program of {mode} insists on {PROGRAM_DIMENSIONS} dimensions, values that occur "
            "in the real table, and finds another number; take the mode fixed"
        )
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
