"""Distances read off the propensities alone: pMSE, SPECKS and PO50."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from audit.utility.compat.programs import SDNIST, SYNTHPOP
from audit.utility.compat.sdnist import sequential_pmse
from audit.utility.metric import FIXED
from audit.utility.pair import Pair
from audit.utility.propensity import breakdowns
from audit.utility.propensity.estimators import Estimates
from audit.utility.propensity.metric import PropensityMetric
from audit.utility.score import Breakdown, Score

IMPORTANCES = {
    "cart": "share of the decrease of the Gini impurity",
    "logistic": "share of the summed standard deviations of what each adds to the log odds",
}
"""What the importances of each learner are."""


@dataclass(frozen=True, kw_only=True)
class PMSE(PropensityMetric):
    """The mean of (p - c)² over the scored records (Bowen & Snoke, equation 7).

    In-sample it is at most c(1 - c), and so 1/4; probabilities of records that were
    not learned from are not bounded so, and the range is then 0 to 1. The standard error
    of Algorithm 1 is that over its folds, which are cut at random.
    """

    name = "pmse"
    lowest, highest, direction = 0.0, 0.25, "lower"
    modes: ClassVar[tuple[str, ...]] = (FIXED, SYNTHPOP, SDNIST)

    @property
    def span(self) -> tuple[float, float]:
        """The range of the form."""
        return 0.0, 0.25 if self.form == "in-sample" else 1.0

    def read_off(self, pair: Pair, estimates: Estimates) -> Score:
        """PMSE; always defined."""
        found = estimates.propensities
        value = found.pmse()
        if self.mode == SDNIST:
            value = sequential_pmse(estimates.probabilities, estimates.share)
        details: list[Breakdown] = [
            breakdowns.densities(found),
            breakdowns.importances(estimates, IMPORTANCES[self.learner]),
            breakdowns.statistics(found),
        ]
        if self.form != "in-sample":
            details.append(breakdowns.folds(estimates))
        return self.scored(
            # A sum of squares may exceed its bound in the last bit.
            min(value, self.span[1]),
            seed=self.seed,
            standard_error=estimates.standard_error,
            stated=self.notes(pair, estimates),
            details=tuple(details),
        )


@dataclass(frozen=True, kw_only=True)
class Specks(PropensityMetric):
    """The Kolmogorov-Smirnov distance of the two tables' propensities (Bowen & Liu 2018)."""

    name = "specks"
    lowest, highest, direction = 0.0, 1.0, "lower"
    modes: ClassVar[tuple[str, ...]] = (FIXED, SYNTHPOP, SDNIST)

    def read_off(self, pair: Pair, estimates: Estimates) -> Score:
        """The distance, exact for the probabilities found; always defined."""
        exact = estimates.propensities.specks()
        return self.scored(
            float(exact),
            exact=exact,
            seed=self.seed,
            stated=self.notes(pair, estimates),
            details=(breakdowns.densities(estimates.propensities),),
        )


@dataclass(frozen=True, kw_only=True)
class PO50(PropensityMetric):
    """Percent of records that the threshold 1/2 tells right, minus 50 (synthpop 1.9-2).

    On unequal sizes knowing nothing already gives 100·max(c, 1 - c) - 50.
    """

    name = "po50"
    lowest, highest, direction = -50.0, 50.0, "lower"
    modes = (FIXED, SYNTHPOP)

    def read_off(self, pair: Pair, estimates: Estimates) -> Score:
        """The percentage points, exact for the probabilities found; always defined."""
        exact = estimates.propensities.po50()
        blind = 100 * max(estimates.share, 1 - estimates.share) - 50
        return self.scored(
            float(exact),
            exact=exact,
            seed=self.seed,
            stated=(
                *self.notes(pair, estimates),
                f"{blind:.6g} is what the sizes of the tables alone allow",
            ),
        )
