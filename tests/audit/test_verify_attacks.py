"""Verification of certificates that rest on attacks: drawn again, or held to their own counts."""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.cli.main import main
from audit.statements.certificate import digest
from audit.statements.checks import Status, Verification
from audit.verify import read_certificate, verify

SOURCE = """
import numpy as np

def response(database, rng, runs, epsilon):
    lies = rng.random(runs) > 1 / (1 + np.exp(-epsilon))
    return np.where(lies, 1 - database, database)

def leaky(database, rng, runs):
    return response(database, rng, runs, 2)

def own(database, rng, runs):
    return response(database, np.random.default_rng(), runs, 1)

def typed(records, rng):
    noisy = len(records) + rng.integers(-5, 6)
    return float(noisy) if len(records) == 2 else int(noisy)
"""
Document = dict[str, Any]
CLAIM = "--claim epsilon=1 --neighbours add-remove --seed 4"
FUNCTION = f"{CLAIM} --pair a.json b.json --runs 1000"
SUBJECTS = {
    "leaky": f"outputs:zeros.json,ones.json {CLAIM}",
    "kept": f"outputs:coins.json,others.json {CLAIM}",
    "early": f"outputs:zeros.json,ones.json {CLAIM} --stop-early",
    "early kept": f"outputs:coins.json,others.json {CLAIM} --stop-early",
    "fixed": f"outputs:always_0.json,always_1.json {CLAIM}",
    "program": (
        "geometric-sanitizer --set epsilon=1 --cells 2 --records 2 --claim epsilon=1 "
        "--neighbours replace-one --runs 300 --seed 4"
    ),
}
SLOW = {
    "function": f"noise_again:leaky {FUNCTION}",
    "own": f"noise_again:own {FUNCTION}",
    "typed": f"noise_again:typed --cells 2 --records 3 {CLAIM} --runs 300",
    "anytime": f"outputs:zeros.json,ones.json {CLAIM} --until-decided",
}
"""These start processes, or learn after every few runs."""

VERDICTS = {
    "leaky": "REFUTED",
    "kept": "NOT REFUTED",
    "early": "REFUTED",
    "early kept": "NOT REFUTED",
    "fixed": "REFUTED",
    "anytime": "REFUTED",
    "program": "PROVED",
    "function": "REFUTED",
    "own": "NOT REFUTED",
    "typed": "REFUTED",
}
ONES = {"zeros": 0.1, "ones": 0.9, "coins": 0.35, "others": 0.65, "always_0": 0, "always_1": 1}
"""How often an output is 1; where it is random, noise is added."""


def write_subject(folder: Path) -> None:
    (folder / "noise_again.py").write_text(SOURCE)
    (folder / "a.json").write_text("0")
    (folder / "b.json").write_text("1")
    for name, chance in ONES.items():
        law = random.Random(name)
        # Enough of coins to see a leak of twice the claim.
        count = 1600 if name in ("coins", "others") else 400
        outputs = [int(law.random() < chance) for _ in range(count)]
        if 0 < chance < 1:
            outputs = [[bit, law.randint(0, 10**6)] for bit in outputs]
        (folder / f"{name}.json").write_text(json.dumps(outputs))


def certified(folder: Path, subjects: dict[str, str]) -> dict[str, Document]:
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_subject(folder)
        for name, words in subjects.items():
            main(["certify", *words.split(), "--jobs", "1", "--quiet", "--out", f"{name}.json"])
            found[name] = json.loads((folder / f"{name}.json").read_text())
    return found


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document]:
    return certified(tmp_path_factory.mktemp("audited"), SUBJECTS)


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document]:
    return certified(tmp_path_factory.mktemp("functions"), SLOW)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # Looking for a module adds folders.
    monkeypatch.setattr(sys, "path", list(sys.path))
    write_subject(tmp_path)
    return tmp_path


def verified(document: Document) -> Verification:
    return verify(read_certificate(json.dumps(document), "c.json"))


def changed(document: Document, change: Callable[[Document], Any]) -> Document:
    """With the digest that fits: whoever forges can compute it."""
    found = copy.deepcopy(document)
    change(found)
    found["digest"] = digest(found)
    return found


def status(found: Verification, start: str) -> Status:
    (check,) = [check for check in found.checks if check.statement.startswith(start)]
    return check.status


