"""Derivations as they were once written: each says today what it said, and is checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proofs.checker import check
from proofs.derivation import replay
from proofs.rules import RULES

FILE = Path(__file__).parents[1] / "golden" / "derivations" / "second-version.json"
SECOND: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8"))
"""One derivation or more that ends with each rule of the second version; never written anew."""


def test_rules_of_the_second_version_are_still_here() -> None:
    assert len(SECOND) == 48 and sum(map(len, SECOND.values())) == 244
    assert set(SECOND) <= set(RULES)


@pytest.mark.parametrize("rule", SECOND)
def test_a_derivation_of_the_second_version_says_the_same_today(rule: str) -> None:
    for old in SECOND[rule]:
        assert replay(old).judgment.to_json() == old["steps"][-1]["conclusion"]
        result = check(old)
        assert result.status == "checked", result.reasons
