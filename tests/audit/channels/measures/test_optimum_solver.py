"""What the solver proposes: nearly a solution, or nothing at all."""

from __future__ import annotations

import math

import numpy as np
import pytest

import audit.channels.measures.optimum_solver as module
from audit.channels.measures.mechanisms import Mechanisms, mechanisms
from audit.channels.measures.optimum_solver import Proposal, propose_average, propose_worst
from synthesizers.neighbours import ReplaceOne, histograms
from tests.audit.channels.slow_optimum import channel_of_tables, least_losses, tables

SHRINK = math.exp(-1)


def space() -> Mechanisms:
    """The mechanisms over all tables of three records in three cells."""
    listed = histograms(3, 3)
    return mechanisms(channel_of_tables(ReplaceOne(), listed.tolist(), listed.tolist()), listed)


def losses(
    competitors: Mechanisms, proposal: Proposal
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The loss under a database of each class."""
    each = proposal.chances * competitors.copies * competitors.losses
    return np.asarray(np.bincount(competitors.owners, each), np.float64)


def test_proposals_keep_the_limits_and_attain_the_optimum() -> None:
    competitors = space()
    average, worst = least_losses(ReplaceOne(), histograms(3, 3).tolist(), tables(3, 3), 1.0)
    proposals = propose_average(competitors, SHRINK), propose_worst(competitors, SHRINK)
    for proposal in proposals:
        totals = np.bincount(competitors.owners, proposal.chances * competitors.copies)
        assert totals == pytest.approx(np.ones(len(totals)), abs=1e-10)
        assert proposal.chances.min() >= -1e-10
        first, last = proposal.chances[competitors.limits].T
        assert (last - SHRINK * first).min() >= -1e-10
        assert len(proposal.prices) == len(competitors.limits)
        assert proposal.prices.min() >= -1e-10
    found = losses(competitors, proposals[0]) @ competitors.sizes / competitors.sizes.sum()
    assert found == pytest.approx(average, abs=1e-9)
    assert losses(competitors, proposals[1]).max() == pytest.approx(worst, abs=1e-9)
    assert proposals[0].prior.tolist() == competitors.sizes.tolist()
    assert proposals[1].prior.sum() == pytest.approx(1, abs=1e-9)


def test_without_time_there_is_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SECONDS", 0.0)
    competitors = space()
    for propose in (propose_average, propose_worst):
        proposal = propose(competitors, SHRINK)
        assert set(proposal.chances.tolist()) == {1.0}
        assert set(proposal.prices.tolist()) == {0.0}


def test_a_failed_attempt_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    competitors = space()
    wanted = propose_average(competitors, SHRINK)
    monkeypatch.setattr(module, "ATTEMPTS", ("max_number_of_iterations: 1", module.ATTEMPTS[1]))
    proposal = propose_average(competitors, SHRINK)
    sizes = competitors.sizes
    assert losses(competitors, proposal) @ sizes == pytest.approx(
        losses(competitors, wanted) @ sizes, abs=1e-9
    )
