from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, mannwhitneyu

from audit.utility.propensity.statistics import Propensities
from tests.audit.utility.propensity import slow_propensity as slow

SCORED = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5000001, 0.9, 1.0]), st.booleans()),
    min_size=2,
    max_size=30,
).filter(lambda rows: len({label for _, label in rows}) == 2)


@given(SCORED)
def test_every_statistic_is_that_of_a_loop_over_the_records(rows):
    chances, labels = np.array([p for p, _ in rows]), np.array([label for _, label in rows])
    share = float(labels.mean())
    found = Propensities.of(chances, labels, share)
    assert found.pmse() == pytest.approx(slow.pmse(chances, share), rel=1e-12, abs=1e-16)
    assert found.specks() == slow.specks(chances, labels)
    assert found.po50() == slow.po50(chances, labels)
    assert found.u() == slow.u(chances, labels)
    real, synthetic = found.densities(100)
    for place, (p, label) in enumerate(rows):
        del place
        column = synthetic if label else real
        assert column[min(int(p * 100), 99)] > 0
    assert real.sum() == pytest.approx(1) and synthetic.sum() == pytest.approx(1)


@given(SCORED, st.randoms(use_true_random=False))
def test_no_statistic_depends_on_the_order_of_the_records(rows, random):
    mixed = list(rows)
    random.shuffle(mixed)
    found = [
        Propensities.of(np.array([p for p, _ in r]), np.array([t for _, t in r]), 0.3)
        for r in (rows, mixed)
    ]
    assert found[0].pmse() == found[1].pmse()
    assert found[0].specks() == found[1].specks()
    assert found[0].u() == found[1].u()


def test_specks_and_u_are_those_of_scipy():
    random = np.random.default_rng(3)
    chances, labels = random.integers(0, 40, 500) / 40, random.random(500) < 0.3
    found = Propensities.of(chances, labels, 0.3)
    assert float(found.specks()) == pytest.approx(
        ks_2samp(chances[labels], chances[~labels]).statistic, abs=1e-12
    )
    assert float(found.u()) == mannwhitneyu(chances[labels], chances[~labels]).statistic


def test_four_records_by_hand():
    # p - c is -0.5, 0, 0.25, 0.25: squares 0.25, 0, 0.0625, 0.0625.
    found = Propensities.of(
        np.array([0.0, 0.5, 0.75, 0.75]), np.array([False, True, False, True]), 0.5
    )
    assert found.pmse() == 0.375 / 4
    # Up to 0: 1/2 of the real, none of the synthetic.
    assert found.specks() == 0.5
    # Right: the real record at 0 and the synthetic one at 0.75; 1/2 counts as real.
    assert found.po50() == 0
    # 0.5 beats 0; 0.75 beats 0 and ties with 0.75.
    assert found.u() == 2.5
