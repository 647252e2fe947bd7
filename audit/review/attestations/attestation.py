"""What is attested: a certificate, and what its user states beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from audit.review.attestations.about import About
from audit.review.rereading import Reread
from synthesizers.errors import InputError


@dataclass(frozen=True)
class NamedFile:
    """A file by its name and the SHA-256 of its bytes, in hexadecimal digits."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Attestation:
    """A certificate with what the user states of the release.

    ``reread``: the certificate, which agrees with itself; ``file``: the one that holds it.
    ``table``: the released one, if it is named; that the certificate's subject made it is the
    user's word. ``about``: None where the user states nothing. ``ledger``: of the release, as
    plain data. ``time``: when this was attested, in UTC to the second. ``version``: of dp-audit.
    """

    reread: Reread
    file: NamedFile
    table: NamedFile | None
    about: About | None
    ledger: Mapping[str, Any] | None
    time: datetime
    version: str

    @property
    def timestamp(self) -> str:
        """The time as RFC 3339 spells it: ``2026-01-31T12:00:00Z``."""
        return self.time.strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: str) -> datetime:
    """A time of RFC 3339, in UTC to the second; raises InputError for another text.

    >>> parse_time("2026-01-31T13:00:00+01:00").isoformat()
    '2026-01-31T12:00:00+00:00'
    """
    try:
        found = datetime.fromisoformat(text)
        in_utc = found.astimezone(UTC) if found.tzinfo is not None else None
    except (ValueError, OverflowError):
        in_utc = None
    if in_utc is None:
        raise InputError(f"a time is written as 2026-01-31T12:00:00Z; found {text[:40]!r}")
    return in_utc.replace(microsecond=0)
