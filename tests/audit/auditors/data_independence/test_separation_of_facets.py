"""Rules that tell databases apart by tokens are learnt, frozen, and tested soundly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from audit.auditors.data_independence.facets import PRESENT, Facet
from audit.auditors.data_independence.separation import (
    SeparationRule,
    enough_runs,
    learnt,
    p_values,
    settle_rules,
)
from proofs.guarantees import ZCDP, ApproxDP

ROWS = (Facet.ROWS, "rows")
RETURNED = {(Facet.EXCEPTIONS, "type"): frozenset((None,))}


def runs(*values):
    return [{ROWS: frozenset((value,))} for value in values]


def test_a_facet_that_is_never_the_same_on_both_makes_a_rule():
    (rule,) = learnt(runs(3, 3, 3, 3), runs(4, 5, 4, 5))
    assert [rule.guess(run) for run in runs(3, 4, 5, 6)] == [False, True, True, None]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((3, 3, 3, 3), (3, 3, 3, 3)),
        ((3, 4, 3, 4), (4, 5, 4, 5)),
        # Fresh numbers in every run: what was seen once says nothing of the next.
        ((1, 2, 3, 4), (5, 6, 7, 8)),
    ],
)
def test_other_facets_make_none(first, second):
    assert not learnt(runs(*first), runs(*second))


def test_a_value_that_is_there_or_not_makes_a_rule():
    name = (Facet.VALUES, "value of 'a': 1")
    there, gone = {name: PRESENT, **RETURNED}, dict(RETURNED)
    (rule,) = learnt([gone] * 4, [there] * 4)
    assert rule.guess(there) is True
    assert rule.guess(gone) is False
    raised = {(Facet.EXCEPTIONS, "type"): frozenset(("ValueError",))}
    assert rule.guess(raised) is None


def test_settled_facets_are_the_same_in_every_run_of_a_database():
    steady, varied = runs(3, 3, 3, 3), runs(4, 5, 4, 5)
    assert settle_rules(learnt(steady, runs(4, 4, 4, 4)), steady, runs(4, 4, 4, 4))
    assert not settle_rules(learnt(steady, varied), steady, varied)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(3)])
def test_so_many_runs_are_enough_and_one_fewer_is_not(epsilon):
    error = 1e-8
    found = enough_runs(ApproxDP(epsilon), error, 5000)
    right = 1 / (1 + math.exp(-epsilon))
    assert found is not None
    assert right**found <= error < right ** (found - 1)
    assert enough_runs(ApproxDP(epsilon), error, found - 1) is None


def test_other_guarantees_have_an_end_of_runs_too():
    assert enough_runs(ZCDP(Fraction(1, 8)), 1e-8, 5000) is not None
    assert enough_runs(ApproxDP(Fraction(1), Fraction(1, 100)), 1e-8, 5000) is not None


@pytest.mark.parametrize("error", [0.3, 0.05, 0.01])
def test_a_facet_as_telling_as_the_claim_allows_is_accused_as_rarely_as_the_error_says(error):
    """2000 tests of 40 runs with the error as the chance: so many more have a chance of 1e-6."""
    rng = np.random.default_rng(3)
    rule = SeparationRule(ROWS, frozenset((0,)), frozenset((1,)), False)
    right = math.e / (1 + math.e)
    accused = 0
    for _ in range(2000):
        coins = rng.integers(2, size=40).astype(bool)
        tokens = np.where(rng.random(40) < right, coins, ~coins)
        seen = [(bool(c), runs(int(t))[0]) for c, t in zip(coins, tokens, strict=True)]
        accused += p_values([rule], seen, ApproxDP(Fraction(1)))[rule] <= error
    assert accused <= binom.ppf(1 - 1e-6, 2000, error)
    assert accused > 0


def test_a_rule_that_is_always_right_has_the_p_value_of_its_runs():
    rule = SeparationRule(ROWS, frozenset((0,)), frozenset((1,)), False)
    seen = [(bool(place % 2), runs(place % 2)[0]) for place in range(20)]
    found = p_values([rule], seen, ApproxDP(Fraction(1)))[rule]
    assert found == pytest.approx((math.e / (1 + math.e)) ** 20, rel=1e-6)
