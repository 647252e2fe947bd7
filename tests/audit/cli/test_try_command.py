"""``dp-audit init-submission`` and ``dp-audit try``, from the first line to the last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.audit.calls import Command
from tests.audit.review.made_submissions import TOML, write_copy, write_files, zip_folder


def test_the_example_is_written_and_runs(dp_audit: Command, folder: Path) -> None:
    made = dp_audit("init-submission team-7")
    assert made.code == 0 and "dp-audit try team-7" in made.err and made.out == ""
    again = dp_audit("init-submission team-7")
    assert again.code == 2 and "there already" in again.err
    tried = dp_audit("try team-7 --epsilon 10 --seed 4 --out out.csv")
    assert tried.code == 0 and tried.err == ""
    assert "epsilon=10, add-remove, a person of at most 3 records" in tried.out
    assert "all of the domain" in tried.out
    assert (folder / "out.csv").read_text().startswith("sex,age,smoker\n")
    assert {path.name for path in (folder / "team-7").iterdir()} == {
        *("submission.toml", "synth.py", "domain.toml", "writeup.md")
    }


def test_a_zip_is_run_on_a_public_table(dp_audit: Command, folder: Path) -> None:
    zip_folder(write_copy(folder / "x"), folder / "x.zip")
    (folder / "public.csv").write_text("sex,age,more\nfemale,34,1\nmale,5,2\n")
    found = dp_audit("try x.zip --data public.csv --out out.csv --json -")
    assert found.code == 0
    told = json.loads(found.out)
    assert told["data"] == {"made_up": False, "file": "public.csv", "records": 2}
    assert told["epsilon"] == "0.1" and told["output"]["rows"] == 2
    # Doubles hold the ages, and they are written as they were.
    assert (folder / "out.csv").read_text() == "sex,age\nfemale,34\nmale,5\n"


def test_a_submission_without_an_output_ends_with_4(dp_audit: Command, folder: Path) -> None:
    write_copy(folder / "x", **{"give.py": "raise SystemExit('\x1b[2J')"})
    found = dp_audit("try x --out out.csv")
    assert found.code == 4 and "without an output, in phase run: exit code 1" in found.out
    assert "\x1b" not in found.out and not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("try absent", "there is nothing there"),
        ("try empty", "holds no submission"),
        ("try bad", "cannot be read as a submission: submission.toml: "),
        ("try all", "is a folder of submissions (a, b): name one of them"),
        ("try all/a --epsilon 0", "above 0"),
        ("try all/a --epsilon x", "--epsilon must be a finite number"),
        ("try all/a --seed -1", "--seed must be a whole number"),
        ("try all/a --seed 2147483648", "--seed must be below"),
        ("try all/a --data absent.csv", "absent.csv"),
        ("try all/a --data table.csv --out table.csv", "used twice"),
        ("try all/a --out nowhere/x.csv", "does not exist"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    dp_audit: Command, folder: Path, line: str, said: str
) -> None:
    write_copy(folder / "all" / "a")
    write_copy(folder / "all" / "b")
    write_copy(folder / "bad", TOML + "zebra = 1\n")
    write_files(folder / "empty", {"x": ""})
    found = dp_audit(line)
    assert found.code == 2 and said in found.err and found.out == ""
    assert found.err.count("\n") == 1
