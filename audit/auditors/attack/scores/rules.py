"""Rules: what is guessed from an outcome; plain data, frozen before it is tested."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.guessing.guesses import Guesses
from audit.subjects.outcomes import Outcomes
from synthesizers.errors import InputError


class Score(Protocol):
    """How much an outcome speaks for the second database; plain data, no learner behind it."""

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """[runs], a number each, never NaN: the larger, the more for the second database."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The score as plain data; its key ``score`` names its kind."""
        ...


@dataclass(frozen=True, eq=False)
class GuessingRule:
    """Guess the second database from scores of at least ``high``, the first up to ``low``.

    Infinite ends mean that a side is never guessed. Between them it abstains.
    """

    score: Score
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InputError("a rule needs low < high")

    @property
    def one_sided(self) -> bool:
        """Whether one of the two databases is never guessed."""
        return self.low == -math.inf or self.high == math.inf

    @property
    def abstains(self) -> bool:
        """Whether some score leads to no guess; of a one-sided rule, an infinite one at least."""
        return self.one_sided or math.nextafter(self.low, math.inf) < self.high

    def guesses(self, outcomes: Outcomes) -> NDArray[np.int8]:
        """[runs], 1 for the second database, -1 for the first, 0 to abstain."""
        scores = self.score.evaluate(outcomes)
        # A score may be infinite; an infinite end guesses nothing all the same.
        second = (scores >= self.high) & (self.high < math.inf)
        first = (scores <= self.low) & (self.low > -math.inf)
        return second.astype(np.int8) - first.astype(np.int8)

    def count(self, outcomes: Outcomes, coins: NDArray[np.bool_]) -> Guesses:
        """How the rule fares on runs with their coins."""
        made = self.guesses(outcomes)
        right = made == np.where(coins, 1, -1)
        correct = int(np.count_nonzero(right))
        wrong = int(np.count_nonzero(made)) - correct
        return Guesses(len(made), correct, wrong, self.one_sided, self.abstains)

    def to_json(self) -> dict[str, Any]:
        """The rule as plain data."""
        ends = {"low": _end(self.low), "high": _end(self.high)}
        return {**ends, **self.score.to_json()}

    def digest(self) -> str:
        """The SHA-256 of the rule's canonical JSON."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _end(value: float) -> float | str:
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")
