"""``--python``: a subject of another environment, certified, verified and replayed."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dp_audit
from audit.cli.main import main

MODULE = """
def noisy(database, rng):
    return round(len(database) + (rng.random() + rng.random() + rng.random()) / 4, 2)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment without any package."""
    place = tmp_path_factory.mktemp("elsewhere") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    return str(place / "bin" / "python")


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str) -> dict[str, Any]:
    (tmp_path / "adding.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    words = "adding:noisy --claim epsilon=1 --neighbours add-remove --pair a.json b.json --runs 60"
    Path("a.json").write_text("[]")
    Path("b.json").write_text('[{"x": 1}]')
    line = f"certify {words} --seed 3 --jobs 1 --quiet --out c.json --python {shlex.quote(python)}"
    assert main(shlex.split(line)) == 1
    found: dict[str, Any] = json.loads(Path("c.json").read_text())
    return found


def test_the_certificate_names_the_version_and_is_checked_by_the_same_interpreter(
    document: dict[str, Any], python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    version = sys.version.split()[0]
    assert document["subject"]["python"] == version
    assert f"--python {python}" in document["reproduce"]
    # A certificate names no program that is run: that the user does.
    assert not dp_audit.verify("c.json").confirmed
    capsys.readouterr()
    assert main(["verify", "c.json", "--jobs", "1"]) == 3
    assert "--python" in capsys.readouterr().out
    assert dp_audit.verify("c.json", python=python).confirmed
    assert main(["replay", "c.json", "--quiet", "--jobs", "1"]) == 3
    words = ["--python", python, "--runs", "60", "--quiet", "--jobs", "1", "--seed", "1"]
    assert main(["replay", "c.json", *words]) == 1


def test_another_version_or_a_python_that_is_not_asked_for_is_refused(
    document: dict[str, Any], python: str
) -> None:
    from audit.subjects.stated_subjects import find_obstacle

    subject = document["subject"]
    assert find_obstacle(subject, None, python) == ""
    assert "--python is Python" in find_obstacle({**subject, "python": "3.9.1"}, None, python)
    own = {key: value for key, value in subject.items() if key != "python"}
    assert "leave out --python" in find_obstacle(own, None, python)
    assert "no program" in find_obstacle(subject, None, "/absent")


@pytest.mark.parametrize(
    ("subject", "words", "message"),
    [
        ("command:x", {}, "names its own interpreter"),
        ("outputs:a,b", {}, "names its own interpreter"),
        ("subsample", {}, "runs a function or an estimator"),
        ("adding:noisy", {"form": "program"}, "runs a function or an estimator"),
        (len, {"form": "function"}, "leave out python and warm"),
    ],
)
def test_what_has_no_other_interpreter_is_refused(
    python: str, subject: Any, words: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        dp_audit.certify(
            subject, "epsilon=1", neighbours="add-remove", cells=2, python=python, **words
        )
