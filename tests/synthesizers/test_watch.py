"""The watch on what a program reaches for."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from synthesizers.errors import ProtocolError
from synthesizers.watch import watch

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
    with pytest.raises(ProtocolError, match="asks the curator") as caught, watch():
        reach(path)
    assert "secret" not in str(caught.value)
    assert path.read_text() == "8675309"


def test_what_was_swallowed_is_still_seen(tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_text("x")
    with watch() as outer:
        with watch() as inner:
            pass
        with pytest.raises(ProtocolError):
            path.read_text()
    assert outer.seen == ["open"] and inner.seen == []
    assert path.read_text() == "x"


def test_a_thread_of_the_program_counts_as_the_program(tmp_path: Path) -> None:
    def read() -> None:
        inside.wait()
        with pytest.raises(ProtocolError):
            path.read_text()

    path = tmp_path / "secret.csv"
    path.write_text("x")
    inside = threading.Event()
    thread = threading.Thread(target=read)
    with watch() as outer:
        thread.start()
        with watch() as inner:
            inside.set()
            thread.join()
    assert outer.seen + inner.seen == ["open"]


def test_a_thread_that_ran_before_the_program_is_not_the_program(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    begun, written = threading.Event(), threading.Event()

    def write() -> None:
        begun.wait()
        path.write_text("x")
        written.set()

    thread = threading.Thread(target=write)
    thread.start()
    with watch() as reach:
        begun.set()
        assert written.wait(60)
    thread.join()
    assert reach.seen == [] and path.read_text() == "x"


def test_what_is_collected_meanwhile_is_not_the_program(tmp_path: Path) -> None:
    class Remover:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            (tmp_path / "gone").write_text("x")

    Remover()
    with watch() as reach:
        kept = [[place] for place in range(100_000)]
    assert reach.seen == [] and len(kept) == 100_000 and gc.isenabled()


def test_late_imports_are_code() -> None:
    sys.modules.pop("colorsys", None)
    with watch() as reach:
        import colorsys

        assert colorsys.rgb_to_hsv(0, 0, 0) == (0, 0, 0)
    assert reach.seen == []
