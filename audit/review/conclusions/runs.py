"""What runs show that is no verdict: input that seems to be ignored, output of another form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from audit.review.pieces.piece import Outcome, Piece
from audit.statements.evidence import ALIVE

Outcomes = Iterable[tuple[Piece, Outcome | None]]


def list_ignored_inputs(outcomes: Outcomes) -> Iterator[tuple[str, str]]:
    """Of each ε, what certificates say of a subject that seems to ignore some of its input."""
    for piece, document in _documents(outcomes, ("certify",)):
        for evidence in document.get("evidence") or []:
            if (evidence.get("replay") or {}).get("mode") == ALIVE:
                yield piece.epsilon, str(evidence["finding"]).partition(" (tried")[0]


def list_strange_outputs(outcomes: Outcomes) -> Iterator[tuple[str, str]]:
    """Of each ε, why an output of the submission is no table of its domain."""
    for piece, document in _documents(outcomes, ("trial", "release")):
        output = document.get("output") or {}
        if output.get("of_the_domain") is False:
            yield piece.epsilon, str(output.get("problem") or f"it is {output.get('words')}")


def _documents(
    outcomes: Outcomes, kinds: tuple[str, ...]
) -> Iterator[tuple[Piece, Mapping[str, Any]]]:
    for piece, outcome in outcomes:
        if piece.kind in kinds and outcome is not None and outcome.document is not None:
            yield piece, outcome.document
