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

HOME = Path(dp_audit.__file__).resolve().parent
# A foreign module that tells on whoever runs it.
FOREIGN = "raise RuntimeError('foreign code ran')\n"


def run_entry(
    *path: Path, code: str = "raise SystemExit(dp_audit.main(['list']))"
) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a new interpreter that imports from ``path`` first and then from ours."""
    return subprocess.run(
        [sys.executable, "-c", f"import dp_audit\n{code}"],
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


@pytest.mark.parametrize("name", dp_audit.OWN_PACKAGES)
def test_a_package_that_shadows_ours_is_refused(name: str, tmp_path: Path) -> None:
    package = tmp_path.resolve() / name
    package.mkdir()
    (package / "__init__.py").write_text(FOREIGN)

    assert_refused(run_entry(tmp_path), name, package, tmp_path.resolve())


@pytest.mark.parametrize("name", dp_audit.OWN_PACKAGES)
def test_a_plain_module_that_shadows_ours_is_refused(name: str, tmp_path: Path) -> None:
    module = tmp_path.resolve() / f"{name}.py"
    module.write_text(FOREIGN)

    assert_refused(run_entry(tmp_path.resolve()), name, module, tmp_path.resolve())


def test_python_dash_m_audit_checks_the_packages_below_it(tmp_path: Path) -> None:
    package = tmp_path.resolve() / "synthesizers"
    package.mkdir()
    (package / "__init__.py").write_text(FOREIGN)

    outcome = run_entry(
        tmp_path, code="import runpy; runpy.run_module('audit', run_name='__main__')"
    )

    assert_refused(outcome, "synthesizers", package, tmp_path.resolve())


def test_a_foreign_module_without_a_file_is_refused() -> None:
    code = """
import sys, types
sys.modules["audit"] = types.ModuleType("audit")
raise SystemExit(dp_audit.main(["list"]))
"""
    outcome = run_entry(code=code)

    assert outcome.returncode == 2
    (line,) = outcome.stderr.splitlines()
    assert "'import audit' would load <a module already loaded as 'audit'>" in line


def test_a_folder_of_files_is_no_package_and_shadows_nothing(tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "notes.txt").write_text("An audit of 1998.\n")

    outcome = run_entry(tmp_path, code="print(dp_audit.shadowing())")

    assert (outcome.returncode, outcome.stdout) == (0, "None\n"), outcome.stderr


def test_another_path_to_our_own_folder_is_ours(tmp_path: Path) -> None:
    link = tmp_path / "link"
    try:
        link.symlink_to(HOME, target_is_directory=True)
    except OSError:
        pytest.skip("this file system makes no symbolic links")

    outcome = run_entry(link, code="print(dp_audit.shadowing())")

    assert (outcome.returncode, outcome.stdout) == (0, "None\n"), outcome.stderr


def test_an_incomplete_installation_is_named(tmp_path: Path) -> None:
    shutil.copy(HOME / "dp_audit.py", tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import dp_audit; "
        "raise SystemExit(dp_audit.main([]))"
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

    assert dp_audit.main(["verify", "cert.json"]) == 70
    assert dp_audit.main() == 70
    assert seen == [["verify", "cert.json"], None]


def test_an_interrupt_is_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def command_line(argv: Sequence[str] | None = None) -> int:
        raise KeyboardInterrupt

    stand_in = ModuleType("audit.cli.main")
    stand_in.main = command_line
    monkeypatch.setitem(sys.modules, "audit.cli.main", stand_in)

    assert dp_audit.main([]) == 130
