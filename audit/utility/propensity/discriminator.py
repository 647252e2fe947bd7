"""One discriminator with all its settings, fitted once to each pair of tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from audit.utility.compat.sdnist import sdnist_features
from audit.utility.metric import generator
from audit.utility.pair import Pair
from audit.utility.propensity.estimators import Estimates, Form
from audit.utility.propensity.features import (
    Features,
    Tables,
    parameters,
    regression_features,
    tree_features,
)
from audit.utility.propensity.learners import Learner

FAMILY = "propensity"
"""Names the random numbers: all metrics of this package share their draws and their fits."""

Encoding = Literal["tree", "main effects", "interactions", "sdnist"]
"""How records become features."""


@dataclass(frozen=True)
class Permuted:
    """pMSE with the labels permuted, and the splits or parameters of the largest fit."""

    pmse: float
    size: int


@dataclass(frozen=True, kw_only=True)
class Discriminator:
    """A classifier of real and synthetic records, the records it learns from, and a seed.

    Pairs are compared by identity, and what was fitted to one is held as long as it is.
    ``most_parameters`` limits a regression; ``subsample`` the records of either table,
    which are then drawn without repeats.
    """

    learner: Learner
    form: Form
    encoding: Encoding
    most_parameters: int
    subsample: int | None
    seed: int

    def obstacle(self, pair: Pair) -> str | None:
        """Why nothing can be fitted to a pair; None if something can."""
        if self in _ESTIMATES.get(pair, {}):
            return None
        tables = self._tables(pair)
        if not self.form.feasible((tables[0].records, tables[1].records)):
            return "a table has too few records for a training and a test part in each fold"
        if self.encoding in ("main effects", "interactions"):
            count = parameters(tables, self.encoding == "interactions")
            if count > self.most_parameters:
                return (
                    f"the regression would have more than {self.most_parameters} parameters; "
                    "leave interactions or attributes out, or raise most_parameters"
                )
        return None

    def fit(self, pair: Pair) -> Estimates:
        """The probabilities of the records of a pair that has no obstacle."""
        held = _ESTIMATES.setdefault(pair, {})
        if self not in held:
            features, labels = self._features(pair)
            held[self] = self.form.estimate(self.learner, features, labels, self.seed)
        return held[self]

    def permute(self, pair: Pair, seeds: tuple[int, ...]) -> tuple[Permuted, ...]:
        """The same procedure on permuted labels, once a seed."""
        held = _PERMUTED.setdefault(pair, {})
        wanted = [seed for seed in seeds if (self, seed) not in held]
        if wanted:
            features, labels = self._features(pair)
        for seed in wanted:
            mixed = np.random.default_rng(seed).permutation(labels)
            found = self.form.estimate(self.learner, features, mixed, seed)
            size = max(fold.fit.size for fold in found.folds)
            held[self, seed] = Permuted(found.propensities.pmse(), size)
        return tuple(held[self, seed] for seed in seeds)

    def _features(self, pair: Pair) -> tuple[Features, NDArray[np.bool_]]:
        tables = self._tables(pair)
        labels = np.repeat([False, True], [table.records for table in tables])
        if self.encoding == "tree":
            return tree_features(tables), labels
        if self.encoding == "sdnist":
            return sdnist_features(tables), labels
        return regression_features(tables, self.encoding == "interactions"), labels

    def _tables(self, pair: Pair) -> Tables:
        real, synthetic = pair.tables
        if self.subsample is None:
            return real, synthetic
        cuts = []
        for kind, table in enumerate((real, synthetic)):
            random = generator(f"{FAMILY}-subsample-{kind}", self.seed)
            rows = random.permutation(table.records)[: self.subsample]
            cuts.append(table.take(np.sort(rows)))
        return cuts[0], cuts[1]


_ESTIMATES: WeakKeyDictionary[Pair, dict[Discriminator, Estimates]] = WeakKeyDictionary()
_PERMUTED: WeakKeyDictionary[Pair, dict[tuple[Discriminator, int], Permuted]] = WeakKeyDictionary()
