"""Frames from a stranger's process: outcomes as they were, and nothing that outcomes can't be."""

from __future__ import annotations

import json
import random
import socket
import struct
import time

import numpy as np
import pandas as pd
import pytest

from audit.auditors.attack.columns.table_rows import rows_of
from audit.subjects import wire
from audit.subjects.frames import BLOCK, HEAD, SHAPE, Frames, frame
from audit.subjects.outcomes import Ended, Outcomes, Raised
from audit.subjects.specs import Described, Refused
from audit.subjects.wire import (
    Received,
    Writer,
    answer,
    read_answer,
)
from synthesizers.errors import ProtocolError

pytestmark = pytest.mark.smoke

OUTPUTS = [
    *(
        1,
        2.5,
        -0.0,
        float("nan"),
        True,
        None,
        "text\ud800",
        b"\xff",
        [1, 2],
        (1, 2),
        [],
        np.ones(3),
    ),
    *(np.zeros((2, 0)), {"a": (1, [2, None])}, {1, 2}, 10**400, [1, "x"], Raised("KeyError")),
    *(Ended("time"), object(), pd.DataFrame({"a": ["x", None], "b": [1, 2]}), pd.Series([1.5])),
]


def parts(frames: bytes) -> list[tuple[int, bytes]]:
    found, place = [], 0
    while place < len(frames):
        number, length = HEAD.unpack_from(frames, place)
        place += HEAD.size
        found.append((number, frames[place : place + length]))
        place += length
    return found


def received(frames: list[tuple[int, bytes]], most: int = 0) -> Received:
    all_of_them = Received()
    for number, content in frames:
        all_of_them.take(number, content, most)
    return all_of_them


def test_outcomes_of_all_kinds_come_back_as_they_were() -> None:
    sent = Outcomes.of_outputs([*OUTPUTS, *reversed(OUTPUTS)])
    found = received(parts(Writer().frames(sent))).outcomes()
    assert found.shapes == sent.shapes
    assert found.of.tolist() == sent.of.tolist()
    assert found.codes().tolist() == sent.codes().tolist()
    for block, other in zip(found.blocks, sent.blocks, strict=True):
        if isinstance(block, np.ndarray):
            assert block.tobytes() == np.asarray(other).tobytes() and block.flags.writeable


@pytest.mark.parametrize("batch", [np.arange(9), np.ones((9, 2, 2)), np.zeros((9, 0)), np.ones(1)])
def test_a_batch_of_numbers_is_one_frame(batch: np.ndarray) -> None:
    sent = Outcomes.of_batch(batch, len(batch))
    frames = parts(Writer().frames(sent))
    assert len(frames) == 2
    found = received(frames, len(batch)).outcomes()
    assert found.shapes == sent.shapes
    assert found.codes().tolist() == sent.codes().tolist()


def test_what_is_too_large_or_too_deep_to_be_sent_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LARGEST_OUTCOME", 1000)
    deep: list[object] = ["x"]
    for _ in range(200):
        deep = [deep]
    sent = Outcomes.of_outputs(["x" * 2000, "x", deep])
    found = received(parts(Writer().frames(sent))).outcomes()
    assert [found.text(run) for run in range(3)] == ["ended: size", "'x'", "other: list"]


def test_outcomes_that_are_too_large_together_end_the_audit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wire, "LARGEST_BLOCK", 1000)
    sent = Outcomes.of_outputs(["x" * 600, "y" * 600])
    with pytest.raises(ProtocolError, match="outputs of one block of runs take more than"):
        received(parts(Writer().frames(sent)))


NUMBER = (SHAPE, b'["numbers", "float float64 1"]')
TEXT = (SHAPE, b'["text", "str"]')
DATA = (SHAPE, b'["data", "list"]')


