"""A reviewer's day from an installed wheel, from the first try to what others are told.

The submission of the first review is the honest example of `init-submission`, which draws from the
system's entropy: its claim is refuted with probability at most 1e-7, the prescreen's error, and so
that of single records. After the change each count is off its truth in about one run of 28, and
a whole person of three records is in one cell: 150 runs a database under ε = 1 are not told apart
so well with probability above 1e-9 (binomial: 300 guesses of which each is right with at most
e/(1+e) = 0.73, and 0.96 are).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.dp_audit.test_reviews import DOMAIN, PROGRAM, SUBMISSION
from tests.examples.wheels import install_wheel

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="paths of an environment on Linux"),
]

HONEST, LOUD = "rate = Fraction(epsilon) / int(most)", "rate = Fraction(epsilon) * 4"

CRITERIA = """\
name = "board"
[[criterion]]
name = "the claim stands"
figure = "submissions.example.verdict"
in = ["PROVED", "EXACT", "NOT REFUTED"]
"""


@dataclass(frozen=True)
class Desk:
    """A folder to work in, and the command of a fresh environment."""

    folder: Path
    command: Path

    def run(self, *words: str | Path, within: str = ".", exits: int = 0) -> str:
        """``dp-audit`` with these words, which ends as expected; what it prints."""
        done = subprocess.run(
            [self.command, *map(str, words)],
            cwd=self.folder / within,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=560,
            check=False,
        )
        assert done.returncode == exits, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def read(self, name: str) -> Any:
        """A JSON file of the folder."""
        return json.loads((self.folder / name).read_text("utf-8"))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A wheel of this checkout, installed where nothing of the checkout can be imported."""
    commands = install_wheel(tmp_path_factory.mktemp("wheel"))
    return Desk(tmp_path_factory.mktemp("desk"), commands / "dp-audit")


def find_claim(document: Any) -> Any:
    """The conclusion about the example's persons at ε = 1."""
    claims = find_submission(document)["claims"]
    (claim,) = (c for c in claims if (c["epsilon"], c["unit"]) == ("1", "person"))
    return claim


def find_submission(document: Any) -> Any:
    """What is said of the example."""
    (one,) = (one for one in document["submissions"] if one["name"] == "example")
    return one


def write_proved(folder: Path) -> None:
    """Another submission beside it, which is proved in a second."""
    folder.mkdir()
    claim = '[claim]\nepsilons = [1]\nneighbours = "replace-one"\n'
    (folder / "submission.toml").write_text(SUBMISSION + claim)
    (folder / "domain.toml").write_text(DOMAIN)
    (folder / "synth.py").write_text(PROGRAM)


def list_pieces(desk: Desk) -> dict[str, int]:
    """The finished pieces of the review, and when each was written."""
    found = (desk.folder / "here" / "pieces").glob("*.json")
    return {path.name: path.stat().st_mtime_ns for path in found}


def test_a_reviewers_day(desk: Desk) -> None:
    (desk.folder / "all").mkdir()
    desk.run("init-submission", "all/team")
    write_proved(desk.folder / "all" / "proved")
    assert "exit" not in desk.run("try", "all/team", "--json", "try.json")
    assert desk.read("try.json")["failure"] is None
    review = ("review", "all", "--seed", "7", "--out", "here")
    desk.run(*review)
    first = desk.read("here/review.json")
    assert find_claim(first)["verdict"] in ("UNDECIDED", "NOT REFUTED")
    assert first["kept_apart"]
    pieces = list_pieces(desk)

    # Nothing is done again; then all that the change concerns is, and no more.
    desk.run(*review)
    assert list_pieces(desk) == pieces
    (old,) = find_claim(first)["certificates"]
    kept = desk.folder / "first.json"
    kept.write_bytes((desk.folder / "here" / old).read_bytes())
    program = desk.folder / "all" / "team" / "synth.py"
    text = program.read_text("utf-8")
    assert HONEST in text
    program.write_text(text.replace(HONEST, LOUD), "utf-8")
    desk.run(*review, "--fail-on", "refuted", exits=1)
    second = desk.read("here/review.json")
    claim = find_claim(second)
    assert claim["verdict"] == "REFUTED"
    changed = find_submission(second)
    assert any("does not hold for a person" in q for q in changed["questions"])
    more = list_pieces(desk)
    assert pieces.items() < more.items()
    assert len(more) - len(pieces) == changed["pieces"]

    # The folder goes to another desk, where its certificates are checked and played again: once
    # where the prepared submission lies, and once from elsewhere, where its folder is named.
    (desk.folder / "here").rename(desk.folder / "there")
    (new,) = claim["certificates"]
    prepared = desk.folder / "there" / "prepared" / "example"
    certificate = desk.folder / "there" / new
    # Exit code 3: nothing is contradicted, and runs are not drawn again; replay draws fresh ones.
    desk.run("verify", certificate, "--json", "verify.json", "--folder", prepared, exits=3)
    assert {one["result"] for one in desk.read("verify.json")["checks"]} >= {"confirmed"}
    line = ("replay", certificate, "--seed", "3", "--runs", "150")
    desk.run(*line, within="there/prepared/example", exits=1)
    copy = desk.folder / "elsewhere" / "copy"
    shutil.copytree(prepared, copy)
    desk.run(*line, "--folder", "elsewhere/copy", exits=1)
    # The submission of before the change is another.
    (copy / "synth.py").write_text(text, "utf-8")
    desk.run(*line, "--folder", "elsewhere/copy", exits=3)
    desk.run("merge", "there")
    assert desk.read("there/review.json")["submissions"] == second["submissions"]

    # A board decides by the review, and others are told.
    compared = desk.run("compare", kept, certificate, "--json", "compare.json")
    assert "REFUTED" in compared
    (desk.folder / "board.toml").write_text(CRITERIA)
    desk.run("criteria", "board.toml", "there/review.json", exits=1)
    line = ("attest", certificate, "--label", "label.html", "--in-toto", "statement.json")
    # It exits as the certificate's verdict does.
    desk.run(*line, exits=1)
    assert "REFUTED" in (desk.folder / "label.html").read_text("utf-8")
    assert desk.read("statement.json")["_type"].startswith("https://in-toto.io/Statement")
