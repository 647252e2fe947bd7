"""The kernel and the checker agree on random steps: both refuse, or both conclude the same.

A step takes the rule, parameters and premises of an honest derivation, of which some are exchanged
for others': numbers of every form and size, parameters of other rules, theorems found before.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs import checker
from proofs.errors import ProofError, UndecidedError
from proofs.kernel import Theorem, prove
from proofs.rules import RULES
from tests.hostile.fuzzing import TEXTS, VALUES, bounded, mutations_of
from tests.proofs.honest_derivations import EXAMPLES

HONEST: dict[str, list[Theorem]] = {
    rule: [make() for make in several] for rule, several in EXAMPLES.items()
}


def behind(theorem: Theorem) -> list[Theorem]:
    """A theorem, after those that it rests on."""
    return [*(one for premise in theorem.premises for one in behind(premise)), theorem]


WORLD: list[Theorem] = [
    one for several in HONEST.values() for theorem in several for one in behind(theorem)
]
PARAMETERS: dict[str, list[Any]] = {}
for known in WORLD:
    for name, value in known.parameters.items():
        PARAMETERS.setdefault(name, []).append(value)

NUMBERS = (*TEXTS, "0.1", "1/2", "2", "1000", "1e-12", "1e300", 0, 1, 2, 3, 10**9, 10**30, -1, True)

REFUSALS = (checker.Rejected, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, list[Theorem], dict[str, Any]]:
    """A rule, its premises and its parameters; any of them may fit no other."""
    rule = draw(st.sampled_from(sorted(RULES)))
    theorem = draw(st.sampled_from(HONEST[rule]))
    premises, parameters = list(theorem.premises), dict(theorem.parameters)
    for name in draw(st.lists(st.sampled_from(sorted(parameters) or [""]), max_size=2)):
        kind = draw(st.integers(0, 3))
        if kind == 0:
            parameters[name] = draw(st.sampled_from(PARAMETERS.get(name, [None])))
        elif kind == 1:
            parameters[name] = draw(st.sampled_from(NUMBERS))
        elif kind == 2:
            parameters[name] = draw(st.sampled_from(VALUES))
        elif name in parameters:
            parameters[name] = draw(mutations_of(parameters[name], 1))
    if draw(st.integers(0, 9)) == 0:
        spare = draw(st.sampled_from(sorted(PARAMETERS)))
        parameters[spare] = draw(st.sampled_from(PARAMETERS[spare]))
    if draw(st.booleans()):
        premises = draw(st.lists(st.sampled_from(WORLD), max_size=3))
    elif premises and draw(st.booleans()):
        premises[draw(st.integers(0, len(premises) - 1))] = draw(st.sampled_from(WORLD))
    return rule, premises, parameters


JUDGMENTS: dict[Theorem, Any] = {}


def judgment(theorem: Theorem) -> Any:
    """The checker's own form of what a theorem says."""
    if theorem not in JUDGMENTS:
        inside = [judgment(premise) for premise in theorem.premises]
        JUDGMENTS[theorem] = checker.conclusion(
            checker.Meter(), theorem.rule, inside, theorem.parameters
        )[0]
    return JUDGMENTS[theorem]


def agree(rule: str, premises: list[Theorem], parameters: dict[str, Any]) -> Theorem | None:
    """What both conclude; fails where only one does, or it is not the same."""
    inside = [judgment(premise) for premise in premises]
    meter = checker.Meter()
    undecided = False
    with bounded():
        try:
            theorem = prove(rule, premises, parameters)
        except ProofError as error:
            # What is too large for the kernel may be plain to the checker.
            theorem, undecided = None, isinstance(error, UndecidedError)
        try:
            checker.plain(parameters)
            concluded = checker.conclusion(meter, rule, inside, parameters)
        except REFUSALS:
            concluded = None
        except checker.Unaffordable:
            return theorem
    open_ = bool(meter.notes)
    if theorem is None:
        assert concluded is None or open_ or undecided, "the checker alone concludes"
        return None
    assert concluded is not None, "the kernel alone concludes"
    assert checker.agrees(concluded[0], json.loads(json.dumps(theorem.judgment.to_json())))
    assert concluded[1].union(*(p.hypotheses for p in premises)) == theorem.hypotheses
    return theorem


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(step=steps())
def test_both_agree_on_a_random_step(step: tuple[str, list[Theorem], dict[str, Any]]) -> None:
    agree(*step)


@pytest.mark.slow
@settings(max_examples=2_000, suppress_health_check=list(HealthCheck))
@given(step=steps())
def test_both_agree_on_many_random_steps(step: tuple[str, list[Theorem], dict[str, Any]]) -> None:
    agree(*step)


@pytest.mark.slow
@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_agree_on_random_derivations(data: st.DataObject) -> None:
    """Steps whose premises are what random steps have concluded."""
    found: list[Theorem] = []
    for rule, premises, parameters in data.draw(st.lists(steps(), min_size=2, max_size=6)):
        if found:
            used = data.draw(st.lists(st.sampled_from(found), max_size=len(premises)))
            premises = [*used, *premises[len(used) :]]
        theorem = agree(rule, premises, parameters)
        if theorem is not None:
            found.append(theorem)


def test_honest_steps_are_taken_by_both() -> None:
    for rule, several in HONEST.items():
        for theorem in several:
            given_ = dict(theorem.parameters)
            assert agree(rule, list(theorem.premises), given_) is not None
