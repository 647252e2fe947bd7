"""The examples of every command's help, as they stand there and in their order."""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Collection
from pathlib import Path

import pytest

from audit.cli.commands import BY_AIM, COMMANDS
from audit.cli.main import main
from audit.cli.usage import fold

NOISE = """
def noisy_count(database, rng):
    return len(database) + rng.laplace(0.0, 1.0)
"""

TRANSFORMATION = """
import opendp.prelude as dp

dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
clamp = dp.t.make_clamp(*space, bounds=(0, 2))
"""

CRITERIA = """
name = "What a board asks"

[[criterion]]
name = "privacy is proved"
figure = "verdict"
in = ["PROVED", "EXACT"]
"""

GIVEN = {
    "my_noise.py": NOISE,
    "my_transformation.py": TRANSFORMATION,
    "criteria.toml": CRITERIA,
}
"""What users write themselves."""

CODES = {
    ("certify", 1): 1,
    ("replay", 0): 1,
    ("replay", 1): 1,
    ("components", 1): 1,
}
"""Exit codes other than 0, by command and example: of claims that are refuted."""

LONG = {"demo", "self-test", "review", "merge", "disclosure", "utility"}
"""Commands whose examples take their time."""


def run_all(folder: Path, names: Collection[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Run the examples of some commands in one folder, where each finds the files of the others."""
    for name, text in GIVEN.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in (one for one in COMMANDS if one in names):
        for place, line in enumerate(COMMANDS[name].examples):
            assert main(shlex.split(line)[1:]) == CODES.get((name, place), 0), (
                line,
                capsys.readouterr().err,
            )


@pytest.mark.slow
def test_examples_run_in_their_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = {"stability"} if importlib.util.find_spec("opendp") is None else set()
    run_all(folder, COMMANDS.keys() - LONG - absent, capsys)


@pytest.mark.slow
def test_long_examples_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_all(folder, {*LONG, "generate", "release", "split", "init-submission"}, capsys)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_is_for(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = COMMANDS[name]
    assert len(command.examples) == 2 and command.purpose.endswith(".")
    with pytest.raises(SystemExit):
        main([name, "--help"])
    shown = capsys.readouterr().out
    assert " ".join(command.purpose.split()) in " ".join(shown.split())
    for line in command.examples:
        assert fold(line) in shown
        assert shlex.split(fold(line).replace("\\\n", "")) == shlex.split(line)
        assert shlex.split(line)[:2] == ["dp-audit", name]
    assert "\noptions:" not in shown, "a flag has no title in audit/cli/groups.py"
    assert max(map(len, shown.splitlines())) <= 80


def test_the_overview_names_each_command_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    for name, command in COMMANDS.items():
        assert len([one for one in lines if one.split() == [name, *command.line.split()]]) == 1
    assert {f"{aim}:" for aim in BY_AIM} <= set(lines)
    assert max(map(len, lines)) <= 80
