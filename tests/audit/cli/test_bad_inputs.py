"""Kinds of bad input over all commands: the exit code, one message, and its hint."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from audit.cli.commands import COMMANDS
from audit.cli.usage import CommandParser
from tests.audit.conftest import Command

SMALL = "--neighbours replace-one --cells 2 --records 3"
CERTIFY = f"certify geometric-sanitizer --set epsilon=1 --claim epsilon=1 {SMALL}"
CLAIM = f"--claim epsilon=1 {SMALL}"
TABLES = "table.csv synth.csv --domain domain.toml"

BASE = {
    "account": "account 'laplace(scale=1)' --neighbours add-remove --delta 0",
    "attest": "attest cert.json",
    "calibrate": "calibrate laplace --claim epsilon=1 --neighbours add-remove",
    "certify": CERTIFY,
    "channel": f"channel geometric-sanitizer --set epsilon=1 {SMALL}",
    "choose": "choose synth.csv --data table.csv --domain domain.toml --epsilon 1",
    "compare": "compare cert.json cert.json",
    "components": "components mine:noisy --declared epsilon=1 --neighbours add-remove --cells 2",
    "criteria": "criteria criteria.toml cert.json",
    "demo": "demo",
    "disclosure": f"disclosure {TABLES} --holdout synth.csv",
    "domain": "domain age:number",
    "explain": "explain cert.json",
    "generate": "generate --attributes 2 --values 2 --records 9 --out made",
    "init-submission": "init-submission begun",
    "list": "list",
    "merge": "merge reviewed",
    "release": "release geometric-sanitizer --set epsilon=1 --data table.csv "
    "--domain domain.toml --out made.csv",
    "replay": "replay cert.json",
    "review": "review submission",
    "self-test": "self-test --quick",
    "sensitivity": "sensitivity builtins:len --declared l1=1 --neighbours add-remove --cells 2",
    "split": "split table.csv --out halves",
    "stability": "stability mine:noisy",
    "try": "try submission",
    "utility": f"utility {TABLES} --metric total-variation",
    "verify": "verify cert.json",
    "writeup": f"writeup geometric-sanitizer --set epsilon=1 --claim epsilon=1 {SMALL}",
}
"""A line for each command in which nothing is wrong but what a case adds."""

FILES = {
    "table.csv": "a,b\nx,1\ny,0\nx,0\ny,1\n",
    "synth.csv": "a,b\nx,1\nx,0\nx,0\ny,1\n",
    "domain.toml": 'name = "d"\n[attributes]\na = { values = ["x", "y"] }\n'
    'b = { values = ["0", "1"] }\n',
    "cert.json": "{}",
    "criteria.toml": "",
    "broken.toml": "[",
    "mine.py": "def noisy(database, rng):\n    return len(database) + rng.laplace()\n",
    "syntax.py": "def f(database, rng)\n    return 1\n",
    "needs.py": "import os\nimport a_library_of_nobody\n",
    "fails.py": "rows = 1\nshare = rows / 0\n",
    "tool.py": "print(1)\n",
    "a.json": '[{"cell": 0}]',
}

NUMBERS = (
    *("--records", "--rows", "--runs", "--jobs", "--max-records", "--seconds", "--megabytes"),
    *("--confidence", "--alarm", "--examples", "--count", "--sensitivity", "--degree"),
    *("--replicates", "--releases"),
)
"""Flags that take a number; a message about another word names them."""


@cache
def flags_of(name: str) -> dict[str, bool]:
    """The long flags of a command, and whether each takes a value."""
    command = CommandParser(prog=f"dp-audit {name}")
    command.name = name
    command.load()
    return {
        flag: action.nargs != 0
        for action in command._actions
        for flag in action.option_strings
        if flag.startswith("--") and flag not in ("--help", "--neighbors")
    }


def generated() -> Iterator[tuple[str, str]]:
    """A line and its hint, of every kind that each command can be given."""
    for name in COMMANDS:
        base, flags = BASE[name], flags_of(name)
        yield f"{name[:-1]}{name[0]}", "did you mean '"
        flag = max(flags, key=len)
        yield f"{base} {flag[:-2]}{flag[-1]}", f"did you mean '{flag}'?"
        yield f"{base} --zzzzzzzz", f"there is no option --zzzzzzzz (see: dp-audit {name} --help)"
        valued = next((flag for flag, takes in flags.items() if takes), None)
        if valued is not None:
            yield f"{base} {valued}", f"{valued} needs a value"
        if "--json" in flags and name != "list":
            yield f"{base} --json nowhere/out.json", "make it first"
            yield f"{base} --json .", "expected the name of a file"
        if "--neighbours" in flags:
            yield f"{base} --neighbors replace", "must be add-remove or replace-one"
            yield f"{base} --unit persons", "must be 'record' or 'person'"
            yield f"{base} --unit person", "needs --max-records"
        for flag in NUMBERS:
            if flag in flags:
                yield f"{base} {flag} many", flag


BY_HAND = (
    ("", "name a command"),
    ("certify", "missing: subject, --claim, --neighbours"),
    ("verify", "missing: certificate"),
    ("verify cert.json cert.json", "nothing is expected where 'cert.json' stands"),
    ("list nose", "did you mean 'noise'?"),
    ("certify x --claim epsilon=1", "missing: --neighbours"),
    (f"certify geometric-sanitiser {CLAIM}", "did you mean 'geometric-sanitizer'?"),
    (f"certify geometric-sanitizer {CLAIM}", "add --set epsilon="),
    (f"certify geometric-sanitizer --set epsilom=1 {CLAIM}", "did you mean 'epsilon'?"),
    (f"certify geometric-sanitizer --set epsilon {CLAIM}", "--set reads name=value"),
    (f"certify geometric-sanitizer --set epsilon=1 --set epsilon=2 {CLAIM}", "given twice"),
    (f"certify tool.py {CLAIM}", "write command:tool.py, or tool:NAME"),
    (f"certify ./tool.py {CLAIM}", "write command:./tool.py"),
    (f"certify folder/tool {CLAIM}", "write command:folder/tool"),
    (f"channel tool.py {SMALL}", "write command:tool.py"),
    (f"certify mine:noise {CLAIM}", "did you mean 'noisy'?"),
    (f"certify absent:noisy {CLAIM}", "run from the folder that holds it"),
    (f"certify mine.py:noisy {CLAIM}", "name the module without its suffix: mine"),
    (f"certify syntax:f {CLAIM}", "SyntaxError at syntax.py:1"),
    (f"certify needs:f {CLAIM}", "needs 'a_library_of_nobody'"),
    (f"certify fails:f {CLAIM}", "ZeroDivisionError at fails.py:2"),
    ("sensitivity syntax:f --declared l1=1 --neighbours add-remove --cells 2", "syntax.py:1"),
    ("sensitivity needs:f --declared l1=1 --neighbours add-remove --cells 2", "needs.py:2"),
    ("components fails:f --declared epsilon=1 --neighbours add-remove --cells 2", "fails.py:2"),
    (f"{CERTIFY} --auditors prof", "did you mean 'proof'?"),
    (f"{CERTIFY} --beyond low-bit", "did you mean 'low-bits'?"),
    (f"{CERTIFY} --records 0", "give --records 1 or more"),
    (f"channel geometric-sanitizer --set epsilon=1 {SMALL} --records 0", "--records 1 or more"),
    (f"{CERTIFY} --domain domain.toml", "state the domain once"),
    (f"{CERTIFY} --pair a.json", "--pair needs 2 values"),
    (f"{CERTIFY} --require proofs", "did you mean 'proof'?"),
    (f"{CERTIFY} --claim eps=1", "a claim reads 'epsilon=1'"),
    (f"{CERTIFY} --cells two", "cells"),
    (f"utility {TABLES} --metric total-variatoin", "did you mean 'total-variation'?"),
    (f"utility {TABLES} --set total-variation", "--set reads name=value"),
    ("utility absent.csv synth.csv --domain domain.toml", "absent.csv"),
    ("utility table.csv synth.csv --domain absent.toml", "absent.toml cannot be read"),
    ("utility table.csv synth.csv --domain broken.toml", "broken.toml"),
    ("calibrate laplas --claim epsilon=1 --neighbours add-remove", "did you mean 'laplace'?"),
    ("certify geometric-sanitizer --domian d.toml", "did you mean '--domain'?"),
    ("calibrate laplace --claim epsilon=1 --neighbours both", "add-remove or replace-one"),
    ("account 'gausian(sigma=3)'", "did you mean 'gaussian'?"),
    ("account 'gaussian(sigma=3'", "an accounting expression reads like"),
    ("account 'gaussian(sigma=3)'", "--delta"),
    ("account 'gaussian(sigma=3)' --delta 0.1", "--neighbours add-remove or replace-one"),
    ("account absent.json --delta 0", "absent.json"),
    ("verify absent.json", "absent.json"),
    ("explain cert.json", "there is no proof in it"),
    ("release geometric-sanitizer --data table.csv --domain domain.toml --out table.csv", "twice"),
    ("self-test --only nobody", "names all"),
    ("self-test --only x --quick", "give one of them"),
    ("try absent", "absent"),
    ("review absent", "absent"),
    ("merge absent", "absent"),
    ("generate --attributes 2 --values 2 --records few --out made", "--records must be"),
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, a domain, and modules that can't be imported."""
    folder = tmp_path_factory.mktemp("bad")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("line", "hint"), [*BY_HAND, *generated()])
def test_bad_input_gets_one_message_with_its_hint(
    dp_audit: Command, files: Path, monkeypatch: pytest.MonkeyPatch, line: str, hint: str
) -> None:
    monkeypatch.chdir(files)
    quiet = ["--quiet"] if line and shlex.split(line)[0] in COMMANDS else []
    before = sorted(files.rglob("*"))
    shown = dp_audit(" ".join([*line.split(" ", 1)[:1], *quiet, *line.split(" ", 1)[1:]]))
    assert shown.code == 2, shown
    assert shown.out == ""
    assert re.fullmatch(r"dp-audit: [^\n]+\n", shown.err), shown.err
    assert hint in shown.err
    made = {path for path in files.rglob("*") if "__pycache__" not in path.parts} - {*before}
    assert not made
