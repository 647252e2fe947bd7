"""Every command that has a result writes it as JSON in a published form, and is quiet if asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from audit.cli.main import COMMANDS
from tests.audit.calls import Command
from tests.audit.processes import ROOT

SCHEMAS = {
    path.stem: json.loads(path.read_text())
    for path in sorted((ROOT / "audit" / "statements" / "schema" / "1").glob("*.json"))
}
FORMS = {"certify": "certificate", "merge": "review"}
"""The form of a command's JSON where it has another name than the command."""

GEOMETRIC = "geometric-sanitizer --set epsilon=1"
SUBJECT = "--neighbors replace-one --cells 2 --records 2"
LINES = {
    "list": ["list", "list noise"],
    "channel": [
        f"channel {GEOMETRIC} {SUBJECT} --epsilon 1",
        f"channel subsample --set fraction=1/2 {SUBJECT} --exact --epsilon 1/2",
        "channel k-anonymity --set k=2 --cells 3 --records 3 --neighbours add-remove",
    ],
    "certify": [f"certify {GEOMETRIC} {SUBJECT} --claim epsilon=1"],
    "verify": ["verify cert.json"],
    "compare": ["compare cert.json attacked.json"],
    "choose": [
        "choose table.csv other.csv --data real.csv --domain domain.toml --epsilon 1",
        "choose table.csv other.csv --data real.csv --domain domain.toml --epsilon 1 --telling 0 "
        "--neighbours add-remove --rows 9",
    ],
    "criteria": ["criteria board.toml cert.json attacked.json"],
    "replay": ["replay attacked.json --runs 100 --jobs 1 --seed 1"],
    "domain": [
        "domain age:number who:id",
        "domain --from-confidential-table table.csv --out d{}.toml",
    ],
    "release": [f"release {GEOMETRIC} --data table.csv --domain domain.toml --out s{{}}.csv"],
    "account": [
        "account '10 * gaussian(sigma=3)' --delta 1e-6 --neighbors add-remove",
        "account '10 * laplace(epsilon=1/10)' --epsilon 1/2 --neighbours add-remove",
    ],
    "calibrate": ["calibrate gaussian --claim 'epsilon=1, delta=1e-6' --neighbours add-remove"],
    "explain": ["explain cert.json"],
    "sensitivity": ["sensitivity own:size --declared l1=1/2 --neighbours add-remove --cells 2"],
    "components": ["components own:tells --declared epsilon=1 --neighbours add-remove --cells 2"],
    "stability": ["stability tests.audit.auditors.stability.transformations:rows --records 1"],
    "utility": [
        "utility table.csv table.csv --domain domain.toml --metric total-variation",
        "utility table.csv other.csv --domain domain.toml --metric total-variation "
        "--axes-from other.csv --by sex",
    ],
    "disclosure": [
        "disclosure table.csv table.csv --domain domain.toml --holdout table.csv",
        "disclosure table.csv table.csv --domain domain.toml --holdout table.csv "
        "--certificate cert.json",
    ],
    "try": ["try team --exactness 2", "try team --epsilon 10 --data people.csv --out o{}.csv"],
    "review": ["review team --out reviewed --seed 1 --plan"],
    "merge": ["merge reviewed"],
    "attest": ["attest cert.json --time 2026-01-31T12:00:00Z"],
    "writeup": [
        f"writeup {GEOMETRIC} {SUBJECT} --claim epsilon=1 --toml queries{{}}.toml",
        f"writeup {GEOMETRIC} {SUBJECT} --claim epsilon=1 --check stated.toml",
    ],
    "self-test": ["self-test --only 'debug path' --jobs 1"],
}
"""Lines of each command."""

OWN = """
def size(records):
    return len(records)

def tells(database, rng):
    return len(database)
"""

STATED = """
[[write-up.query]]
name = "counts"
question = '{"kind": "cell-counts"}'
"""

SLOW = ("self-test", "replay", "sensitivity", "stability", "components")
"""Commands that run once less: with ``--quiet`` and a JSON they are silent like the others."""

