"""A pair of databases that an attack tells apart."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from audit.statements.databases import compact, is_compact
from audit.statements.evidence import ShownPair
from synthesizers.errors import InputError

CARRIED_CHARACTERS = 4000
"""The longest database, as JSON, that a certificate carries; of a longer one, the digest."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two databases, as plain data (what JSON can say), and how far they are apart.

    ``distance``: the number of steps of a chain of neighbours between them; 1 for neighbours.
    ``pattern``: how the pair was made, in words. ``verified``: they were found to be neighbours,
    or the ends of a chain, under the claim; otherwise that is the user's word. ``kind``: of the
    kinds of pairs that are searched (`audit.auditors.attack.pairs.kinds`), which.

    A database of records is a list of mappings from attribute to value.
    """

    first: Any
    second: Any
    distance: int = 1
    pattern: str = "given"
    verified: bool = False
    kind: str = "given"

    def __post_init__(self) -> None:
        if type(self.distance) is not int or self.distance < 1:
            raise InputError("the distance of a pair is a whole number of at least 1")

    def show(self) -> ShownPair:
        """The pair as a certificate shows it."""
        first, second = _show(self.first), _show(self.second)
        return ShownPair(first, second, self.distance, self.pattern, self.verified)


def database_sha256(database: Any) -> str:
    """The digest by which a certificate names a database that it does not carry."""
    return hashlib.sha256(json.dumps(database, sort_keys=True).encode()).hexdigest()


def _show(database: Any) -> Any:
    """The database itself, or where it is long, its kinds of record, or its digest alone."""
    try:
        # Strict JSON, as certificates are written, has no NaN and no infinities.
        if not is_compact(database) and _length(database) <= CARRIED_CHARACTERS:
            return database
        if isinstance(database, list):
            kinds = compact(database)
            if _length(kinds) <= CARRIED_CHARACTERS:
                return kinds
    except ValueError:
        pass
    return {"sha256": database_sha256(database)}


def _length(shown: Any) -> int:
    return len(json.dumps(shown, sort_keys=True, allow_nan=False))
