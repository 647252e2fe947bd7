"""A table that knows next to nothing, to be scored beside a synthetic one.

A score says little alone: that of a table which knows nothing but the domain shows
how much of it comes for free.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.utility.counts import Counted
from audit.utility.metric import generator
from audit.utility.records import Records
from synthesizers.attributes import Attribute
from synthesizers.errors import InputError


def uniform_table(real: Counted, records: int, seed: int = 0) -> Records:
    """A table that knows nothing but the domain, of ``records`` records.

    Every value is drawn uniformly from the declared ones, the missing one included,
    independently of all others; the number behind a bin is uniform in the bin. Of
    the real table only its domain is read and, where known, how many records each
    person has (see ``_persons``). Raises ``InputError`` for less than one record.
    """
    if records < 1:
        raise InputError(f"a baseline needs at least one record, not {records}")
    random = generator("uniform-table", seed)
    domain = real.domain
    codes = np.empty((records, len(domain.attributes)), dtype=np.int64, order="F")
    binned = {}
    for column, attribute in enumerate(domain.attributes):
        codes[:, column] = random.integers(attribute.size, size=records)
        if attribute.edges is not None:
            binned[attribute.name] = _within_bins(attribute, codes[:, column], random)
    return Records(domain, codes, binned, frozenset(), _persons(real, records, random))


def _within_bins(
    attribute: Attribute, codes: NDArray[np.int64], random: np.random.Generator
) -> NDArray[np.float64]:
    assert attribute.edges is not None
    edges = np.array([float(edge) for edge in attribute.edges])
    places = np.minimum(codes, len(edges) - 2)
    numbers = edges[places] + random.random(len(codes)) * np.diff(edges)[places]
    # Rounding must not carry a number into the next bin.
    inside: NDArray[np.float64] = np.minimum(numbers, np.nextafter(edges[places + 1], edges[0]))
    inside[codes >= len(attribute.values)] = np.nan
    return inside


def _persons(real: Counted, records: int, random: np.random.Generator) -> NDArray[np.int64] | None:
    """Whose record each is: as many records a person as in the real table.

    For another number of records than the real one persons are drawn with
    replacement, each with all of theirs, until there are enough; the last may be cut.
    """
    if not isinstance(real, Records) or real.persons is None:
        return None
    if records == real.records:
        return real.persons.copy()
    sizes = np.unique(real.persons, return_counts=True)[1]
    # As many persons as records are always enough, each has one or more.
    drawn = random.choice(sizes, size=records)
    last = int(np.searchsorted(np.cumsum(drawn), records)) + 1
    return np.repeat(np.arange(last), drawn[:last])[:records]
