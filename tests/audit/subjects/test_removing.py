"""What strangers' programs leave is removed, however deep, closed or linked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from audit.subjects.removing import make_folder, remove_tree


def make_deep(folder: Path, levels: int = 2000) -> None:
    """A folder deeper than Python calls itself, and than paths are long."""
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


@pytest.mark.parametrize("ended", [False, True])
def test_a_folder_too_deep_to_follow_is_removed(tmp_path: Path, ended: bool) -> None:
    make_deep(tmp_path / "x")
    assert remove_tree(str(tmp_path / "x"), ended)
    assert os.listdir(tmp_path) == []


def test_what_a_link_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch(0o600)
    make_deep(tmp_path / "x")
    (tmp_path / "x" / "link").symlink_to(tmp_path / "kept")
    assert remove_tree(str(tmp_path / "x"), True)
    assert (tmp_path / "kept" / "file").stat().st_mode & 0o777 == 0o600


def test_closed_folders_are_opened_once_nobody_can_change_them(tmp_path: Path) -> None:
    made = tmp_path / "x" / "closed"
    made.mkdir(parents=True)
    (made / "file").touch()
    made.chmod(0)
    # Root gets in whatever the mode.
    assert remove_tree(str(tmp_path / "x")) is (os.geteuid() == 0)
    assert remove_tree(str(tmp_path / "x"), True)


def test_a_folder_of_runs_goes_with_all_in_it() -> None:
    with make_folder() as place, make_folder(place) as folder:
        make_deep(Path(folder, "x"))
        assert os.path.dirname(folder) == place
    assert not os.path.exists(place)
