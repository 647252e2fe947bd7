"""A user's folder with a table and its domain, and the command called in it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from audit.cli.main import main
from tests.audit.calls import Command, Shown

DOMAIN = """
name = "clinic"
[attributes]
sex = { values = ["male", "female"] }
age = { bins = [0, 30, 60, 90], ordinal = true }
"""
TABLE = "sex,age\nmale,20\nfemale,40\nfemale,10\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: ``table.csv`` of three records, and ``domain.toml``, of six cells."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "domain.toml").write_text(DOMAIN)
    (tmp_path / "table.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def dp_audit(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a line of the command in that folder, usage errors included."""

    def call(line: str, *more: str) -> Shown:
        try:
            code = main([*shlex.split(line), *more])
        except SystemExit as stop:
            code = int(stop.code or 0)
        shown = capsys.readouterr()
        return Shown(code, shown.out, shown.err)

    return call
