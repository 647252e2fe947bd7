"""What pMSE is expected to be when nothing is wrong with the synthetic table, and of which kind.

Two nulls are in use, and they differ by the factor 1 - c, c being the synthetic share of
all N records:

- *two draws of one distribution*: the real table is as random as the synthetic one. A
  permutation of the labels imitates it, and the in-sample pMSE of a logistic regression
  with k parameters has the mean (k - 1)·c(1 - c)/N;
- *drawn from the fitted original*: the real table is held fixed and the synthetic one is
  drawn from a model fitted to it that keeps all the classifier can see: the margins for a
  regression of main effects, everything for a tree, as a bootstrap does. The mean is
  (k - 1)·c(1 - c)²/N, Bowen & Snoke's equation 8, although their text names the first null.

Why the factor: the slope of the log-likelihood at equal chances is (1 - c)·Σ_S x - c·Σ_T x,
x centred at the expected record. With both tables random its variance per unit variance of x is
n*(1 - c)² + n·c² = N·c(1 - c). With T fixed and x centred at T's mean only the first term is
left, N·c(1 - c)². pMSE is, to first order, a quadratic form of that slope. The order of splits
that a tree prefers is the same on either scale, so that the factor carries over to in-sample
trees that are not pruned by a threshold of gain, as far as their leaves are large.

Formulas and factor are in-sample: the probability of a record that was not learned from has
another law, and only permutations through the same procedure fit it. Out of sample the mean is
about (k - 1)·c(1 - c)/n_train. Algorithm 1 trains on 14 % of the records, which is 1/(0.14(1 - c))
times equation 8: 14.3 times at equal sizes, and with k for k - 1 if the cuts do not keep the
tables' shares.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from audit.utility.score import jackknife_parts

NO_SPREAD = 1e-6
"""Permutations that differ by so little, by the standards of all of them, differ by rounding."""


@dataclass(frozen=True)
class Null:
    """The mean of pMSE under a null, and its standard deviation where that is known.

    ``values``: pMSE of each permutation behind it, put on the null's scale.
    """

    mean: float
    deviation: float | None
    values: tuple[float, ...] = ()

    @classmethod
    def of_permutations(cls, found: tuple[float, ...], scale: float) -> Null:
        """The null of permuted labels times ``scale``: 1, or 1 - c for the fitted original."""
        values = tuple(scale * pmse for pmse in found)
        spread = statistics.stdev(values) if len(values) > 1 else None
        return cls(math.fsum(values) / len(values), spread, values)

    @classmethod
    def closed_form(cls, parameters: int, share: float, records: int) -> Null:
        """Bowen & Snoke's equation 8: for the in-sample pMSE of a logistic regression alone.

        ``parameters``: k, the regression's rank with the intercept. The deviation is
        that of k - 1 independent squares: √(2(k - 1))·(1 - c)²c/N.
        """
        unit = (1 - share) ** 2 * share / records
        return cls((parameters - 1) * unit, math.sqrt(2 * (parameters - 1)) * unit)

    def ratio(self, pmse: float) -> tuple[float, tuple[float, ...]]:
        """pMSE over the mean, and what each permutation contributes to it.

        Contributions are linearised at the mean, so that theirs is the ratio and their
        standard error that of the ratio.
        """
        value = pmse / self.mean
        return value, tuple(value * (2 - null / self.mean) for null in self.values)

    def standardise(self, pmse: float) -> tuple[float, tuple[float, ...]]:
        """(pMSE - mean)/deviation, and what each permutation contributes.

        By the jackknife: the deviation of few permutations is itself so uncertain that a
        linearisation understates the error of the value by a third. No contributions
        where leaving one permutation out leaves no spread.
        """
        if not self.deviation:
            raise ValueError("a null without spread standardises nothing")
        value = (pmse - self.mean) / self.deviation
        without = []
        for place in range(len(self.values)):
            rest = self.values[:place] + self.values[place + 1 :]
            deviation = statistics.stdev(rest) if len(rest) > 1 else 0.0
            if deviation <= NO_SPREAD * self.deviation:
                return value, ()
            without.append((pmse - math.fsum(rest) / len(rest)) / deviation)
        return value, jackknife_parts(value, without) if without else ()
