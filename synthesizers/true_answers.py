"""The true answers of one dataset, for the length of a run."""

from __future__ import annotations

import numpy as np

from synthesizers.domain import Dataset
from synthesizers.queries import (
    MAX_ANSWERS,
    CellErrors,
    IntArray,
    Marginal,
    ModelError,
    Query,
    RecodedMarginal,
    TableDistances,
    answer,
)


class TrueAnswers:
    """The true answers of a dataset to any query, [size]. Private: never shown to a program.

    A program that selects asks for the scores of the same tables round after round: those are
    counted once, and kept while they have at most `MAX_ANSWERS` cells together.

    Guarantee
    ---------
    The answers are those of `answer`. Backed by ``tests/synthesizers/test_true_answers.py``.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._counts: dict[Marginal | RecodedMarginal, IntArray] = {}
        self._kept = 0

    def __call__(self, query: Query) -> IntArray:
        """The true answer."""
        if isinstance(query, ModelError | CellErrors | TableDistances):
            query.size(self.dataset.domain)
            counts = [self._count_once(table)[None, :] for table in query.tables]
            return np.asarray(query.compare(counts)[0], np.int64)
        return answer(query, self.dataset)

    def _count_once(self, table: Marginal | RecodedMarginal) -> IntArray:
        held = self._counts.get(table)
        if held is not None:
            return held
        counts = answer(table, self.dataset)
        if self._kept + len(counts) <= MAX_ANSWERS:
            counts.setflags(write=False)
            self._counts[table] = counts
            self._kept += len(counts)
        return counts
