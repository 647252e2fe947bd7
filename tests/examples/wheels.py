"""A wheel of this checkout, in an environment where nothing of the checkout can be imported."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.audit.processes import ROOT


def install_wheel(place: Path) -> Path:
    """Builds the wheel, installs it into a fresh environment, and says where its commands lie.

    What it depends on is that of these tests. The test is skipped where no wheel can be built.
    """
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(place), str(ROOT)]
    built = subprocess.run(build, cwd=place, capture_output=True, text=True, check=False)
    if built.returncode and "hatchling" in built.stderr:
        pytest.skip("needs hatchling from a package index, to build a wheel")
    assert built.returncode == 0, built.stderr
    (wheel,) = place.glob("dp_audit-*.whl")
    environment = place / "environment"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q"]
    subprocess.run([*install, "--no-deps", "--no-index", str(wheel)], check=True)
    # A line of a path does not read the .pth files there, by which an editable install would
    # bring the checkout along.
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    where = [python, "-P", "-c", "import dp_audit; print(dp_audit.__file__)"]
    assert subprocess.check_output(where, text=True).startswith(str(packages))
    return environment / "bin"
