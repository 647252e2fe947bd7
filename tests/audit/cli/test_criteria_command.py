"""``dp-audit criteria``: its answers, exit codes and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.audit.calls import Command
from tests.audit.review.certificates import plain

CRITERION = '[[criterion]]\nname = "{0}"\nfigure = "{0}"\n{1}\n'


def write(folder: Path, *criteria: tuple[str, str]) -> None:
    (folder / "c.json").write_text(json.dumps(plain("exact")))
    text = "".join(CRITERION.format(*one) for one in criteria)
    (folder / "board.toml").write_text(text)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ([("verdict", 'in = ["EXACT"]'), ("epsilon", "at_most = 2")], 0),
        ([("verdict", 'in = ["PROVED"]'), ("detectable", "at_most = 2")], 1),
        ([("verdict", 'in = ["EXACT"]'), ("detectable", "at_most = 2")], 3),
    ],
)
def test_the_exit_code_is_that_of_the_answer(
    dp_audit: Command, folder: Path, asked: list[tuple[str, str]], code: int
) -> None:
    write(folder, *asked)
    shown = dp_audit("criteria board.toml c.json --json o.json --html o.html")
    assert (shown.code, shown.err) == (code, "")
    answer = {0: "met", 1: "not met", 3: "undecided"}[code]
    assert json.loads((folder / "o.json").read_text())["answer"] == answer
    assert shown.out.startswith(answer.upper()) and "<table" in (folder / "o.html").read_text()


def test_scores_are_decided_for_each_table(dp_audit: Command, towns: Path) -> None:
    write(towns, ("total-variation", "at_most = 0.05"))
    scored = "utility real.csv near.csv far.csv --domain towns.toml --metric total-variation"
    assert dp_audit(f"{scored} --json u.json --quiet").code == 0
    shown = dp_audit("criteria board.toml u.json")
    assert shown.code == 1
    assert "total-variation of near.csv" in shown.out and "none of them is private" in " ".join(
        shown.out.split()
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("board.toml c.json", "has no figure 'verdit'"),
        ("board.toml c.json", "Did you mean 'verdict'?"),
        ("absent.toml c.json", "absent.toml cannot be read"),
        ("c.json c.json", "c.json is not TOML"),
        ("board.toml other.json", "no report that dp-audit writes"),
        ("board.toml board.toml", "board.toml is not JSON"),
        ("board.toml c.json --json c.json", "used twice"),
    ],
)
def test_bad_input_is_one_error(dp_audit: Command, folder: Path, words: str, said: str) -> None:
    write(folder, ("verdit", 'in = ["EXACT"]'))
    (folder / "other.json").write_text('{"zebra": 1}')
    shown = dp_audit(f"criteria {words}")
    assert (shown.code, shown.out) == (2, "") and said in " ".join(shown.err.split())
