"""Which commands ask for the relation, and what the others take: decision 0076."""

from __future__ import annotations

import pytest

from audit.cli.commands import COMMANDS
from audit.cli.usage import CommandParser
from tests.audit.cli.test_bad_inputs import BASE
from tests.audit.conftest import Command

ASKS = {"certify", "components", "sensitivity", "writeup"}
TAKES_REPLACE_ONE = {"channel", "choose", "release"}
BY_ITS_INPUT = {"account", "calibrate"}


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
def test_a_relation_that_is_taken_is_said(dp_audit: Command, name: str) -> None:
    shown = dp_audit(BASE[name].replace("--neighbours replace-one", ""))
    assert "replace-one: one record exchanged for another's; n is public" in shown.err


def test_calibrate_warns_where_none_is_stated(dp_audit: Command) -> None:
    silent = dp_audit("calibrate laplace --claim epsilon=1 --neighbours add-remove")
    assert silent.code == 0 and silent.err == ""
    warned = dp_audit("calibrate laplace --claim epsilon=1")
    assert warned.out == silent.out and "--neighbours is not stated" in warned.err