BOARD = """
[[criterion]]
name = "little loss"
figure = "claim.epsilon"
at_most = 1
"""

CODES = {"sensitivity": 1, "replay": 1, "components": 1, "merge": 3}
"""The exit codes that are not 0: of what is refuted, or misses pieces."""


def validator(form: str) -> Draft202012Validator:
    resources = [(schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()]
    return Draft202012Validator(SCHEMAS[form], registry=Registry().with_resources(resources))


@pytest.fixture
def prepared(dp_audit: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the lines read."""
    (folder / "own.py").write_text(OWN)
    assert dp_audit("init-submission team --quiet").code == 0
    (folder / "people.csv").write_text("person_id,sex,age,smoker\n7,female,40,no\n7,male,9,yes\n")
    (folder / "board.toml").write_text(BOARD)
    text = (folder / "table.csv").read_text()
    (folder / "other.csv").write_text(f"{text}{text.splitlines()[-1]}\n")
    (folder / "real.csv").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    attacked = "certify own:tells --claim epsilon=1 --neighbours add-remove --runs 300 --jobs 1"
    (folder / "stated.toml").write_text(STATED)
    (folder / "a.json").write_text("[]")
    (folder / "b.json").write_text('["x"]')
    pair = "--pair a.json b.json --seed 1 --out attacked.json"
    assert dp_audit(f"{attacked} {pair}").code == 1
    assert dp_audit(f"certify {GEOMETRIC} {SUBJECT} --claim epsilon=1 --out cert.json").code == 0
    return folder


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_schema_is_one_and_is_named_for_its_file(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$id"] == f"dp-audit/{name}/1"


def test_every_command_with_a_result_takes_the_flags(dp_audit: Command) -> None:
    makers = {"demo", "generate", "split", "init-submission"}  # they make folders of files
    helps = {name: dp_audit(f"{name} --help").out for name in COMMANDS}
    assert {name for name in COMMANDS if "--json" in helps[name]} == set(COMMANDS) - makers
    assert set(LINES) == set(COMMANDS) - makers
    assert all("--quiet" in text for text in helps.values())
    assert {FORMS.get(name, name) for name in LINES} | {"ledger", "benchmark"} == set(SCHEMAS)


def test_what_a_command_writes_has_its_published_form(dp_audit: Command, prepared: Path) -> None:
    """Into a file and to standard output alike; with ``--quiet`` nothing else is said."""
    for name, lines in LINES.items():
        for number, line in enumerate(lines):
            loud = dp_audit(f"{line.replace('{}', f'{number}a')} --json {name}{number}.json")
            code = CODES.get(name, 0)
            assert loud.code == code, (line, loud.err)
            document = json.loads((prepared / f"{name}{number}.json").read_text())
            validator(FORMS.get(name, name)).validate(document)
            again = dp_audit(f"{line.replace('{}', f'{number}b')} --quiet --json -")
            assert (again.code, again.err) == (code, ""), line
            shown = json.loads(again.out)
            validator(FORMS.get(name, name)).validate(shown)
            if name not in (
                "utility",
                "release",
                "try",
                "choose",
            ):  # seconds are measured, releases drawn
                assert shown == document, line
            if name not in SLOW:
                assert dp_audit(f"{line.replace('{}', f'{number}c')} --quiet").err == ""


def test_a_folder_of_a_benchmark_and_a_ledger_have_their_forms(
    dp_audit: Command, folder: Path
) -> None:
    assert dp_audit("generate --attributes 2 --values 3 --records 9 --out made --quiet").code == 0
    validator("benchmark").validate(json.loads((folder / "made" / "process.json").read_text()))
    words = f"release {GEOMETRIC} --data table.csv --domain domain.toml --out s.csv --ledger l.json"
    assert dp_audit(words).code == 0
    validator("ledger").validate(json.loads((folder / "l.json").read_text()))


@pytest.mark.parametrize("form", sorted(SCHEMAS))
def test_a_form_refuses_what_it_does_not_know(form: str) -> None:
    strange: Any = {"zebra": 1}
    assert not validator(form).is_valid(strange) and not validator(form).is_valid([])
