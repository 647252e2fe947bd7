"""A piece's name follows from all that its result depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from audit.review.pieces import piece as module
from audit.review.pieces.piece import Piece

PIECE = Piece("trial", "prescreen", "one", "1", ("try", "."), "prepared/one", ("0",), 60)


@pytest.mark.parametrize(
    "change",
    [
        {"words": ("try", "..")},
        {"words": ("try",), "inputs": (".", "0")},
        {"inputs": ("1",)},
        {"inputs": ("0", "0")},
        {"needs": (PIECE,)},
        {"number": 1},
    ],
)
def test_other_words_inputs_or_needs_have_another_digest(change: Mapping[str, Any]) -> None:
    assert replace(PIECE, **change).digest != PIECE.digest


def test_another_version_has_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_versions", lambda: ("python 4",))
    assert replace(PIECE).digest != PIECE.digest


def test_what_is_said_of_a_piece_does_not_name_it() -> None:
    assert replace(PIECE, seconds=90, submission="two").digest == PIECE.digest


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_each_piece_falls_to_one_shard(shards: int) -> None:
    for number in range(50):
        one = replace(PIECE, number=number)
        held = [shard for shard in range(1, shards + 1) if one.is_of_shard(shard, shards)]
        assert len(held) == 1
