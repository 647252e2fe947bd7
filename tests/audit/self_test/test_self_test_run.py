"""The self-test's sum: who was missed, who was accused, and what a certificate carries of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from audit.cli.main import main
from audit.self_test import run
from audit.self_test.case import BugClass, Detector, Liar
from audit.self_test.loading import load_self_test
from audit.self_test.run import SelfTest, choose_liars, self_test
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour
from synthesizers.errors import InputError


@dataclass(frozen=True)
class Stub:
    name: str
    against: tuple[Detector, ...]
    detectors: tuple[Detector, ...] = (Detector.CHANNEL, Detector.ATTACK)

    def examine(self, detector: Detector) -> tuple[Finding, ...]:
        guilty = detector in self.against
        finding = Finding(
            auditor=detector,
            about="a law",
            decision=Decision.of_declaration(guilty),
            declared="1",
            found="2",
            rigour=Rigour.EXACT,
            covers="all",
            again="again",
        )
        return (finding,)


def _run(monkeypatch: pytest.MonkeyPatch, honest: Stub, lying: Stub) -> SelfTest:
    liars = (Liar("liar", BugClass.NOISE, "a bug", honest, lying),)
    monkeypatch.setattr(run, "_cases", lambda: {case.name: case for case in (honest, lying)})
    monkeypatch.setattr(run, "table", lambda: liars)
    return self_test(liars, "whole")


def test_a_liar_that_nobody_catches_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _run(monkeypatch, Stub("honest", ()), Stub("liar", ()))
    assert [caught.liar.name for caught in found.missed] == ["liar"]
    assert not found.ok


def test_a_liar_that_sampling_alone_catches_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _run(monkeypatch, Stub("honest", ()), Stub("liar", (Detector.ATTACK,))).ok
    assert _run(monkeypatch, Stub("honest", ()), Stub("liar", (Detector.CHANNEL,))).ok


def test_sampling_is_enough_where_nothing_else_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = (Detector.NOISE_LAW,)
    assert _run(monkeypatch, Stub("honest", (), noise), Stub("liar", noise, noise)).ok


def test_an_honest_case_that_is_accused_spoils_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _run(monkeypatch, Stub("honest", (Detector.ATTACK,)), Stub("liar", (Detector.CHANNEL,)))
    assert [control.case.name for control in found.accused] == ["honest"]
    assert not found.ok


def test_an_unknown_name_is_an_error_that_says_where_names_are() -> None:
    with pytest.raises(InputError, match="names all"):
        choose_liars(False, "nobody")


def test_the_command_prints_the_table_and_fails_where_the_test_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "test.json"
    words = ["self-test", "--only", "posterior mean", "--jobs", "1", "--quiet", "--json", str(path)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "posterior mean" in out
    assert "1 of 1 liars caught; honest accused: none of 1" in " ".join(out.split())
    assert json.loads(path.read_text())["ok"] is True
    monkeypatch.setattr(run, "violations", lambda findings: ())
    assert main(words) == 70
    assert "NOT CAUGHT" in capsys.readouterr().out


def test_quick_and_only_together_are_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["self-test", "--quick", "--only", "default seed"]) == 2
    assert "one of them" in capsys.readouterr().err


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    found = _run(monkeypatch, Stub("honest", ()), Stub("liar", (Detector.CHANNEL,)))
    return found.to_json()


def _written(tmp_path: Path, document: dict[str, Any]) -> str:
    path = tmp_path / "test.json"
    path.write_text(json.dumps(document))
    return str(path)


def test_a_certificate_carries_the_sum_of_a_test(passed: dict[str, Any], tmp_path: Path) -> None:
    found = load_self_test(_written(tmp_path, passed))
    assert (found["liars"], found["caught"], found["honest"], found["accused"]) == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": "other"}, "no result"),
        ({"code": "sha256:0"}, "other code"),
        ({"form": "chosen"}, "not a whole or a quick one"),
        ({"liars": []}, "0 of 0"),
        ({"liars": [{"caught": False}]}, "0 of 1"),
        ({"controls": [{"accused": True}]}, "1 honest cases accused"),
        ({"controls": 3}, "malformed"),
    ],
)
def test_a_test_that_shows_nothing_is_refused(
    passed: dict[str, Any], tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        load_self_test(_written(tmp_path, {**passed, **change}))


def test_certify_embeds_it_and_verify_confirms_the_rest(
    passed: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate = tmp_path / "certificate.json"
    words = "certify geometric-sanitizer --set epsilon=1 --claim epsilon=1 --cells 2 --records 1"
    beside = ["--neighbours", "add-remove", "--quiet", "--out", str(certificate)]
    assert main([*words.split(), *beside, "--self-test", _written(tmp_path, passed)]) == 0
    assert "1 of 1 lying subjects caught" in " ".join(capsys.readouterr().out.split())
    assert json.loads(certificate.read_text())["self_test"]["form"] == "whole"
    assert main(["verify", str(certificate)]) == 0


def test_certify_refuses_a_test_of_other_code(
    passed: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "certify geometric-sanitizer --set epsilon=1 --claim epsilon=1 --cells 2 --records 1"
    path = _written(tmp_path, {**passed, "code": "sha256:1"})
    assert main([*words.split(), "--neighbours", "add-remove", "--self-test", path]) == 2
    assert "other code" in capsys.readouterr().err


def test_an_auditor_that_refuses_a_case_is_a_fault_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refusing(case: object, detector: Detector) -> tuple[Finding, ...]:
        raise InputError("not today")

    monkeypatch.setattr("audit.self_test.program_cases.ProgramCase.examine", refusing)
    assert main(["self-test", "--only", "posterior mean", "--jobs", "1", "--quiet"]) == 70
    said = capsys.readouterr().err
    assert "posterior mean" in said or "Multinomial-Dirichlet" in said
    assert "not today" in said
