"""``dp-audit replay``: what it prints, how it ends, what it refuses."""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.cli import replay
from audit.cli.main import main, parser
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.subjects.black_box import BlackBox
from audit.subjects.pair import Pair
from proofs.guarantees import parse_guarantee
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove
from tests.audit.auditors.attack.rechecking.test_replaying import Noisy, Told, rule_of
from tests.audit.report.samples import attack, sampled
from tests.audit.report.test_terminal import words_of

SOURCE = """
import numpy as np

def response(database, rng, runs, epsilon):
    lies = rng.random(runs) > 1 / (1 + np.exp(-epsilon))
    return np.where(lies, 1 - database, database)

def leaky(database, rng, runs):
    return response(database, rng, runs, 2)

def kept(database, rng, runs):
    return response(database, rng, runs, 1)
"""
"""Randomised response, of twice the claimed ε and of the claimed one."""

Document = dict[str, Any]


@pytest.fixture(scope="module")
def audited() -> dict[str, Document]:
    """Certificates of both, with a rule that looks at the answer."""
    counts = {"leaky": (3520, 480, Decision.VIOLATED), "kept": (2924, 1076, Decision.UNSEEN)}
    rule, found = rule_of(), {}
    for name, (correct, wrong, decision) in counts.items():
        witness = sampled(
            correct,
            wrong,
            4000,
            pair=Pair(0, 1).show(),
            rule=rule.to_json(),
            digest=rule.digest(),
        )
        evidence = attack(decision, Fraction(1, 2), witness, alarm=Fraction(1, 10**6))
        subject = {
            "kind": "function",
            "name": f"noise_here:{name}",
            "parameters": {},
            "form": "batch",
            "seconds": 60,
            "megabytes": 4096,
            "rows": None,
            "source_sha256": hashlib.sha256(SOURCE.encode()).hexdigest(),
        }
        claim = Claim(parse_guarantee("epsilon=1"), AddRemove(), "output", None, None)
        whole = Certificate(subject, claim, (evidence,), (), "again")
        found[name] = json.loads(json.dumps(whole.to_json()))
    return found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # Looking for a module adds folders.
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "noise_here.py").write_text(SOURCE)
    return tmp_path


def replayed(document: Document, line: str, box: BlackBox | None = None) -> int:
    """The exit code of the command; with a box of the test's own where one is given."""
    Path("c.json").write_text(json.dumps(document))
    words = ["replay", "c.json", "--jobs", "1", *line.split()]
    if box is None:
        return main(words)
    flags: argparse.Namespace = parser().parse_args(words)
    return replay.run(flags, lambda subject, claim: box)


