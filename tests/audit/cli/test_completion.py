"""What a shell completes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from audit.cli import completion
from audit.cli.main import main
from tests.audit.processes import environment


def completed(line: str, folder: Path) -> set[str]:
    """The words that argcomplete is told of for a line of a shell."""
    pytest.importorskip("argcomplete")
    told = folder / "told"
    variables = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(told),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    command = [sys.executable, "-m", "dp_audit"]
    subprocess.run(command, env={**environment(), **variables}, cwd=folder, check=False)
    return {word.strip() for word in told.read_text().split("\n")}


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("dp-audit cert", "certify"),
        ("dp-audit certify x --neigh", "--neighbours"),
        ("dp-audit certify geometric-s", "geometric-sanitizer"),
        ("dp-audit utility a b --metric total-v", "total-variation"),
        ("dp-audit certify x --neighbours add", "add-remove"),
    ],
)
def test_a_shell_is_told_what_fits(tmp_path: Path, line: str, word: str) -> None:
    assert word in completed(line, tmp_path)


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_a_script_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("argcomplete")
    with pytest.raises(SystemExit) as stop:
        main(["--completion", shell])
    assert stop.value.code == 0 and "dp-audit" in capsys.readouterr().out


def test_without_the_extra_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("argcomplete", "argcomplete.shell_integration"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["--completion", "bash"]) == 2
    assert "dp-audit[completion]" in capsys.readouterr().err


def test_nothing_is_completed_where_no_shell_asks() -> None:
    assert "_ARGCOMPLETE" not in os.environ
    assert main(["list", "noise", "--quiet"]) == 0
