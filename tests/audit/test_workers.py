"""Processes that share work: results in order, and interrupts left to the one that asked."""

from __future__ import annotations

import os
import signal

import joblib
import pytest

from audit.workers import shared_out


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_calls(jobs: int) -> None:
    assert list(shared_out(jobs, (joblib.delayed(pow)(n, 2) for n in range(20)))) == [
        n * n for n in range(20)
    ]


@pytest.mark.skipif(os.name != "posix", reason="needs masks of signals")
def test_further_processes_hold_interrupts_back_and_this_one_does_not() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    calls = [joblib.delayed(signal.pthread_sigmask)(signal.SIG_BLOCK, ()) for _ in range(4)]
    assert all(signal.SIGINT in held for held in shared_out(2, calls))
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
    assert signal.SIGINT not in before
    with pytest.raises(TypeError):
        shared_out(2, None)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
