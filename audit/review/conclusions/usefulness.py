"""How useful a submission's releases are at each ε, beside references: scores with their spread."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.review.pieces.piece import Piece
from audit.review.pieces.planning import Read


@dataclass(frozen=True)
class Scores:
    """One metric of the releases of one program at one ε.

    ``values``: one a release, None where the metric is undefined of it. ``lower_is_better``: the
    direction of the metric. ``program``: the submission, or a reference's name.
    """

    program: str
    epsilon: str
    metric: str
    lower_is_better: bool
    values: tuple[float | None, ...]

    @property
    def median(self) -> float | None:
        """The middle one of the defined values."""
        return statistics.median(self._defined) if self._defined else None

    @property
    def spread(self) -> tuple[float, float] | None:
        """The least and the largest value."""
        return (min(self._defined), max(self._defined)) if self._defined else None

    @property
    def _defined(self) -> list[float]:
        return [value for value in self.values if value is not None]

    def is_beyond(self, other: Scores) -> bool:
        """Whether every release scores better than every one of ``other``."""
        mine, theirs = self.spread, other.spread
        if mine is None or theirs is None:
            return False
        return mine[1] < theirs[0] if self.lower_is_better else mine[0] > theirs[1]


def read_scores(pieces: Sequence[Piece], read: Read) -> tuple[Scores, ...]:
    """The scores in the documents of finished pieces that measured utility."""
    found: list[Scores] = []
    for piece in pieces:
        outcome = read(piece)
        if outcome is not None and outcome.document is not None and "scores" in outcome.document:
            found += _of_document(piece, outcome.document)
    return tuple(found)


def _of_document(piece: Piece, document: Mapping[str, Any]) -> list[Scores]:
    values: dict[str, list[float | None]] = {}
    lower: dict[str, bool] = {}
    for score in document["scores"]:
        metric = score["metric"]
        values.setdefault(metric, []).append(_number(score["value"]))
        lower[metric] = str(score["direction"]).startswith("lower")
    program = piece.submission or piece.level
    return [
        Scores(program, piece.epsilon, metric, lower[metric], tuple(found))
        for metric, found in values.items()
    ]


def _number(value: Any) -> float | None:
    """A score as a number; None where it is undefined or infinite."""
    number = float(value) if isinstance(value, int | float | str) else math.nan
    return number if math.isfinite(number) else None
