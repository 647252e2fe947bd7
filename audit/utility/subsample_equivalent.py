"""Subsample equivalent: which share of the real records would do as well as the synthetic table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from audit.utility.counts import Attributes
from audit.utility.metric import Metric, generator
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.pair import HeldCounts, Pair
from audit.utility.score import Breakdown, Score, jackknife_parts, standard_error
from synthesizers.domain import Domain
from synthesizers.errors import InputError

Subsamples = Mapping[int, tuple[float | None, ...]]
"""The score of each replicate by the number of records; None is an undefined one."""

PERCENTS = (1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90)
"""Subsamples, per cent of the real records; the report of SDNist has most of them."""


SECONDS_A_COUNT = 2e-8
"""To count one record in one marginal."""

SECONDS_A_MARGINAL = 1e-4
"""To count and compare one marginal, however few its records."""


@dataclass(frozen=True, kw_only=True)
class SubsampleEquivalent(Metric):
    """The per cent of the real records that score as the synthetic table does in ``of``.

    "As good as a 12 % sample": random subsamples of the real table, ``replicates`` of
    each of ``percents``, are scored against the whole of it. Their mean scores are made
    monotone (isotonic regression) and interpolated over the logarithm of the per cent.
    A synthetic table that is worse than the smallest or better than the largest has
    that per cent as its value, said to be a bound. Per cents are those of the whole records
    that were taken, and the standard error is the jackknife's over the replicates.

    The subsamples are parts of the table that they are scored against: a new sample of
    as many records, from where the real ones came from, is as good as one of about a
    third of them, and not of all.

    Source: the sampling-error equivalent in the report of SDNist 2.x (Lothe et al.),
    which names the nearest of single unseeded subsamples; here they are seeded,
    repeated and interpolated.
    """

    name = "subsample-equivalent"
    family = "marginals"
    lowest, highest, direction = 0.0, 100.0, "higher"
    works_on_real = True

    of: Metric = field(default_factory=KMarginal)
    percents: tuple[int, ...] = PERCENTS
    replicates: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse per cents that do not increase between 0 and 100, or no replicate."""
        super().__post_init__()
        rising = all(a < b for a, b in zip(self.percents, self.percents[1:], strict=False))
        if (
            len(self.percents) < 2
            or not rising
            or not 0 < self.percents[0] < self.percents[-1] < 100
        ):
            raise InputError(
                f"{self.name}: percents must be at least two whole numbers that increase, above 0 "
                f"and below 100, not {', '.join(map(str, self.percents))}"
            )
        self.at_least(1, "replicates")
        if isinstance(self.of, SubsampleEquivalent):
            raise InputError(f"{self.name}: of must be another metric")

    def check(self, domain: Domain) -> None:
        """Refuse what the other metric refuses."""
        self.of.check(domain)

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The marginals of the other metric."""
        return self.of.marginals_read(domain)

    def estimate_seconds(self, domain: Domain, records: int) -> float:
        """Counting the marginals of every subsample, and what else the other metric does."""
        sizes = [records * percent / 100 for percent in self.percents]
        each = sum(size * SECONDS_A_COUNT + SECONDS_A_MARGINAL for size in sizes)
        counted = each * len(self.of.marginals_read(domain))
        own = sum(self.of.estimate_seconds(domain, int(size)) for size in sizes)
        return self.replicates * (counted + own)

    def score(self, pair: Pair) -> Score:
        """The equivalent per cent; undefined where the other metric is, or almost always is."""
        own = self.of.score(pair)
        if own.value is None:
            return self.undefined(f"{self.of.name} of the synthetic table: {own.undefined}")
        found = self._subsamples(pair)
        per_cent = {size: 100 * size / pair.records[0] for size in found}
        known = {size: scores for size, scores in found.items() if None not in scores}
        left = [f"{per_cent[size]:.3g} %" for size in found if size not in known]
        if len(found) < 2:
            return self.undefined("the real table has too few records for two sizes of subsamples")
        if len(known) < 2:
            return self.undefined(f"{self.of.name} is undefined for almost all subsamples")
        percents = np.array([per_cent[size] for size in known], dtype=np.float64)
        # From here on more is better, whatever the metric.
        sign = 1.0 if self.of.direction == "higher" else -1.0
        scores = sign * np.array(list(known.values()), dtype=np.float64)
        value = _equivalent(percents, scores.mean(axis=1), sign * own.value)
        fields: dict[str, Any] = {"seed": self.seed}
        if self.replicates > 1:
            rest = (scores.sum(axis=1)[:, None] - scores) / (self.replicates - 1)
            without = [_equivalent(percents, column, sign * own.value) for column in rest.T]
            fields["standard_error"] = standard_error(jackknife_parts(value, without))
        best, worst = f"{percents[-1]:.3g} %", f"{percents[0]:.3g} %"
        if value <= percents[0]:
            said = f"below the {worst} sample: the value is an upper bound"
            fields["bracket"] = Fraction(0), Fraction(value)
        elif value >= percents[-1]:
            said = f"above the {best} sample: the value is a lower bound"
            fields["bracket"] = Fraction(value), Fraction(100)
        else:
            said = f"as good as a {value:.3g} % sample"
        omitted = f"; {', '.join(left)} left out, undefined" if left else ""
        return self.scored(
            value,
            stated=(
                f"{said}, by {self.of.name} ({own.value:.6g})",
                f"{self.replicates} subsamples of each size without replacement{omitted}",
                *(f"{self.of.name}: {text}" for text in own.stated),
            ),
            details=(_breakdown({per_cent[size]: scores for size, scores in found.items()}),),
            **fields,
        )

    def _subsamples(self, pair: Pair) -> Subsamples:
        """The scores of the subsamples against the whole real table, by their records.

        They do not depend on the synthetic table: the files of a suite share them.
        """
        taken = _TAKEN.setdefault(pair.real, [])
        for metric, found in taken:
            if metric == self:
                return found
        real = pair.tables[0]
        random = generator(self.name, self.seed)
        drawn: dict[int, tuple[float | None, ...]] = {}
        sizes = (max(round(real.records * percent / 100), 1) for percent in self.percents)
        for size in dict.fromkeys(sizes):
            scores = []
            for _ in range(self.replicates):
                rows = np.sort(random.choice(real.records, size, replace=False, shuffle=False))
                sample = HeldCounts(real.take(rows), pair.real.shape)
                scores.append(self.of.score(Pair(pair.real, sample)).value)
            drawn[size] = tuple(scores)
        taken.append((self, drawn))
        return drawn


_TAKEN: WeakKeyDictionary[HeldCounts, list[tuple[SubsampleEquivalent, Subsamples]]] = (
    WeakKeyDictionary()
)
"""The subsamples of every real table in use."""


def _equivalent(percents: NDArray[np.float64], scores: NDArray[np.float64], wanted: float) -> float:
    """The per cent at which the monotone curve of scores, higher being better, meets one."""
    curve = isotonic_regression(scores).x
    if wanted <= curve[0]:
        return float(percents[0])
    if wanted >= curve[-1]:
        return float(percents[-1])
    # A flat stretch stands for all its per cents: their mean, on the logarithmic scale.
    levels, place = np.unique(curve, return_inverse=True)
    middle = np.bincount(place, np.log(percents)) / np.bincount(place)
    return math.exp(float(np.interp(wanted, levels, middle)))


def _breakdown(found: Mapping[float, tuple[float | None, ...]]) -> Breakdown:
    rows = []
    for percent, scores in found.items():
        known = tuple(score for score in scores if score is not None)
        mean = math.fsum(known) / len(known) if known else None
        error = standard_error(known)
        deviation = None if error is None else error * math.sqrt(len(known))
        rows.append((percent, mean, deviation, len(known)))
    columns = ("percent of the records", "mean score", "standard deviation", "replicates")
    return Breakdown("subsamples", columns, tuple(rows))
