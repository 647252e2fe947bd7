"""Scores of subgroups beside those of random subsets, and what chance makes of them.

Were the attribute's values dealt to the records of both tables at random, a subgroup would be a
random subset (as it is if records are independent of each other, and the attribute of all others),
and its score and those of B random subsets of its size exchangeable, however few there are. All
chances here are ranks among the B + 1, exact by that alone: no law of the score is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audit.utility.catalogue import family_of
from audit.utility.comparison import ROUNDING
from audit.utility.score import Direction, Score
from audit.utility.subgroups.division import Subgroup
from synthesizers.errors import InputError

RARE = 20
"""What is worse than chance has a chance of at most one in so many (the customary 5 %)."""

LEAST_SUBSETS = RARE - 1
"""The fewest random subsets: with fewer even the worst rank is no rarer than one in ``RARE``."""


@dataclass(frozen=True)
class SubgroupScore:
    """One metric of one subgroup, by its ``value``, beside random subsets of equal size.

    ``subsets`` [B]: the metric of each random subset, None where it has no value. Raises
    ``InputError`` for fewer than ``LEAST_SUBSETS``.
    """

    value: str
    score: Score
    subsets: tuple[float | None, ...]

    def __post_init__(self) -> None:
        """Refuse too few subsets to say anything."""
        if len(self.subsets) < LEAST_SUBSETS:
            raise InputError(
                f"a subgroup needs at least {LEAST_SUBSETS} random subsets beside it, found "
                f"{len(self.subsets)}"
            )

    @cached_property
    def deviations(self) -> NDArray[np.float64]:
        """How much worse the subgroup, then each subset, is than their mean, in deviations [B + 1].

        In standard deviations of the B + 1, the better ones negative; NaN without a value.
        """
        return deviations((self.score.value, *self.subsets), self.score.direction)

    @property
    def deviation(self) -> float | None:
        """The subgroup's own; None without a value."""
        own = float(self.deviations[0])
        return None if math.isnan(own) else own

    @property
    def known(self) -> tuple[float, ...]:
        """The subsets' values, ascending; those without one are left out."""
        return tuple(sorted(value for value in self.subsets if value is not None))

    @property
    def tail(self) -> int:
        """How many of the subsets' values the interval leaves out at each end, and one."""
        return max((len(self.known) + 1) // RARE, 1)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where a random subset of equal size scores with a chance of ``coverage`` or more.

        A prediction interval for one more draw, which falls before, between or after those known
        with equal chances (order statistics; David and Nagaraja, Order Statistics, 7.3); None of
        fewer than two.
        """
        if len(self.known) < 2:
            return None
        return self.known[self.tail - 1], self.known[-self.tail]

    @property
    def coverage(self) -> float:
        """The least chance that the interval covers one more random subset."""
        return max(1 - 2 * self.tail / (len(self.known) + 1), 0.0)

    @property
    def chance(self) -> float | None:
        """The chance that a random subset is no better than the subgroup; None without a value.

        That is (r + 1)/(B + 1), r the subsets that are at least as bad (Phipson and Smyth 2010,
        "Permutation p-values should never be zero").
        """
        own = self.deviation
        if own is None:
            return None
        others = self.deviations[1:][~np.isnan(self.deviations[1:])]
        return (1 + int((others >= own).sum())) / (1 + len(others))

    @property
    def worse(self) -> bool:
        """Whether it lies beyond the interval at its bad end, and that is rare by chance."""
        return self.chance is not None and self.chance * RARE <= 1


@dataclass(frozen=True)
class Standing:
    """A subgroup over all metrics.

    ``deviation``: the mean of its deviations, each family of metrics with one vote, None without
    any. ``chance``: that of a subgroup with as large a mean among *all* of the attribute, were they
    random; ``worse`` where that is rare.
    """

    subgroup: Subgroup
    deviation: float | None
    chance: float | None

    @property
    def worse(self) -> bool:
        """Whether so large a mean is rare by chance, for the worst of all subgroups."""
        return self.chance is not None and self.chance * RARE <= 1


@dataclass(frozen=True)
class Subgroups:
    """A synthetic file by the values of one ``attribute``, beside random subsets.

    ``subgroups``: all that have a record in either table; ``scores``: one a metric and a subgroup
    that is large enough. ``refused``: metrics that were not taken, with the reason.
    """

    attribute: str
    synthetic: str
    subgroups: tuple[Subgroup, ...]
    subsets: int
    scores: tuple[SubgroupScore, ...]
    refused: tuple[tuple[str, str], ...] = ()

    def rename(self, names: Mapping[str, str]) -> Subgroups:
        """The same with another name for the file."""
        return replace(self, synthetic=names[self.synthetic])

    @property
    def lost(self) -> tuple[Subgroup, ...]:
        """Those of which the synthetic table has no record though many were to be expected."""
        return tuple(one for one in self.subgroups if one.lost)

    @property
    def small(self) -> tuple[Subgroup, ...]:
        """Those that are left out for having too few records in either table."""
        return tuple(one for one in self.subgroups if not one.large and not one.lost)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that were taken."""
        return tuple(dict.fromkeys(one.score.metric for one in self.scores))

    @cached_property
    def worst_first(self) -> tuple[SubgroupScore, ...]:
        """The scores by their deviations; those without a value come last."""
        return tuple(sorted(self.scores, key=lambda one: _sort_falling(one.deviation)))

    @property
    def expected_worse(self) -> float:
        """How many scores are called worse by chance alone, were the subgroups random, at most."""
        return sum(one.tail / (len(one.known) + 1) for one in self.scores if _can_be_worse(one))

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The subgroups that are scored, the worst over all metrics first.

        The subsets of one draw come from one permutation of the attribute's values, which makes all
        subgroups at once. Each draw's largest mean over the subgroups is what a mean is ranked
        among, so that the chance holds for all of them together (Westfall and Young 1993,
        Resampling-Based Multiple Testing, 2.3): were the attribute's values dealt to the records at
        random, a subgroup would be called worse with a chance of at most one in ``RARE``.
        """
        large = [one for one in self.subgroups if one.large]
        means = np.array([self._means(one.value) for one in large])
        if not len(large) or not means.size:
            return tuple(Standing(one, None, None) for one in large)
        largest = np.max(np.where(np.isnan(means[:, 1:]), -np.inf, means[:, 1:]), axis=0)
        found = [
            Standing(one, None, None)
            if math.isnan(own)
            else Standing(one, own, (1 + int((largest >= own).sum())) / (1 + len(largest)))
            for one, own in zip(large, means[:, 0].tolist(), strict=True)
        ]
        return tuple(sorted(found, key=lambda one: _sort_falling(one.deviation)))

    def _means(self, value: str) -> NDArray[np.float64]:
        """The mean deviation of a subgroup, then of its subset of each draw [B + 1]."""
        families: dict[str, list[NDArray[np.float64]]] = {}
        for one in self.scores:
            family = family_of(one.score.metric)
            if one.value == value and family is not None:
                families.setdefault(family, []).append(one.deviations)
        means = [_mean(own) for own in families.values()]
        return _mean(means) if means else np.full(self.subsets + 1, np.nan)


def _mean(rows: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The mean of those that have a value, column by column; NaN where none has."""
    table = np.array(rows)
    known = ~np.isnan(table)
    total = np.where(known, table, 0.0).sum(axis=0)
    return np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)


