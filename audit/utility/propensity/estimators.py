"""Which records a classifier learns from, and which it is then asked about.

In-sample: all records, both times. Algorithm 1 of Bowen & Snoke: folds, each cut into a
training and a test part; the test parts' probabilities are put together. Every fold learns
from its own training part alone, so that 5 folds and a 70-30 split learn from 14 % of the
records at a time and score 30 % of them once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audit.utility.propensity.features import Features
from audit.utility.propensity.learners import Fit, Learner
from audit.utility.propensity.statistics import Propensities
from audit.utility.score import standard_error


@dataclass(frozen=True, eq=False)
class Fold:
    """One fit, with the ``training`` records behind it and the ``labels`` of those it scored.

    ``labels`` are True for synthetic records; both parts are (real, synthetic) numbers.
    """

    fit: Fit
    training: tuple[int, int]
    scored: tuple[int, int]
    labels: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Probabilities of being synthetic from one or several fits; ``share`` is c of all records."""

    folds: tuple[Fold, ...]
    share: float

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probabilities of all scored records, fold by fold."""
        return np.concatenate([fold.fit.probabilities for fold in self.folds])

    @cached_property
    def propensities(self) -> Propensities:
        """The probabilities with the labels of their records."""
        labels = np.concatenate([fold.labels for fold in self.folds])
        return Propensities.of(self.probabilities, labels, self.share)

    @property
    def standard_error(self) -> float | None:
        """That of pMSE over the random cut into folds; None for a single fit.

        From the spread of the folds, which learn from and score different records.
        """
        each = [
            Propensities.of(fold.fit.probabilities, fold.labels, self.share).pmse()
            for fold in self.folds
        ]
        return standard_error(tuple(each))

    @property
    def importances(self) -> dict[str, float]:
        """The mean over the fits of each attribute's share in telling the tables apart."""
        owners = self.folds[0].fit.importances
        return {
            owner: sum(fold.fit.importances[owner] for fold in self.folds) / len(self.folds)
            for owner in owners
        }


class Form(Protocol):
    """A choice of training and scored records, made in the same way for every null."""

    def feasible(self, records: tuple[int, int]) -> bool:
        """Whether each part of tables of so many records has records of both."""

    def estimate(
        self, learner: Learner, features: Features, labels: NDArray[np.bool_], seed: int
    ) -> Estimates:
        """The probabilities of records whose ``labels`` are True if synthetic."""


@dataclass(frozen=True)
class InSample:
    """One fit to all records, scored on the same."""

    def feasible(self, records: tuple[int, int]) -> bool:
        """Always."""
        return True

    def estimate(
        self, learner: Learner, features: Features, labels: NDArray[np.bool_], seed: int
    ) -> Estimates:
        """One fold, of all records in their order."""
        fit = learner.fit(features, labels, features, seed)
        sizes = _sizes(labels)
        return Estimates((Fold(fit, sizes, sizes, labels),), float(labels.mean()))


@dataclass(frozen=True)
class AlgorithmOne:
    """Algorithm 1 of Bowen & Snoke, section 4.

    ``folds`` of equal size, of each of which the share ``training`` is learned from and
    the rest is scored. Both cuts are at random and keep the two tables' shares, which
    the paper leaves open. How the real records are cut depends on their number and the
    seed alone.
    """

    folds: int
    training: Fraction

    def feasible(self, records: tuple[int, int]) -> bool:
        """Whether the smallest fold has training and test records of either table."""
        smallest = [size // self.folds for size in records]
        return all(0 < round(self.training * size) < size for size in smallest)

    def estimate(
        self, learner: Learner, features: Features, labels: NDArray[np.bool_], seed: int
    ) -> Estimates:
        """The test parts of all folds, one after the other."""
        folds = []
        for number, (training, scored) in enumerate(self.parts(labels, seed)):
            fit = learner.fit(
                features.take(training), labels[training], features.take(scored), seed + number
            )
            sizes = _sizes(labels[training]), _sizes(labels[scored])
            folds.append(Fold(fit, *sizes, labels[scored]))
        return Estimates(tuple(folds), float(labels.mean()))

    def parts(
        self, labels: NDArray[np.bool_], seed: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The training and the test rows of each fold."""
        cuts = [
            np.array_split(np.random.default_rng([seed, kind]).permutation(rows), self.folds)
            for kind, rows in enumerate((np.flatnonzero(~labels), np.flatnonzero(labels)))
        ]
        for both in zip(*cuts, strict=True):
            learned = [round(self.training * len(rows)) for rows in both]
            training = [rows[:size] for rows, size in zip(both, learned, strict=True)]
            scored = [rows[size:] for rows, size in zip(both, learned, strict=True)]
            yield np.concatenate(training), np.concatenate(scored)


def _sizes(labels: NDArray[np.bool_]) -> tuple[int, int]:
    synthetic = int(labels.sum())
    return len(labels) - synthetic, synthetic
