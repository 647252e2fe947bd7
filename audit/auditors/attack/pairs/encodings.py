"""Encodings: which spellings of a bin's values a subject reads at all."""

from __future__ import annotations

from audit.auditors.attack.pairs.records import Encoding, Records
from audit.statements.claim import Claim
from audit.subjects.failures import describe_failure
from audit.subjects.pair import Pair
from audit.subjects.runs import Source
from synthesizers.domain import Domain

PROBE = 1_000_000
"""The number of the first pair that no candidate has: its runs have random numbers of their own."""

LOOKS = 8
"""Runs on a table in one encoding (who fails in half of the runs, whatever they are of, fails in
all of them with a chance of 1/256)."""

LISTED = 10
"""Records of that table, if the claim allows so many."""


def list_encodings(domain: Domain) -> tuple[Encoding, ...]:
    """The encodings that differ over a domain: one where nothing is binned."""
    binned = any(a.edges is not None for a in domain.attributes)
    return tuple(Encoding) if binned else (Encoding.NUMBERS,)


def find_encodings(source: Source, claim: Claim, least: int) -> tuple[Encoding, ...]:
    """The encodings in which a table does not make every run fail; all if it does in each.

    Who can't read an encoding fails on a record of it and not on an empty table: that says nothing
    of privacy on the tables that he reads. ``least``: how many records a database has at least.
    """
    domain, most = claim.require_domain(), claim.records
    usual = list_encodings(domain)
    if len(usual) == 1:
        return usual
    exact = claim.neighbours.records_public and most is not None
    size = LISTED if most is None else most if exact else min(most, LISTED)
    size = max(size, least)
    found = []
    for place, encoding in enumerate(usual):
        table = [dict(record) for record in Records(domain, encoding).spread(size)]
        if domain.individual is not None:
            table = [{domain.individual: str(n + 1), **one} for n, one in enumerate(table)]
        twice = Pair(table, [dict(record) for record in table])
        runs = source.runs("search", twice, PROBE + place, LOOKS)
        if describe_failure(runs.outcomes) is None:
            found.append(encoding)
    return tuple(found) or usual
