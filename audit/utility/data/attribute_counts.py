"""One attribute in the real table and, beside it, in synthetic ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audit.utility.data.distance import chance_distance, total_variation
from audit.utility.data.pooling import Pooling, largest, pool_rare


@dataclass(frozen=True)
class AttributeCounts:
    """The records of each value; ``counts``: a row a table, the real one's first.

    ``labels``: of all codes, the one for values outside the domain included if any table has some.
    ``distances``: the total variation of each synthetic table from the real one; ``chances``: what
    that would be if the records of both were shuffled and dealt again.
    """

    attribute: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    distances: tuple[float, ...]
    chances: tuple[float, ...]

    @classmethod
    def of(
        cls, attribute: str, labels: Sequence[str], counts: Sequence[NDArray[np.integer]]
    ) -> Self:
        """The attribute with its distances, from the counts [codes] of each table."""
        rows = [row.astype(np.int64) for row in counts]
        return cls(
            attribute,
            tuple(labels),
            tuple(tuple(row.tolist()) for row in rows),
            tuple(total_variation(rows[0], row) for row in rows[1:]),
            tuple(chance_distance(rows[0], row) for row in rows[1:]),
        )

    @property
    def excess(self) -> float:
        """How far the worst table lies beyond what chance would do."""
        return max(d - c for d, c in zip(self.distances, self.chances, strict=True))

    def of_first(self, files: int) -> AttributeCounts:
        """The same of so many first synthetic tables."""
        kept = self.distances[:files], self.chances[:files]
        return AttributeCounts(self.attribute, self.labels, self.counts[: 1 + files], *kept)

    def table(self) -> NDArray[np.int64]:
        """The counts [tables, codes]."""
        return np.array(self.counts, dtype=np.int64)

    def pool_telling(self, values: int, most: int, different: int) -> Pooling:
        """At most so many groups of the first ``values`` codes: the frequent and the different.

        Where values are more, ``different`` of them at most are kept since a table has many more or
        fewer of them than the real one, the others since a table has many, none that no table has.
        The most frequent of the real table come first, what is left stands together.
        """
        if values <= most:
            return pool_rare(self.labels, values, range(values))
        counts = self.table()
        shares = (counts / counts.sum(axis=1, keepdims=True))[:, :values]
        by_size = largest(shares.max(axis=0), most - 1)
        by_difference = largest(np.abs(shares - shares[0]).max(axis=0), different)
        kept = list(dict.fromkeys((*by_size[: most - 1 - different], *by_difference, *by_size)))
        kept = [code for code in kept if shares[:, code].any()][: most - 1]
        return pool_rare(self.labels, values, sorted(kept, key=lambda code: -shares[0, code]))
