"""The command writes a program's write-up, and compares a stated list with what it asks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.audit.calls import Command
from tests.audit.processes import ROOT

ABOUT = "--claim epsilon=1 --neighbours replace-one --cells 2x3 --records 20"
GEOMETRIC = f"writeup geometric-sanitizer --set epsilon=1 {ABOUT}"
STATED = """
[launch]
way = "module"

[[write-up.query]]
name = "the histogram"
question = '{"kind": "marginal"}'
sensitivity = "1"
"""


def test_what_it_writes_it_confirms(dp_audit: Command, folder: Path) -> None:
    shown = dp_audit(f"{GEOMETRIC} --out w.md --toml w.toml --html w.html")
    assert shown.code == 0 and shown.out.startswith("# Write-up of geometric-sanitizer")
    assert (folder / "w.md").read_text(encoding="utf-8") == shown.out
    assert "<title>Write-up of geometric-sanitizer</title>" in (folder / "w.html").read_text()
    again = dp_audit(f"{GEOMETRIC} --check w.toml")
    assert again.code == 0
    assert "Nothing differs between 1 query stated and 1 question asked." in again.out


def test_a_difference_is_exit_1_and_comes_with_a_question(dp_audit: Command, folder: Path) -> None:
    (folder / "submission.toml").write_text(STATED)
    shown = dp_audit(f"{GEOMETRIC} --check submission.toml --json w.json")
    assert shown.code == 1
    document = json.loads((folder / "w.json").read_text())
    (difference,) = document["differences"]
    assert difference["question"].startswith(
        "The write-up states sensitivity 1 for 'the histogram'; under replace-one it is 2 in L1"
    )
    assert difference["words"] in shown.out.replace("\\", "")
    silent = ("share", "noise", "file", "line")
    assert document["not_stated"] == [f"the {field} of 'the histogram'" for field in silent]
    assert document["check"] == {"file": "submission.toml", "stated": 1, "asked": 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "states no queries: expected tables [[write-up.query]]"),
        ("[write-up]\nfile = 'w.pdf'\n", "states no queries"),
        ("write-up = 3", "states no queries"),
        ("[[write-up.query]\n", "is not valid TOML"),
        ("[[write-up.query]]\nname = 'a'\nrho = 1\n", "unknown key 'rho'"),
        ("a = " + "[" * 5000, "is not valid TOML"),
    ],
)
def test_a_list_that_is_none_is_one_error(
    text: str, says: str, dp_audit: Command, folder: Path
) -> None:
    (folder / "stated.toml").write_text(text)
    shown = dp_audit(f"{GEOMETRIC} --check stated.toml --out w.md")
    assert (shown.code, shown.out) == (2, "") and says in shown.err
    assert len(shown.err.strip().splitlines()) == 1
    assert not (folder / "w.md").exists()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"{GEOMETRIC} --check absent.toml", "cannot be read"),
        (f"{GEOMETRIC} --out table.csv/w.md", "does not exist"),
        (f"{GEOMETRIC} --out w.md --toml w.md", "used twice"),
        (f"writeup geometric-sanitizer {ABOUT}", "epsilon"),
        (f"writeup nothing {ABOUT}", "no subject 'nothing'"),
        (GEOMETRIC.replace("--records 20", ""), "records is public"),
        (GEOMETRIC.replace("--cells 2x3", ""), "state the domain"),
        (GEOMETRIC.replace("epsilon=1 --n", "much --n"), "claim"),
        (GEOMETRIC.replace("--records 20", f"--records {10**9}"), "state fewer"),
    ],
)
def test_what_makes_no_sense_is_one_error(line: str, says: str, dp_audit: Command) -> None:
    shown = dp_audit(line)
    assert shown.code == 2 and says in shown.err, shown.err


def test_a_program_in_another_language_is_written_up(dp_audit: Command) -> None:
    """The shell's example, which says nothing of its lines, and states its budget."""
    program = ROOT / "docs" / "examples" / "curator" / "geometric.sh"
    shown = dp_audit(f"writeup command:{program} --as program --set epsilon=1 --json - {ABOUT}")
    document = json.loads(shown.out)
    (query,) = document["queries"]
    assert (query["sensitivity"], query["share"], query["line"]) == ("2", "1", None)
    assert (document["questions"], document["composition"]["holds"]) == ("alike", True)


WHERE = """
import json, sys
def say(message):
    print(json.dumps(message), flush=True)
say({"protocol": "dp-audit/curator", "version": 1, "runs": "many"})
json.loads(sys.stdin.readline())
say({"budget": {"epsilon": "1"}, "ledger": None})
question = {"event": "measure", "query": {"kind": "cell-counts", "cells": [0]},
            "noise": {"law": "discrete-laplace", "scale": "4"}, "low": 0, "high": 9}
for line in sys.stdin:
    message = json.loads(line)
    if "end" in message:
        break
    for step in (3, 8):
        say({"ask": question, "where": {"file": "<b>.tex", "line": step, "step": "2a"}})
        json.loads(sys.stdin.readline())
    say({"output": {"values": [0]}})
"""


def test_places_are_the_programs_own_word(dp_audit: Command, folder: Path) -> None:
    (folder / "own.py").write_text(WHERE)
    shown = dp_audit(f"writeup command:'{sys.executable} own.py' --json - --html w.html {ABOUT}")
    queries = json.loads(shown.out)["queries"]
    assert [(q["file"], q["line"], q["share"]) for q in queries] == [
        ("<b>.tex", 3, "0.25"),
        ("<b>.tex", 8, "0.25"),
    ]
    assert "<b>.tex" not in (folder / "w.html").read_text()
