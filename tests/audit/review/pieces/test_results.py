"""Finished pieces are kept whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.review.pieces.piece import Outcome, Piece
from audit.review.pieces.results import Results

PIECE = Piece("trial", "prescreen", "one", "1", ("try", "."), "prepared/one", ("0",), 60)
OUTCOME = Outcome(PIECE.digest, "dp-audit try .", 0, 1.5, 80, "", {"verdict": "PROVED"}, True)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    results = Results(tmp_path)
    assert results.read(PIECE) is None
    results.write(OUTCOME)
    assert results.read(PIECE) == OUTCOME
    assert [path.name for path in tmp_path.iterdir()] == [f"{PIECE.digest}.json"]


@pytest.mark.parametrize("kept", [0, 1, 40, 0.5, -1])
def test_a_part_of_a_file_is_no_result(tmp_path: Path, kept: float) -> None:
    Results(tmp_path).write(OUTCOME)
    path = tmp_path / f"{PIECE.digest}.json"
    text = path.read_bytes().rstrip()
    path.write_bytes(text[: int(kept * len(text)) if isinstance(kept, float) else kept])
    assert Results(tmp_path).read(PIECE) is None


@pytest.mark.parametrize(
    "change",
    [{"digest": "0" * 64}, {"schema": "dp-audit/review-piece/0"}, {"more": 1}],
)
def test_the_result_of_another_piece_or_version_is_none(
    tmp_path: Path, change: dict[str, object]
) -> None:
    Results(tmp_path).write(OUTCOME)
    path = tmp_path / f"{PIECE.digest}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert Results(tmp_path).read(PIECE) is None


@pytest.mark.parametrize("said", [{}, {"apart": "yes"}, {"apart": 1}])
def test_a_result_that_does_not_say_whether_it_ran_apart_is_none(
    tmp_path: Path, said: dict[str, object]
) -> None:
    results = Results(tmp_path)
    results.write(OUTCOME)
    (file,) = tmp_path.glob("*.json")
    document = json.loads(file.read_text())
    del document["apart"]
    file.write_text(json.dumps(document | said))
    assert results.read(PIECE) is None


def test_folders_are_joined_and_what_is_there_stays(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    Results(there).write(OUTCOME)
    Results(there).table(PIECE).write_text("sex\na\n")
    (there / ".piece-left").write_text("half")
    Results(here).take([there])
    assert Results(here).read(PIECE) == OUTCOME
    assert Results(here).table(PIECE).read_text() == "sex\na\n"
    assert {path.name for path in here.iterdir()} == {
        f"{PIECE.digest}.json",
        f"{PIECE.digest}.csv",
    }
