"""Derivations of the first version: each says today what it said, and is checked."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from proofs.checker import check
from proofs.derivation import SCHEMA, replay
from proofs.errors import ProofError
from proofs.older import translate

FILE = Path(__file__).parents[1] / "golden" / "derivations" / "first-version.json"
FIRST: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8"))
"""One derivation or more that ends with each of the 80 rules of the first version."""


def test_all_of_them_are_here() -> None:
    assert len(FIRST) == 80 and sum(map(len, FIRST.values())) == 228


@pytest.mark.parametrize("rule", FIRST)
def test_a_derivation_of_the_first_version_says_the_same_today(rule: str) -> None:
    for old in FIRST[rule]:
        new = translate(old)
        stated, found = old["steps"][-1]["conclusion"], new["steps"][-1]["conclusion"]
        assert new["schema"] == SCHEMA and new["hypotheses"] == old["hypotheses"]
        kind = stated.get("guarantee", {}).get("kind")
        if kind in ("dominated", "approx-zcdp"):
            assert found["guarantee"]["kind"] == "losses"
        else:
            assert found == stated
        assert replay(json.loads(json.dumps(new))).judgment.to_json() == found
        result = check(json.loads(json.dumps(new)))
        assert result.status == "checked", result.reasons


@pytest.mark.parametrize("rule", FIRST)
def test_a_forged_number_of_the_first_version_is_refused(rule: str) -> None:
    """A conclusion that was changed does not follow by today's rules either."""
    for old in FIRST[rule]:
        guarantee = old["steps"][-1]["conclusion"].get("guarantee", {})
        for name in {"epsilon", "rho", "mu", "delta"} & set(guarantee):
            if guarantee["kind"] == "approx-zcdp" or guarantee[name] == "0":
                continue
            forged = copy.deepcopy(old)
            forged["steps"][-1]["conclusion"]["guarantee"][name] = "1/1000000000000"
            with pytest.raises(ProofError):
                translate(forged)


@pytest.mark.parametrize("rule", FIRST)
def test_true_is_no_number_of_the_first_version(rule: str) -> None:
    for old in FIRST[rule]:
        for step in range(len(old["steps"])):
            for place in ("conclusion", "premises"):
                forged = copy.deepcopy(old)
                inside: Any = forged["steps"][step][place]
                ones = [name for name in inside if name == "max_records"]
                ones += [number for number, value in enumerate(inside) if value == 1]
                if ones:
                    inside[ones[0]] = True
                    with pytest.raises(ProofError):
                        translate(forged)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"schema": "dp-audit/derivation/1"},
        {"schema": "dp-audit/derivation/1", "steps": [], "hypotheses": []},
        {"schema": "dp-audit/derivation/1", "steps": [5], "hypotheses": []},
        {"schema": "dp-audit/derivation/9", "steps": [], "hypotheses": []},
    ],
    ids=str,
)
def test_what_is_no_derivation_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ProofError):
        translate(data)


def test_todays_derivation_stays_as_it_is() -> None:
    new = translate(FIRST["compose"][0])
    assert translate(new) == new


def test_other_hypotheses_are_refused() -> None:
    old = FIRST["compose"][0]
    with pytest.raises(ProofError, match="hypotheses"):
        translate({**old, "hypotheses": old["hypotheses"][1:]})