def test_the_subjects_have_the_verdicts_that_the_tests_below_are_about(
    audited: dict[str, Document],
) -> None:
    assert all(document["verdict"] == VERDICTS[name] for name, document in audited.items())
    for name in ("early", "early kept"):
        witness = audited[name]["evidence"][-1]["witness"]
        assert witness["test"] == "bets until stopped"


def assert_confirmed(document: Document) -> None:
    found = verified(document)
    held = (Status.CONFIRMED, Status.WORD)
    assert [check for check in found.checks if check.status not in held] == []
    assert found.exit_code == 0


@pytest.mark.parametrize("name", ["leaky", "kept", "fixed", "program"])
def test_an_attack_that_can_be_made_again_is_confirmed(
    audited: dict[str, Document], here: Path, name: str
) -> None:
    assert_confirmed(audited[name])


def righted(document: Document) -> None:
    """A wrong guess is called right."""
    document["evidence"][-1]["witness"]["correct"] += 1
    document["evidence"][-1]["witness"]["wrong"] -= 1


@pytest.mark.parametrize(
    "change",
    [
        righted,
        lambda d: d["evidence"][-1].update(finding="nothing was seen"),
        lambda d: d["evidence"][-1]["bound"]["epsilon"].update(lower="0.01"),
        lambda d: d["evidence"][-1]["replay"].update(attacker="another"),
        lambda d: d["evidence"][-1]["witness"]["pair"].update(second=7),
        lambda d: d.update(verdict="EXACT"),
        lambda d: d["evidence"].append(d["evidence"][-1]),
    ],
)
@pytest.mark.parametrize("name", ["leaky", "kept"])
def test_an_altered_attack_is_false(
    audited: dict[str, Document], here: Path, name: str, change: Callable[[Document], Any]
) -> None:
    assert verified(changed(audited[name], change)).exit_code == 1


def test_an_altered_attack_on_a_program_is_false(audited: dict[str, Document], here: Path) -> None:
    assert verified(changed(audited["program"], righted)).exit_code == 1


def test_a_program_without_its_attack_is_another_certificate(
    audited: dict[str, Document], here: Path
) -> None:
    """What is left says less, and all of it is true."""
    program = changed(audited["program"], lambda d: d["evidence"].pop())
    assert verified(program).exit_code == 1
    without = changed(program, lambda d: d["bounds"].update(floor=None))
    assert verified(without).exit_code == 1
    again = without["reproduce"].partition(" --runs")[0]
    assert verified(changed(without, lambda d: d.update(reproduce=again))).exit_code == 0
    empty = changed(audited["kept"], lambda d: d["evidence"].pop())
    assert verified(empty).exit_code in (1, 3)


@pytest.mark.slow
def test_a_function_is_run_again_where_it_has_no_randomness_of_its_own(
    functions: dict[str, Document], here: Path
) -> None:
    assert {name: d["verdict"] for name, d in functions.items()} == {n: VERDICTS[n] for n in SLOW}
    assert_confirmed(functions["function"])
    assert_confirmed(functions["anytime"])
    assert verified(changed(functions["function"], righted)).exit_code == 1
    (here / "noise_again.py").write_text("open('ran', 'w')\n" + SOURCE)
    assert verified(functions["function"]).exit_code == 3
    assert not (here / "ran").exists()


@pytest.mark.slow
def test_a_subject_with_randomness_of_its_own_is_held_to_its_counts(
    functions: dict[str, Document], here: Path
) -> None:
    assert_held_to_its_counts(verified(functions["own"]), "NOT REFUTED")
    assert verified(changed(functions["own"], righted)).exit_code == 1


def assert_held_to_its_counts(found: Verification, verdict: str) -> None:
    """What follows from counts is confirmed, and what rests on them is not."""
    assert found.exit_code == 3
    (entailed,) = [c for c in found.checks if c.statement == "evidence of the attack auditor"]
    assert entailed.status is Status.CONFIRMED
    for start in ("evidence of the attack auditor: what", "bound: floor", f"verdict {verdict}"):
        assert status(found, start) is Status.UNCHECKED


