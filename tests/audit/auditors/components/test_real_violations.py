"""Component mode finds the real violations of docs/explanation/property-testing.md, too."""

from __future__ import annotations

from pathlib import Path

import pytest

import dp_audit as dpa
from tests.audit.auditors.components import real_violations
from tests.audit.auditors.components.real_violations import VIOLATIONS


def line_of(name: str) -> str:
    """The marked line of a violation, as findings spell it."""
    file = Path(real_violations.__file__)
    lines = file.read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"def {name}("))
    place = next(n for n in range(start, len(lines)) if lines[n].endswith("# BUG"))
    return f"{file.name}:{place + 1}"


@pytest.mark.parametrize(("name", "claim", "about"), VIOLATIONS)
def test_a_real_violation_is_found_at_its_line(name, claim, about, monkeypatch):
    monkeypatch.setattr(real_violations, "NOISE", [])
    found = dpa.components(getattr(real_violations, name), claim, **about)
    against = [one for one in found.findings if one.violated]
    assert found.exit_code == 1
    assert any(line_of(name) in (one.responsible or "") for one in against), found.findings
