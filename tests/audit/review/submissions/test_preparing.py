"""Prepared folders: the same to the byte, complete, and submissions themselves."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.review.submissions.preparing import digest_of, prepare, values_at
from audit.review.submissions.submission import Prepared
from audit.subjects.digests import command_source
from synthesizers.errors import InputError
from tests.audit.review.made_submissions import (
    CLAIM,
    PARAMETERS,
    TOML,
    open_one,
    prepare_one,
    write_copy,
    write_deid2,
    write_files,
    zip_folder,
)

LIMITS = ("--seconds", "60", "--megabytes", "4096")


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def read_settings(folder: Path) -> dict[str, Any]:
    """How the program of a prepared folder starts the submission: its last line."""
    last = (folder / "dp-audit-run").read_text().splitlines()[-1]
    settings: dict[str, Any] = json.loads(last.removeprefix("# "))
    return settings


def test_a_command_line_gets_a_program_that_runs_it(tmp_path: Path) -> None:
    found = prepare_one(write_copy(tmp_path / "x", TOML, **{"d/e": "1"}), tmp_path)
    assert (found.subject, found.flags, found.asks) == ("command:./dp-audit-run", LIMITS, False)
    assert names(found.folder) == {
        *("submission.toml", "domain.toml", "give.py", "d/e", "dp-audit-run"),
    }
    runner = found.folder / "dp-audit-run"
    assert runner.read_text().startswith(f"#!{sys.executable} -IS\n")
    assert os.access(runner, os.X_OK)


@pytest.mark.parametrize(
    ("run", "subject", "flags", "asks"),
    [
        ('program = "give.py"\nrows = 3', "command:./give.py", ("--rows", "3", *LIMITS), False),
        (
            'program = "give.py"\nprotocol = "curator"',
            "command:./give.py",
            ("--as", "program", "--set", "e={epsilon}"),
            True,
        ),
        (
            'module = "give:run"\nform = "function"\nseconds = 9',
            "give:run",
            ("--as", "function", "--set", "e={epsilon}", "--seconds", "9", *LIMITS[2:]),
            False,
        ),
        (
            'module = "give:run"\nform = "program"\nrows = 2',
            "give:run",
            ("--as", "program", "--rows", "2", "--set", "e={epsilon}"),
            True,
        ),
    ],
)
def test_each_way_has_its_subject_and_its_flags(
    tmp_path: Path, run: str, subject: str, flags: tuple[str, ...], asks: bool
) -> None:
    parameters = '[parameters]\ne = "{epsilon}"\n' if "--set" in flags else ""
    found = prepare_one(write_copy(tmp_path / "x", f"[run]\n{run}\n{CLAIM}{parameters}"), tmp_path)
    assert (found.subject, found.flags, found.asks) == (subject, flags, asks)
    assert "dp-audit-run" not in names(found.folder)
    if parameters:
        assert values_at(found.submission, "7") == {"e": "7"}


def test_what_a_module_is_is_found_out(tmp_path: Path) -> None:
    code = "def draw(database, rng): return 1\ndef ask(curator): return 1\n"
    for name, asks in (("draw", False), ("ask", True)):
        toml = f'[run]\nmodule = "give:{name}"\n{CLAIM}'
        folder = write_copy(tmp_path / name, toml, **{"give.py": code})
        assert prepare_one(folder, tmp_path / f"of {name}").asks is asks


def test_deid2_gets_what_its_challenge_has(tmp_path: Path) -> None:
    place = tmp_path / "all"
    write_files(
        place,
        {
            "challenge.toml": '[deid2]\nparameters = "p/parameters.json"\n'
            'format = "p/submission_format.csv"\n',
            "p/parameters.json": json.dumps(PARAMETERS),
            "p/submission_format.csv": "epsilon,who,shift\n1.0,1,1\n",
        },
    )
    found = prepare_one(write_files(place / "team", {"main.R": ""}), tmp_path)
    settings = read_settings(found.folder)
    assert settings["words"] == ["Rscript", "main.R"]
    assert settings["columns"] == ["epsilon", "who", "shift"]
    assert list(settings["schema"]) == ["who", "shift", "fare"]
    assert settings["epsilons"] == ["1", "10"]


def test_a_prepared_folder_is_the_same_again_and_a_submission_itself(tmp_path: Path) -> None:
    for number, folder in enumerate((write_copy(tmp_path / "x"), write_deid2(tmp_path / "y"))):
        first = prepare_one(folder, tmp_path / f"{number}a")
        second = prepare_one(folder, tmp_path / f"{number}b")
        zipped = zip_folder(folder, tmp_path / f"{folder.name}.zip")
        third = prepare_one(zipped, tmp_path / f"{number}c")
        again = prepare_one(first.folder, tmp_path / f"{number}d")
        digests = {digest_of(one) for one in (first, second, third, again)}
        assert len(digests) == 1
        assert again.submission.claim == first.submission.claim


def test_a_digest_is_of_names_modes_and_bytes(tmp_path: Path) -> None:
    found = prepare_one(write_copy(tmp_path / "x"), tmp_path)
    digests = [digest_of(found)]
    (found.folder / "give.py").chmod(0o755)
    digests.append(digest_of(found))
    (found.folder / "give.py").write_text("1")
    digests.append(digest_of(found))
    (found.folder / "give.py").rename(found.folder / "other.py")
    digests.append(digest_of(found))
    assert len(set(digests)) == 4
    (found.folder / "__pycache__").mkdir()
    (found.folder / "__pycache__" / "x.pyc").write_text("")
    assert digest_of(found) == digests[-1]


def test_an_interpreter_that_is_stated_runs_it_and_its_version_is_digested(tmp_path: Path) -> None:
    toml = TOML.replace("[run]", f'[run]\npython = "{sys.executable}"')
    found = prepare_one(write_copy(tmp_path / "x", toml), tmp_path)
    launch = replace(found.submission.launch, python=None)
    without = Prepared(
        replace(found.submission, launch=launch), found.folder, found.subject, (), False
    )
    assert digest_of(found) != digest_of(without)


def test_nothing_of_a_submission_takes_the_place_of_ours(tmp_path: Path) -> None:
    found = prepare_one(write_copy(tmp_path / "x", TOML, **{"dp-audit-run/x": ""}), tmp_path)
    assert (found.folder / "dp-audit-run").is_file()
    assert read_settings(found.folder)["way"] == "template"


def test_what_is_started_is_part_of_the_code_that_a_certificate_digests(tmp_path: Path) -> None:
    digests = set()
    for number, words in enumerate(("", " again", "")):
        toml = TOML.replace("{output}", "{output}" + words)
        found = prepare_one(write_copy(tmp_path / f"{number}", toml), tmp_path / f"p{number}")
        digests.add(command_source([str(found.folder / "dp-audit-run")]).digest())
    assert len(digests) == 2


def test_a_domain_file_is_not_replaced_by_another(tmp_path: Path) -> None:
    toml = f'{TOML}[domain]\nfile = "d/other.toml"\n'
    other = '[attributes]\nsex = { values = ["f", "m"] }\n'
    folder = write_copy(tmp_path / "x", toml, **{"d/other.toml": other})
    with pytest.raises(InputError, match=r"domain\.toml that is not its domain file"):
        prepare_one(folder, tmp_path)


def test_a_folder_of_others_is_not_written_into(tmp_path: Path) -> None:
    submission = open_one(write_copy(tmp_path / "x"), tmp_path / "u")
    place = write_files(tmp_path / "mine", {"thesis.tex": "1"})
    with pytest.raises(InputError, match="not empty"):
        prepare(submission, place)
    assert names(place) == {"thesis.tex"}
