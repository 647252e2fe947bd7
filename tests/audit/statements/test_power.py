"""What an attack lacks: NOT REFUTED is said only where nothing does."""

from __future__ import annotations

import math

import pytest

from audit.statements.power import SUSPICION, Control, Lack, Power, find_lack

ENOUGH, WEAK = Power(1.5, 2.0, 1e-3, 1000), Power(2.5, 2.0, 1e-3, 1000)
SEEN, MISSED = Control(2.0, 0.5, True), Control(2.0, 0.5, False)


@pytest.mark.parametrize(
    ("p_value", "power", "control", "found"),
    [
        (0.5, ENOUGH, SEEN, None),
        (0.5, ENOUGH, None, None),
        (SUSPICION, ENOUGH, SEEN, None),
        (0.99e-3, ENOUGH, SEEN, Lack.SUSPICION),
        (1.3e-6, WEAK, MISSED, Lack.SUSPICION),
        (0.5, WEAK, SEEN, Lack.RUNS),
        (0.5, Power(math.inf, 2.0, 1e-3, 1000), None, Lack.RUNS),
        (0.5, WEAK, MISSED, Lack.RUNS),
        (0.5, ENOUGH, MISSED, Lack.CONTROL),
        (0.5, Power(2.0, 2.0, 1e-3, 1000), None, None),
    ],
)
def test_what_lacks_is_named_and_suspicion_comes_first(
    p_value: float, power: Power, control: Control | None, found: Lack | None
) -> None:
    assert find_lack(p_value, power, control) is found


def test_the_clock_is_no_part_of_what_is_compared() -> None:
    assert Power(1.5, 2.0, 1e-3, 1000, seconds=1.0) == Power(1.5, 2.0, 1e-3, 1000, seconds=2.0)
    assert Power(1.5, 2.0, 1e-3, 1000) != Power(1.6, 2.0, 1e-3, 1000)
