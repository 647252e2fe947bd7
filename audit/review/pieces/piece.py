"""One piece of a review: a command, and what came of it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from typing import Any, Literal

Kind = Literal["trial", "certify", "write-up", "release", "utility", "exactness"]
"""What a piece is for: one run on made-up data; a certificate; a write-up beside what was asked; a
table made from the challenge's public data; how useful such tables are; how exactly outputs tell
small tables."""

DOCUMENT, TABLE, DATA = "{document}", "{table}", "{data}"
"""In a command: the file that its JSON goes to, the one that a table goes to, and the challenge's
public data."""

REFERENCE = ""
"""The submission of pieces that belong to none: of the reference synthesizers."""


@dataclass(frozen=True)
class Piece:
    """A command of ``dp-audit``, and all that its result depends on.

    ``words``: the command, with `DOCUMENT`, `TABLE` and ``{release N}``, the table of the N-th
    needed piece. ``folder``: where it is started, below that of the review. ``needs``: the pieces
    whose results it reads, or which must have gone well before it is worth its time. ``inputs``:
    digests of the files that it reads. ``seconds``: how long it may take. ``number``: tells alike
    pieces apart; ``alarm``: the error that its REFUTED may have; ``runs``: what it is to make.
    """

    kind: Kind
    stage: str
    submission: str
    epsilon: str
    words: tuple[str, ...]
    folder: str
    inputs: tuple[str, ...]
    seconds: int
    level: str = ""
    number: int = 0
    alarm: str = ""
    runs: int = 0
    needs: tuple[Piece, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The name of its result, by all that this depends on.

        Guarantee
        ---------
        Other words, input files, needed pieces or versions have another digest, and so have pieces
        of another number: alike as they are, each draws for itself. Backed by
        ``tests/audit/review/pieces/test_piece.py``.
        """
        needs = [one.digest for one in self.needs]
        parts = [self.number, *self.words, "", *self.inputs, "", *needs, "", *_versions()]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def is_of_shard(self, shard: int, shards: int) -> bool:
        """Whether it falls to the shard of that number, from 1, of so many.

        By what it is for: what it needs may turn out otherwise while it waits.
        """
        words = (self.kind, self.stage, self.submission, self.epsilon, self.level, str(self.number))
        key = hashlib.sha256("\0".join(words).encode()).digest()
        return int.from_bytes(key, "big") % shards == shard - 1


@dataclass(frozen=True)
class Outcome:
    """What came of a piece.

    ``exit``: the command's exit code, minus the signal it died by, None where its time ran out;
    ``seconds`` it took, ``megabytes`` of its largest process. ``document``: the JSON that it wrote,
    None where it wrote none; ``log``: the end of what it said. ``apart``: whether submissions were
    kept from our files where it ran.
    """

    digest: str
    command: str
    exit: int | None
    seconds: float
    megabytes: int
    log: str
    document: Mapping[str, Any] | None
    apart: bool


@cache
def _versions() -> tuple[str, ...]:
    """The versions that a number may depend on."""
    packages = ("dp-audit", "numpy", "scipy", "scikit-learn", "pandas")
    return (platform.python_version(), *(_version(name) for name in packages))


def _version(name: str) -> str:
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return f"{name} absent"
