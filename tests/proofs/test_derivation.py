"""Derivations: written from theorems, made again from data, and nothing in them believed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from proofs.derivation import derivation, replay
from proofs.errors import ProofError
from proofs.kernel import Theorem, prove
from synthesizers.neighbours import AddRemove

pytestmark = pytest.mark.smoke


def theorem() -> Theorem:
    """Two runs of one mechanism and one of another: a premise that is used twice."""
    answer = {
        "neighbours": AddRemove(),
        "query": "a count",
        "l0": 1,
        "l1": 1,
        "l2_squared": 1,
        "linf": 1,
        "monotone": True,
        "integers": True,
    }
    stable = prove("stated-sensitivity", [], answer)
    one = prove("additive-noise", [stable], {"law": "discrete-laplace", "amount": 2})
    two = prove("additive-noise", [stable], {"law": "discrete-laplace", "amount": 4})
    composed = prove("compose", [one, two, one], {"counts": [2, 1, 1]})
    return prove("to-zcdp", [composed], {"rho": 1})


def written() -> Any:
    return json.loads(json.dumps(derivation(theorem())))


def test_what_is_written_is_made_again() -> None:
    again = replay(written())
    assert again.judgment == theorem().judgment
    assert again.hypotheses == theorem().hypotheses
    assert derivation(again) == written()


def test_a_premise_that_is_used_twice_is_one_step() -> None:
    rules = [step["rule"] for step in written()["steps"]]
    assert rules.count("stated-sensitivity") == 1 and rules.count("additive-noise") == 2


def test_a_long_chain_needs_no_recursion() -> None:
    chain = theorem()
    for number in range(3000):
        chain = prove("post-processing", [chain], {"map": f"map {number % 2}"})
    data = derivation(chain)
    assert len(data["steps"]) == len(written()["steps"]) + 3000


def _change(*path: Any, to: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = to

    return change


FORGED: dict[str, Callable[[Any], None]] = {
    "a smaller rho": _change("steps", -1, "conclusion", "guarantee", "rho", to="0"),
    "other neighbours": _change("steps", -1, "conclusion", "neighbours", to="replace-one"),
    "more noise": _change("steps", 1, "parameters", "amount", to="8"),
    "fewer runs": _change("steps", 3, "parameters", "counts", to=[1, 1, 1]),
    "a dropped hypothesis": _change("hypotheses", to=["entropy"]),
    "an added hypothesis": lambda data: data["hypotheses"].append("stopping"),
    "a premise of itself": _change("steps", 3, "premises", to=[3, 3, 3]),
    "a later premise": _change("steps", 1, "premises", to=[4]),
    "a negative premise": _change("steps", 1, "premises", to=[-1]),
    "a premise that is true": _change("steps", 1, "premises", to=[True]),
    "no premise": _change("steps", 1, "premises", to=[]),
    "another rule": _change("steps", 4, "rule", to="weaken"),
    "no rule": _change("steps", 4, "rule", to="magic"),
    "a rule that is no text": _change("steps", 4, "rule", to=["laplace"]),
    "a float": _change("steps", 1, "parameters", "amount", to=2.0),
    "parameters that are a list": _change("steps", 1, "parameters", to=[]),
    "a spare key": _change("steps", 1, "note", to="trust me"),
    "a missing key": lambda data: data["steps"][1].pop("conclusion"),
    "a step that is no object": _change("steps", 1, to="laplace"),
    "no steps": _change("steps", to=[]),
    "steps that are no list": _change("steps", to={}),
    "another schema": _change("schema", to="dp-audit/derivation/1"),
    "a spare key at the top": _change("verdict", to="PROVED"),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED.keys())
def test_whatever_is_forged_is_refused(forge: Callable[[Any], None]) -> None:
    data = copy.deepcopy(written())
    forge(data)
    with pytest.raises(ProofError):
        replay(data)


@pytest.mark.parametrize("data", [None, [], "proof", 1, {}, {"schema": "dp-audit/derivation/2"}])
def test_what_is_no_derivation_is_refused(data: Any) -> None:
    with pytest.raises(ProofError):
        replay(data)
