"""Programs run on stated answers: what they ask, what they make of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.utility.records import of_dataset
from audit.utility.workload_error import WorkloadError
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.events import Draw, Event, Outcome, is_seed
from synthesizers.programs import BuiltIn
from synthesizers.queries import Query

SEED = 20_261_123


def on_answers(
    program: BuiltIn, setting: Setting, answers: Sequence[Sequence[int]]
) -> tuple[Any, Curator]:
    """The output for these answers in order, and the curator afterwards.

    Public draws are answered with the first outcome, seeds with `SEED`.
    """
    left = list(answers)

    def reply(event: Event) -> Outcome:
        if isinstance(event, Draw):
            return (SEED,) if is_seed(event) else event.law.outcomes()[0]
        return tuple(left.pop(0))

    curator = Curator(setting, program.budget(setting), reply)
    output = program(curator)
    assert not left, "the program asked less than it was answered"
    return output, curator


def on_counts(
    program: BuiltIn, setting: Setting, data: Dataset, noise: Callable[[Query], int]
) -> tuple[Any, Curator]:
    """The output where each query's true answers come with a known noise, the same in each."""

    def reply(event: Any) -> Outcome:
        if isinstance(event, Draw):
            return (SEED,) if is_seed(event) else event.law.outcomes()[0]
        if hasattr(event, "scores"):
            scores = event.scores.answers(data.domain, data.codes, _ones(data))[0]
            return (int(scores.argmax()),)
        true = event.query.answers(data.domain, data.codes, _ones(data))[0]
        return tuple((true + noise(event.query)).clip(event.low, event.high).tolist())

    curator = Curator(setting, program.budget(setting), reply)
    return program(curator), curator


def _ones(data: Dataset) -> NDArray[np.int64]:
    return np.ones((1, data.records), np.int64)


def pair_errors(real: Dataset, synthetic: Dataset) -> float:
    """The mean total variation of all two-way marginals."""
    tables = of_dataset(real), of_dataset(synthetic)
    score = WorkloadError(k=2)(*tables, real.domain).value
    assert score is not None
    return score


def chained_table(cells: str, records: int, seed: int = 1) -> Dataset:
    """Each attribute a noisy copy of the one before it."""
    domain = Domain.from_cells(cells)
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, domain.shape[0], records)]
    for size in domain.shape[1:]:
        copied = rng.random(records) < 0.8
        columns.append(np.where(copied, columns[-1] % size, rng.integers(0, size, records)))
    return Dataset(domain, np.stack(columns, axis=1))
