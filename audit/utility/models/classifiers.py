"""Classifiers that predict one attribute from others, and how good their predictions are.

The only module behind train-on-synthetic that needs scikit-learn.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier


@dataclass(frozen=True, eq=False)
class Examples:
    """Records to learn from or to predict: ``features`` [records, columns], ``classes`` [records].

    ``nominal`` columns hold codes, the others numbers, 0 where there is none.
    """

    features: NDArray[np.float64]
    nominal: tuple[int, ...]
    classes: NDArray[np.int64]

    def take(self, rows: NDArray[np.int64]) -> Examples:
        """The examples at ``rows``."""
        return Examples(self.features[rows], self.nominal, self.classes[rows])


@dataclass(frozen=True)
class Quality:
    """Macro-averaged F1 and area under the ROC curve, both in [0, 1]."""

    f1: float
    auc: float


def predictions(
    classifier: str, training: Examples, kept_back: Examples, seed: int
) -> NDArray[np.float64]:
    """The chances [records, classes] of the classes that occur in ``kept_back``, ascending.

    A class that the classifier has never seen has chance 0. One that has seen a single
    class predicts it.
    """
    wanted = np.unique(kept_back.classes)
    seen = np.unique(training.classes)
    chances = np.zeros((len(kept_back.classes), len(wanted)))
    if len(seen) == 1:
        chances[:, wanted == seen[0]] = 1.0
        return chances
    model = _CLASSIFIERS[classifier](training, seed)
    with warnings.catch_warnings():
        # A regression that stops early is still a classifier.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(training.features, training.classes)
    found = model.predict_proba(kept_back.features)
    places = np.searchsorted(wanted, model.classes_)
    known = np.isin(model.classes_, wanted)
    chances[:, places[known]] = found[:, known]
    return chances


def quality(chances: NDArray[np.float64], classes: NDArray[np.int64]) -> Quality:
    """How good chances [records, k] of the k ≥ 2 classes that occur are; both are macro means.

    The class predicted is the likeliest one, the first of equals; where all of these
    chances are 0, none. AUC is taken of each class against the rest.
    """
    labels = np.unique(classes)
    predicted = np.where(chances.any(axis=1), labels[chances.argmax(axis=1)], labels[0] - 1)
    f1 = f1_score(classes, predicted, labels=labels, average="macro", zero_division=0)
    areas = [
        roc_auc_score(classes == label, chances[:, place]) for place, label in enumerate(labels)
    ]
    return Quality(float(f1), float(np.mean(areas)))


def _logistic(training: Examples, seed: int) -> Any:
    return make_pipeline(_scale(training), LogisticRegression(max_iter=200))


def _tree(training: Examples, seed: int) -> Any:
    return DecisionTreeClassifier(max_depth=12, min_samples_leaf=5, random_state=seed)


def _forest(training: Examples, seed: int) -> Any:
    return RandomForestClassifier(
        n_estimators=50, min_samples_leaf=5, max_samples=None, random_state=seed
    )


def _naive_bayes(training: Examples, seed: int) -> Any:
    return make_pipeline(_scale(training, dense=True), GaussianNB())


def _scale(training: Examples, dense: bool = False) -> ColumnTransformer:
    """Codes as indicators, numbers with mean 0 and variance 1 over the training records."""
    nominal = list(training.nominal)
    numbers = [c for c in range(training.features.shape[1]) if c not in training.nominal]
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=not dense)
    return ColumnTransformer(
        [("codes", indicators, nominal), ("numbers", StandardScaler(), numbers)]
    )


_CLASSIFIERS: Mapping[str, Callable[[Examples, int], Any]] = {
    "logistic": _logistic,
    "tree": _tree,
    "forest": _forest,
    "naive-bayes": _naive_bayes,
}

CLASSIFIERS = {
    "logistic": "logistic regression, L2 penalty with C = 1, indicators and scaled numbers",
    "tree": "CART of depth at most 12, at least 5 records a leaf",
    "forest": "50 trees, at least 5 records a leaf",
    "naive-bayes": "Gaussian naive Bayes on indicators and scaled numbers",
}
"""The classifiers there are, and what each is."""
