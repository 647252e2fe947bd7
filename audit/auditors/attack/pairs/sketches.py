"""Sketches: pairs of databases in the making."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from audit.auditors.attack.pairs.given_pairs import chain_pair
from audit.auditors.attack.pairs.records import Record
from audit.statements.claim import Claim
from audit.subjects.pair import Pair


@dataclass(frozen=True, eq=False)
class Sketch:
    """A pair in the making: ``steps`` times a unit's records ``gone`` become those ``come``.

    ``rest``: what both databases hold besides.
    """

    words: str
    rest: tuple[Record, ...]
    gone: tuple[Record, ...]
    come: tuple[Record, ...]
    steps: int = 1

    @property
    def key(self) -> Hashable:
        """What the databases depend on."""
        parts = (self.rest, self.gone, self.come)
        texts = {
            id(record): write_key(record)
            for record in {id(r): r for p in parts for r in p}.values()
        }
        return self.steps, tuple(tuple(texts[id(record)] for record in part) for part in parts)

    @property
    def records_of_both(self) -> int:
        """The records of both databases together."""
        return 2 * len(self.rest) + self.steps * (len(self.gone) + len(self.come))

    def verify(self, claim: Claim, kind: str) -> Pair:
        """The pair, found to be neighbours of the claim or the ends of a chain of these."""
        domain = claim.require_domain()
        chain, records = self.databases(domain.individual), claim.records
        pair = chain_pair(chain, claim.neighbours, domain, self.words, records=records)
        return replace(pair, kind=kind)

    def databases(self, individual: str | None) -> list[list[Record]]:
        """The chain; no two records of either end are one object, which a mechanism may alter."""
        rest = [_own([record], individual, owner) for owner, record in enumerate(self.rest)]
        owners = range(len(rest), len(rest) + self.steps)
        before = [_own(self.gone, individual, owner) for owner in owners]
        after = [_own(self.come, individual, owner) for owner in owners]
        chain = [
            [record for owned in (*rest, *after[:step], *before[step:]) for record in owned]
            for step in range(self.steps + 1)
        ]
        chain[-1] = [dict(record) for record in chain[-1]]
        return chain


def _own(records: Sequence[Record], individual: str | None, owner: int) -> list[Record]:
    """The records, each its own object, with the id of their owner where there is an id column."""
    whose = {} if individual is None else {individual: str(owner + 1)}
    return [{**whose, **record} for record in records]


@dataclass(frozen=True, eq=False)
class Target:
    """A record that makes the difference, and another one, that may stand in its place."""

    record: Record
    other: Record
    words: str


def write_key(record: Record) -> str:
    """A record as text, the same for equal ones alone."""
    # Equality of records would take minus zero for zero.
    return json.dumps(record, sort_keys=True)
