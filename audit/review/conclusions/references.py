"""Reference synthesizers that could not be run, each with its reason in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.review.pieces.piece import Outcome, Piece
from audit.review.pieces.planning import Read

_MOST = 240
"""Characters of a reason that are shown."""


@dataclass(frozen=True)
class MissingReference:
    """A reference that gave no table at some ε, and why."""

    program: str
    epsilons: tuple[str, ...]
    reason: str

    @property
    def sentence(self) -> str:
        """What a reader must know of it."""
        return (
            f"The reference {self.program} was not run to its end at ε = "
            f"{', '.join(self.epsilons)}, so that nothing is called too good there: {self.reason}."
        )


def list_missing(pieces: Sequence[Piece], read: Read) -> tuple[MissingReference, ...]:
    """The references without a table at some ε, those of one reason together."""
    found: dict[tuple[str, str], list[str]] = {}
    for program, epsilon, reason in dict.fromkeys(_list_reasons(pieces, read)):
        found.setdefault((program, reason), []).append(epsilon)
    return tuple(
        MissingReference(program, tuple(epsilons), reason)
        for (program, reason), epsilons in found.items()
    )


def _list_reasons(pieces: Sequence[Piece], read: Read) -> Iterator[tuple[str, str, str]]:
    outcomes = [(piece, read(piece)) for piece in pieces]
    made = {(p.level, p.epsilon) for p, o in outcomes if p.kind == "release" and _went_well(o)}
    for piece, outcome in outcomes:
        if outcome is None or _went_well(outcome):
            continue
        if piece.kind == "utility":
            reason = f"its releases could not be measured, {_explain(outcome)}"
            yield piece.level, piece.epsilon, reason
        elif (piece.level, piece.epsilon) not in made:
            yield piece.level, piece.epsilon, _explain(outcome)


def _went_well(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.exit == 0


def _explain(outcome: Outcome) -> str:
    """Why a command of ours ended: its own words, where it had some."""
    if outcome.exit is None:
        return "its time ran out"
    if outcome.exit < 0:
        return "its process was killed, perhaps for want of memory"
    lines = [line for line in outcome.log.splitlines() if line.strip()]
    words = re.sub(r"^(dp-audit[^:]*: )?(error: )?", "", lines[-1].strip()) if lines else ""
    return words[:_MOST].rstrip(". ") or f"exit code {outcome.exit}"
