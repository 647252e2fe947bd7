"""Sizes: how many records the databases of a claim have."""

from __future__ import annotations

from dataclasses import dataclass

from audit.statements.claim import Claim
from synthesizers.neighbours import AddRemove

MODERATE = 30
"""Records of a database whose number the claim leaves open (above usual
thresholds of suppression, 3 to 20, and small enough to run often)."""

LARGEST = 1000
"""The most records of a database where the claim allows fewer (what a
mechanism does at larger n it does, as a rule, at this one, in less time)."""


@dataclass(frozen=True)
class Sizes:
    """How many records the databases of a claim have; ``least``: the fewest."""

    claim: Claim
    least: int = 0

    @property
    def exact(self) -> bool:
        """Whether every database has the claim's number of records."""
        return self.claim.neighbours.records_public and self.claim.records is not None

    @property
    def most(self) -> int:
        """The most records of a database."""
        records = self.claim.records
        if records is None:
            return max(MODERATE, self.least + self.claim.neighbours.unit.max_records)
        return records if self.exact else min(records, max(LARGEST, self.least + 1))

    @property
    def unit(self) -> int:
        """A unit's records; of one that comes, no more than the claim leaves beside the least."""
        least = self.least if isinstance(self.claim.neighbours, AddRemove) else 0
        return max(min(self.claim.neighbours.unit.max_records, self.most - least), 0)

    @property
    def room(self) -> int:
        """The most records beside a unit's."""
        return self.most - self.unit

    @property
    def rising(self) -> tuple[int, ...]:
        """Numbers of units of ever larger databases, the largest beside the claim's end."""
        least = -(-self.least // self.unit)
        last = self.most // self.unit - 1
        doubled = [2**n for n in range(max(last, 1).bit_length())]
        return tuple(sorted({size for size in (least, *doubled, last) if least <= size <= last}))
