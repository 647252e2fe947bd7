"""The ground that laws are tried on: a small domain, relations, and their databases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    neighbour_pairs,
)

IntArray = NDArray[np.int64]

RELATIONS: tuple[Neighbours, ...] = (
    AddRemove(),
    ReplaceOne(),
    AddRemove(Unit("person", 2)),
    ReplaceOne(Unit("person", 2)),
)
"""Both relations of records, and of the smallest persons who differ from them."""

MAX_DATABASES = 5000
"""The most databases that laws visit (seconds a law)."""


@dataclass(frozen=True)
class Ground:
    """All databases of 0 to ``records`` records over a domain, and the relations among them.

    Raises InputError where they are more than `MAX_DATABASES`.
    """

    domain: Domain
    relations: tuple[Neighbours, ...] = RELATIONS
    records: int = 3

    def __post_init__(self) -> None:
        if type(self.records) is not int or self.records < 1:
            raise InputError("laws are tried on databases of at least 1 record; raise records")
        if not self.relations:
            raise InputError("laws are tried under at least one relation; name one")
        count = len(self.listed(AddRemove()))
        if count > MAX_DATABASES:
            raise InputError(
                f"laws visit every database of up to {self.records} records over "
                f"{self.domain.size} cells, at most {MAX_DATABASES} of them, and these are "
                f"{count}; take fewer records or a smaller domain"
            )

    def listed(self, relation: Neighbours) -> IntArray:
        """Its databases, [databases, cells]: of all sizes, or of the largest where n is public."""
        return databases(relation, self.domain.size, self.records)

    def pairs(self, relation: Neighbours) -> tuple[IntArray, IntArray]:
        """The first and the second of all unordered pairs of neighbours, [pairs, cells] each."""
        rows = self.listed(relation)
        numbers = neighbour_pairs(relation, rows)
        return rows[numbers[:, 0]], rows[numbers[:, 1]]
