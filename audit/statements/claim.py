"""Claims: which guarantee is asserted, for which neighbours, domain and release."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.guarantees import Guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours

RELEASED = ("output", "transcript")


@dataclass(frozen=True)
class Claim:
    """A guarantee and all that it is relative to.

    ``domain``: None for a black box whose databases have no declared domain.
    ``records``: with n public, n itself; otherwise the most records of a
    database that the claim speaks of; None: databases of any size.
    """

    guarantee: Guarantee
    neighbours: Neighbours
    released: str
    domain: Domain | None
    records: int | None

    def __post_init__(self) -> None:
        if self.released not in RELEASED:
            raise InputError(f"released must be output or transcript, found {self.released!r}")
        if self.records is not None and (type(self.records) is not int or self.records < 0):
            raise InputError("records must be a whole number of at least 0")

    @property
    def covers(self) -> str:
        """The databases that the claim speaks of, in words."""
        if self.domain is None:
            return "databases of whatever kind the subject takes"
        cells = f"{self.domain.size} cells" if self.domain.size != 1 else "1 cell"
        if self.records is None:
            return f"databases of any size over {cells}"
        if self.neighbours.records_public:
            return f"databases of {self.records} records over {cells}"
        return f"databases of 0 to {self.records} records over {cells}"

    def require_domain(self) -> Domain:
        """The domain; raises InputError where none is declared."""
        if self.domain is None:
            raise InputError("state the domain: --domain FILE, or --cells 4 (or 2x3)")
        return self.domain
