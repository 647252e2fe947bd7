"""Trainings as subjects: what is run once, or a few times, on many canaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from audit.statements.isolation import Isolation
from audit.subjects.canary_run import as_canary_run
from audit.subjects.copied import CopiedBox
from audit.subjects.function import FunctionBox
from audit.subjects.isolated import IsolatedBox
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.specs import Spec
from synthesizers.errors import InputError, ProtocolError

CODE = "the training's code is the code that will run"
SCORED = "a score reads what the training put out and the canary, and nothing else of the training"
COINS = "the training learns which canaries are in from the records that it is handed alone"
SCOPE = "running time, memory, what is printed or written elsewhere are out of scope"

RESTS_ON = (CODE, COINS, SCORED, SCOPE)
"""What a verdict about a training rests on."""


@dataclass(frozen=True)
class TrainingBox(IsolatedBox):
    """A training ``module:attribute`` in a process of its own, with its canaries and their score.

    ``canaries``: ``module:function`` that gives their records; None where these are handed over.
    ``score``: ``module:function`` of an output and a canary; None for the usual one.
    """

    canaries: str | None = None
    score: str | None = None

    @property
    def spec(self) -> Spec:
        """What its process is told."""
        told = super().spec
        return replace(told, form="training", canaries=self.canaries, score=self.score)


@dataclass(frozen=True, eq=False)
class TrainingSubject:
    """Something that is trained on records, and its canaries.

    ``records``: the canaries' records that are handed over; None where its process makes them.
    """

    category: ClassVar[str] = "training"
    name: str
    box: TrainingBox | CopiedBox
    records: Sequence[Any] | None
    identity: dict[str, Any] = field(default_factory=dict)
    isolation: Isolation | None = None
    assumptions: tuple[str, ...] = RESTS_ON

    def to_json(self) -> dict[str, Any]:
        """The subject as plain data."""
        return {"kind": "training", "name": self.name, **self.identity}

    def count(self, seed: int) -> int:
        """How many canaries there are; raises InputError and ProtocolError as `train` does."""
        return int(self._ask(None, seed)[0])

    def train(self, chosen: NDArray[np.intp], seed: int) -> NDArray[np.float64]:
        """The score of every canary, by one training on those of the places ``chosen``.

        Raises InputError where these are no canaries or no scores, ProtocolError where the training
        or a score fails.
        """
        return self._ask(chosen.tolist(), seed)

    def _ask(self, chosen: list[int] | None, seed: int) -> NDArray[np.float64]:
        job = {"canaries": self.records, "chosen": chosen}
        outcomes = self._draw(Pair(job, job), seed)
        shape = outcomes.shapes[0]
        if shape.kind == "numbers":
            return np.asarray(outcomes.blocks[0][0], np.float64)
        failure = self.box.explain(job, seed)
        said = f"{shape.kind} {shape.detail}".strip()
        if failure is not None and failure.ending == f"raised {InputError.__name__}":
            raise InputError(f"{self.name}: {failure.message}")
        if failure is not None:
            # Canaries are made up: what is said of them may be shown.
            said = failure.words(shown=True)
        raise ProtocolError(f"{self.name}: the training among canaries gave no scores: {said}")

    def _draw(self, pair: Pair, seed: int) -> Outcomes:
        coins = np.zeros(1, np.bool_)
        if isinstance(self.box, TrainingBox):
            return self.box.draw_afresh(pair, coins, seed)
        return self.box.draw(pair, coins, seed)


def live_training(
    train: Callable[..., Any],
    name: str,
    canaries: Callable[[], Any] | Sequence[Any],
    score: Callable[..., Any] | None,
) -> TrainingSubject:
    """A training that the caller holds, with canaries and a score of the caller's."""
    if not callable(train):
        raise InputError("a training is called as train(records, rng)")
    if score is not None and not callable(score):
        raise InputError("a score is called as score(output, canary)")
    made = canaries if callable(canaries) else None
    run = as_canary_run(train, made, score)
    box = CopiedBox(FunctionBox(name, run, batch=False))
    apart = Isolation("in this process", "none", "none")
    records = None if callable(canaries) else list(canaries)
    return TrainingSubject(name, box, records, {}, apart)
