"""How exact a submission is on small tables, beside the least error that its claim allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.review.pieces.piece import Piece
from audit.review.pieces.planning import Read


@dataclass(frozen=True)
class SmallTables:
    """What `audit.review.submissions.exactness.Exactness` says, at one ε."""

    epsilon: str
    runs: int
    coins: int
    wrong: float
    least: float | None
    p_value: float


def read_exactness(pieces: Sequence[Piece], read: Read) -> tuple[SmallTables, ...]:
    """Those of the finished pieces that gave an output."""
    found = []
    for piece in pieces:
        outcome = read(piece) if piece.kind == "exactness" else None
        document = {} if outcome is None else outcome.document or {}
        if one := document.get("exactness"):
            names = ("runs", "coins", "wrong", "least", "p_value")
            found.append(SmallTables(piece.epsilon, *(one[name] for name in names)))
    return tuple(found)
