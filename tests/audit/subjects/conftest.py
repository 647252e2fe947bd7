"""What tests of submissions share: a folder for what runs note, and who still runs."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import pytest

from audit.subjects import command, server
from audit.subjects.confinement import Confinement


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that submissions may write in beside their own, and in which they find it again."""
    folder = tmp_path / "notes"
    folder.mkdir()

    def confinement(*words: Any, writable: tuple[str, ...], **more: Any) -> Confinement:
        return Confinement(*words, writable=(*writable, str(folder)), **more)

    monkeypatch.setattr(command, "Confinement", confinement)
    monkeypatch.setattr(server, "Confinement", confinement)
    return folder


def running(word: str) -> list[int]:
    """The processes that were started with a word, by the numbers that they have here."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.fsencode(word) in (place / "cmdline").read_bytes().split(b"\0"):
                found.append(int(place.name))
    return found
