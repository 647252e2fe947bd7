"""Ceilings of the kernel are compared with exact values, and one that is too low is told."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from audit.auditors.composition.recount import Unrefused, recount
from audit.auditors.composition.theorems import ASKED, ceilings, exact_value
from audit.channels.enumerate import channel_of, instance
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ZCDP, ApproxDP
from proofs.ledger.programs import of_ledger
from tests.audit.auditors.composition import asking
from tests.audit.auditors.composition.asking import SETTING, Declared

DATABASES = instance(SETTING, 2)


def compared(ask, assumed=None):
    program = Unrefused.of(ProgramSubject("program", Declared(ask), False), SETTING)
    ledgers = recount(program, SETTING, DATABASES, SETTING.neighbours)
    (events,) = ledgers.ledgers if assumed is None else (assumed,)
    parts = of_ledger(events, SETTING)
    channel = channel_of(
        program, SETTING, released="transcript", exact=True, databases=DATABASES,
        budget=program.budget,
    ).channel  # fmt: skip
    return list(ceilings(parts, channel)), events


@pytest.mark.parametrize("ask", [asking.twice, asking.parallel, asking.gaussian])
def test_no_ceiling_of_a_true_ledger_lies_below_an_exact_value(ask):
    found, _ = compared(ask)
    assert len(found) > len(ASKED) / 2
    assert not any(one.contradicts for one in found)


def test_ceilings_of_half_a_ledger_contradict_the_whole():
    _, events = compared(asking.twice)
    found, _ = compared(asking.twice, events[:1])
    kinds = {type(one.asked) for one in found if one.contradicts}
    assert ApproxDP in kinds
    assert ZCDP in kinds
    pure = [one for one in found if one.asked == ApproxDP(Fraction(0))]
    assert all(one.contradicts for one in pure if one.ceiling == Fraction(1, 2))


def test_exact_values_are_those_of_the_channel():
    _, events = compared(asking.twice)
    program = Unrefused.of(ProgramSubject("program", Declared(asking.twice), False), SETTING)
    channel = channel_of(program, SETTING, released="transcript", exact=True,
                         databases=DATABASES, budget=program.budget).channel  # fmt: skip
    rows = channel.centre
    logs = [abs(np.log(rows[a]) - np.log(rows[b])).max() for a, b in channel.pairs]
    ends = exact_value(channel, ApproxDP(Fraction(0)))
    assert float(ends.lower) == pytest.approx(max(logs))
    assert len(events) == 2


def test_a_contradiction_needs_the_exact_value_to_be_certainly_above():
    found, _ = compared(asking.twice)
    one = found[0]
    assert not dataclasses.replace(one, ceiling=Fraction(one.exact.lower)).contradicts
    lower = dataclasses.replace(one, ceiling=Fraction(one.exact.lower) - Fraction(1, 10**6))
    assert lower.contradicts
