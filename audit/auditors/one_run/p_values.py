"""What guesses of a few runs say of a claim: its p-value, and the floor of its own parameter.

Each run has coins of its own. One run's p-value is the bound on its number of right guesses;
those of several are multiplied, as Fisher (1932) does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from audit.auditors.attack.guessing.floors import at_or_above, claimed_name
from audit.auditors.one_run.bound import SMALLEST, Counts
from audit.auditors.one_run.weighing import bound_right_guesses
from audit.statements.evidence import Bound, Side
from proofs.guarantees import ApproxDP, Guarantee

STEP = 1e-3
"""How near, as a share, a floor comes to the largest value that is refuted."""

DOUBLED = tuple(2.0**power for power in range(5, -11, -1))
"""Where a floor is looked for first (e^32 guesses would not show more, a million show 2^-10)."""

SLACK = 1e-9
"""Relative margin for the rounding of doubles in Fisher's sum (a thousand times what it loses)."""


def find_p_value(runs: Sequence[Counts], guarantee: Guarantee, value: float) -> float:
    """The p-value of a claim with this value of its parameter.

    Guarantee
    ---------
    While the claim holds for each run, with coins of its own, it is at most x with probability at
    most x, for each x from `SMALLEST` on: a bound of `bound_chance` is so for one run, whatever the
    others gave, and the product of n such has at most the law of that of n uniform numbers. Backed
    by ``tests/audit/auditors/one_run/test_p_values.py``.
    """
    chances = [bound_right_guesses(guarantee, value, counts) for counts in runs]
    if len(chances) == 1:
        return chances[0]
    exponent = -sum(math.log(one) for one in chances)
    term, total = 1.0, 1.0
    for number in range(1, len(chances)):
        term *= exponent / number
        total += term
    return min(1.0, max(math.exp(-exponent) * total * (1 + SLACK), SMALLEST))


def find_floor(runs: Sequence[Counts], guarantee: Guarantee, error: float) -> float:
    """The largest value of the claim's parameter that guesses refute at an error; 0 for none.

    Guarantee
    ---------
    It exceeds the truth with probability at most ``error``: whoever keeps a claim keeps every one
    of a larger value, so that one refuted value refutes all below it. Backed by
    ``tests/audit/auditors/one_run/test_p_values.py``.
    """

    def refutes(value: float) -> bool:
        return find_p_value(runs, guarantee, value) <= error

    return find_largest(refutes)


def find_largest(refutes: Callable[[float], bool]) -> float:
    """Near the largest value that is refuted, from below; each one returned was; 0 for none."""
    # From above: what is searched for small values may miss what is found for larger ones.
    low = next((value for value in DOUBLED if refutes(value)), 0.0)
    high = 2 * low
    while high - low > STEP * low:
        middle = (low + high) / 2
        low, high = (middle, high) if refutes(middle) else (low, middle)
    return low


def find_limit(runs: Sequence[Counts], guarantee: Guarantee, error: float) -> float:
    """The floor that runs with as many guesses reach where all are right: none is larger."""
    return find_floor([replace(one, right=one.guesses) for one in runs], guarantee, error)


def make_bound(runs: Sequence[Counts], guarantee: Guarantee, error: Fraction, covers: str) -> Bound:
    """The floor as a certificate's bound, of ε at the claim's δ or of the claim's own parameter.

    Beside one that is not of ε stands the floor of ε of pure privacy, which it says nothing of: 0.
    """
    own = at_or_above(find_floor(runs, guarantee, float(error)))
    if isinstance(guarantee, ApproxDP):
        return Bound(Side.FLOOR, own, covers, "statistical")
    nothing = at_or_above(0.0)
    return Bound(Side.FLOOR, nothing, covers, "statistical", (claimed_name(guarantee), own))
