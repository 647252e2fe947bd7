"""Landlock: what a process gave up stays given up, whichever way leads there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.subjects import landlock, system_calls

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not landlock.version(), reason="there is no Landlock here"
)


def in_a_child(work: Callable[[], object]) -> bool:
    """Whether work succeeds in a process of its own; OSError means that it does not."""
    process = os.fork()
    if not process:
        code = 2
        try:
            work()
            code = 0
        except OSError:
            code = 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert code in (0, 1)
    return code == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "given" / "sub").mkdir(parents=True)
    (tmp_path / "given" / "data").write_text("secret")
    (tmp_path / "given" / "file").write_text("open")
    (tmp_path / "given" / "sub" / "file").write_text("open")
    (tmp_path / "given" / "link").symlink_to(tmp_path / "given" / "data")
    (tmp_path / "given" / "outward").symlink_to(tmp_path / "other")
    (tmp_path / "other").write_text("other")
    (tmp_path / "own").mkdir()
    return tmp_path


def allowed(folder: Path, work: Callable[[], object], *hidden: str) -> bool:
    def restricted() -> None:
        system_calls.forbid_privileges()
        secret = [str(folder / "given" / name) for name in hidden]
        landlock.restrict_files([str(folder / "given")], [str(folder / "own")], secret)
        work()

    return in_a_child(restricted)


def test_given_files_are_read_and_others_are_not(folder: Path) -> None:
    assert allowed(folder, (folder / "given" / "file").read_text)
    assert allowed(folder, (folder / "given" / "data").read_text)
    assert not allowed(folder, (folder / "other").read_text)
    assert not allowed(folder, (folder / "given" / "outward").read_text)


def test_hidden_files_are_not_read_by_any_path(folder: Path) -> None:
    assert not allowed(folder, (folder / "given" / "data").read_text, "data")
    assert not allowed(folder, (folder / "given" / "link").read_text, "data")
    assert not allowed(folder, (folder / "given" / "sub" / ".." / "data").read_text, "data")
    assert not allowed(folder, (folder / "given" / "outward").read_text, "data")


def test_what_is_beside_a_hidden_file_is_read_and_listed(folder: Path) -> None:
    assert allowed(folder, (folder / "given" / "file").read_text, "data")
    assert allowed(folder, (folder / "given" / "sub" / "file").read_text, "data")
    assert allowed(folder, lambda: os.listdir(folder / "given"), "data")


def test_a_hidden_folder_is_not_listed(folder: Path) -> None:
    assert not allowed(folder, lambda: os.listdir(folder / "given" / "sub"), "sub")
    assert not allowed(folder, (folder / "given" / "sub" / "file").read_text, "sub")
    assert allowed(folder, (folder / "given" / "file").read_text, "sub")


def test_given_files_are_not_changed(folder: Path) -> None:
    assert not allowed(folder, lambda: (folder / "given" / "file").write_text("x"))
    assert not allowed(folder, lambda: (folder / "given" / "new").write_text("x"))
    assert not allowed(folder, lambda: os.truncate(folder / "given" / "file", 0))
    assert not allowed(folder, lambda: os.unlink(folder / "given" / "file"))
    assert allowed(folder, lambda: (folder / "own" / "new").write_text("x"))


def test_a_hidden_file_is_not_given_another_name(folder: Path) -> None:
    def renamed() -> None:
        os.link(folder / "given" / "data", folder / "own" / "data")
        (folder / "own" / "data").read_text()

    assert not allowed(folder, renamed, "data")


def test_a_program_that_is_started_has_given_up_the_same(folder: Path) -> None:
    def started() -> None:
        code = os.spawnv(os.P_WAIT, "/bin/cat", ["cat", str(folder / "other")])
        if code:
            raise PermissionError

    def restricted(readable: list[str]) -> Callable[[], None]:
        def work() -> None:
            system_calls.forbid_privileges()
            landlock.restrict_files(["/usr", "/bin", "/lib", "/lib64", "/etc", *readable], [])
            started()

        return work

    assert in_a_child(restricted([str(folder)]))
    assert not in_a_child(restricted([]))
