"""Stated proofs beside the audit's: older ones, ones by other rules, ones about something else."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from audit.statements.checks import Status
from audit.statements.stated_proofs import compare_foundations, completes, renew
from proofs.derivation import derivation
from proofs.kernel import Theorem, prove
from proofs.search.ways import by_sum
from tests.proofs.honest_derivations import AR, marginal

GOLDEN = Path(__file__).parents[2] / "golden" / "certificates"
KINDS = ("proved", "rho", "rdp", "refuted", "any-size", "attacked-program")


def proof_of(name: str) -> dict[str, Any]:
    found = renew(json.loads((GOLDEN / f"{name}.json").read_text())["proof"])
    assert found is not None
    return dict(found)


@pytest.mark.parametrize("kind", KINDS)
def test_an_older_proof_is_todays_but_for_what_it_does_not_say(kind: str) -> None:
    old, new = proof_of(f"before-isolation-{kind}"), proof_of(f"with-isolation-{kind}")
    assert old != new and completes(old, new) and completes(new, new)
    assert completes(None, None) and not completes(None, new) and not completes(old, None)
    for change in ("amount", "epsilon", "rho"):
        forged = copy.deepcopy(old)
        for step in forged["derivation"]["steps"]:
            for place in (step["parameters"], step["conclusion"].get("guarantee", {})):
                if change in place:
                    place[change] = "1/1000"
        assert forged == old or not completes(forged, new)
    longer = {**old, "alternatives": [*old.get("alternatives", []), {"schema": "", "steps": []}]}
    assert not completes(longer, new)


def ledger(*noisy: Theorem, name: str = "mine") -> dict[str, Any]:
    whole = noisy[0] if len(noisy) == 1 else prove("compose", list(noisy), {})
    about = {"program": {"name": name}, "seen": "every transcript"}
    return derivation(prove("fixed-ledger", [whole], about))


def noise(scale: int) -> Theorem:
    return prove("additive-noise", [marginal()], {"law": "discrete-laplace", "amount": scale})


def pure(theorem: Theorem) -> Theorem:
    return prove("as-losses", [by_sum(theorem)])


def test_the_same_answers_by_other_rules_are_the_same_foundation() -> None:
    found = [ledger(noise(1), noise(1))]

    def status(one: dict[str, Any]) -> Status:
        return compare_foundations({"derivation": one}, found).status

    assert status(ledger(noise(1), noise(1))) is Status.CONFIRMED
    twice = prove("compose", [noise(1)], {"counts": [2]})
    assert status(ledger(twice)) is Status.CONFIRMED
    assert status(ledger(pure(noise(1)), noise(1))) is Status.CONFIRMED
    for other in (
        ledger(noise(1)),
        ledger(noise(2), noise(1)),
        ledger(noise(1), noise(1), noise(1)),
        ledger(noise(1), noise(1), name="another"),
    ):
        assert status(other) is Status.FALSE
    budget = {"loss": "response", "count": 1, "epsilon": 1, "delta": 0}
    about = {"neighbours": AR, "budget": budget, "program": {"name": "mine"}}
    assert status(derivation(prove("filter", [], about))) is Status.UNCHECKED


def test_alternatives_rest_on_the_same_too() -> None:
    found = [ledger(noise(1))]
    stated = {"derivation": found[0], "alternatives": [ledger(noise(3))]}
    assert compare_foundations(stated, found).status is Status.FALSE
