"""Certificates for tests of reviews, as plain data with their digests."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from audit.review.rereading import Reread, reread
from audit.statements.certificate import digest
from audit.verify import load_certificate
from tests.audit.report.samples import certificates

GOLDEN = Path(__file__).parents[2] / "golden" / "certificates"
"""Certificates of every version of the schema, all of them true."""


def plain(name: str) -> dict[str, Any]:
    """A sample, as its file would have it, or a golden certificate."""
    golden = GOLDEN / f"{name}.json"
    if golden.exists():
        return load_certificate(str(golden))
    return deepcopy(certificates()[name].to_json())


def sign(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the digest of what it says now."""
    return {**document, "digest": digest(document)}


def change(name: str, alter: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """A sample with something altered by whoever knows how to sign it again."""
    document = plain(name)
    alter(document)
    return sign(document)


def read(name: str, called: str | None = None) -> Reread:
    """A sample, read again."""
    return reread(called or name, plain(name))