@pytest.mark.parametrize(
    "frames",
    [
        [(0, b"")],
        [(SHAPE, b"")],
        [(SHAPE, b"[]")],
        [(SHAPE, b'["numbers"]')],
        [(SHAPE, b'["unknown", ""]')],
        [(SHAPE, b'[["text"], "str"]')],
        [(SHAPE, b'["text", 1]')],
        [(SHAPE, b'["raised", "\\u001b[2J"]')],
        [(SHAPE, json.dumps(["raised", "x" * 10_000]).encode())],
        [(SHAPE, b'["numbers", "float float64"]')],
        [(SHAPE, b'["numbers", "array float64 0x1000000000000"]')],
        [TEXT, TEXT],
        [TEXT, NUMBER],
        [TEXT, (0, b"x"), TEXT],
        [NUMBER, (0, b"1234567")],
        [NUMBER, (0, b"1234567890123456")],
        [NUMBER, (1, b"12345678")],
        [NUMBER, (-5, b"12345678")],
        [NUMBER, (BLOCK, b"12345678")],
        [NUMBER, (0, b"12345678"), (BLOCK, b"1234567812345678")],
        [TEXT, (BLOCK, b"12")],
        [(BLOCK, b"")],
        [TEXT, (0, b"\xff")],
        [DATA, (0, b"\xff")],
        [DATA, (0, b"{")],
        [DATA, (0, b'{"int": "x"}')],
        [DATA, (0, b'{"dict": [1]}')],
        [DATA, (0, b'{"int": "0x1", "float": "0x1p+0"}')],
        [DATA, (0, b'{"list": [' * 5000 + b"]}" * 5000)],
        [(SHAPE, b'["nothing", ""]'), (0, b"x")],
        [(SHAPE, b'["table", "[]"]'), (0, b"")],
    ],
)
def test_frames_that_are_no_outcomes_are_refused(frames: list[tuple[int, bytes]]) -> None:
    with pytest.raises(Exception, match=r".*"):
        received(frames, 2)


def test_tables_of_one_shape_have_the_same_columns() -> None:
    tables = [pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]}), pd.DataFrame({"a": ["x"]})]
    first, *others = (parts(Writer().frames(Outcomes.of_outputs([table]))) for table in tables)
    for other in others:
        with pytest.raises(ValueError, match="differ"):
            received([*first, other[1]])


def test_frames_that_were_altered_are_outcomes_or_refused() -> None:
    sent = parts(Writer().frames(Outcomes.of_outputs(OUTPUTS)))
    chosen = random.Random(1)
    for _ in range(2000):
        frames = list(sent[: chosen.randint(2, len(sent))])
        place = chosen.randrange(len(frames))
        number, content = frames[place]
        altered = bytearray(content or b"x")
        altered[chosen.randrange(len(altered))] = chosen.randrange(256)
        frames[place] = (chosen.choice([number, number, chosen.randint(-5, 5)]), bytes(altered))
        try:
            found = received(frames, len(OUTPUTS)).outcomes()
        except Exception:
            continue
        found.codes()
        [found.text(run) for run in range(len(found))]
        list(rows_of(found, ("a", "b")))


@pytest.mark.parametrize(
    "said", [Described("batch"), Described("function"), Refused("é"), Raised("E")]
)
def test_answers_come_back(said: Described | Refused | Raised) -> None:
    assert read_answer(answer(said)) == said


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1",
        b"{}",
        b'{"form": "other"}',
        b'{"form": "batch", "more": 1}',
        b'{"refused": 1}',
        b'{"raised": ["x"]}',
    ],
)
def test_other_answers_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_answer(content)


def test_what_a_process_says_in_words_is_short_and_printable() -> None:
    said = read_answer(answer(Refused("\x1b[2J" + "x" * 10_000)))
    assert isinstance(said, Refused)
    assert said.message.startswith("?[2J") and len(said.message) == wire.MOST_WORDS


def test_frames_come_in_pieces_and_no_wait_is_longer_than_it_says() -> None:
    ours, theirs = socket.socketpair()
    frames = Frames(ours)
    whole = frame(1, b"x" * 1000) + frame(2, b"")
    with ours, theirs:
        for place in range(0, len(whole), 100):
            theirs.sendall(whole[place : place + 100])
        until = time.monotonic() + 60
        assert frames.next(until) == (1, b"x" * 1000)
        assert frames.next(until) == (2, b"")
        theirs.sendall(struct.pack("<iQ", 1, 2**40))
        with pytest.raises(ValueError, match="too large"):
            frames.next(until)
        theirs.sendall(frame(1, b"x")[:-1])
        with pytest.raises(TimeoutError):
            frames.next(time.monotonic() + 0.05)
        theirs.close()
        with pytest.raises(EOFError):
            frames.next(until)
