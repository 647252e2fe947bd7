"""Honest functions are never accused, and recording changes nothing of what they do."""

from __future__ import annotations

import pytest

import dp_audit as dpa
from audit.auditors.components.recording.hearing import listen_to
from audit.auditors.components.recording.running import Listened, run
from audit.auditors.components.recording.tape import Tape
from audit.statements.evidence import Decision
from tests.audit.auditors.components import honest_functions
from tests.audit.auditors.components.honest_functions import HONEST, OPEN

RECORDS = [{"cell": cell} for cell in "0012"]


def examine(name: str, claim: str, relation: str) -> dpa.ComponentsResult:
    function = getattr(honest_functions, name)
    return dpa.components(function, claim, neighbours=relation, cells=3, records=4)


@pytest.mark.parametrize(("name", "claim", "relation"), HONEST)
def test_an_honest_function_is_seen_to_keep_its_claim(name, claim, relation):
    found = examine(name, claim, relation)
    assert [one.decision for one in found.findings] == [Decision.KEPT] * len(found.findings)
    assert found.exit_code == 0
    assert found.lines_spending


@pytest.mark.parametrize(("name", "claim", "relation"), OPEN)
def test_what_is_not_followed_is_left_open(name, claim, relation):
    found = examine(name, claim, relation)
    assert not found.violated
    assert found.exit_code == 3


REPEATABLE = {name for name, _, _ in HONEST + OPEN} - {"of_the_system"}


@pytest.mark.parametrize("name", sorted(REPEATABLE))
def test_recording_changes_no_bit_of_an_output(name):
    function = getattr(honest_functions, name)
    listened = Listened(function, function.__code__.co_filename)
    plain = [run(listened, RECORDS, seed, None) for seed in range(5)]
    with listen_to(()):
        recorded = [run(listened, RECORDS, seed, Tape()) for seed in range(5)]
        again = [
            run(listened, RECORDS, seed, Tape(follows=one)) for seed, one in enumerate(recorded)
        ]
    assert [one.error for one in plain] == [None] * 5
    assert [one.output for one in recorded] == [one.output for one in plain]
    assert [one.output for one in again] == [one.output for one in plain]
    assert all(one.parted is None for one in again)
