"""``dp-audit explain``: every step of a true proof, and nothing of a forged one."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.audit.calls import Command
from tests.audit.processes import run

Document = dict[str, Any]


@pytest.fixture
def written(dp_audit: Command, folder: Path) -> Document:
    """What ``account --json`` wrote as ``a.json``."""
    line = "account '2 * laplace(epsilon=0.5)' --neighbours add-remove --delta 0 --json a.json"
    assert dp_audit(line).code == 0
    document: Document = json.loads((folder / "a.json").read_text())
    return document


def test_each_step_is_printed(dp_audit: Command, written: Document) -> None:
    shown = dp_audit("explain a.json")
    assert (shown.code, shown.err) == (0, "")
    steps = written["proof"]["derivation"]["steps"]
    for place, step in enumerate(steps):
        assert f"({place + 1}) " in shown.out and f"by {step['rule']}" in shown.out
    assert "1-DP" in shown.out and "It rests on" in shown.out and "The rules" in shown.out


def test_a_derivation_by_itself(dp_audit: Command, written: Document, folder: Path) -> None:
    (folder / "d.json").write_text(json.dumps(written["proof"]["derivation"]))
    assert dp_audit("explain d.json").out == dp_audit("explain a.json").out


def test_what_calibrate_wrote(dp_audit: Command) -> None:
    flags = "--claim epsilon=1 --neighbours add-remove --json c.json"
    assert dp_audit(f"calibrate laplace {flags}").code == 0
    shown = dp_audit("explain c.json")
    assert shown.code == 0 and "by additive-noise" in shown.out


def test_from_standard_input(tmp_path: Path, written: Document) -> None:
    done = run("explain", "-", cwd=tmp_path, stdin=json.dumps(written))
    assert done.returncode == 0 and "by additive-noise" in done.stdout
    done = run("explain", "-", cwd=tmp_path, stdin="{")
    assert done.returncode == 2 and done.stderr.startswith("dp-audit: ")


def _last(document: Document) -> Document:
    step: Document = document["proof"]["derivation"]["steps"][-1]
    return step


def _smaller(document: Document) -> None:
    _last(document)["conclusion"]["guarantee"]["epsilon"] = "1/2"


def _other_neighbours(document: Document) -> None:
    for step in document["proof"]["derivation"]["steps"]:
        step["conclusion"]["neighbours"] = "replace-one"


def _no_hypotheses(document: Document) -> None:
    document["proof"]["derivation"]["hypotheses"] = []


def _invented_rule(document: Document) -> None:
    _last(document)["rule"] = "because"


def _own_premise(document: Document) -> None:
    steps = document["proof"]["derivation"]["steps"]
    steps[-1]["premises"] = [len(steps) - 1]


def _true_as_premise(document: Document) -> None:
    _last(document)["premises"] = [True]


def _float(document: Document) -> None:
    document["proof"]["derivation"]["steps"][1]["parameters"]["amount"] = 2.0


def _spare_parameter(document: Document) -> None:
    _last(document)["parameters"]["trust"] = "me"


def _no_steps(document: Document) -> None:
    document["proof"]["derivation"]["steps"] = []


def _deep(document: Document) -> None:
    nested: Any = "x"
    for _ in range(90):
        nested = [nested]
    _last(document)["parameters"]["counts"] = nested


FORGERIES: list[Callable[[Document], None]] = [
    _smaller, _other_neighbours, _no_hypotheses, _invented_rule, _own_premise, _true_as_premise,
    _float, _spare_parameter, _no_steps, _deep,
]  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_of_a_forged_proof_nothing_is_printed(
    dp_audit: Command, written: Document, folder: Path, forge: Callable[[Document], None]
) -> None:
    forged = copy.deepcopy(written)
    forge(forged)
    assert forged != written
    (folder / "f.json").write_text(json.dumps(forged))
    shown = dp_audit("explain f.json")
    assert shown.code == 2 and shown.out == ""
    assert shown.err.startswith("dp-audit: ") and shown.err.count("\n") == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"proof": null}',
        '{"proof": []}',
        '{"proof": {"derivation": []}}',
        '{"verdict": "EXACT"}',
        '{"steps": 5}',
        '{"schema": "dp-audit/derivation/2", "steps": [5], "hypotheses": []}',
        '{"proof": ' + "[" * 90_000 + "]" * 90_000 + "}",
        '{"schema": "dp-audit/derivation/2", "steps": [{"rule": "x", "premises": [], '
        '"parameters": ' + '{"a":' * 400 + "1" + "}" * 400 + ', "conclusion": {}}], '
        '"hypotheses": []}',
    ],
    ids=lambda text: text[:30],
)
def test_what_holds_no_proof_is_one_sentence(dp_audit: Command, folder: Path, text: str) -> None:
    (folder / "n.json").write_text(text)
    shown = dp_audit("explain n.json")
    assert shown.code == 2 and shown.out == ""
    assert shown.err.startswith("dp-audit: ") and shown.err.count("\n") == 1


def test_a_document_that_nests_deeper_than_any_proof_is_not_read(
    dp_audit: Command, folder: Path
) -> None:
    for depth, said in ((90, "there is no proof"), (110, "is not JSON")):
        (folder / "n.json").write_text('{"a": ' + "[" * depth + "]" * depth + "}")
        assert said in dp_audit("explain n.json").err


def test_names_of_strangers_cannot_move_the_cursor(dp_audit: Command, folder: Path) -> None:
    line = "account 'pure(epsilon=1)' --neighbours add-remove --delta 0 --json a.json"
    assert dp_audit(line).code == 0
    text = (folder / "a.json").read_text().replace("pure(epsilon=1)", "\\u001b[2J\\u202ehello")
    (folder / "b.json").write_text(text)
    shown = dp_audit("explain b.json")
    assert shown.code == 0
    assert "\x1b" not in shown.out and "\\x1b[2J\\u202ehello" in shown.out
