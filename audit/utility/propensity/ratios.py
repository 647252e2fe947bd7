"""pMSE measured by its null: the ratio and the standardised pMSE."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from audit.utility.compat import synthpop
from audit.utility.compat.programs import SYNTHPOP
from audit.utility.metric import FIXED, generator
from audit.utility.pair import Pair
from audit.utility.propensity import breakdowns
from audit.utility.propensity.discriminator import FAMILY, Permuted
from audit.utility.propensity.estimators import Estimates
from audit.utility.propensity.learners import Cart
from audit.utility.propensity.metric import PropensityMetric
from audit.utility.propensity.nulls import Null
from audit.utility.score import Score, standard_error
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.plain import is_integer

NULLS = ("permutation", "closed-form", "fitted-original")
"""The nulls that can be named; which null each of them is stands with the score."""

FITTED = (
    "the synthetic table is drawn from a model fitted to the real one, which is held fixed; the "
    "model keeps all that the classifier can see"
)
"""The null of equation 8 in words."""

PERMUTATIONS = 10
"""Permutations of Bowen & Snoke, section 5.2."""


@dataclass(frozen=True, kw_only=True)
class NullMetric(PropensityMetric):
    """A measure of pMSE by a ``null``.

    - "permutation": pMSE of the same procedure with the labels permuted, so many
      ``permutations`` (10; in mode "synthpop" 50). Null: two draws of one distribution.
    - "closed-form": Bowen & Snoke's equation 8, for an in-sample logistic regression
      alone. Null: the synthetic table is drawn from a model fitted to the real one.
    - "fitted-original": 1 - c times the permutations, which puts them on the scale of
      equation 8; in-sample alone, and not for trees that are pruned.

    ``given``: seeds of permutations to use instead of own ones.

    The standard error is that over the permutations and, in Algorithm 1, over its folds;
    ``parts`` are the permutations' contributions, and none there.
    """

    null: Literal["permutation", "closed-form", "fitted-original"] = "permutation"
    permutations: int | None = None
    given: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse a null that does not fit the form and the learner."""
        super().__post_init__()
        self._one_of("null", NULLS)
        self.at_least(self.fewest, "permutations")
        if self.given is not None and (
            len(self.given) < self.fewest
            or not all(is_integer(seed) and 0 <= seed < 2**63 for seed in self.given)
        ):
            raise InputError(
                f"{self.name}: a draw is the seed of a permutation, a whole number from 0 to "
                f"2**63 - 1, and at least {self.fewest} are needed"
            )
        if self.null != "permutation" and self.form != "in-sample":
            raise InputError(
                f"{self.name}: the null {self.null} is the expectation of an in-sample pMSE and "
                'Algorithm 1 scores records it has not learned from; use null "permutation"'
            )
        if self.null == "closed-form" and self.learner != "logistic":
            raise InputError(
                f"{self.name}: the closed form counts the parameters of a logistic regression and "
                'a tree has none; use null "permutation"'
            )
        learner = self._learner
        pruned = isinstance(learner, Cart) and learner.complexity > 0
        if self.null == "fitted-original" and (pruned or self.mode == SYNTHPOP):
            raise InputError(
                f"{self.name}: the null fitted-original scales permutations by 1 - c, which holds "
                f'neither for pruned trees nor in mode {SYNTHPOP}; use null "permutation"'
            )

    @property
    def fewest(self) -> int:
        """The fewest permutations that the metric can be taken with."""
        return 1

    def estimate_seconds(self, domain: Domain, records: int) -> float:
        """A fit to the tables, and one to each permutation."""
        fits = 1 if self.null == "closed-form" else 1 + len(self._seeds())
        return fits * super().estimate_seconds(domain, records)

    @abstractmethod
    def measure(self, pmse: float, null: Null) -> tuple[float, tuple[float, ...]]:
        """The value, and what each permutation contributes."""

    @abstractmethod
    def unit(self, null: Null) -> float:
        """The pMSE that changes the value by 1."""

    @abstractmethod
    def reason(self, null: Null) -> str | None:
        """Why this null gives no value; None if it does."""

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric with these seeds of permutations; ``InputError`` for anything else."""
        if self.null == "closed-form":
            return super().with_draws(drawn)
        seeds: tuple[Any, ...] = tuple(drawn)
        return replace(self, given=seeds)

    def read_off(self, pair: Pair, estimates: Estimates) -> Score:
        """The value, undefined with its reason where the null leaves none."""
        found: tuple[Permuted, ...] = ()
        fields: dict[str, Any] = {}
        told = [*self.notes(pair, estimates)]
        records = len(estimates.probabilities)
        if self.null == "closed-form":
            null = Null.closed_form(estimates.folds[0].fit.size, estimates.share, records)
        else:
            seeds = self._seeds()
            found = self.discriminator.permute(pair, seeds)
            null = Null.of_permutations(tuple(one.pmse for one in found), self._scale(estimates))
            what = "splits" if self.learner == "cart" else "parameters"
            fields |= {
                "drawn": seeds,
                "details": (breakdowns.permutations(found, what),),
                "seed": self.seed if self._seeded else None,
            }
            bare = sum(one.size == self._least_size for one in found)
            if self.learner == "cart":
                told.append(f"{bare} of {len(found)} permutations gave a tree without splits")
        pmse = estimates.propensities.pmse()
        told.extend((self._null_note(), f"pMSE {pmse:.9g}, null mean {null.mean:.9g}"))
        empty = bool(found) and all(one.size == self._least_size for one in found)
        reason = self._no_null(len(found)) if empty or null.mean == 0 else self.reason(null)
        if reason is not None:
            return self.undefined(reason, stated=tuple(told), **fields)
        value, parts = self.measure(pmse, null)
        error, cut = standard_error(parts), estimates.standard_error
        if cut is not None:
            # The records are cut at random too, which no permutation contributes to: pairs of
            # permutations say nothing of it.
            parts, error = (), math.hypot(error or 0.0, cut / self.unit(null))
        return self.scored(value, parts=parts, standard_error=error, stated=tuple(told), **fields)

    @property
    def _seeded(self) -> bool:
        """Whether the seed draws anything: permutations, folds or a subsample."""
        return self.given is None or self.form != "in-sample" or self.subsample is not None

    @property
    def _least_size(self) -> int:
        return 0 if self.learner == "cart" else 1

    def _seeds(self) -> tuple[int, ...]:
        if self.given is not None:
            return self.given
        own = synthpop.PERMUTATIONS if self.mode == SYNTHPOP else PERMUTATIONS
        count = own if self.permutations is None else self.permutations
        return tuple(generator(FAMILY, self.seed).integers(0, 2**32, count).tolist())

    def _scale(self, estimates: Estimates) -> float:
        if self.mode == SYNTHPOP:
            return 0.5
        return 1 - estimates.share if self.null == "fitted-original" else 1.0

    def _null_note(self) -> str:
        if self.null == "closed-form":
            return f"null: {FITTED}; its mean is (k - 1)·(1 - c)²·c/N (Bowen & Snoke, equation 8)"
        if self.mode == SYNTHPOP:
            return (
                f"null: {FITTED}; its mean is taken to be half that over permutations of the "
                "labels, which is right for tables of equal size alone"
            )
        if self.null == "fitted-original":
            return f"null: {FITTED}; its mean is 1 - c times that over permutations of the labels"
        return (
            "null: both tables are draws of one distribution; its mean is that over permutations "
            "of the labels, each through the same procedure"
        )

    def _no_null(self, permutations: int) -> str:
        if self.learner == "logistic":
            return "all attributes are constant, so that the null mean of pMSE is 0"
        return (
            f"all {permutations} permutations gave a tree without splits, so that the null mean of "
            "pMSE is 0"
        )


@dataclass(frozen=True, kw_only=True)
class PMSERatio(NullMetric):
    """PMSE over its mean under the null (Bowen & Snoke, section 4): about 1 if the null holds."""

    name = "pmse-ratio"
    lowest, highest, direction = 0.0, float("inf"), "lower"
    modes = (FIXED, SYNTHPOP)

    def measure(self, pmse: float, null: Null) -> tuple[float, tuple[float, ...]]:
        """The ratio."""
        return null.ratio(pmse)

    def unit(self, null: Null) -> float:
        """The mean of the null."""
        return null.mean

    def reason(self, null: Null) -> str | None:
        """Always None: only the mean is needed."""
        return None


@dataclass(frozen=True, kw_only=True)
class StandardisedPMSE(NullMetric):
    """PMSE minus its mean under the null, in standard deviations of the null.

    About 0 if the null holds, and unbounded above.
    """

    name = "standardised-pmse"
    lowest, highest, direction = float("-inf"), float("inf"), "lower"

    @property
    def fewest(self) -> int:
        """Two, for a standard deviation."""
        return 2

    def measure(self, pmse: float, null: Null) -> tuple[float, tuple[float, ...]]:
        """The standardised difference."""
        return null.standardise(pmse)

    def unit(self, null: Null) -> float:
        """The deviation of the null, which ``reason`` has found to be one."""
        assert null.deviation
        return null.deviation

    def reason(self, null: Null) -> str | None:
        """Permutations that are all alike leave no scale."""
        if not null.deviation:
            return "all permutations gave the same pMSE, so that the null has no spread"
        return None
