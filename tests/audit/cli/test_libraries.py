"""Each part of dp-audit runs with the libraries that the page on installing names for it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from audit.cli.libraries import LIBRARIES, missing_library
from audit.cli.main import COMMANDS
from docs.libraries import ROWS, megabytes, table
from tests.audit.processes import ROOT, environment

OPTIONAL = ("dask", "distributed", "pyarrow", "jax", "mbi", "optax", "flint")
"""Libraries of extras, which are absent wherever something of the core is."""

BLOCKED = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""

PROGRAM = """
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import whole_table


def noisy_counts(curator):
    return curator.measure(whole_table(curator.domain), DiscreteLaplace(2), low=0, high=3)


def gaussian_counts(curator):
    return curator.measure(whole_table(curator.domain), DiscreteGaussian(4), low=0, high=3)
"""

TEST = """
from own import noisy_counts


def test_privacy(certify):
    certify(noisy_counts, "epsilon=1", neighbours="replace-one", cells=2, records=3)
"""

SMALL = "--neighbours replace-one --cells 2 --records 3"
MAKE = (
    f"certify geometric-sanitizer --set epsilon=1 {SMALL} --claim epsilon=1 --out cert.json",
    f"certify geometric-sanitizer --set epsilon=1 {SMALL} --claim epsilon=2 --out other.json",
    f"certify own:gaussian_counts {SMALL} --claim epsilon=9,delta=1/1000000 --out delta.json",
)
LINES = {
    ("rich",): ("list", "list programs", "list noise", "init-submission ../team", "--version"),
    ("mpmath", "numpy", "rich"): (
        "explain cert.json",
        "explain delta.json",
        "attest cert.json",
        "attest delta.json",
        "compare cert.json other.json",
        "compare cert.json delta.json",
    ),
    ("mpmath", "numpy", "rich", "scipy"): (
        "account '10*gaussian(sigma=30)' --delta 1e-6 --neighbours add-remove",
        "calibrate gaussian --claim 'epsilon=1, delta=1e-6' --count 9 --neighbours add-remove",
        MAKE[0],
        "verify cert.json",
        "verify delta.json",
        f"certify own:noisy_counts {SMALL} --claim epsilon=1/2",
    ),
}
"""Commands that run with so little."""

RUN = """
import shlex
from dp_audit.__main__ import main

for line in {lines!r}:
    try:
        print(line, "->", main([*shlex.split(line), "--quiet"] if "-" != line[0] else [line]))
    except SystemExit as ended:
        print(line, "->", ended.code)
"""


def run_without(names: Sequence[str], code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a Python that has none of the libraries that it imports by these names."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKED.format(blocked=sorted({*names, *OPTIONAL})) + code],
        cwd=folder,
        env=environment({"PYTHONPATH": f"{ROOT}:{folder}", "OMP_NUM_THREADS": "1"}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def others(allowed: Sequence[str]) -> list[str]:
    """The names by which all other libraries are imported."""
    return [name for name, installed in LIBRARIES.items() if installed not in allowed]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program, its test and certificates."""
    made = tmp_path_factory.mktemp("small")
    (made / "own.py").write_text(PROGRAM)
    (made / "test_own.py").write_text(TEST)
    outcome = run_without([], RUN.format(lines=MAKE), made)
    assert (made / "delta.json").exists(), outcome.stderr
    return made


def test_the_libraries_are_those_that_the_package_declares() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {text.partition(">")[0] for text in project["dependencies"]}
    assert declared == set(LIBRARIES.values())


@pytest.mark.parametrize("allowed", LINES, ids="+".join)
def test_commands_run_with_the_libraries_that_the_page_names(
    allowed: tuple[str, ...], folder: Path
) -> None:
    assert allowed in [names for _, names in ROWS]
    outcome = run_without(others(allowed), RUN.format(lines=LINES[allowed]), folder)
    codes = dict(line.split(" -> ") for line in outcome.stdout.splitlines() if " -> " in line)
    refuted = [line for line in LINES[allowed] if line.endswith("epsilon=1/2") and "own" in line]
    expected = {line: "1" if line in refuted else "0" for line in LINES[allowed]}
    assert codes == expected, outcome.stderr


def test_a_program_is_tested_with_the_libraries_that_the_page_names(folder: Path) -> None:
    (allowed,) = (names for _, names in ROWS if "pytest" in names)
    words = ["-q", "-p", "no:cacheprovider", "-p", "audit.testing.pytest_plugin", "test_own.py"]
    # Hypothesis has a plugin of its own, which is loaded wherever it is installed.
    alone = "import os, pytest\nos.environ['PYTEST_DISABLE_PLUGIN_AUTOLOAD'] = '1'\n"
    code = f"{alone}raise SystemExit(pytest.main({words}))"
    outcome = run_without(others(allowed), code, folder)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_every_command_names_a_library_that_is_missing(tmp_path: Path) -> None:
    lines = tuple(f"{name} --help" for name in COMMANDS)
    outcome = run_without(list(LIBRARIES), RUN.format(lines=lines), tmp_path)
    codes = [line.rpartition(" -> ")[2] for line in outcome.stdout.splitlines() if " -> " in line]
    assert codes == ["2"] * len(COMMANDS)
    errors = outcome.stderr.splitlines()
    assert len(errors) == len(COMMANDS)
    assert all(line.startswith("dp-audit: this needs the library ") for line in errors)


def test_a_module_of_ours_that_is_missing_is_no_library() -> None:
    assert missing_library(ModuleNotFoundError(name="audit.nothing")) is None
    assert "scikit-learn" in (missing_library(ModuleNotFoundError(name="sklearn.tree")) or "")


def test_the_page_has_the_table_and_sizes_like_those_here() -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    shown = [line for line in page.splitlines() if line.startswith("| ")]
    for row in table().splitlines()[2:]:
        words, _, size = row.rstrip(" |").rpartition("| ")
        (found,) = (line for line in shown if line.startswith(words))
        there = int(found.rstrip(" |").rpartition("| ")[2])
        # Builds of the same library differ between systems and versions.
        assert int(size) / 2 <= there <= 2 * int(size)


def test_a_small_install_is_small() -> None:
    sizes = [megabytes(names) for _, names in ROWS]
    assert sizes == sorted(sizes) and 4 * sizes[2] < sizes[-1]
