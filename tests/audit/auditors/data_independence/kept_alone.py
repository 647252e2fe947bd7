"""Noise that a process keeps from run to run accuses nobody, where that process can be copied.

A worker of pytest-xdist can't be, so that `tests/audit/subjects/test_forked.py` runs this file in a
process of its own.
"""

from __future__ import annotations

import logging

import numpy as np
import pytest

from audit.auditors.data_independence import examine, wrap_function
from audit.statements.claim import Claim
from audit.statements.finding import violations
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove
from tests.audit.auditors.data_independence.test_state_kept_between_runs import claim, noise

LOG = logging.getLogger("kept")


def cached_by_database(own):
    """Noise that is drawn once for each database, by a generator that nobody sees."""
    kept = {}

    def cached(records, rng):
        if len(records) not in kept:
            kept[len(records)] = len(records) + noise(own, 1)
        LOG.info("about %d", kept[len(records)])
        return kept[len(records)], float(rng.random())

    return cached


def cached_with_what_is_handed(own):
    """The same, by the generator of the run that first needs it."""
    kept = {}

    def cached(records, rng):
        noisy = kept.setdefault(len(records), len(records) + noise(rng, 1))
        LOG.info("about %d", noisy)
        return noisy, float(rng.random())

    return cached


def hidden_generator(own):
    """A generator that is made with the function."""

    def announced(records, rng):
        noisy = len(records) + noise(own, 1)
        LOG.info("about %d", noisy)
        return noisy, float(rng.random())

    return announced


HONEST = (cached_by_database, cached_with_what_is_handed, hidden_generator)
LARGE = Claim(ApproxDP(20), AddRemove(), "output", Domain.from_cells("2"), None)
"""No number of runs refutes it: what is settled is confirmed all the same."""


def accused(make, seed, about):
    pairs = [([{"cell": "0"}] * n, [{"cell": "0"}] * (n + 1)) for n in (5, 7)]
    function = wrap_function(make(np.random.default_rng(seed)))
    known = {"domain": Domain.from_cells("2")} if about == AddRemove() else {}
    return violations(examine(function, about, pairs=pairs, seed=seed, **known))


@pytest.mark.parametrize("about", [claim(1), LARGE, AddRemove()], ids=["1", "20", "none"])
@pytest.mark.parametrize("make", HONEST, ids=lambda make: make.__name__)
def test_noise_that_is_kept_in_a_process_accuses_nobody(make, about):
    assert not any(accused(make, seed, about) for seed in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("make", HONEST, ids=lambda make: make.__name__)
def test_noise_that_is_kept_accuses_nobody_by_many_seeds(make):
    assert not any(accused(make, seed, AddRemove()) for seed in range(200))


@pytest.mark.parametrize("about", [claim(1), LARGE, AddRemove()], ids=["1", "20", "none"])
def test_what_is_settled_before_anything_random_is_accused_whatever_is_claimed(about):
    def telling(own):
        def tell(records, rng):
            LOG.info("%d records", len(records))
            return len(records) + noise(rng, 1)

        return tell

    assert accused(telling, 1, about)
