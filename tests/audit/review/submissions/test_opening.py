"""Folders and zips of submissions: all are found, and none stops the others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from audit.review.submissions.names import problem_of_name
from audit.review.submissions.opening import open_path
from synthesizers.errors import InputError
from tests.audit.review.made_submissions import (
    COPY,
    DOMAIN,
    TOML,
    open_one,
    write_copy,
    write_deid2,
    write_files,
    zip_folder,
)


def test_a_submission_is_a_folder_or_a_zip_of_it(tmp_path: Path) -> None:
    folder = write_copy(tmp_path / "team")
    plain = open_one(folder, tmp_path / "u")
    zipped = open_one(zip_folder(folder, tmp_path / "other.zip"), tmp_path / "u")
    within = open_one(zip_folder(folder, tmp_path / "third.zip", "src/"), tmp_path / "u")
    assert [one.name for one in (plain, zipped, within)] == ["team", "other", "third"]
    assert plain.launch == zipped.launch == within.launch
    assert within.folder == tmp_path / "u" / "files" / "third" / "src"


def test_deid2_is_found_at_the_root_and_one_folder_below(tmp_path: Path) -> None:
    folder = write_deid2(tmp_path / "team")
    for archive in (
        folder,
        zip_folder(folder, tmp_path / "a.zip"),
        zip_folder(folder, tmp_path / "b.zip", "src/"),
    ):
        assert open_one(archive, tmp_path / "u").launch.way == "deid2"


def test_a_folder_of_submissions_is_read_and_the_unreadable_are_named(tmp_path: Path) -> None:
    place = tmp_path / "all"
    write_copy(place / "b")
    zip_folder(write_copy(tmp_path / "elsewhere"), place / "a.zip")
    write_copy(place / "c", "[run]\n")
    write_files(place / "d", {"readme.md": ""})
    (place / "e.zip").write_bytes(b"no zip")
    (place / "f").symlink_to(tmp_path / "elsewhere")
    write_files(place, {"notes.txt": "", ".hidden/x": ""})
    intake = open_path(place, tmp_path / "u")
    assert [one.name for one in intake.submissions] == ["a", "b"]
    reasons = {one.name: one.reason for one in intake.unread}
    assert set(reasons) == {"c", "d", "e", "f"}
    assert "state one of" in reasons["c"] and "neither submission.toml" in reasons["d"]
    assert "no zip" in reasons["e"] and "it is a link" in reasons["f"]


def test_a_challenge_holds_for_those_in_its_folder_and_for_one_by_itself(tmp_path: Path) -> None:
    toml = 'name = "spring"\ndata = "data/public.csv"\n[claim]\nepsilons = [3]\n' + (
        'neighbours = "replace-one"\n[domain]\nfile = "domain.toml"\n'
    )
    write_files(
        tmp_path / "all",
        {"challenge.toml": toml, "data/public.csv": "", "domain.toml": DOMAIN},
    )
    run = f'[run]\ncommand = "{COPY}"\n'
    folder = write_files(tmp_path / "all" / "team", {"submission.toml": run})
    intake = open_path(tmp_path / "all", tmp_path / "u")
    assert intake.challenge.name == "spring" and not intake.unread
    assert intake.submissions[0].claim.epsilons == ("3",)
    assert open_one(folder, tmp_path / "v").claim == intake.submissions[0].claim


def test_names_can_be_printed_and_are_distinct(tmp_path: Path) -> None:
    place = tmp_path / "all"
    write_copy(place / "a\x1b[2Jb")
    write_copy(place / "x")
    write_copy(place / "y", f'name = "X"\n{TOML}')
    zip_folder(write_copy(tmp_path / "elsewhere"), place / "x.zip")
    intake = open_path(place, tmp_path / "u")
    assert [one.name for one in intake.submissions] == ["a--2Jb", "x", "x-2", "y"]


def test_nobody_gets_the_name_of_another(tmp_path: Path) -> None:
    # Its verdict would be read as that of the other.
    place = tmp_path / "all"
    write_copy(place / "a", f'name = "team 7"\n{TOML}')
    write_copy(place / "b", f'name = "Team 7"\n{TOML}')
    write_copy(place / "c", f'name = "d"\n{TOML}')
    write_copy(place / "d", f'name = "a"\n{TOML}')
    intake = open_path(place, tmp_path / "u")
    assert [one.name for one in intake.submissions] == ["a", "b", "c", "d"]


def test_long_names_are_those_of_files_and_are_read_again(tmp_path: Path) -> None:
    place = tmp_path / "all"
    for ending in ("x", "y"):
        write_copy(place / ("n" * 100 + ending))
        write_copy(place / ("\U00010348" * 60 + ending))
    names = [one.name for one in open_path(place, tmp_path / "u").submissions]
    assert len({name.casefold() for name in names}) == 4
    assert all(problem_of_name(name) == [] and len(name.encode()) <= 120 for name in names)


def test_a_zip_with_several_submissions_is_refused(tmp_path: Path) -> None:
    write_copy(tmp_path / "both" / "a")
    write_copy(tmp_path / "both" / "b")
    intake = open_path(zip_folder(tmp_path / "both", tmp_path / "both.zip"), tmp_path / "u")
    assert "several submissions" in intake.unread[0].reason


def test_where_there_is_nothing_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing there"):
        open_path(tmp_path / "absent", tmp_path / "u")
    with pytest.raises(InputError, match="holds no submission"):
        open_path(write_files(tmp_path / "x", {"a": ""}), tmp_path / "u")


@pytest.mark.parametrize("way", ["plain", "link", "proc"])
def test_an_interpreter_is_none_that_was_handed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    # What it says of its folders would decide what a box shows, such as the seed of the review.
    place = tmp_path / "all"
    program = write_files(place / "b" / ".venv" / "bin", {"python": "#!/bin/sh\n"}) / "python"
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    path = {"plain": program, "proc": Path("/proc/self/cwd/all/b/.venv/bin/python")}.get(way)
    if way == "link":
        path = program.with_name("python3")
        path.symlink_to(sys.executable)
    if way == "proc" and not Path("/proc/self/cwd").exists():
        pytest.skip("this system has no /proc")
    write_copy(place / "a", TOML.replace("[claim]", f'python = "{path}"\n[claim]'))
    write_copy(place / "c", TOML.replace("[claim]", f'python = "{sys.executable}"\n[claim]'))
    intake = open_path(place, tmp_path / "u")
    assert [one.name for one in intake.submissions] == ["c"]
    assert "python lies among submissions" in {one.name: one.reason for one in intake.unread}["a"]
