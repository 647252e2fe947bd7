from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.utility.propensity.estimators import AlgorithmOne, InSample
from audit.utility.propensity.features import tree_features
from audit.utility.propensity.learners import Cart
from tests.audit.utility.propensity import slow_propensity as slow

PAPER = AlgorithmOne(5, Fraction(7, 10))


@given(st.integers(20, 90), st.integers(20, 90), st.integers(0, 5))
def test_folds_are_disjoint_and_keep_the_shares_of_the_tables(n, m, seed):
    labels = np.repeat([False, True], [n, m])
    parts = list(PAPER.parts(labels, seed))
    rows = np.concatenate([np.concatenate(part) for part in parts])
    assert sorted(rows) == list(range(n + m))
    for training, scored in parts:
        for kind, size in ((False, n), (True, m)):
            trained, tested = (int((labels[r] == kind).sum()) for r in (training, scored))
            assert size // 5 <= trained + tested <= size // 5 + 1
            assert trained == round(Fraction(7, 10) * (trained + tested))


def test_how_real_records_are_cut_does_not_depend_on_the_synthetic_ones():
    cuts = []
    for m in (50, 80):
        labels = np.repeat([False, True], [60, m])
        parts = PAPER.parts(labels, 3)
        cuts.append([[sorted(r[r < 60]) for r in part] for part in parts])
    assert cuts[0] == cuts[1]
    other = [[sorted(r[r < 60]) for r in part] for part in PAPER.parts(labels, 4)]
    assert other != cuts[0]


@pytest.mark.parametrize(
    ("sizes", "feasible"), [((10, 10), True), ((9, 10), False), ((100, 4), False)]
)
def test_each_part_needs_records_of_both_tables(sizes, feasible):
    # A fold of two records has round(1.4) = 1 to learn from and one to score.
    assert PAPER.feasible(sizes) is feasible
    assert InSample().feasible(sizes)


def test_a_fold_scores_its_own_test_part_by_a_fit_to_its_training_part():
    pair = slow.random_pair("3x4x2", (100, 60), seed=1, tilt=0.4)
    labels, features = np.repeat([False, True], pair.records), tree_features(pair.tables)
    tree = Cart(3, 2)
    found = PAPER.estimate(tree, features, labels, 7)
    assert found.share == 0.375
    expected = []
    for number, (training, scored) in enumerate(PAPER.parts(labels, 7)):
        fit = tree.fit(features.take(training), labels[training], features.take(scored), 7 + number)
        expected.append(fit.probabilities)
        fold = found.folds[number]
        assert (fold.labels == labels[scored]).all()
        assert fold.training == (14, round(0.7 * 12)) and fold.scored == (6, 4)
    assert (found.probabilities == np.concatenate(expected)).all()
    assert sum(found.importances.values()) == pytest.approx(1)


def test_in_sample_every_record_is_scored_in_its_place():
    pair = slow.random_pair("3x4x2", (50, 60), seed=1)
    labels, features = np.repeat([False, True], pair.records), tree_features(pair.tables)
    found = InSample().estimate(Cart(3, 2), features, labels, 0)
    assert len(found.folds) == 1 and found.folds[0].scored == (50, 60)
    assert (found.folds[0].labels == labels).all()