@pytest.mark.parametrize("name", ["leaky", "kept"])
def test_an_absent_subject_is_held_to_its_counts(
    audited: dict[str, Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = verified(audited[name])
    assert status(found, "subject") is Status.UNCHECKED
    assert_held_to_its_counts(found, VERDICTS[name])


@pytest.mark.parametrize(
    "change",
    [
        righted,
        lambda d: d.update(verdict="INVALID RUN"),
        lambda d: d["bounds"].update(floor=None),
        lambda d: d["bounds"].update(exact=d["bounds"]["floor"]),
        lambda d: d["evidence"][0].update(decision="invalid run"),
    ],
)
@pytest.mark.parametrize("name", ["leaky", "kept"])
def test_an_altered_attack_on_an_absent_subject_is_false(
    audited: dict[str, Document],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    change: Callable[[Document], Any],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert verified(changed(audited[name], change)).exit_code == 1


def assert_left_open(document: Document) -> None:
    found = verified(document)
    assert found.exit_code == 3
    for start in ("subject", "evidence of the attack auditor: what", "verdict REFUTED"):
        assert status(found, start) is Status.UNCHECKED
    verdict = changed(document, lambda d: d.update(verdict="NOT REFUTED"))
    assert verified(verdict).exit_code == 1


def test_what_does_not_follow_from_counts_is_left_open(
    audited: dict[str, Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_left_open(audited["fixed"])


@pytest.mark.slow
def test_what_was_bet_is_left_open(
    functions: dict[str, Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_left_open(functions["anytime"])


def test_other_outputs_are_not_those_that_were_audited(
    audited: dict[str, Document], here: Path
) -> None:
    (here / "zeros.json").write_text("[[1, 2], [0, 3]]")
    assert_held_to_its_counts(verified(audited["leaky"]), "REFUTED")


@pytest.mark.parametrize(
    "change",
    [
        lambda replay: replay["versions"].update(numpy="0"),
        lambda replay: replay.update(repeatable=False),
        lambda replay: replay.pop("repeatable"),
    ],
)
@pytest.mark.parametrize("name", ["program"])
def test_what_would_not_find_the_same_again_is_not_drawn_again(
    audited: dict[str, Document], here: Path, name: str, change: Callable[[Document], Any]
) -> None:
    document = changed(audited[name], lambda d: change(d["evidence"][-1]["replay"]))
    found = verified(document)
    assert found.exit_code == 3
    assert status(found, "evidence of the attack auditor: what") is Status.UNCHECKED
    # What a program's proof shows does not rest on the attack beside it.
    rests = Status.CONFIRMED if name == "program" else Status.UNCHECKED
    assert status(found, f"verdict {VERDICTS[name]}") is rests


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["evidence"][0].update(replay=3),
        lambda d: d["evidence"][0]["replay"].update(seed=-1),
        lambda d: d["evidence"][0]["replay"].update(runs=10**18),
        lambda d: d["evidence"][0]["replay"].update(error="2"),
        lambda d: d["evidence"][0]["witness"].update(pair=[]),
        lambda d: d.update(assumptions=3),
        lambda d: d["subject"].update(kind="oracle"),
        lambda d: d["subject"].update(name="outputs:zeros.json"),
        lambda d: d["subject"].update(sha256=None),
    ],
)
def test_a_malformed_attack_is_refused(
    audited: dict[str, Document],
    here: Path,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[Document], Any],
) -> None:
    """An input error, or a statement that is false or open; never confirmed, never a crash."""
    (here / "c.json").write_text(json.dumps(changed(audited["leaky"], change)))
    assert main(["verify", "c.json"]) in (1, 2, 3)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
def test_a_search_that_began_with_the_pairs_of_other_auditors_is_made_again(
    functions: dict[str, Document], here: Path
) -> None:
    certificate = functions["typed"]
    search = certificate["evidence"][-1]["replay"]["search"]
    assert search["given"] and certificate["evidence"][0]["property"]["pair"]
    assert_confirmed(certificate)

    def forge_number(document: Document) -> None:
        document["evidence"][-1]["replay"]["search"]["given"] -= 1

    assert verified(changed(certificate, forge_number)).exit_code == 1

    def forge_pair(document: Document) -> None:
        pair = {"first": [], "second": [{"cell": "0"}]}
        document["evidence"][0]["property"]["pair"] = pair

    # Draws of another auditor may come out otherwise elsewhere: its pair is confirmed or open.
    assert verified(changed(certificate, forge_pair)).exit_code == 3
