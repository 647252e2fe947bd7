"""Classifiers that guess of each record how likely it is synthetic."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from scipy.linalg.lapack import dpstrf
from scipy.sparse import csr_matrix
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from audit.utility.propensity.features import Features, shares

ALIASED = 1e-10
"""A column is dropped if the others explain all of its variance but this share.

R's ``glm`` asks 1e-11 of the standard deviation; the Gram matrix in doubles cannot tell
shares below about 1e-15, and levels of factors are aliased exactly or not at all.
"""

SEPARATED = 1e-6
"""A fitted probability so near 0 or 1 shows a coefficient that has no finite estimate, or
nearly so (R's ``glm`` warns likewise, at ten times the rounding of a double)."""

GRADIENT = 1e-10
"""The largest slope of the mean log-likelihood at which a regression has converged."""

SPARSE = 0.25
"""With a smaller share of numbers other than 0, as of many levels of factors, a regression is
several times as fast on the sparse matrix; ``benchmarks/propensity.py`` times it."""

BLOCK = 2**14
"""Records that are centred at once."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Probabilities [scored] of being synthetic by one fitted classifier.

    ``size``: the splits of a tree, or the parameters of a regression without aliased
    ones, the intercept included. ``importances``: the share of each attribute in telling
    the tables apart. ``converged`` and ``separated`` concern regressions.
    """

    probabilities: NDArray[np.float64]
    size: int
    importances: dict[str, float]
    converged: bool = True
    separated: bool = False


class Learner(Protocol):
    """A kind of classifier with its complexity."""

    def fit(
        self, training: Features, labels: NDArray[np.bool_], scored: Features, seed: int
    ) -> Fit:
        """Learn ``labels`` [training], both of which occur, and give the ``scored`` chances."""


@dataclass(frozen=True)
class Cart:
    """A classification tree with the Gini index, pruned by minimal cost-complexity.

    ``depth`` and ``smallest_leaf`` limit its growth, and a node of fewer records than
    ``smallest_split`` is a leaf. ``complexity``: a subtree is cut off if it lowers the
    impurity by less than this share of the root's for each of its leaves but one
    (rpart's ``cp`` with the Gini index; rpart prunes classes by misclassification). 0
    prunes nothing. The seed decides between splits that are equally good.
    """

    depth: int
    smallest_leaf: int
    smallest_split: int = 2
    complexity: float = 0.0

    def fit(
        self, training: Features, labels: NDArray[np.bool_], scored: Features, seed: int
    ) -> Fit:
        """The share of synthetic training records in each scored record's leaf."""
        share = float(labels.mean())
        tree = DecisionTreeClassifier(
            max_depth=self.depth,
            min_samples_leaf=self.smallest_leaf,
            min_samples_split=self.smallest_split,
            ccp_alpha=self.complexity * 2 * share * (1 - share),
            random_state=seed % 2**32,
        ).fit(training.matrix, labels)
        return Fit(
            np.asarray(tree.predict_proba(scored.matrix)[:, 1], dtype=np.float64),
            int(tree.get_n_leaves()) - 1,
            shares(training.owners, tree.feature_importances_.tolist()),
        )


@dataclass(frozen=True)
class Logistic:
    """A logistic regression without penalty, of at most so many Newton iterations.

    Importance of an attribute: the standard deviation over the training records of what
    its columns add to the log odds.
    """

    iterations: int

    def fit(
        self, training: Features, labels: NDArray[np.bool_], scored: Features, seed: int
    ) -> Fit:
        """The fitted probabilities; ``seed`` is not used, since there is one best fit."""
        kept = independent_columns(training.matrix)
        if not kept.size:
            everyone = np.full(scored.records, labels.mean())
            return Fit(everyone, 1, dict.fromkeys(training.owners, 0.0))
        regression = LogisticRegression(
            C=np.inf, solver="newton-cholesky", tol=GRADIENT, max_iter=self.iterations
        )
        every = kept.size == training.matrix.shape[1]
        chosen = training.matrix if every else training.matrix[:, kept]
        sparse = np.count_nonzero(chosen) < SPARSE * chosen.size
        with warnings.catch_warnings():
            # That it has not converged is read off below, and told with the score.
            warnings.simplefilter("ignore", ConvergenceWarning)
            # So is an ill-conditioned step: it comes of estimates that are not finite.
            warnings.simplefilter("ignore", LinAlgWarning)
            regression.fit(csr_matrix(chosen) if sparse else chosen, labels)
        slopes = np.zeros(training.matrix.shape[1])
        slopes[kept] = regression.coef_[0]
        probabilities = expit(_log_odds(scored, slopes, float(regression.intercept_[0])))
        return Fit(
            probabilities,
            int(kept.size) + 1,
            _spreads(training, slopes),
            int(regression.n_iter_[0]) < self.iterations,
            bool(np.minimum(probabilities, 1 - probabilities).min() < SEPARATED),
        )


def independent_columns(matrix: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.int64]:
    """Columns, ascending, that with an intercept span what all columns and it span.

    By a pivoted Cholesky factor of the correlation matrix.
    """
    means = matrix.mean(axis=0, dtype=np.float64)
    gram = np.zeros((len(means), len(means)))
    for start in range(0, len(matrix), BLOCK):
        centred = matrix[start : start + BLOCK] - means
        gram += centred.T @ centred
    spreads = np.sqrt(gram.diagonal())
    # A column that is constant but for the rounding of its mean.
    varying = np.flatnonzero(spreads > 1e-12 * np.sqrt(len(matrix)) * (np.abs(means) + 1e-300))
    if not varying.size:
        return varying
    scale = spreads[varying]
    correlations = gram[np.ix_(varying, varying)] / np.outer(scale, scale)
    _, pivots, rank, _ = dpstrf(correlations, tol=ALIASED)
    return np.sort(varying[pivots[:rank] - 1])


def _log_odds(
    features: Features, slopes: NDArray[np.float64], intercept: float
) -> NDArray[np.float64]:
    # Column by column, so that equal records have equal odds to the last bit: ranks need it.
    odds = np.full(features.records, intercept)
    for column in np.flatnonzero(slopes):
        odds += features.matrix[:, column] * slopes[column]
    return odds


def _spreads(features: Features, slopes: NDArray[np.float64]) -> dict[str, float]:
    owners = tuple(dict.fromkeys(features.owners))
    numbers = np.array([owners.index(owner) for owner in features.owners])
    parts = [
        float(_log_odds(features, np.where(numbers == number, slopes, 0.0), 0.0).std())
        for number in range(len(owners))
    ]
    return shares(owners, parts)
