"""The auditors of a black box have no more error together than the user allows."""

from __future__ import annotations

from fractions import Fraction

from audit.auditors.registry import ORDER_OF_BOXES
from audit.statements.shares import SHARES, attack_alarm


def test_all_shares_together_are_the_alarm():
    alarm = Fraction(1, 10**6)
    assert attack_alarm(alarm) + sum(alarm * share for share in SHARES.values()) == alarm
    assert 0 < attack_alarm(alarm) < alarm


def test_a_share_is_that_of_an_auditor_that_looks_before_the_attack():
    assert set(SHARES) < set(ORDER_OF_BOXES) - {"attack"}
