"""Claims on outputs, for tests of the pairs that are made for them."""

from __future__ import annotations

from audit.statements.claim import Claim
from proofs.guarantees import Guarantee
from synthesizers.domain import Domain
from synthesizers.neighbours import Neighbours


def claim_on(
    domain: Domain | None, neighbours: Neighbours, records: int | None, guarantee: Guarantee
) -> Claim:
    return Claim(guarantee, neighbours, "output", domain, records)
