"""The watch on what a program reaches for."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from synthesizers.errors import ProtocolError
from synthesizers.watch import watched

REACHES: list[Callable[[Path], object]] = [
    lambda path: path.read_text(),
    lambda path: path.write_text("x"),
    lambda path: os.open(path, os.O_RDONLY),
    lambda path: os.system("true"),
    lambda path: subprocess.run([sys.executable, "--version"], check=False),
    lambda path: socket.socket().connect(("127.0.0.1", 1)),
]


@pytest.mark.parametrize("reach", REACHES)
def test_files_sockets_and_processes_are_noticed(
    reach: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "secret.csv"
    path.write_text("8675309")
    with pytest.raises(ProtocolError, match="asks the curator") as caught, watched():
        reach(path)
    assert "secret" not in str(caught.value)
    assert path.read_text() == "8675309"


def test_what_was_swallowed_is_still_seen(tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_text("x")
    with watched() as outer:
        with watched() as inner:
            pass
        with pytest.raises(ProtocolError):
            path.read_text()
    assert outer.seen == ["open"] and inner.seen == []
    assert path.read_text() == "x"


def test_late_imports_are_code() -> None:
    sys.modules.pop("colorsys", None)
    with watched() as reach:
        import colorsys

        assert colorsys.rgb_to_hsv(0, 0, 0) == (0, 0, 0)
    assert reach.seen == []
