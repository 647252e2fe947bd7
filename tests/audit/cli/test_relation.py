"""Which commands ask for the relation, and what the others take: decision 0076."""

from __future__ import annotations

import pytest

from audit.cli.commands import COMMANDS
from audit.cli.usage import CommandParser
from tests.audit.cli.test_bad_inputs import BASE
from tests.audit.conftest import Command

ASKS = {"calibrate", "certify", "components", "sensitivity", "writeup"}
TAKES_REPLACE_ONE = {"channel", "choose", "release"}
BY_ITS_INPUT = {"account"}


def test_every_command_with_a_relation_has_its_place() -> None:
    asks, takes = set(), set()
    for name in COMMANDS:
        command = CommandParser(prog=name)
        command.name = name
        command.load()
        action = command._option_string_actions.get("--neighbours")
        if action is not None:
            (asks if action.required else takes).add(name)
            assert command._option_string_actions["--neighbors"] is action
            assert "--unit" in command._option_string_actions
    assert asks == ASKS
    assert takes == TAKES_REPLACE_ONE | BY_ITS_INPUT


@pytest.mark.parametrize("name", sorted(TAKES_REPLACE_ONE))
def test_the_result_states_the_relation_that_is_taken(dp_audit: Command, name: str) -> None:
    assert dp_audit(BASE["release"].replace("made.csv", "synth.csv")).code == 0
    shown = dp_audit(BASE[name].replace("--neighbours replace-one", ""))
    assert shown.code == 0
    assert "replace-one: one record exchanged" in " ".join((shown.out + shown.err).split())
