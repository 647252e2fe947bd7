"""The command's entry refuses foreign packages of our names and otherwise hands over."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

import dp_audit
from dp_audit.__main__ import main
from dp_audit.own_packages import OWN_PACKAGES

HOME = Path(__file__).resolve().parents[1]
# A foreign module that tells on whoever runs it.
FOREIGN = "raise RuntimeError('foreign code ran')\n"
ENTRY = "from dp_audit.__main__ import main\n"


def run_entry(
    *path: Path, code: str = f"{ENTRY}raise SystemExit(main(['list']))"
) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a new interpreter that imports from ``path`` first and then from ours."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=HOME.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*path, HOME)))},
        capture_output=True,
        text=True,
        check=False,
    )


def assert_refused(
    outcome: subprocess.CompletedProcess[str], name: str, foreign: Path, path_entry: Path
) -> None:
    """Expect one line: the package, where the foreign one is, and the way out."""
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    (line,) = outcome.stderr.splitlines()
    assert f"'import {name}'" in line
    assert str(foreign) in line
    assert str(HOME / name) in line
    assert f"take {path_entry} off the import path" in line


@pytest.mark.parametrize("name", OWN_PACKAGES)
def test_a_package_that_shadows_ours_is_refused(name: str, tmp_path: Path) -> None:
    package = tmp_path.resolve() / name
    package.mkdir()
    (package / "__init__.py").write_text(FOREIGN)

    assert_refused(run_entry(tmp_path), name, package, tmp_path.resolve())


@pytest.mark.parametrize("name", OWN_PACKAGES)
def test_a_plain_module_that_shadows_ours_is_refused(name: str, tmp_path: Path) -> None:
    module = tmp_path.resolve() / f"{name}.py"
    module.write_text(FOREIGN)

    assert_refused(run_entry(tmp_path.resolve()), name, module, tmp_path.resolve())


def test_python_dash_m_dp_audit_checks_the_packages_below_it(tmp_path: Path) -> None:
    package = tmp_path.resolve() / "synthesizers"
    package.mkdir()
    (package / "__init__.py").write_text(FOREIGN)

    outcome = run_entry(
        tmp_path, code="import runpy; runpy.run_module('dp_audit', run_name='__main__')"
    )

    assert_refused(outcome, "synthesizers", package, tmp_path.resolve())


def test_a_foreign_module_without_a_file_is_refused() -> None:
    code = f"""{ENTRY}
import sys, types
sys.modules["audit"] = types.ModuleType("audit")
raise SystemExit(main(["list"]))
"""
    outcome = run_entry(code=code)

    assert outcome.returncode == 2
    (line,) = outcome.stderr.splitlines()
    assert "'import audit' would load <a module already loaded as 'audit'>" in line


def test_a_folder_of_files_is_no_package_and_shadows_nothing(tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "notes.txt").write_text("An audit of 1998.\n")

    outcome = run_entry(
        tmp_path, code="from dp_audit.own_packages import shadowing; print(shadowing())"
    )

    assert (outcome.returncode, outcome.stdout) == (0, "None\n"), outcome.stderr


def test_another_path_to_our_own_folder_is_ours(tmp_path: Path) -> None:
    link = tmp_path / "link"
    try:
        link.symlink_to(HOME, target_is_directory=True)
    except OSError:
        pytest.skip("this file system makes no symbolic links")

    outcome = run_entry(
        link, code="from dp_audit.own_packages import shadowing; print(shadowing())"
    )

    assert (outcome.returncode, outcome.stdout) == (0, "None\n"), outcome.stderr


def test_an_incomplete_installation_is_named(tmp_path: Path) -> None:
    shutil.copytree(HOME / "dp_audit", tmp_path / "dp_audit")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from dp_audit.__main__ import main; "
        "raise SystemExit(main([]))"
    )

    # -I and -S: neither the variables nor the site-packages that would supply the packages.
    outcome = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )

    assert outcome.returncode == 2
    (line,) = outcome.stderr.splitlines()
    assert "'synthesizers' is missing" in line
    assert str(tmp_path.resolve() / "synthesizers") in line


def test_arguments_and_exit_code_pass_through(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sequence[str] | None] = []

    def command_line(argv: Sequence[str] | None = None) -> int:
        seen.append(argv)
        return 70

    stand_in = ModuleType("audit.cli.main")
    stand_in.main = command_line
    monkeypatch.setitem(sys.modules, "audit.cli.main", stand_in)

    assert main(["verify", "cert.json"]) == 70
    assert main() == 70
    assert seen == [["verify", "cert.json"], None]


def test_an_interrupt_is_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def command_line(argv: Sequence[str] | None = None) -> int:
        raise KeyboardInterrupt

    stand_in = ModuleType("audit.cli.main")
    stand_in.main = command_line
    monkeypatch.setitem(sys.modules, "audit.cli.main", stand_in)

    assert main([]) == 130


HEAVY = ("numpy", "pandas", "scipy", "sklearn", "ortools", "hypothesis", "pyarrow", "matplotlib")


def loaded_by(code: str) -> set[str]:
    """The libraries that a new interpreter has imported after ``code``."""
    told = "import sys, atexit; atexit.register(lambda: print('@', *sys.modules))\n"
    outcome = run_entry(code=told + code)
    (line,) = [line for line in outcome.stdout.splitlines() if line.startswith("@ ")]
    return {name.partition(".")[0] for name in line.split()[1:]}


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["list"], ["list", "programs"]])
def test_what_only_speaks_imports_no_library_of_numbers(words: list[str]) -> None:
    assert not loaded_by(f"{ENTRY}raise SystemExit(main({words!r}))") & set(HEAVY)


def test_a_help_text_is_of_its_command_alone() -> None:
    assert "numpy" in loaded_by(f"{ENTRY}raise SystemExit(main(['certify', '--help']))")


def test_importing_the_package_imports_no_library() -> None:
    assert not loaded_by("import dp_audit; print(dir(dp_audit))") & {*HEAVY, "rich", "audit"}


def test_verifying_a_proof_imports_what_its_checks_need(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.json"
    result = dp_audit.certify(
        "geometric-sanitizer",
        "epsilon=2",
        neighbours="replace-one",
        cells=2,
        records=2,
        parameters={"epsilon": 2},
    )
    assert result.verdict == "PROVED"
    certificate.write_text(result.json_text(), encoding="utf-8")

    loaded = loaded_by(f"{ENTRY}raise SystemExit(main(['verify', {str(certificate)!r}]))")

    assert loaded & set(HEAVY) == {"numpy"}
