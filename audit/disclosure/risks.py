"""What an attack gains from a record's being in the table: its risk, with an exact interval.

Giomi, Boenisch, Wehmeyer & Tasnádi (2023), "A unified framework for quantifying privacy risk in
synthetic data": with the rates τ of hits among trials, R = (τ_real - τ_holdout)/(1 - τ_holdout).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, lambertw

Array = NDArray[np.float64]

CELLS = 200
"""Into so many parts the ways are cut in which two rates share an error (more narrow an interval by
less than a hundredth)."""

SLACK = 1e-9
"""Absolute margin of a rate's bound for the rounding of doubles."""


STRANGE = 1e-5
"""How seldom, by chance alone, the holdout is hit so much more often that its choice is doubted."""


@dataclass(frozen=True)
class Trials:
    """How often an attack was tried, and how often it hit."""

    made: int
    hits: int

    @property
    def rate(self) -> float | None:
        """The share of hits; None without a trial."""
        return self.hits / self.made if self.made else None


@dataclass(frozen=True)
class Risk:
    """An attack on records of the ``real`` table and of the ``holdout``.

    ``baseline``: the attack of whoever guesses without the release's records, on the real table.
    ``error``: of the interval, both ends together.
    """

    attack: str
    real: Trials
    holdout: Trials
    baseline: Trials
    error: float

    @property
    def estimate(self) -> float | None:
        """R, at least 0; None where no record of the holdout withstands, or none was tried."""
        real, holdout = self.real.rate, self.holdout.rate
        if real is None or holdout is None or holdout == 1:
            return None
        return max(0.0, (real - holdout) / (1 - holdout))

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Ends of R between 0 and 1, where what lies below 0 counts as 0.

        Guarantee
        ---------
        Where trials are independent, each with the chance of its table, R lies outside with
        probability at most ``error``: an end excludes those pairs of chances for which the product
        of both exact binomial p-values is too small for two uniform numbers (Fisher 1932). Backed
        by ``tests/audit/disclosure/test_risks.py``.
        """
        product = _smallest_product(self.error / 2)
        shares = np.exp(np.linspace(math.log(product), 0.0, CELLS + 1))
        # Within a cell the bound of the real rate is worst at its right end, the other's at its
        # left one: no place between is looked at, and none is missed.
        right, left = product / shares[1:], shares[:-1]
        low = _risk(_at_least(self.real, right), _at_most(self.holdout, left)).min()
        high = _risk(_at_most(self.real, right), _at_least(self.holdout, left)).max()
        return float(np.clip(low, 0.0, 1.0)), float(np.clip(high, 0.0, 1.0))

    @property
    def hits_holdout_more(self) -> bool:
        """Whether the holdout is hit more often than the real table, by more than chance.

        That is none of the release's doing: the tables were exchanged, or differ otherwise.
        """
        turned = replace(self, real=self.holdout, holdout=self.real, error=STRANGE)
        return turned.interval[0] > 0

    @property
    def has_power(self) -> bool:
        """Whether the attack hits the real table more often than its baseline does."""
        return (self.real.rate or 0.0) > (self.baseline.rate or 0.0)


def _smallest_product(error: float) -> float:
    """The c with which two uniform numbers have a product of at most c with this probability.

    That is c (1 - ln c), solved by the lower branch of Lambert's W.
    """
    return float(np.exp(1 + lambertw(-error / math.e, -1).real))


def _risk(real: Array, holdout: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 1 - (1 - real) / (1 - holdout)
    # No record of the holdout may withstand: nothing is known then.
    return np.where(np.isnan(found), 0.0, found)


def _at_least(trials: Trials, errors: Array) -> Array:
    """Clopper & Pearson's lower bounds of a chance."""
    if not trials.hits:
        return np.zeros_like(errors)
    found = betaincinv(trials.hits, trials.made - trials.hits + 1, errors)
    return np.maximum(found - SLACK, 0.0)


def _at_most(trials: Trials, errors: Array) -> Array:
    """Their upper ones."""
    return 1 - _at_least(Trials(trials.made, trials.made - trials.hits), errors)
