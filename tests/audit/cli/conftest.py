"""The folder of tables that tests of ``utility`` run in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.cli.towns import DOMAIN, HEADER, rows


@pytest.fixture
def towns(folder: Path) -> Path:
    """A domain, a real table of 150 records, and two synthetic ones."""
    (folder / "towns.toml").write_text(DOMAIN, encoding="utf-8")
    for name, seed, count in (("real", 0, 150), ("near", 1, 150), ("far", 2, 60)):
        (folder / f"{name}.csv").write_text(HEADER + rows(seed, count), encoding="utf-8")
    return folder
