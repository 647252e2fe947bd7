"""A piece runs in a process of its own; what it leaves is a result, or nothing."""

from __future__ import annotations

import resource
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from audit.review.pieces import performing
from audit.review.pieces.performing import Stopped, perform
from audit.review.pieces.piece import DOCUMENT, Outcome, Piece
from audit.review.pieces.results import Results
from synthesizers.errors import InputError


def make_piece(*words: str, seconds: int = 60) -> Piece:
    """A command that runs in the review's own folder."""
    return Piece("trial", "prescreen", "one", "1", words, ".", ("0",), seconds)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a review."""
    (tmp_path / "pieces").mkdir()
    return tmp_path


def test_a_command_leaves_its_document_its_code_and_its_cost(folder: Path) -> None:
    piece = make_piece("list", "noise", "--json", DOCUMENT)
    outcome = perform(piece, str(folder))
    assert outcome.exit == 0
    assert outcome.document is not None
    assert "noise" in outcome.document
    assert outcome.seconds > 0
    assert outcome.megabytes > 10
    assert Results(folder / "pieces").read(piece) == outcome
    assert [path.suffix for path in (folder / "pieces").iterdir()] == [".json"]


def test_a_command_that_fails_leaves_the_end_of_its_log(folder: Path) -> None:
    outcome = perform(make_piece("list", "nothing", "--json", DOCUMENT), str(folder))
    assert (outcome.exit, outcome.document) == (2, None)
    assert "nothing" in outcome.log


def test_a_finished_piece_is_not_done_again(folder: Path) -> None:
    piece = make_piece("list", "noise", "--json", DOCUMENT)
    first = perform(piece, str(folder))
    # The time that it took says whether it ran again.
    assert perform(piece, str(folder)) == first


def test_a_piece_that_takes_too_long_is_ended(folder: Path) -> None:
    outcome = perform(make_piece("self-test", seconds=1), str(folder))
    assert (outcome.exit, outcome.document) == (None, None)


def test_an_interrupted_piece_leaves_nothing(folder: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        perform(make_piece("self-test"), str(folder), stop)
    assert not list((folder / "pieces").iterdir())


def perform_anew(piece: Piece, folder: Path) -> Outcome:
    """In a thread of its own, and so with a process of its own that starts it."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(perform, piece, str(folder)).result()


@contextmanager
def small_files(most: int) -> Iterator[None]:
    """No file of this process, or of one it starts, gets larger: as on a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_what_a_full_disk_cuts_short_is_no_result(folder: Path) -> None:
    piece = make_piece("list", "noise", "--json", DOCUMENT)
    with small_files(100), pytest.raises(InputError, match="can't be written"):
        perform_anew(piece, folder)
    assert not list((folder / "pieces").iterdir())
    assert perform_anew(piece, folder).exit == 0


def test_a_piece_whose_starter_is_killed_fails_by_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(performing, "_START", "print('{}', flush=True); input()")
    outcome = perform_anew(make_piece("list"), folder)
    assert (outcome.exit, outcome.document) == (-signal.SIGKILL, None)


def test_where_nothing_can_be_started_it_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(performing, "_START", "raise SystemExit(1)")
    with pytest.raises(InputError, match="no process that runs pieces can be started"):
        perform_anew(make_piece("list"), folder)
    assert not list((folder / "pieces").iterdir())
