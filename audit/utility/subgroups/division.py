"""Tables divided into subgroups: the records of each value of an attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.labels import value_labels
from audit.utility.metric import generator
from audit.utility.records import Records
from synthesizers.domain import Domain

LEAST_RECORDS = 50
"""The fewest records, real and synthetic, of a subgroup that is scored: a share of so few is known
to about 7 percentage points, one standard error, and a random subset may then have any score."""


@dataclass(frozen=True)
class Subgroup:
    """The records of one ``value`` of an attribute: how many are ``real``, how many ``synthetic``.

    ``code``: the value's code. ``expected``: the synthetic records that it would have if its share
    were the real one.
    """

    value: str
    code: int
    real: int
    synthetic: int
    expected: float

    @property
    def large(self) -> bool:
        """Whether it is scored: both tables have ``LEAST_RECORDS`` of it or more."""
        return min(self.real, self.synthetic) >= LEAST_RECORDS

    @property
    def lost(self) -> bool:
        """Whether the synthetic table has no record of it though many were to be expected."""
        return not self.synthetic and min(self.real, self.expected) >= LEAST_RECORDS


def subgroups_of(real: Records, synthetic: Records, attribute: str) -> tuple[Subgroup, ...]:
    """The subgroups with a record in either table, in the order of the attribute's values.

    A value that is called as the missing one, or those outside the domain, has its code beside.
    Raises ``InputError`` for an unknown attribute.
    """
    labels = value_labels(real.domain, attribute)
    coded = [f"{label} (code {code})" for code, label in enumerate(labels)]
    twice = {label for label, times in Counter(labels).items() if times > 1}
    names = [
        with_code if label in twice else label
        for label, with_code in zip(labels, coded, strict=True)
    ]
    if len(set(names)) < len(names):
        names = coded  # A value is itself called as another one with its code.
    counts = [np.bincount(t.column(attribute), minlength=len(labels)) for t in (real, synthetic)]
    return tuple(
        Subgroup(names[code], code, int(counts[0][code]), int(counts[1][code]), float(expected))
        for code, expected in enumerate(counts[0] * synthetic.records / real.records)
        if counts[0][code] or counts[1][code]
    )


def domain_without(domain: Domain, attribute: str) -> Domain:
    """The domain without an attribute, and without the persons whose records are divided up."""
    names = tuple(name for name in domain.names if name != attribute)
    projected = domain.project(names)
    return Domain(projected.name, projected.attributes, projected.hierarchies)


def divide_records(
    table: Records, attribute: str, codes: Sequence[int], draw: int, seed: int
) -> Iterator[Records]:
    """The records of each code of an attribute, without that attribute; or random subsets.

    For ``draw`` 0 they are the subgroups themselves. Else the attribute's column is first permuted
    at random, by a generator that ``seed`` and ``draw`` fix: a subgroup then becomes a subset of as
    many records, drawn without replacement from the whole table, in the order of the table. The
    subsets of one draw have no record in common.
    """
    column = table.column(attribute)
    if draw:
        column = generator("subgroups", seed + draw).permutation(column)
    domain = domain_without(table.domain, attribute)
    rest = Records(
        domain,
        _without_column(table.codes, table.domain.position(attribute)),
        {name: numbers for name, numbers in table.binned.items() if name != attribute},
        table.midpoints - {attribute},
    )
    for code in codes:
        yield rest.take(np.flatnonzero(column == code))


def _without_column(codes: NDArray[np.int64], place: int) -> NDArray[np.int64]:
    return np.delete(codes, place, axis=1)
