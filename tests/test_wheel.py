"""The wheel works in a fresh environment of each Python that is here, far from the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13")

TEST = """
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import whole_table


def noisy_counts(curator):
    return curator.measure(whole_table(curator.domain), DiscreteLaplace(2), low=0, high=3)


def test_privacy(certify):
    certify(noisy_counts, "epsilon=1", neighbours="replace-one", cells=2, records=3)
"""


def interpreter(version: str) -> str | None:
    """A Python of a version: on the path, or among those that pyenv has installed."""
    installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [*installed.glob(f"{version}.*/bin/python"), shutil.which(f"python{version}")]
    return next((str(place) for place in places if place is not None), None)


def run(*words: str | Path, cwd: Path) -> str:
    """What a command says; it has to succeed, and sees nothing of the repository."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL", "PYENV"))}
    outcome = subprocess.run(
        list(map(str, words)), cwd=cwd, env=kept, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 0, f"{words}\n{outcome.stdout}\n{outcome.stderr}"
    return outcome.stdout


def installed(python: str, wheel: Path, folder: Path) -> Path:
    """The programs of a fresh environment with the wheel and pytest."""
    run(python, "-m", "venv", folder / "fresh", cwd=folder)
    programs = folder / "fresh" / ("Scripts" if os.name == "nt" else "bin")
    lock = ROOT / "requirements.lock"
    run(programs / "pip", "install", "-q", "-c", lock, wheel, "pytest", cwd=folder)
    return programs


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (found,) = folder.glob("dp_audit-*.whl")
    return found


@pytest.mark.slow
def test_the_wheel_brings_licence_notice_and_nothing_of_the_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {Path(name).name for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE"}
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        "audit",
        "dp_audit",
        "proofs",
        "synthesizers",
    }


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_the_wheel_works(version: str, wheel: Path, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    programs = installed(python, wheel, tmp_path)
    run(programs / "pip", "check", cwd=tmp_path)
    run(programs / "dp-audit", "demo", cwd=tmp_path)
    assert (tmp_path / "dp-audit-demo" / "report.html").exists()
    small = [
        "--neighbours",
        "replace-one",
        "--cells",
        "2",
        "--records",
        "3",
        "--claim",
        "epsilon=1",
    ]
    words = ["geometric-sanitizer", "--set", "epsilon=1", *small, "--out", "cert.json"]
    run(programs / "dp-audit", "certify", *words, cwd=tmp_path)
    assert "verdict PROVED" in run(programs / "dp-audit", "verify", "cert.json", cwd=tmp_path)
    (tmp_path / "test_own.py").write_text(TEST)
    assert "1 passed" in run(programs / "python", "-m", "pytest", "test_own.py", cwd=tmp_path)
