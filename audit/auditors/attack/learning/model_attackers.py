"""Attackers that fit models: weighted sums, boosted trees, a small network."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from audit.auditors.attack.columns.cuts import codes
from audit.auditors.attack.learning.counting_attackers import logistic_weights
from audit.auditors.attack.learning.learning import Cost, Learning
from audit.auditors.attack.scores.rules import Score
from audit.auditors.attack.scores.trees import Tree, Trees
from audit.auditors.attack.scores.weighings import Linear, Network, Scaling
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

FloatArray = NDArray[np.float64]

LINEAR_RUNS = 100_000
"""Runs from which weights are learned (their errors are then below one
in a hundred)."""

TREE_RUNS, NETWORK_RUNS = 40_000, 20_000
"""Runs from which trees and networks are learned (each in a second)."""

LEAST_RUNS = 200
"""Runs for which trees and networks are fitted (of fewer they learn
noise)."""

TREES, DEPTH, RATE = 60, 3, 0.2
"""Boosted trees, their depth and learning rate (interactions of three
columns; more trees gain nothing at TREE_RUNS)."""

RUNS_A_TREE = 10_000
"""Runs that each tree sees, drawn anew (stochastic gradient boosting,
Friedman 2002)."""

LEAF_RUNS = 20
"""Runs in a leaf (fewer show no ratio that stands out of noise)."""

HIDDEN = 16
"""Units in the hidden layer."""


@dataclass(frozen=True)
class LinearAttacker:
    """Logistic regression on scaled columns."""

    name: str
    learning: Learning
    cost: Cost = Cost.MIDDLE

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A weighted sum; None where there are no columns."""
        lesson = self.learning(runs, pair).first(LINEAR_RUNS)
        if not len(lesson.columns):
            return None
        scaling, scaled = _scale(lesson.matrix)
        return Linear(lesson.columns, scaling, logistic_weights(scaled, lesson.coins))


def _scale(matrix: FloatArray) -> tuple[Scaling, FloatArray]:
    scaling = Scaling.of(matrix)
    columns = [scaling.scale_column(column, place) for place, column in enumerate(matrix.T)]
    return scaling, np.stack(columns, axis=1)


@dataclass(frozen=True)
class TreeAttacker:
    """Gradient-boosted trees (Friedman 2001): steps, and interactions of columns."""

    name: str
    learning: Learning
    cost: Cost = Cost.HIGH

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A sum of trees; None where there are few runs or no columns."""
        lesson = self.learning(runs, pair).first(TREE_RUNS)
        if not len(lesson.columns) or min(lesson.coins.sum(), (~lesson.coins).sum()) < LEAST_RUNS:
            return None
        # Bins in place of values: sklearn's trees hold single precision, which holds their numbers.
        edges = [tally.edges for tally in lesson.tallies]
        binned = [codes(*pair) for pair in zip(lesson.matrix.T, edges, strict=True)]
        model = GradientBoostingClassifier(
            n_estimators=TREES,
            max_depth=DEPTH,
            learning_rate=RATE,
            subsample=min(0.5, RUNS_A_TREE / len(lesson.coins)),
            min_samples_leaf=LEAF_RUNS,
            init="zero",
            random_state=0,
        ).fit(np.stack(binned, axis=1).astype(np.float32), lesson.coins)
        fitted = [estimator.tree_ for estimator in model.estimators_[:, 0]]
        used = np.unique(np.concatenate([tree.feature[tree.feature >= 0] for tree in fitted]))
        return Trees(
            lesson.columns.take(used.tolist()),
            tuple(_tree(tree, edges, used.tolist()) for tree in fitted),
        )


def _tree(fitted: Any, edges: list[FloatArray], used: list[int]) -> Tree:
    """A tree of scikit-learn's on bins as one on values: left up to a bin is left below its end."""
    inner = (fitted.feature >= 0).tolist()
    column = [used.index(f) if f >= 0 else -1 for f in fitted.feature.tolist()]
    cut = [
        float(edges[f][math.floor(t)]) if f >= 0 else 0.0
        for f, t in zip(fitted.feature.tolist(), fitted.threshold.tolist(), strict=True)
    ]
    value = np.where(inner, 0.0, RATE * fitted.value[:, 0, 0])
    left, right = fitted.children_left.tolist(), fitted.children_right.tolist()
    return Tree(tuple(column), tuple(cut), tuple(left), tuple(right), tuple(value.tolist()))


@dataclass(frozen=True)
class NetworkAttacker:
    """One hidden layer of rectified linear units, fitted until held-out runs get no better."""

    name: str
    learning: Learning
    cost: Cost = Cost.HIGH

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A network; None where there are few runs or no columns."""
        lesson = self.learning(runs, pair).first(NETWORK_RUNS)
        if not len(lesson.columns) or min(lesson.coins.sum(), (~lesson.coins).sum()) < LEAST_RUNS:
            return None
        scaling, scaled = _scale(lesson.matrix)
        model = MLPClassifier(
            hidden_layer_sizes=(HIDDEN,),
            batch_size=min(200, len(scaled) // 10),
            learning_rate_init=0.005,
            max_iter=40,
            early_stopping=True,
            n_iter_no_change=4,
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(scaled, lesson.coins)
        layers = tuple(zip(model.coefs_, model.intercepts_, strict=True))
        return Network(lesson.columns, scaling, layers)