@pytest.mark.slow
def test_the_subject_itself_is_run(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At twice the claimed ε a p-value above 1e-6 has a chance far below 1e-12."""
    assert replayed(audited["leaky"], "--seed 1") == 1
    assert replayed(audited["kept"], "--seed 1") == 0


def test_fresh_runs_confirm_a_leak(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The same: randomised response or Laplace noise of twice the claimed ε.
    assert replayed(audited["leaky"], "--seed 1", Noisy(0.5)) == 1
    shown = capsys.readouterr()
    text = words_of(shown.out)
    assert "The finding is confirmed: these runs refute the claim at an error of 0.000001." in text
    right, wrong, none = (
        int(re.search(rf"{word} ([\d,]+)", text)[1].replace(",", ""))
        for word in ("Right", "Wrong", "None")
    )
    runs = audited["leaky"]["evidence"][0]["witness"]["runs"]
    assert right + wrong + none == runs and f"{runs:,} fresh runs" in shown.err
    assert "on the word of whoever wrote the certificate" in text
    assert "ε ≥ " in text and "at confidence 0.95" in text


def test_fresh_runs_leave_what_keeps_its_claim(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replayed(audited["kept"], "--runs 500 --seed 1 --quiet", Noisy(1.0)) == 0
    shown = capsys.readouterr()
    assert "The finding is confirmed: these runs do not refute" in words_of(shown.out)
    assert "1,000, seed 1" in shown.out and shown.err == ""


def test_seeds_are_fresh_unless_one_is_given(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for line in ("", "", "--seed 3", "--seed 3"):
        replayed(audited["leaky"], f"--runs 50 {line}", Noisy(0.5))
        found.append(capsys.readouterr().out)
    assert found[0] != found[1] and found[2] == found[3]


def test_a_finding_that_fresh_runs_do_not_bear_out_is_not_confirmed(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leaky, kept = audited["leaky"], audited["kept"]
    assert replayed(leaky, "--seed 1", Noisy(1.0)) == 0
    assert "not confirmed: these runs do not refute" in words_of(capsys.readouterr().out)
    assert replayed(kept, "--seed 1", Noisy(0.5)) == 1
    assert "where the certificate saw no violation" in words_of(capsys.readouterr().out)


def test_the_alarm_is_the_users_where_one_is_given(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = copy.deepcopy(audited["leaky"])
    # 60 runs at ε = 2 in place of 1: a p-value next to 0.1.
    line = "--runs 30 --seed 1 --alarm"
    assert replayed(document, f"{line} 0.999", Noisy(0.5)) == 1
    assert replayed(document, f"{line} 1e-30", Noisy(0.5)) == 0
    # The certificate's own counts where it is smaller, and for no more than 1e-6.
    document["evidence"][0]["replay"]["alarm"] = f"1/{10**200}"
    assert replayed(document, "--seed 1", Noisy(0.5)) == 0
    document["evidence"][0]["replay"]["alarm"] = "999/1000"
    assert replayed(document, "--runs 30 --seed 1", Noisy(0.5)) == 0
    assert "error of 0.000001" in words_of(capsys.readouterr().out)


def test_dependent_runs_are_an_invalid_run(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    box = Told(lambda coin, seed: float(coin) + seed % 1000)
    assert replayed(audited["leaky"], "--seed 1", box) == 5
    text = words_of(capsys.readouterr().out)
    assert "Nothing follows: the runs are no independent draws" in text
    assert "p-value" not in text and "ε ≥" not in text


def test_an_absent_or_changed_subject_is_not_run(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "noise_here.py").write_text("open('ran', 'w')\n" + SOURCE)
    assert replayed(audited["leaky"], "") == 3
    (here / "noise_here.py").unlink()
    assert replayed(audited["leaky"], "") == 3
    shown = capsys.readouterr()
    assert "not the one that was audited" in words_of(shown.err) and "absent" in shown.err
    assert shown.out == "" and not (here / "ran").exists()


def test_a_subject_that_cannot_be_made_is_absent(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(subject: Any, claim: Claim) -> BlackBox:
        raise InputError("it takes a parameter")

    (here / "c.json").write_text(json.dumps(audited["leaky"]))
    flags = parser().parse_args(["replay", "c.json"])
    assert replay.run(flags, refuse) == 3
    assert "it takes a parameter" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["evidence"][0].update(witness=None),
        lambda d: d["evidence"][0]["witness"].update(digest="sha256:" + "0" * 64),
        lambda d: d["evidence"][0]["witness"]["rule"].update(score="none"),
        lambda d: d["evidence"][0]["witness"].update(runs=10**18),
        lambda d: d.update(claim="epsilon=one"),
        lambda d: d.update(subject=[]),
        lambda d: d.update(evidence={}),
        lambda d: d.pop("unit"),
    ],
)
def test_a_forged_certificate_is_an_input_error(
    audited: dict[str, Document],
    here: Path,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[Document], Any],
) -> None:
    document = copy.deepcopy(audited["leaky"])
    change(document)
    assert replayed(document, "") == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("dp-audit: ") and shown.out == ""


@pytest.mark.parametrize(
    "line",
    ["--runs 0", "--runs x", "--alarm 0", "--alarm 1", "--evidence 0", "--evidence 2", "--seed -1"],
)
def test_flags_out_of_range_are_refused(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert replayed(audited["leaky"], line) == 2


def test_a_certificate_without_runs_is_not_replayed(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "certify geometric-sanitizer --set epsilon=1 --cells 2 --records 2 --claim epsilon=1"
    assert main([*words.split(), "--neighbours", "replace-one", "--out", "p.json", "--quiet"]) == 0
    assert main(["replay", "p.json"]) == 2
    assert "nothing to repeat" in capsys.readouterr().err


def test_a_strangers_text_is_shown_as_text(
    audited: dict[str, Document], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = copy.deepcopy(audited["leaky"])
    document["subject"]["name"] = "\x1b[31m[red]absent:f"
    assert replayed(document, "") == 3
    shown = capsys.readouterr()
    assert "\x1b" not in shown.err and "[red]" in shown.err
