"""What another environment's Python runs is looked at from outside."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dp_audit import certify

SOURCE = """
def honest(records, rng):
    return len(records) + round(rng.random() * 20)

def typed(records, rng):
    noisy = len(records) + round(rng.random() * 20)
    return float(noisy) if len(records) == 2 else noisy
"""
ASKED = {"neighbours": "add-remove", "cells": 2, "records": 3, "runs": 1000, "seed": 1}


@pytest.mark.parametrize(("name", "violated"), [("honest", False), ("typed", True)])
def test_data_independence_looks_at_what_another_interpreter_runs(
    name: str, violated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    found = certify(
        f"elsewhere:{name}",
        "epsilon=1",
        python=sys.executable,
        auditors="data-independence",
        **ASKED,
    )
    assert any(one.violated for one in found.certificate.evidence) is violated


def test_the_report_says_why_queries_are_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    asked = {**ASKED, "runs": 40}
    found = certify("elsewhere:honest", "epsilon=1", python=sys.executable, **asked)
    assert "--python" in found.left_out["sensitivity"]
