"""How long work still takes."""

from __future__ import annotations

from audit.utility.pace import TRUSTED_SECONDS, Pace


def test_before_the_first_result_the_estimates_say_what_is_left() -> None:
    now = 0.0
    pace = Pace(60.0, 2, lambda: now)
    assert pace.estimate_left(0.0, 0.0) == 30.0
    now = 12.0
    assert pace.estimate_left(0.0, 0.0) == 18.0


def test_work_that_takes_twice_as_long_as_estimated_takes_twice_as_long_to_its_end() -> None:
    now = 0.0
    pace = Pace(1000.0, 1, lambda: now)
    pace.add(500.0, 1000.0)
    now = 1000.0
    trusted = (1000.0 + TRUSTED_SECONDS) / (500.0 + TRUSTED_SECONDS)
    assert pace.estimate_left(0.0, 0.0) == trusted * 1000.0 - 1000.0


def test_what_is_half_done_counts_like_what_is_done() -> None:
    whole, half = Pace(1000.0, 1, lambda: 0.0), Pace(1000.0, 1, lambda: 0.0)
    whole.add(500.0, 1000.0)
    assert half.estimate_left(500.0, 1000.0) == whole.estimate_left(0.0, 0.0)


def test_nothing_is_left_of_work_that_takes_longer_than_it_should() -> None:
    now = 0.0
    pace = Pace(1.0, 1, lambda: now)
    now = 50.0
    assert pace.estimate_left(0.0, 0.0) == 0.0
