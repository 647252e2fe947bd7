"""Records of persons over time, unfolded into one row a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.labels import value_labels
from audit.utility.nist_2020.person_counts import person_places
from audit.utility.records import Records
from synthesizers.domain import Attribute, Domain

Feature = tuple[str, str]
"""A column and the label of a period."""

EXTRA = 3
"""Codes beside the declared: a value outside, no record at the period, several records there."""


@dataclass(frozen=True, eq=False)
class Unfolded:
    """A row a person. ``records``: attribute "0", "1", … are the features in their order.

    ``several`` counts the pairs of a person and a used period with several records.
    """

    records: Records
    several: int


def period_labels(domain: Domain, period: str) -> tuple[str, ...]:
    """What each value of the period is called, in the order of the codes."""
    return value_labels(domain, period)[:-1]


def unfold(table: Records, period: str, features: Sequence[Feature]) -> Unfolded:
    """The rows of all persons of a table over ``features``.

    With s declared values a feature has s + 3 codes: those of the values, s for one
    outside them, s + 1 for no record of the person at the period, s + 2 for several.
    The table must say whose records it holds.
    """
    places, persons = person_places(table)
    labels = period_labels(table.domain, period)
    moments = {
        label: _moment(table.column(period) == code, places, persons)
        for code, label in enumerate(labels)
        if any(at == label for _, at in features)
    }
    codes = np.empty((persons, len(features)), dtype=np.int64, order="F")
    attributes = []
    for place, (name, label) in enumerate(features):
        size = table.domain.attribute(name).size
        rows, number = moments[label]
        column = codes[:, place]
        column[:] = size + 1
        column[places[rows]] = table.column(name)[rows]
        column[number > 1] = size + 2
        values = tuple(map(str, range(size + EXTRA)))
        attributes.append(Attribute(str(place), values))
    several = sum(int((number > 1).sum()) for _, number in moments.values())
    domain = Domain(table.domain.name, tuple(attributes))
    return Unfolded(Records(domain, codes), several)


def _moment(
    at: NDArray[np.bool_], places: NDArray[np.int64], persons: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows at a period, and how many of them each person has [persons]."""
    rows = np.flatnonzero(at)
    return rows, np.bincount(places[rows], minlength=persons)
