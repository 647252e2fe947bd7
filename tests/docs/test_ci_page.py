"""The page on continuous integration: its code runs, its output is printed, its YAML is YAML."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from audit.testing.claims.asked import Asked
from tests.docs.lists import read_items

pytest_plugins = ("pytester",)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.DOTALL)
FILES = {code.splitlines()[0].removeprefix("# "): code for kind, code in BLOCKS if kind == "python"}
REGISTERED = [
    e.name for e in entry_points(group="pytest11") if e.value == "audit.testing.pytest_plugin"
]
PLUGIN = () if REGISTERED else ("-p", "audit.testing.pytest_plugin")


def ran(pytester: pytest.Pytester, *names: str, **changed: str) -> pytest.RunResult:
    """A run of files of the page, beside the mechanism, which may be changed."""
    sources = {**{name: FILES[name] for name in ("noisy_totals.py", *names)}, **changed}
    for name, source in sources.items():
        pytester.makefile(".py", **{name.removesuffix(".py"): source})
    pytester.syspathinsert()
    return pytester.runpytest_inprocess(*PLUGIN, *names)


def test_the_mechanism_keeps_its_claim(pytester: pytest.Pytester) -> None:
    ran(pytester, "test_noisy_totals.py").assert_outcomes(passed=1)


def test_the_mistake_fails_with_what_the_page_says(pytester: pytest.Pytester) -> None:
    wrong = FILES["noisy_totals.py"].replace("2 / self.epsilon", "1 / self.epsilon")
    assert wrong != FILES["noisy_totals.py"] and "`DiscreteLaplace(1 / self.epsilon)`" in PAGE
    found = ran(pytester, "test_noisy_totals.py", **{"noisy_totals.py": wrong})
    found.assert_outcomes(failed=1)
    (told,) = (text for kind, text in BLOCKS if kind == "text")
    place = 0
    for line in told.splitlines():
        at = found.stdout.str().find(line.strip(), place)
        assert at >= 0, line
        place = at


def test_families_of_the_page_are_kept(pytester: pytest.Pytester) -> None:
    ran(pytester, "test_families.py").assert_outcomes(passed=2)


@pytest.mark.slow
def test_laws_of_the_page_are_kept(pytester: pytest.Pytester) -> None:
    found = ran(pytester, "test_laws.py")
    assert found.ret == 0 and found.parseoutcomes()["passed"] > 20


def test_every_argument_has_its_item() -> None:
    arguments = PAGE.split("## What `certify` takes")[1].split("\n## ")[0]
    heads = [words.partition(": ")[0] for words, _ in read_items(arguments)]
    named = {name for head in heads for name in re.findall(r"`(\w+)`", head)}
    assert named == set(Asked.__dataclass_fields__) - {"claim", "parameters"}


def test_every_option_is_named() -> None:
    source = (ROOT / "audit" / "testing" / "pytest_plugin.py").read_text(encoding="utf-8")
    options = set(re.findall(r'"(--dp-\w+)"', source))
    assert len(options) == 6 and options <= set(re.findall(r"--dp-\w+", PAGE))


def action() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return found


def test_the_workflow_gives_the_action_inputs_that_it_has() -> None:
    yaml = pytest.importorskip("yaml")
    (text,) = (code for kind, code in BLOCKS if kind == "yaml")
    (job,) = yaml.safe_load(text)["jobs"].values()
    (step,) = (step for step in job["steps"] if "dp-audit" in step["uses"])
    assert set(step["with"]) <= set(action()["inputs"])
    assert {"certify", "upload"} <= set(action()["inputs"])


def test_no_shell_reads_an_input_of_the_action() -> None:
    for step in action()["runs"]["steps"]:
        assert ("run" in step) != ("uses" in step)
        assert "${{" not in step.get("run", "")
        if "run" in step:
            assert step["shell"] == "bash"
            assert set(re.findall(r'environ\["(\w+)"\]', step["run"])) == set(step["env"])


@pytest.mark.skipif(os.name != "posix", reason="the action's scripts are for a shell")
def test_the_action_hands_words_over_as_they_were_written(tmp_path: Path) -> None:
    (step,) = (s for s in action()["runs"]["steps"] if s.get("name") == "Test the claims")
    (tmp_path / "pytest.py").write_text("import sys\nprint(sys.argv[1:])\n")
    for script, variables in (
        (step["run"], {"TESTS": "a 'b c'", "PYTEST_ARGS": "-k 'x; touch y'", "SARIF": "o p.sarif"}),
    ):
        made = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env={
                "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
                "PYTHONPATH": str(tmp_path),
                **variables,
            },
            capture_output=True,
            text=True,
            check=True,
        )
        expected = ["--dp-sarif", "o p.sarif", "a", "b c", "-k", "x; touch y"]
        assert made.stdout.strip() == str(expected)


@pytest.mark.skipif(os.name != "posix", reason="the action's scripts are for a shell")
@pytest.mark.parametrize(
    ("name", "variables", "expected"),
    [
        (
            "Install",
            {"GITHUB_ACTION_PATH": "/an action", "INSTALL": "-e '. x' $HOME"},
            [["pip", "install", "/an action", "pytest"], ["pip", "install", "-e", ". x", "$HOME"]],
        ),
        (
            "Install",
            {"GITHUB_ACTION_PATH": "/a", "INSTALL": ""},
            [["pip", "install", "/a", "pytest"]],
        ),
        (
            "Certify",
            {"CERTIFY": "a:b --claim 'epsilon=1; touch y'"},
            [["dp-audit", "certify", "a:b", "--claim", "epsilon=1; touch y"]],
        ),
    ],
)
def test_the_other_steps_of_the_action_run_as_they_are(
    name: str, variables: dict[str, str], expected: list[list[str]], tmp_path: Path
) -> None:
    (step,) = (s for s in action()["runs"]["steps"] if s.get("name") == name)
    say = (
        "import json, pathlib, sys\n"
        "print(json.dumps([pathlib.Path(sys.argv[0]).stem, *sys.argv[1:]]))"
    )
    (tmp_path / "pip.py").write_text(say)
    command = tmp_path / "dp-audit"
    command.write_text(f"#!{sys.executable}\n{say}")
    command.chmod(0o755)
    made = subprocess.run(
        ["bash", "-c", step["run"]],
        cwd=tmp_path,
        env={
            "PATH": f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin",
            "PYTHONPATH": str(tmp_path),
            **variables,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert [json.loads(line) for line in made.stdout.splitlines()] == expected
    assert not (tmp_path / "y").exists()
