"""Forms of outputs: the step at which they change is found beside changes that are luck."""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.auditors.attack.pairs.forms import CHANGED, find_pairs_at_steps, tell_apart
from audit.auditors.attack.pairs.patterns import Sweep
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

SIZES = (0, 1, 2, 4, 8, 16, 32, 64, 128)
LOOKS = 800
"""What a sweep of the default runs may spend."""


def grown(units: int) -> Pair:
    return Pair([{"cell": "0"}] * units, [{"cell": "0"}] * (units + 1))


def steps(lucky: dict[int, float], lists_from: int) -> list[int]:
    """Where steps are found: spreads as stated by size (1 elsewhere), lists from a size on."""
    left = LOOKS

    def draw(pair: Pair, wanted: int) -> Runs | None:
        nonlocal left
        left -= wanted
        if left < 0:
            return None
        size = len(pair.first)
        numbers = np.linspace(-8, 8, wanted) * lucky.get(size, 1.0)
        outputs: list[Any] = [[x] if size >= lists_from else x for x in numbers.tolist()]
        return Runs(Outcomes.of_outputs(outputs), np.zeros(wanted, np.bool_))

    return [len(pair.first) for pair in find_pairs_at_steps(Sweep(SIZES, grown), draw)]


def test_another_kind_of_output_comes_before_spreads_that_differ_by_luck() -> None:
    """Two spreads that are five times as large as those about them, as of few runs they may be."""
    assert 47 in steps({}, 48)
    assert 47 in steps({2: 5.0, 8: 5.0}, 48)


def test_a_spread_is_as_far_apart_as_its_factor_and_less_than_a_whole_change() -> None:
    one = {"x spread": 0.0}
    near, far, farther = ({"x spread": value} for value in (0.5, CHANGED, 3.0))
    assert (
        tell_apart(one, near)
        < tell_apart(one, far)
        < tell_apart(one, farther)
        < tell_apart({"a": 1.0}, {})
    )
    assert abs(tell_apart(one, far) - CHANGED) < 1e-12
