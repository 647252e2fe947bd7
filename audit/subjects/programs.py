"""Programs of a curator as black boxes: run on records, and seen by what they release alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.databases import dataset_of_records
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.subject import ProgramSubject
from synthesizers.budget import Budget
from synthesizers.curator import Setting
from synthesizers.domain import Dataset
from synthesizers.errors import DPAuditError, InputError
from synthesizers.randomness import Entropy, InsecureSeededEntropy
from synthesizers.sampling import private_view, run
from synthesizers.tables import to_frame

BLOCK = 500
"""Runs of one call (a tenth of a second of the sampling reading)."""

SHOWN_CELLS = 4096
"""The most cells of a domain whose synthetic records are shown as counts; with more they are a
table."""

ENOUGH_RUNS = 10
"""So many runs on both databases, each of which the curator refused, mean that the program can't be
run in this setting (if it is refused in half of the runs, the chance to
take it for one that can't be run is below 1/1000)."""


@dataclass(frozen=True, eq=False)
class ProgramBox:
    """A program of a curator on databases of records, by the sampling reading.

    ``released``: "output" (counts as numbers; synthetic records as counts of a small domain,
    otherwise as a table) or "transcript" (all noisy answers, one after the other).
    """

    subject: ProgramSubject
    setting: Setting
    released: str

    def __post_init__(self) -> None:
        if self.released not in ("output", "transcript"):
            raise InputError(f"released is output or transcript, found {self.released!r}")

    @property
    def name(self) -> str:
        """What a report calls it."""
        return self.subject.name

    @property
    def block(self) -> int:
        """The most runs of one call."""
        return BLOCK

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order.

        A run that the program's own error ends, or the curator's refusal, has that error as its
        outcome. Raises InputError for databases that don't fit the setting, and the error itself
        where all runs on both databases have one.

        Guarantee
        ---------
        Outcomes are independent draws of the law that the enumerating reading computes, as far as
        the seeded entropy is ideal. Backed by ``tests/audit/subjects/test_program_box.py``.
        """
        datasets = [self._dataset(database) for database in (pair.first, pair.second)]
        budget = self.subject.budget(self.setting)
        entropy = InsecureSeededEntropy(seed)
        errors: list[DPAuditError] = []

        def outcome(dataset: Dataset) -> object:
            try:
                return self._release(dataset, budget, entropy)
            except DPAuditError as error:
                errors.append(error)
                return Raised(type(error.__cause__ or error).__name__)

        outcomes = Outcomes.of_outputs(outcome(datasets[coin]) for coin in coins.tolist())
        if len(errors) == len(coins) >= ENOUGH_RUNS and coins.any() and not coins.all():
            raise errors[0]
        return outcomes

    def _dataset(self, database: Any) -> Dataset:
        return private_view(dataset_of_records(database, self.setting.domain), self.setting)

    def _release(self, dataset: Dataset, budget: Budget, entropy: Entropy) -> object:
        made = run(self.subject.program, dataset, self.setting, budget, entropy)
        if self.released == "transcript":
            return tuple(value for _, outcome in made.transcript for value in outcome)
        if not isinstance(made.output, Dataset):
            return made.output
        if self.setting.domain.size <= SHOWN_CELLS:
            return made.output.histogram()
        return to_frame(made.output)
