"""What all metrics of this package have in common: their discriminator and what is told of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from audit.utility.compat.programs import SDNIST, SYNTHPOP
from audit.utility.compat.sdnist import TREE
from audit.utility.compat.synthpop import CP, RPART_DEPTH
from audit.utility.metric import FIXED, Metric
from audit.utility.numeric_columns import midpoints_note
from audit.utility.pair import Pair
from audit.utility.propensity.discriminator import Discriminator, Encoding
from audit.utility.propensity.estimators import AlgorithmOne, Estimates, Form, InSample
from audit.utility.propensity.learners import Cart, Learner, Logistic
from audit.utility.score import Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError

DEPTH = 6
"""SDNist's depth: at most 64 leaves leave even small tables a null far below c(1 - c)."""

SMALLEST_LEAF = 5
"""synthpop's ``minbucket``."""


SECONDS_A_TREE, SECONDS_A_REGRESSION = 2e-7, 3e-7
"""To fit one number of one record: of a tree's columns, of a regression's parameters."""


@dataclass(frozen=True, kw_only=True)
class PropensityMetric(Metric):
    """A measure of how well a classifier tells the two tables apart.

    ``learner``: a classification tree, or a logistic regression without penalty of main
    effects, or with ``interactions`` of all products of two attributes too.
    ``form``: "in-sample", or "algorithm-1" of Bowen & Snoke with ``folds``, of each of
    which the share ``training`` is learned from and the rest scored.
    ``depth``, ``smallest_leaf`` and ``complexity`` limit a tree, and none of them is ever
    chosen by looking at the tables; ``iterations`` and ``most_parameters`` limit a
    regression. What is None is the mode's own: depth 6, leaves of 5 records, no pruning,
    no interactions; in mode "synthpop" depth 30, pruning at 1e-3, and interactions.
    ``subsample``: at most so many records of either table, drawn by the seed. None
    takes all. The metrics of this package share one fit a pair of tables and settings.
    """

    family = "tree classifier"

    learner: Literal["cart", "logistic"] = "cart"
    form: Literal["in-sample", "algorithm-1"] = "in-sample"
    interactions: bool | None = None
    depth: int | None = None
    smallest_leaf: int | None = None
    complexity: float | None = None
    iterations: int = 100
    most_parameters: int = 400
    folds: int = 5
    training: Fraction = Fraction(7, 10)
    subsample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse parameters out of range, and those that the mode's program does not have."""
        super().__post_init__()
        self._one_of("learner", ("cart", "logistic"))
        self._one_of("form", ("in-sample", "algorithm-1"))
        self.at_least(0, "seed")
        self.at_least(1, "depth", "smallest_leaf", "iterations", "subsample")
        self.at_least(2, "most_parameters", "folds")
        if self.complexity is not None and not 0 <= self.complexity < 1:
            raise InputError(f"{self.name}: complexity must be at least 0 and below 1")
        if not 0 < self.training < 1:
            raise InputError(f"{self.name}: training must be a share between 0 and 1")
        if self.mode != FIXED and self.form != "in-sample":
            raise InputError(
                f'{self.name}: the mode {self.mode} is in-sample; set form "in-sample"'
            )
        own = (self.interactions, self.depth, self.smallest_leaf, self.complexity, self.subsample)
        if self.mode == SDNIST and (self.learner != "cart" or own != (None,) * len(own)):
            raise InputError(
                f"{self.name}: the mode {SDNIST} has a tree of its own; leave out learner, "
                "interactions, depth, smallest_leaf, complexity and subsample"
            )

    @property
    def discriminator(self) -> Discriminator:
        """The classifier with its data, as the parameters and the mode say."""
        encoding: Encoding = "tree"
        if self.mode == SDNIST:
            encoding = "sdnist"
        elif self.learner == "logistic":
            encoding = "interactions" if self._interactions else "main effects"
        form: Form = InSample()
        if self.form == "algorithm-1":
            form = AlgorithmOne(self.folds, self.training)
        return Discriminator(
            learner=self._learner,
            form=form,
            encoding=encoding,
            most_parameters=self.most_parameters,
            subsample=self.subsample,
            seed=self.seed,
        )

    def estimate_seconds(self, domain: Domain, records: int) -> float:
        """One fit of the classifier to the records of both tables."""
        if self.learner == "cart":
            return 2 * records * len(domain.names) * SECONDS_A_TREE
        return 2 * records * self.most_parameters * SECONDS_A_REGRESSION

    def score(self, pair: Pair) -> Score:
        """The score from the shared fit; undefined where nothing can be fitted."""
        obstacle = self.discriminator.obstacle(pair)
        if obstacle is not None:
            return self.undefined(obstacle, seed=self.seed)
        return self.read_off(pair, self.discriminator.fit(pair))

    @abstractmethod
    def read_off(self, pair: Pair, estimates: Estimates) -> Score:
        """The score from the probabilities of both tables' records."""

    def notes(self, pair: Pair, estimates: Estimates) -> tuple[str, ...]:
        """What a reader has to know of the discriminator beside any of its scores."""
        told = [self._learner_note(estimates), self._form_note(), self._sizes_note(pair)]
        if any(not fold.fit.converged for fold in estimates.folds):
            told.append(f"the regression had not converged after {self.iterations} iterations")
        if any(fold.fit.separated for fold in estimates.folds):
            told.append(
                "some fitted probabilities are all but 0 or 1: coefficients without a finite "
                "estimate, as of a value that one table alone has"
            )
        if estimates.propensities.specks() == 1:
            told.append("the classifier separates the two tables perfectly")
        if self.mode != SDNIST:
            told.extend(midpoints_note(pair))
        return tuple(told)

    @property
    def _interactions(self) -> bool:
        return self.mode == SYNTHPOP if self.interactions is None else self.interactions

    @property
    def _learner(self) -> Learner:
        if self.mode == SDNIST:
            return TREE
        if self.learner == "logistic":
            return Logistic(self.iterations)
        synthpop = self.mode == SYNTHPOP
        depth = RPART_DEPTH if synthpop else DEPTH
        leaf = SMALLEST_LEAF if self.smallest_leaf is None else self.smallest_leaf
        complexity = CP if synthpop else 0.0
        return Cart(
            depth=depth if self.depth is None else self.depth,
            smallest_leaf=leaf,
            # rpart's own minsplit where only minbucket is given.
            smallest_split=3 * leaf if synthpop else 2,
            complexity=complexity if self.complexity is None else self.complexity,
        )

    def _learner_note(self, estimates: Estimates) -> str:
        learner = self._learner
        sizes = ", ".join(str(fold.fit.size) for fold in estimates.folds)
        if isinstance(learner, Cart):
            return (
                f"CART by the Gini index, factors split as ordered codes: depth at most "
                f"{learner.depth}, at least {learner.smallest_leaf} records a leaf, "
                f"cost-complexity pruning at {learner.complexity:g} of the root's impurity; "
                f"splits: {sizes}"
            )
        effects = (
            "main effects and all two-way interactions" if self._interactions else ("main effects")
        )
        return (
            f"logistic regression without penalty, {effects}; parameters without aliased ones, "
            f"the intercept included: {sizes}"
        )

    def _form_note(self) -> str:
        if self.form == "in-sample":
            return "in-sample: the scored records are those that were learned from"
        return (
            f"Algorithm 1 of Bowen & Snoke: {self.folds} folds, {float(self.training):.0%} of each "
            "learned from and the rest scored, both cuts stratified by table"
        )

    def _sizes_note(self, pair: Pair) -> str:
        real, synthetic = pair.records
        if self.subsample is not None:
            real, synthetic = min(real, self.subsample), min(synthetic, self.subsample)
        taken = "" if self.subsample is None else ", a subsample by the seed"
        share = synthetic / (real + synthetic)
        return f"{real} real and {synthetic} synthetic records, c = {share:.6g}{taken}"

    def _one_of(self, name: str, allowed: tuple[str, ...]) -> None:
        value = getattr(self, name)
        if value not in allowed:
            raise InputError(
                f"{self.name}: {name} must be one of {', '.join(allowed)}, not {value!r}"
            )
