"""Scores: what attackers learned, read from JSON; and what is scored behind known leaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from audit.auditors.attack.scores.rules import Score
from audit.auditors.attack.scores.simple_scores import Cells, FloatArray, Plain, Silent, Single
from audit.auditors.attack.scores.trees import Trees
from audit.auditors.attack.scores.weighings import Bins, Linear, Network
from audit.auditors.attack.veils.veils import Veil, hide, veil_from_json
from audit.subjects.outcomes import Outcomes
from synthesizers.errors import InputError

_MALFORMED = (
    *(LookupError, TypeError, ValueError, AttributeError, ArithmeticError),
    *(RecursionError, MemoryError),
)


def score_from_json(data: dict[str, Any]) -> Score:
    """The score that some score's `to_json` wrote; it evaluates to the same, bit by bit.

    Raises InputError where it is none.

    Guarantee
    ---------
    Every score that is read here gives a finite number to any outcome, the same whatever runs
    stand beside it. Backed by ``tests/audit/auditors/attack/scores/test_scores.py``.
    """
    kind = data.get("score")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"a score is one of {', '.join(KINDS)}; found {kind!r:.40}")
    try:
        score = KINDS[kind].from_json(data)
        # What can't score this is no score: all columns, nodes and layers take part.
        values = score.evaluate(Outcomes.of_outputs([0.0]))
    except _MALFORMED as error:
        raise InputError(f"the data of this {kind} score are not of its form") from error
    if not np.isfinite(values).all():
        raise InputError(f"this {kind} score gives no finite number")
    return score


@dataclass(frozen=True, eq=False)
class Behind(Plain):
    """A score of what is left to see of an outcome behind veils.

    ``leaks``: which known leaks these hide, in words; ``veils``: drawn one after the other.
    """

    kind = "behind"
    leaks: str
    veils: tuple[Veil, ...]
    of: Score

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], the score of each veiled outcome."""
        return np.asarray(self.of.evaluate(hide(outcomes, self.veils)))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote; ValueError where it lies behind another one."""
        if data["of"]["score"] == cls.kind:
            raise ValueError("veils are listed once")
        return cls(
            str(data["leaks"]),
            tuple(map(veil_from_json, data["veils"])),
            score_from_json(data["of"]),
        )


KINDS: dict[str, type[Silent | Cells | Single | Bins | Linear | Network | Trees | Behind]] = {
    score.kind: score for score in (Silent, Cells, Single, Bins, Linear, Network, Trees, Behind)
}
"""The scores by the names that their JSON has."""
