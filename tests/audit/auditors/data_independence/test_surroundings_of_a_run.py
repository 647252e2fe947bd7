"""What a run says, warns, logs, reads and writes is told in order, and shown to nobody else."""

from __future__ import annotations

import logging
import subprocess
import sys
import warnings

import pytest

from audit.auditors.data_independence.surroundings import Reached, Said, overseen, read_written


def heard(speak):
    found = []
    with overseen(found.append):
        speak()
    return found


def test_streams_logs_and_warnings_are_told_in_order(capsys):
    def speak():
        print("one")
        logging.getLogger("quiet").debug("two %d", 2)
        warnings.warn("three", stacklevel=1)
        sys.stderr.write("four")

    found = [f for f in heard(speak) if isinstance(f, Said) and f.text.strip()]
    assert [f.stream for f in found] == ["stdout", "log", "warning", "stderr"]
    assert [f.text for f in found] == ["one", "DEBUG quiet two 2", "UserWarning three", "four"]
    assert capsys.readouterr() == ("", "")


def test_a_log_that_keeps_to_itself_is_told_too():
    logger = logging.getLogger("keeps-to-itself")
    logger.propagate = False
    try:
        found = heard(lambda: logger.warning("n"))
    finally:
        logger.propagate = True
    assert [f.text for f in found if isinstance(f, Said)] == ["WARNING keeps-to-itself n"]


def test_files_are_told_with_what_was_written_to_them(tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("before ")

    def write():
        with open(old, "a") as file:
            file.write("after")
        new.write_text("all of it")
        old.read_text()

    found = [f for f in heard(write) if isinstance(f, Reached)]
    assert [(f.kind, f.kept) for f in found] == [("written", 7), ("written", 0), ("read", None)]
    assert [read_written(f) for f in found[:2]] == [b"after", b"all of it"]


def test_a_file_that_is_gone_is_empty(tmp_path):
    gone = tmp_path / "gone"

    def write():
        gone.write_text("x")
        gone.unlink()

    found = [f for f in heard(write) if isinstance(f, Reached)]
    assert found[0].kind == "written"
    assert read_written(found[0]) == b""


def test_processes_are_told():
    found = heard(lambda: subprocess.run([sys.executable, "-c", ""], check=True))
    assert "subprocess.Popen" in [f.kind for f in found if isinstance(f, Reached)]


def test_afterwards_all_is_as_it_was():
    before = logging.Logger.handle, logging.root.level, sys.stdout, warnings.showwarning
    with pytest.raises(KeyError):
        heard(lambda: {}["missing"])
    after = logging.Logger.handle, logging.root.level, sys.stdout, warnings.showwarning
    assert after == before
