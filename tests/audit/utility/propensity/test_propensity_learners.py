from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.propensity.features import Features, regression_features, tree_features
from audit.utility.propensity.learners import Cart, Logistic, independent_columns
from audit.utility.propensity.logistic import LogisticPMSE
from tests.audit.utility.propensity import slow_propensity as slow

NEWTON = Logistic(iterations=100)


def labels_of(pair):
    return np.repeat([False, True], pair.records)


@pytest.mark.parametrize("interactions", [False, True])
@pytest.mark.parametrize(
    ("cells", "sizes"), [("2x3", (60, 60)), ("2x3x4", (400, 150)), ("5x2x2x3", (300, 900))]
)
def test_the_regression_is_that_of_reweighted_least_squares(cells, sizes, interactions):
    pair = slow.random_pair(cells, sizes, seed=1, tilt=0.2)
    labels = labels_of(pair)
    chances, rank = slow.regression(slow.one_hot(pair, interactions), labels)
    features = regression_features(pair.tables, interactions)
    fit = NEWTON.fit(features, labels, features, 0)
    assert fit.size == rank
    assert np.abs(fit.probabilities - chances).max() < 1e-8
    share = float(labels.mean())
    assert slow.pmse(fit.probabilities, share) == pytest.approx(slow.pmse(chances, share), rel=1e-8)
    assert fit.converged and not fit.separated


def test_aliased_columns_are_not_counted_and_change_nothing():
    pair = slow.random_pair("3x2x4", (200, 300), seed=2, tilt=0.3)
    labels, plain = labels_of(pair), regression_features(pair.tables, False)
    double = Features(
        np.column_stack([plain.matrix, plain.matrix[:, 1] - 2 * plain.matrix[:, 0], np.ones(500)]),
        (*plain.owners, "a1", "a1"),
    )
    one, two = (NEWTON.fit(features, labels, features, 0) for features in (plain, double))
    assert one.size == two.size == 7
    assert np.abs(one.probabilities - two.probabilities).max() < 1e-9


@given(
    st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=2, max_size=12).map(
        lambda rows: np.array(rows, dtype=float)
    )
)
@settings(max_examples=60)
def test_the_rank_is_that_of_the_matrix_with_an_intercept(matrix):
    with_ones = np.column_stack([np.ones(len(matrix)), matrix])
    kept = independent_columns(matrix)
    assert len(kept) + 1 == np.linalg.matrix_rank(with_ones)
    assert np.linalg.matrix_rank(with_ones[:, [0, *(kept + 1)]]) == len(kept) + 1


def test_equal_records_have_equal_probabilities_to_the_last_bit():
    pair = slow.random_pair("3x4x5x2", (501, 307), seed=4, tilt=0.1)
    labels, features = labels_of(pair), regression_features(pair.tables, True)
    fit = NEWTON.fit(features, labels, features, 0)
    distinct = np.unique(np.concatenate([table.codes for table in pair.tables]), axis=0)
    assert len(np.unique(fit.probabilities)) <= len(distinct)


def test_perfect_separation_is_flagged_and_gives_the_labels():
    features = Features(np.repeat([[0.0], [1.0]], 50, axis=0), ("a",))
    labels = np.repeat([False, True], 50)
    fit = NEWTON.fit(features, labels, features, 0)
    assert fit.separated
    assert np.abs(fit.probabilities - labels).max() < 1e-6


def test_a_value_of_one_table_alone_is_flagged():
    column = np.concatenate([np.tile([0.0, 0.0], 50), np.ones(20)])
    labels = np.concatenate([np.tile([False, True], 50), np.ones(20, dtype=bool)])
    features = Features(column[:, None], ("a",))
    fit = NEWTON.fit(features, labels, features, 0)
    assert fit.separated
    assert fit.probabilities[0] == pytest.approx(0.5, abs=1e-6)
    assert fit.probabilities[-1] == pytest.approx(1, abs=1e-6)


def test_too_few_iterations_are_told():
    pair = slow.random_pair("3x4", (300, 300), seed=5, tilt=0.5)
    features = regression_features(pair.tables, True)
    assert not Logistic(iterations=1).fit(features, labels_of(pair), features, 0).converged


def test_without_a_column_that_varies_everyone_has_the_share():
    features = Features(np.ones((10, 2)), ("a", "b"))
    fit = NEWTON.fit(features, np.arange(10) < 3, features, 0)
    assert fit.size == 1 and set(fit.probabilities) == {0.3}
    assert fit.importances == {"a": 0.0, "b": 0.0}


@pytest.mark.parametrize("tree", [Cart(3, 5), Cart(6, 20), Cart(30, 1), Cart(30, 5, 15, 1e-3)])
def test_a_tree_gives_each_leaf_its_share_and_keeps_its_limits(tree):
    pair = slow.random_pair("3x4x5x2", (500, 250), seed=6, tilt=0.3)
    labels, features = labels_of(pair), tree_features(pair.tables)
    fit = tree.fit(features, labels, features, 0)
    sizes = []
    for chance in np.unique(fit.probabilities):
        here = fit.probabilities == chance
        sizes.append(here.sum())
        assert labels[here].mean() == pytest.approx(chance)
    assert min(sizes) >= tree.smallest_leaf
    assert len(sizes) - 1 <= fit.size <= 2**tree.depth - 1
    # pMSE in-sample is half of what the splits take from the Gini impurity 2c(1 - c).
    share = labels.mean()
    gini = 2 * np.mean(fit.probabilities * (1 - fit.probabilities))
    assert slow.pmse(fit.probabilities, share) == pytest.approx(share * (1 - share) - gini / 2)
    assert sum(fit.importances.values()) == pytest.approx(1)


def test_pruning_cuts_what_lowers_the_impurity_too_little():
    pair = slow.random_pair("3x4x5x2", (500, 500), seed=7, tilt=0.3)
    labels, features = labels_of(pair), tree_features(pair.tables)
    sizes = [
        Cart(10, 5, complexity=complexity).fit(features, labels, features, 0).size
        for complexity in (0.0, 1e-3, 1e-2, 0.9)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > 0 == sizes[3]


def test_a_tree_without_splits_gives_exactly_the_share():
    pair = slow.random_pair("3x4", (7, 14), seed=8)
    features = tree_features(pair.tables)
    fit = Cart(6, 20).fit(features, labels_of(pair), features, 0)
    assert fit.size == 0
    assert set(fit.probabilities) == {labels_of(pair).mean()}


def test_estimates_without_end_are_told_with_the_score_and_not_as_warnings():
    pair = slow.random_pair("3x2x4", (20, 15), 2, 0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score = LogisticPMSE(interactions=True).score(pair)
    assert any("coefficients without a finite estimate" in text for text in score.stated)
