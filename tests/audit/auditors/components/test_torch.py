"""Noise of torch, of a stand-in; of torch where ``DP_AUDIT_TORCH`` names a Python that has it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import dp_audit as dpa
from tests.audit.auditors.components.test_libraries import names_in

HERE = Path(__file__).parent / "stand_ins"
TORCH = os.environ.get("DP_AUDIT_TORCH")
WRONG = ("_half", "_of_a_seed")


@pytest.fixture(params=("stand-in", "torch"))
def look(request, monkeypatch, tmp_path):
    """Looks at a function by its name."""
    python, folder = None, HERE
    if request.param == "torch":
        if TORCH is None:
            pytest.skip("DP_AUDIT_TORCH names no Python of an environment with torch")
        python, folder = TORCH, tmp_path
        (folder / "torch_calls.py").write_text((HERE / "torch_calls.py").read_text())
    monkeypatch.chdir(folder)

    def at(name: str) -> dpa.results.ComponentsResult:
        claim = "mu=0.3" if "normal" in name else "epsilon=1"
        return dpa.components(
            f"torch_calls:{name}", claim, neighbours="add-remove", cells=3, records=3, python=python
        )

    return at


@pytest.mark.parametrize("name", names_in("torch_calls"))
def test_noise_of_torch_is_kept_or_violated_with_its_line(name, look):
    result = look(name)
    if not name.endswith(WRONG):
        assert result.exit_code == 0, result
        return
    lines = (HERE / "torch_calls.py").read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"def {name}("))
    place = next(n for n in range(start, len(lines)) if lines[n].endswith("# here"))
    assert result.violated, result
    worst = next(one for one in result.findings if one.violated)
    assert f"torch_calls.py:{place + 1}" in (worst.responsible or ""), worst
