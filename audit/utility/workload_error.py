"""Workload error: total variation over all k-way marginals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.utility.compat.programs import PRIVATE_PGM
from audit.utility.counts import Attributes, order_attributes
from audit.utility.metric import FIXED, Metric
from audit.utility.pair import Marginal, Pair
from audit.utility.score import Breakdown, Entry, Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError

HELD_CELLS = 2**23
"""Marginals of so many cells together are held for all metrics; more are counted here alone."""


@dataclass(frozen=True, kw_only=True)
class WorkloadError(Metric):
    """The mean over all ``k``-way marginals of half the L1 distance of their shares.

    ``targets`` belong to every marginal, beside k further attributes. In the mode
    "private-pgm" each marginal has 0.5 · L1 of the raw counts, divided by the
    number of real records: ``score`` in ``extensions/score.py`` of
    ryan112358/nist-synthetic-data-2021, where k is 2; equal to the other for tables
    of one size, and above 1 for a synthetic table of more than the real records.
    """

    name = "workload-error"
    family = "marginals"
    lowest, highest, direction = 0.0, 1.0, "lower"
    modes = (FIXED, PRIVATE_PGM)

    k: int = 2
    targets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a ``k`` below 1."""
        super().__post_init__()
        self.at_least(1, "k")

    @property
    def span(self) -> tuple[float, float]:
        """0 to 1, or without an upper end for counts that are not normalised."""
        return 0.0, math.inf if self.mode == PRIVATE_PGM else 1.0

    def check(self, domain: Domain) -> None:
        """Refuse unknown targets, or a ``k`` larger than the number of other attributes."""
        if self.targets:
            order_attributes(self.targets, domain)
        others = len(domain.attributes) - len(self.targets)
        if self.k > others:
            raise InputError(
                f"{self.name}: k = {self.k}, and the domain has {others} attributes beside the "
                "targets; take a smaller k"
            )

    def marginals(self, domain: Domain) -> list[Attributes]:
        """All marginals, in the order of the domain's attributes."""
        others = [name for name in domain.names if name not in self.targets]
        return [
            order_attributes((*names, *self.targets), domain)
            for names in itertools.combinations(others, self.k)
        ]

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """All marginals if they are small together; else none, and ``score`` counts them."""
        sets = self.marginals(domain)
        shape = dict(zip(domain.names, domain.shape, strict=True))
        cells = sum(math.prod(shape[name] for name in names) for names in sets)
        return sets if cells <= HELD_CELLS else ()

    def score(self, pair: Pair) -> Score:
        """The mean over the marginals; always defined."""
        sets = self.marginals(pair.domain)
        # One after the other: no more than one is held, however many they are.
        errors = np.array([self._error(marginal) for marginal in pair.marginals(sets)])
        # Ascending, as the program's table is: the order of a sum decides its last bits.
        mean = float(np.sort(errors).mean())
        high = float(np.quantile(errors, 0.95))
        worst = float(errors.max())
        distance = (
            "0.5 · L1 of raw counts over the real records"
            if self.mode == PRIVATE_PGM
            else "total variation of shares"
        )
        targets = f", each with {', '.join(self.targets)}" if self.targets else ""
        return self.scored(
            mean,
            stated=(
                f"{distance} over all {len(sets)} marginals of {self.k} attributes{targets}",
                f"95th percentile {high:.6g}, largest {worst:.6g}",
            ),
            details=(
                self._breakdown(sets, errors.tolist()),
                Breakdown(
                    "distribution",
                    ("statistic", "total variation"),
                    (("mean", mean), ("95th percentile", high), ("largest", worst)),
                ),
            ),
        )

    def _error(self, marginal: Marginal) -> float:
        if self.mode == FIXED:
            return marginal.total_variation()
        return 0.5 * float(np.abs(marginal.synthetic - marginal.real).sum()) / marginal.records[0]

    def _breakdown(self, sets: list[Attributes], errors: list[float]) -> Breakdown:
        worst = sorted(zip(sets, errors, strict=True), key=lambda item: -item[1])
        if self.k == 2 and not self.targets:
            rows: list[tuple[Entry, ...]] = [(*names, error) for names, error in worst]
            columns = ("first attribute", "second attribute", "total variation")
            return Breakdown("pairs", columns, tuple(rows))
        listed = [(" × ".join(names), error) for names, error in worst]
        return Breakdown.of_worst("marginals", ("attributes", "total variation"), listed)
