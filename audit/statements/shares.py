"""How the auditors of what can only be run share the error that the user allows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

SHARES: Mapping[str, Fraction] = {
    "data independence": Fraction(1, 20),
    "noise law": Fraction(1, 20),
}
"""Of the alarm, for those that look before the attack, each of which has its share whether the
others look or not. Their tests are of rules that were right in every run that they were learned
from: a smaller error costs them one or two runs in ten."""


def attack_alarm(alarm: Fraction) -> Fraction:
    """What is left to the attack where others look, too (it costs one run in a hundred).

    Guarantee
    ---------
    With the shares of all others it is the alarm. Backed by
    ``tests/audit/statements/test_shares.py``.
    """
    return alarm * (1 - sum(SHARES.values()))
