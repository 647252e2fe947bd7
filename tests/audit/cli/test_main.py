"""The command line: exit codes, streams, and one line for every error."""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from audit.cli import main as cli
from audit.cli.main import main, parser
from synthesizers.errors import BudgetExceeded, InputError, ProtocolError, TooLargeError
from synthesizers.programs import PROGRAMS
from tests.audit.processes import environment, run

CERTIFY = "certify geometric-sanitizer --neighbours replace-one --cells 2 --records 3"
HOLDS = f"{CERTIFY} --claim epsilon=1 --set epsilon=1"


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make ``dp-audit list`` end with an error."""

    def broken(flags: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr("audit.cli.listing.run", broken)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("no such thing"), 2),
        (TooLargeError("no such thing"), 2),
        (ProtocolError("no such thing"), 4),
        (BudgetExceeded("no such thing"), 4),
        (KeyboardInterrupt(), 130),
    ],
)
def test_every_error_has_its_exit_code_and_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
) -> None:
    failing(monkeypatch, error)
    assert main(["list"]) == code
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1
    assert "no such thing" in shown.err or code == 130


def test_a_fault_of_ours_is_called_one_and_quotes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, ValueError("zebra"))
    assert main(["list"]) == 70
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1
    assert "ValueError" in shown.err and "zebra" not in shown.err


@pytest.mark.parametrize(
    "words",
    [[], ["bogus"], ["--bogus"], ["certify"], ["certify", "x"], ["list", "colours"], ["cert"]],
)
def test_usage_errors_exit_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith("dp-audit: ") and shown.err.count("\n") == 1


def test_flags_are_not_abbreviated() -> None:
    with pytest.raises(InputError, match="did you mean '--released'"):
        parser().parse_args([*HOLDS.split(), "--relea", "transcript"])


def test_the_commands_of_this_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for command in ("demo", "list", "channel", "certify", "verify", "release"):
        assert command in text


def test_results_go_to_stdout_and_talk_to_stderr(tmp_path: Path) -> None:
    loud, quiet = (run(*HOLDS.split(), *more, cwd=tmp_path) for more in ((), ("--quiet",)))
    assert (loud.returncode, quiet.returncode) == (0, 0)
    assert "PROVED" in loud.stdout and "enumerating" in loud.stderr
    assert "enumerating" not in loud.stdout
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")
    assert list(tmp_path.iterdir()) == []


def test_no_colour_when_asked_for_none(tmp_path: Path) -> None:
    forced = run(*HOLDS.split(), cwd=tmp_path, env={"FORCE_COLOR": "1", "TERM": "xterm-256color"})
    plain = run(
        *HOLDS.split(),
        cwd=tmp_path,
        env={"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm-256color"},
    )
    assert "\x1b[3" in forced.stdout
    for code in range(30, 38):
        assert f"\x1b[{code}m" not in plain.stdout and f";{code}m" not in plain.stdout


def test_a_terminal_without_unicode_still_gets_its_answer(tmp_path: Path) -> None:
    done = run(*HOLDS.split(), cwd=tmp_path, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0 and "PROVED" in done.stdout and "Traceback" not in done.stderr
    done = run("list", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0 and "Traceback" not in done.stderr


def test_cards_fill_the_terminals_lines(tmp_path: Path) -> None:
    """A line ends only where the next word would not fit, or a paragraph ends."""
    told = run("list", "programs", cwd=tmp_path, env={"COLUMNS": "70"}).stdout
    lines = [line.rstrip() for line in told.splitlines()]
    headings = set(PROGRAMS)
    for line, following in itertools.pairwise(lines):
        assert len(line) <= 70
        if line and following and line not in headings:
            assert len(line) + 1 + len(following.split()[0]) > 70, line


@pytest.mark.skipif(os.name == "nt", reason="needs a pipe that its reader closes")
@pytest.mark.parametrize(
    ("words", "code"),
    [("list", 0), (f"{CERTIFY} --claim epsilon=1/2 --set epsilon=1", 1)],
)
def test_a_reader_that_goes_away_changes_no_exit_code(
    tmp_path: Path, words: str, code: int
) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [sys.executable, "-m", "dp_audit", *words.split()],
        stdout=write,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(),
        text=True,
    )
    os.close(write)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == code
    assert "Traceback" not in errors


LONG = """
import sys
from pathlib import Path
from dp_audit.__main__ import main
Path("started").write_text("x")
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_during_a_long_channel_leaves_nothing(tmp_path: Path, jobs: str) -> None:
    """About 600 000 transcripts for 84 databases in one process: far longer than the wait."""
    words = "channel laplace-sanitizer --set epsilon=1 --cells 6 --records 8 --neighbours"
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", LONG, *words.split(), "add-remove", "--jobs", jobs),
            *("--json", "c.json", "--csv", "c.csv", "--html", "c.html"),
        ],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    # The line that says how large the job is comes right before the work.
    line = process.stderr.readline()
    while line and "transcripts" not in line:
        line = process.stderr.readline()
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert output == ""
    assert "Traceback" not in errors
    assert "interrupted; nothing was written" in errors
    assert [p.name for p in tmp_path.iterdir()] == ["started"]


def test_the_module_and_the_script_are_one(tmp_path: Path) -> None:
    script = subprocess.run(
        [Path(sys.executable).with_name("dp-audit"), "list", "noise"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert script.returncode == 0
    assert script.stdout == run("list", "noise", cwd=tmp_path).stdout


def test_commands_are_called_by_their_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(
        cli,
        "parser",
        lambda: SimpleNamespace(
            parse_args=lambda argv: SimpleNamespace(run=lambda flags: seen.append("ran") or 3)
        ),
    )
    assert main(["anything"]) == 3 and seen == ["ran"]