def deviations(values: Sequence[float | None], direction: Direction) -> NDArray[np.float64]:
    """By how many standard deviations of all each value is worse than their mean; NaN for None.

    An infinite value counts as the largest that a deviation among so many can be, (n - 1)/√n, and
    values that differ by rounding alone do not deviate. What a value gives depends on the others
    together and not on their order, as exchangeability needs.
    """
    sign = 1.0 if direction == "lower" else -1.0
    worse = sign * np.array([math.nan if value is None else value for value in values], dtype=float)
    finite = worse[np.isfinite(worse)]
    found = np.where(np.isnan(worse), np.nan, 0.0)
    infinite = np.isinf(worse)
    known = len(finite) + int(infinite.sum())
    found[infinite] = np.sign(worse[infinite]) * (known - 1) / math.sqrt(max(known, 1))
    if len(finite) > 1:
        spread = float(finite.std(ddof=1))
        if spread > ROUNDING * max(float(np.abs(finite).max()), 1.0):
            at = np.isfinite(worse)
            found[at] = (worse[at] - finite.mean()) / spread
    return found


def _sort_falling(deviation: float | None) -> float:
    """What sorts the largest deviation first, and none last."""
    return math.inf if deviation is None else -deviation


def _can_be_worse(one: SubgroupScore) -> bool:
    return one.score.value is not None and (len(one.known) + 1) >= RARE
