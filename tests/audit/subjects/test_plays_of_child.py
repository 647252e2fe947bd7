"""What a program's process says of its plays: all of them, in order, however many a message."""

from __future__ import annotations

import io
import json
from fractions import Fraction
from itertools import product

import pytest

from audit.subjects import program_child
from audit.subjects.curator_messages import decode_plays, encode_scripts
from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import ReplaceOne
from synthesizers.playing import LocalPlayer, Script
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer

SETTING = Setting.of(Domain.from_cells("3"), ReplaceOne(), 2)
SCRIPTS: list[Script] = [(), *((answer,) for answer in product(range(3), repeat=3))]


def player() -> LocalPlayer:
    return LocalPlayer(GeometricSanitizer(Fraction(1)), SETTING, UnlimitedBudget())


@pytest.mark.parametrize(
    ("at_once", "seconds", "messages"),
    [(256, 1000.0, 1), (5, 1000.0, 1), (5, -1.0, 6), (7, -1.0, 4), (1, -1.0, 28), (28, -1.0, 1)],
)
def test_plays_are_told_when_they_are_done_or_took_long(
    at_once: int, seconds: float, messages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_child, "PLAYS_AT_ONCE", at_once)
    monkeypatch.setattr(program_child, "SECONDS_A_LINE", seconds)
    target = io.BytesIO()
    plain = json.loads(json.dumps(encode_scripts(SCRIPTS)))
    server = program_child._Server(io.BytesIO(), target)
    assert server._play(player(), plain, 0) == 1
    told = [json.loads(line) for line in target.getvalue().splitlines()]
    assert len(told) == messages
    assert [len(message["questions"]) for message in told] == [1] + [0] * (messages - 1)
    plays = [
        play
        for message in told
        for play in decode_plays(message["outputs"], message["played"], 1, SETTING.domain)
    ]
    assert plays == player().play(SCRIPTS)
