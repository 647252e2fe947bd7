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
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.audit.processes import ROOT

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
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(place), str(ROOT)]
    built = subprocess.run(build, cwd=place, capture_output=True, text=True, check=False)
    if built.returncode and "hatchling" in built.stderr:
        pytest.skip("needs hatchling from a package index, to build a wheel")
    assert built.returncode == 0, built.stderr
    (wheel,) = place.glob("dp_audit-*.whl")
    environment = place / "environment"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q"]
    subprocess.run([*install, "--no-deps", "--no-index", str(wheel)], check=True)
    # What it depends on is that of these tests. A line of a path does not read the .pth files
    # there, by which an editable install would bring the checkout along.
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    where = [python, "-P", "-c", "import dp_audit; print(dp_audit.__file__)"]
    assert subprocess.check_output(where, text=True).startswith(str(packages))
    return Desk(tmp_path_factory.mktemp("desk"), environment / "bin" / "dp-audit")


def find_claim(document: Any) -> Any:
    """The conclusion about persons at ε = 1."""
    (one,) = document["submissions"]
    (claim,) = (c for c in one["claims"] if (c["epsilon"], c["unit"]) == ("1", "person"))
    return claim


def test_a_reviewers_day(desk: Desk) -> None:
    desk.run("init-submission", "team")
    assert "exit" not in desk.run("try", "team", "--json", "try.json")
    assert desk.read("try.json")["failure"] is None
    review = ("review", "team", "--seed", "7", "--out", "here")
    desk.run(*review)
    first = desk.read("here/review.json")
    assert find_claim(first)["verdict"] in ("UNDECIDED", "NOT REFUTED")
    pieces = {path.name for path in (desk.folder / "here" / "pieces").glob("*.json")}

    # Nothing is done again; then all that the change concerns is, and no more.
    desk.run(*review)
    assert {path.name for path in (desk.folder / "here" / "pieces").glob("*.json")} == pieces
    (old,) = find_claim(first)["certificates"]
    kept = desk.folder / "first.json"
    kept.write_bytes((desk.folder / "here" / old).read_bytes())
    program = desk.folder / "team" / "synth.py"
    text = program.read_text("utf-8")
    assert HONEST in text
    program.write_text(text.replace(HONEST, LOUD), "utf-8")
    desk.run(*review, "--fail-on", "refuted", exits=1)
    second = desk.read("here/review.json")
    claim = find_claim(second)
    assert claim["verdict"] == "REFUTED"
    assert any("does not hold for a person" in q for q in second["submissions"][0]["questions"])
    more = {path.name for path in (desk.folder / "here" / "pieces").glob("*.json")}
    assert pieces < more

    # The folder goes to another desk, where its certificates are checked and played again.
    (desk.folder / "here").rename(desk.folder / "there")
    (new,) = claim["certificates"]
    prepared = "there/prepared/example"
    certificate = desk.folder / "there" / new
    # Exit code 3: nothing is contradicted, and runs are not drawn again; replay draws fresh ones.
    line = ("verify", certificate, "--json", desk.folder / "verify.json")
    desk.run(*line, within=prepared, exits=3)
    line = ("replay", certificate, "--seed", "3", "--runs", "150")
    desk.run(*line, within=prepared, exits=1)
    desk.run("merge", "there")
    assert desk.read("there/review.json")["submissions"] == second["submissions"]

    # A board decides by the review, and others are told.
    compared = desk.run("compare", kept, certificate, "--json", "compare.json")
    assert "REFUTED" in compared
    (desk.folder / "board.toml").write_text(CRITERIA)
    desk.run("criteria", "board.toml", "there/review.json", exits=1)
    desk.run("attest", certificate, "--label", "label.html", "--in-toto", "statement.json")
    assert "REFUTED" in (desk.folder / "label.html").read_text("utf-8")
    assert desk.read("statement.json")["_type"].startswith("https://in-toto.io/Statement")
