"""Messages of the curator protocol: what was written is read again, and nothing else is taken."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from audit.subjects.curator_messages import (
    LONGEST_TEXT,
    decode_answer,
    decode_output,
    decode_play,
    decode_plays,
    decode_script,
    decode_scripts,
    describe_place,
    encode_answer,
    encode_output,
    encode_play,
    encode_plays,
    encode_script,
    encode_scripts,
)
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import DPAuditError, ProtocolError
from synthesizers.playing import Play

pytestmark = pytest.mark.smoke

DOMAIN = Domain.from_cells("2x3")
LARGE = 2**61 + 1


def sent(message: Any) -> Any:
    return json.loads(json.dumps(message))


@pytest.mark.parametrize(
    "output", [(), (1, 0, -3), (LARGE, None, "a"), ("", None), tuple(range(300))]
)
def test_values_are_read_as_they_were_written(output: tuple[Any, ...]) -> None:
    assert decode_output(sent(encode_output(output)), DOMAIN) == output


def test_records_are_codes_of_the_domain() -> None:
    codes = np.array([[0, 2], [1, 0], [1, 0]])
    found = decode_output(sent(encode_output(Dataset(DOMAIN, codes))), DOMAIN)
    assert isinstance(found, Dataset) and found.codes.tolist() == codes.tolist()
    empty = decode_output({"records": []}, DOMAIN)
    assert isinstance(empty, Dataset) and empty.records == 0


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        [1, 2],
        {},
        {"values": 1},
        {"values": [1.0]},
        {"values": [True]},
        {"values": [[1]]},
        {"values": [2**53]},
        {"values": [{"whole": 3}]},
        {"values": [{"whole": "x"}]},
        {"values": [{"whole": "9" * 5000}]},
        {"values": [{"whole": "3", "more": 1}]},
        {"values": ["a" * (LONGEST_TEXT + 1)]},
        {"values": [1], "records": []},
        {"values": [1], "more": 1},
        {"records": [1]},
        {"records": [[0]]},
        {"records": [[0, 1, 0]]},
        {"records": [[0, True]]},
        {"records": [[0, 3]]},
        {"records": [[-1, 0]]},
        {"records": [[0, 10**30]]},
        {"records": {"0": [0, 0]}},
    ],
    ids=lambda plain: str(plain)[:40],
)
def test_what_is_no_output_is_refused(plain: Any) -> None:
    with pytest.raises(ProtocolError):
        decode_output(plain, DOMAIN)


def test_answers_and_scripts_are_read_as_they_were_written() -> None:
    script = ((1, -2), None, (LARGE,), ())
    assert decode_script(sent(encode_script(script))) == script
    assert decode_answer(sent(encode_answer((0, -LARGE)))) == (0, -LARGE)
    for plain in (1, "1", [1.5], [True], [None], {"a": 1}):
        with pytest.raises(DPAuditError):
            decode_answer(plain)


@pytest.mark.parametrize(
    "play",
    [Play((), 0, None), Play((0, 1), 1, None), Play((0,), None, (1, None)), Play((0,), None, None)],
)
def test_plays_are_read_as_they_were_written(play: Play) -> None:
    assert decode_play(sent(encode_play(play)), 2, DOMAIN) == play


def test_records_of_a_play_are_counted() -> None:
    plain = [[0], "output", {"records": [[0, 2], [1, 0], [1, 0]]}]
    assert decode_play(plain, 1, DOMAIN) == Play((0,), None, (0, 0, 1, 2, 0, 0))


@pytest.mark.parametrize(
    "plain",
    [
        None,
        {},
        [],
        [[], "asks"],
        [[], "asks", 2],
        [[], "asks", -1],
        [[], "asks", True],
        [[], "asks", 0.0],
        [[2], "asks", 0],
        [[-1], "refused"],
        [[True], "refused"],
        [[0], "refused", 1],
        [[0], "stopped"],
        [[0], "output"],
        [[0], "output", None],
        [0, "asks", 0],
        ["0", "refused"],
    ],
    ids=str,
)
def test_what_is_no_play_is_refused(plain: Any) -> None:
    with pytest.raises(ProtocolError):
        decode_play(plain, 2, DOMAIN)


SCRIPTS: list[list[Any]] = [
    [],
    [()],
    [((1, -2), None, ()), ()],
    [((1,), (2,)), ((LARGE,), None)],
    [((2**53 - 1,),), ((-(2**53),),)],
]


@pytest.mark.parametrize("scripts", SCRIPTS, ids=str)
def test_scripts_are_read_as_they_were_written_together(scripts: list[Any]) -> None:
    message = sent(encode_scripts(scripts))
    assert message == [sent(encode_script(script)) for script in scripts]
    found = decode_scripts(message)
    assert found == scripts
    assert {type(answer) for script in found for answer in script} <= {tuple, type(None)}


PLAYS = [
    Play((0,), None, (1, None, "a")),
    Play((0,), None, (1, None, "a")),
    Play((0,), None, (2, LARGE)),
    Play((0, 1), None, (1, None, "a")),
    Play((0,), 1, None),
    Play((0,), None, (2, LARGE)),
    Play((0, 1), None, None),
    Play((), None, ()),
]


@pytest.mark.parametrize("count", range(len(PLAYS) + 1))
def test_plays_are_read_as_they_were_written_together(count: int) -> None:
    plays = PLAYS[:count]
    message = sent(encode_plays(plays))
    assert decode_plays(message["outputs"], message["played"], 2, DOMAIN) == plays
    released = [play.output for play in plays if play.output is not None]
    assert len(message["outputs"]) == len(set(released))


def test_plays_are_told_together_as_far_as_their_questions_are_the_same() -> None:
    message = encode_plays(PLAYS)
    assert [(asked, what) for asked, what, *_ in message["played"]] == [
        ((0,), "outputs"),
        ((0, 1), "outputs"),
        ((0,), "asks"),
        ((0,), "outputs"),
        ((0, 1), "refused"),
        ((), "outputs"),
    ]
    assert message["played"][0][2] == [0, 0, 1]


def test_records_of_plays_are_counted() -> None:
    outputs = [{"records": [[0, 2], [1, 0], [1, 0]]}]
    counted = Play((0,), None, (0, 0, 1, 2, 0, 0))
    assert decode_plays(outputs, [[[0], "outputs", [0, 0]]], 1, DOMAIN) == [counted] * 2


@pytest.mark.parametrize(
    "plain",
    [
        [[0], "outputs", [1]],
        [[0], "outputs", [-1]],
        [[0], "outputs", [True]],
        [[0], "outputs", [0.0]],
        [[0], "outputs", ["0"]],
        [[0], "outputs", 0],
        [[0], "outputs", None],
        [[0], "outputs", [0], 0],
        [[2], "outputs", [0]],
        [[-1], "outputs", [0]],
        [[True], "outputs", [0]],
        [0, "outputs", [0]],
        [[2], "outputs", []],
    ],
    ids=str,
)
def test_what_is_no_series_of_plays_is_refused(plain: Any) -> None:
    assert decode_plays([{"values": [1]}], [[[1], "outputs", [0]]], 2, DOMAIN)
    with pytest.raises(ProtocolError):
        decode_plays([{"values": [1]}], [plain], 2, DOMAIN)
    with pytest.raises(ProtocolError):
        decode_plays([{"values": [True]}], [], 2, DOMAIN)


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        ({"file": "paper.tex", "line": 3, "step": "2a"}, "paper.tex, line 3, step 2a"),
        ({"line": 7}, "line 7"),
        ({}, ""),
    ],
)
def test_the_place_of_a_question_is_told_in_its_own_words(
    plain: dict[str, Any], words: str
) -> None:
    assert describe_place(plain) == words


@pytest.mark.parametrize(
    "plain",
    [
        *(None, [], {"page": 3}, {"file": 3}, {"file": None}, {"step": "a" * 201}),
        *({"line": 0}, {"line": True}, {"line": 1.0}, {"line": 2**53}),
    ],
)
def test_another_place_of_a_question_is_refused(plain: object) -> None:
    with pytest.raises(ProtocolError):
        describe_place(plain)
