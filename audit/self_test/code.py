"""Which code is running: a digest of the packages' sources."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

PACKAGES = ("synthesizers", "proofs", "audit")


@cache
def code_digest() -> str:
    """The SHA-256 of every Python source of the three packages, paths included.

    A self-test speaks for the code that it ran, so a certificate carries one of the same digest.
    """
    root = Path(__file__).resolve().parents[2]
    found = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            found.update(path.relative_to(root).as_posix().encode() + b"\0")
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return "sha256:" + found.hexdigest()
