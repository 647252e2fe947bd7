"""What a mechanism keeps from run to run is no difference between databases."""

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

LOG = logging.getLogger("kept")


def claim(epsilon):
    return Claim(ApproxDP(epsilon), AddRemove(), "output", Domain.from_cells("2"), None)


def noise(rng, epsilon):
    p = 1 - np.exp(-epsilon)
    return int(rng.geometric(p) - rng.geometric(p))


@pytest.mark.parametrize("period", [2, 3, 4])
def test_what_is_said_every_few_runs_is_not_taken_for_data(period):
    calls = []

    def counting(records, rng):
        calls.append(None)
        if len(calls) % period == 0:
            LOG.info("still alive")
        return len(records) + noise(rng, 1)

    assert not violations(examine(wrap_function(counting), claim(1)))


def test_a_generator_kept_from_run_to_run_does_not_pass_for_none():
    """At epsilon 5 a noisy threshold tells neighbours apart in 16 runs with a chance of 9/10."""
    kept = np.random.default_rng(0)

    def announced(records, rng):
        noisy = len(records) + noise(kept, 5)
        if noisy > 5:
            LOG.info("many")
        return noisy, float(rng.random())

    pairs = [([{"cell": "0"}] * 5, [{"cell": "0"}] * 6)]
    assert not violations(examine(wrap_function(announced), claim(5), pairs=pairs))
