"""Folders of strangers: what lies outside is never read."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from audit.review.submissions import trees
from audit.review.submissions.trees import copy_files, list_files
from synthesizers.errors import InputError
from tests.audit.review.made_submissions import write_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(tmp_path / "folder", {"a": "1", "d/b": "22", ".git/x": "", "d/.venv/x": ""})


def test_files_are_listed_in_order_and_copied_with_their_modes(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "d/b").chmod(0o700)
    (folder / "link").symlink_to("d/b")
    files = list_files(folder)
    assert [(file.name, file.executable, file.size) for file in files] == [
        ("a", False, 1),
        ("d/b", True, 2),
        ("link", True, 2),
    ]
    copy_files(files, tmp_path / "copy")
    assert not (tmp_path / "copy/link").is_symlink()
    assert (tmp_path / "copy/link").read_text() == "22"
    assert (tmp_path / "copy/d/b").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "copy/a").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/etc/passwd", "leads out of its folder"),
        ("../secret", "leads out of its folder"),
        ("d/../../secret", "leads out of its folder"),
        ("..", "leads out of its folder"),
        ("d", "leads to a folder"),
        ("nowhere", "leads nowhere"),
        ("x", "leads nowhere"),
    ],
)
def test_a_link_that_is_no_file_of_the_folder_is_refused(
    folder: Path, tmp_path: Path, target: str, said: str
) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder / "x").symlink_to(target)
    with pytest.raises(InputError, match=said):
        list_files(folder)


def test_pipes_are_refused_and_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(InputError, match="a pipe or a device"):
        list_files(folder)


def test_names_that_can_not_be_printed_are_refused(folder: Path) -> None:
    (folder / "d" / "x\x1b").write_text("")
    with pytest.raises(InputError, match="can't be printed") as refusal:
        list_files(folder)
    assert "\x1b" not in str(refusal.value)


def test_a_folder_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(trees, "MOST_BYTES", 2)
        with pytest.raises(InputError, match="MiB"):
            list_files(folder)
    with monkeypatch.context() as patch:
        patch.setattr(trees, "DEEPEST", 0)
        with pytest.raises(InputError, match="deep"):
            list_files(folder)
    with monkeypatch.context() as patch:
        patch.setattr(trees, "MOST_FILES", 1)
        with pytest.raises(InputError, match="more than 1 files"):
            list_files(folder)


def test_what_changes_after_it_was_listed_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    files = list_files(folder)
    (folder / "a").write_text("much more")
    with pytest.raises(InputError, match="changed"):
        copy_files(files, tmp_path / "one")
    (folder / "a").unlink()
    (folder / "a").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="cannot be copied"):
        copy_files(tuple(replace(file, size=99) for file in files), tmp_path / "two")
