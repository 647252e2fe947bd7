"""No honest mechanism is accused, whatever of it varies with its noise.

Each examination accuses an honest mechanism with a chance of at most 1e-6.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import laplace

from audit.auditors.data_independence import (
    Effort,
    examine,
    examine_program,
    wrap_estimator,
    wrap_function,
)
from audit.channels.enumerate import channel_of
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.statements.claim import Claim
from audit.statements.finding import violations
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ApproxDP
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs import build
from synthesizers.queries import CellCounts, Total
from tests.audit.auditors.data_independence import leaking

DOMAIN = Domain.from_cells("3")
ADDED = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", DOMAIN, None)


@pytest.mark.parametrize("honest", leaking.HONEST, ids=lambda honest: honest.__name__)
def test_an_honest_function_is_not_accused(honest):
    assert not violations(examine(wrap_function(honest), ADDED, effort=Effort(pairs=16)))


def test_a_mechanism_that_uses_up_its_claim_is_accused_no_more_often_than_the_alarm():
    """Alarms of 1/5 in 30 examinations: more than 15 have a chance below 1e-4."""
    pairs = [([], [{"cell": "0"}])]
    accused = sum(
        bool(
            violations(
                examine(
                    wrap_function(leaking.two_valued),
                    ADDED,
                    pairs=pairs,
                    seed=seed,
                    effort=Effort(alarm=0.2),
                )
            )
        )
        for seed in range(30)
    )
    assert accused <= 15


def test_a_rule_that_fresh_runs_do_not_bear_out_is_no_difference():
    """At epsilon 3 a rule is right in all 16 first runs with a chance of 0.46, and then wrong.

    In none of 8 examinations it is so with a chance below 0.01.
    """

    def hardly_noisy(database, rng):
        truth = len(database) > 0
        return truth if rng.random() < 1 / (1 + np.exp(-3)) else not truth

    claim = dataclasses.replace(ADDED, guarantee=ApproxDP(Fraction(3)))
    pairs = [([], [{"cell": "0"}])]
    for seed in range(8):
        findings = examine(wrap_function(hardly_noisy), claim, pairs=pairs, seed=seed)
        assert all("no difference" in finding.found for finding in findings)


KEPT = np.random.default_rng(5)


def says_what_a_kept_generator_made_noisy(database, rng):
    print(round(len(database) + KEPT.laplace(scale=1 / 30)))
    return 0


def says_what_is_noisy_out_of_sight(database, rng):
    """Scipy draws from numpy's global generator, past all its functions."""
    print(round(len(database) + laplace.rvs(scale=1 / 30)))
    return rng.laplace()


def says_what_is_hardly_noisy(database, rng):
    print(round(len(database) + rng.laplace(scale=1 / 30)))
    return 0


@pytest.mark.parametrize(
    "honest",
    [
        says_what_a_kept_generator_made_noisy,
        says_what_is_noisy_out_of_sight,
        says_what_is_hardly_noisy,
    ],
)
def test_what_looks_settled_is_not_where_randomness_came_before(honest):
    """All keep epsilon 30, and hardly ever say anything but the truth."""
    claim = dataclasses.replace(ADDED, guarantee=ApproxDP(Fraction(30)))
    assert not violations(examine(wrap_function(honest), claim, effort=Effort(pairs=6)))


def test_an_honest_estimator_is_not_accused():
    class Noisy:
        def __init__(self, scale=1.0, random_state=None):
            self.scale, self.random_state = scale, random_state

        def fit(self, frame):
            rng = np.random.RandomState(self.random_state)
            held = frame["cell"].astype(str)
            self.counts_ = [sum(held == v) + rng.laplace(scale=self.scale) for v in "012"]
            return self

        def sample(self, rows):
            weights = np.maximum(self.counts_, 0) + 1e-9
            rng = np.random.RandomState(self.random_state)
            drawn = rng.choice(list("012"), rows, p=weights / weights.sum())
            return pd.DataFrame({"cell": drawn})

    effort = Effort(pairs=12)
    subject = wrap_estimator(Noisy, {}, 4, ["cell"])
    assert not violations(examine(subject, ADDED, effort=effort))
    subject = wrap_estimator(Noisy(), {}, 4, ["cell"])
    assert not violations(examine(subject, ADDED, effort=effort))


PROGRAMS = {
    "geometric-sanitizer": {"epsilon": "1"},
    "laplace-sanitizer": {"epsilon": "2"},
    "multinomial-dirichlet": {"alpha": "1"},
    "pram": {"retain": "3/4"},
    "subsample": {"fraction": "1/2"},
}


# Both show how many records there are, for certain, where that number is private.
CASES = [
    (name, neighbours)
    for name in PROGRAMS
    for neighbours in (AddRemove(), ReplaceOne())
    if not (name in ("subsample", "pram") and neighbours == AddRemove())
]


@pytest.mark.parametrize(("name", "neighbours"), CASES, ids=lambda one: getattr(one, "name", one))
def test_a_built_in_program_keeps_what_is_true_of_it(name, neighbours):
    domain = Domain.from_cells("2")
    setting = Setting.of(domain, neighbours, 4)
    subject = ProgramSubject(name, build(name, PROGRAMS[name]), True)
    channel = channel_of(subject.program, setting).channel
    upper = epsilon(channel).enclosure.upper
    if isinstance(upper, Fraction):
        true = ApproxDP(upper)
    else:
        true = ApproxDP(Fraction(1), delta(channel, Fraction(1)).enclosure.upper)
    claim = Claim(true, neighbours, "output", domain, 4)
    assert not violations(examine_program(subject, claim, Effort(pairs=6)))


def test_an_adaptive_program_is_not_accused():
    class Adaptive:
        def __call__(self, curator):
            noise = DiscreteLaplace(Fraction(2))
            total = int(curator.measure(Total(), noise, low=0, high=4)[0])
            query = CellCounts((0,)) if total > 1 else CellCounts((1,))
            return [total, int(curator.measure(query, noise, low=0, high=4)[0])]

    domain = Domain.from_cells("2")
    claim = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", domain, 3)
    subject = ProgramSubject("adaptive", Adaptive(), False)
    assert not violations(examine_program(subject, claim, Effort(pairs=6)))
