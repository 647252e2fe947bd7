"""Runs that all failed: what is said of them."""

from __future__ import annotations

import numpy as np

from audit.subjects.failures import describe_failure
from audit.subjects.outcomes import Ended, Outcomes, Raised


def test_runs_that_all_failed_are_told_by_kind_the_most_frequent_first() -> None:
    outputs = [Ended("time"), *[Ended("exit code 3")] * 5, *[Raised("ValueError")] * 2]
    assert describe_failure(Outcomes.of_outputs(outputs)) == (
        "all of 8 runs failed: 5 ended (exit code 3), 2 raised ValueError, 1 ended (time)"
    )
    assert describe_failure(Outcomes.of_outputs([Ended("time")])) == (
        "the only run failed: 1 ended (time)"
    )


def test_rare_kinds_are_counted_together() -> None:
    outputs = [Ended(f"exit code {code}") for code in range(1, 7) for _ in range(10 - code)]
    assert describe_failure(Outcomes.of_outputs(outputs)) == (
        "all of 39 runs failed: 9 ended (exit code 1), 8 ended (exit code 2), "
        "7 ended (exit code 3), 6 ended (exit code 4), 9 in other ways"
    )


def test_one_output_of_any_kind_is_no_failure() -> None:
    for output in (1.0, "x", None, {"a": 1}, object()):
        assert describe_failure(Outcomes.of_outputs([Ended("time"), output])) is None
    assert describe_failure(Outcomes.of_outputs([])) is None


def test_runs_that_were_left_out_do_not_count() -> None:
    mixed = Outcomes.of_outputs([1.0, Ended("time")])
    assert describe_failure(mixed.take(np.array([1]))) == "the only run failed: 1 ended (time)"
    assert describe_failure(mixed.take(np.array([0]))) is None
