"""The command as a user starts it: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment with the checkout on the import path and no leave to colour."""
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **(more or {})}


def run(
    *words: str | Path,
    cwd: Path,
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """``python -m dp_audit`` with these words, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "dp_audit", *map(str, words)],
        cwd=cwd,
        input=stdin,
        env=environment(env),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
