"""Derivations: a proof as plain data, written from a theorem and made again from the data.

A derivation is a list of steps; each names its rule, the earlier steps that are
its premises, its parameters and what it concludes. The last is the theorem.
Because premises are numbers of earlier steps, no proof can rest on itself and
none is nested.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proofs.errors import ProofError
from proofs.kernel import Theorem, prove

SCHEMA = "dp-audit/derivation/2"

MAX_STEPS = 100_000
"""The most steps of a derivation that are made again."""


def derivation(theorem: Theorem) -> dict[str, Any]:
    """The theorem's proof as plain data: a step for each different theorem behind it."""
    places: dict[int, int] = {}
    steps: list[dict[str, Any]] = []
    waiting = [theorem]
    while waiting:
        current = waiting[-1]
        missing = [premise for premise in current.premises if id(premise) not in places]
        if id(current) in places or missing:
            waiting = waiting[:-1] if id(current) in places else waiting + missing
            continue
        places[id(current)] = len(steps)
        steps.append(
            {
                "rule": current.rule,
                "premises": [places[id(premise)] for premise in current.premises],
                "parameters": dict(current.parameters),
                "conclusion": current.judgment.to_json(),
            }
        )
    return {"schema": SCHEMA, "steps": steps, "hypotheses": sorted(theorem.hypotheses)}


def replay(data: object) -> Theorem:
    """The theorem of a derivation, made anew by the kernel; raises ProofError.

    Guarantee
    ---------
    Nothing stated in the data is believed: each step is proved again, and a
    conclusion or a list of hypotheses that differs from what follows is refused.
    Backed by ``tests/proofs/test_derivation.py``.
    """
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        raise ProofError(f"a derivation is an object of the schema {SCHEMA!r}")
    if set(data) != {"schema", "steps", "hypotheses"}:
        raise ProofError("a derivation has the keys schema, steps and hypotheses")
    steps = data["steps"]
    if not isinstance(steps, list) or not 0 < len(steps) <= MAX_STEPS:
        raise ProofError(f"a derivation has 1 to {MAX_STEPS} steps")
    theorems: list[Theorem] = []
    for number, step in enumerate(steps):
        theorems.append(_step(number, step, theorems))
    if data["hypotheses"] != sorted(theorems[-1].hypotheses):
        raise ProofError("the derivation states other hypotheses than its steps rest on")
    return theorems[-1]


def _same(found: Any, stated: Any) -> bool:
    """Whether plain data are equal, types included: 1, 1.0 and true are three values."""
    if type(found) is not type(stated):
        return False
    if type(found) is dict:
        return found.keys() == stated.keys() and all(_same(found[k], stated[k]) for k in found)
    if type(found) is list:
        return len(found) == len(stated) and all(map(_same, found, stated))
    return bool(found == stated)


def _step(number: int, step: object, earlier: list[Theorem]) -> Theorem:
    keys = {"rule", "premises", "parameters", "conclusion"}
    if not isinstance(step, Mapping) or set(step) != keys:
        raise ProofError(
            f"step {number} of the derivation needs the keys {', '.join(sorted(keys))}"
        )
    premises, parameters, rule = step["premises"], step["parameters"], step["rule"]
    if not isinstance(parameters, Mapping) or not isinstance(rule, str):
        raise ProofError(f"step {number} of the derivation names its rule and its parameters")
    if not isinstance(premises, list) or any(
        type(premise) is not int or not 0 <= premise < number for premise in premises
    ):
        raise ProofError(f"step {number} of the derivation rests on a step that is not before it")
    theorem = prove(rule, [earlier[premise] for premise in premises], parameters)
    if not _same(theorem.judgment.to_json(), step["conclusion"]):
        raise ProofError(f"step {number} of the derivation concludes otherwise than its rule")
    return theorem


def canonical(data: object) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
