"""The rule that turns a fixed ledger's guarantee into the program's."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.judgments import Private
from proofs.kernel import Theorem, prove
from proofs.ledger.programs import fixed_ledger
from proofs.rules.structure import SEEN
from synthesizers.budget import PureBudget
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Total

F = Fraction
FIRST = "a first question that uses up the budget"


def stated() -> Theorem:
    guarantee = {"kind": "approx", "epsilon": "1", "delta": "0"}
    given = {"neighbours": AddRemove(), "mechanism": "m", "guarantee": guarantee}
    return prove("stated-guarantee", [], given)


@pytest.mark.parametrize("seen", SEEN)
def test_the_guarantee_stays_and_the_hypothesis_is_listed(seen: str) -> None:
    theorem = prove("fixed-ledger", [stated()], {"program": {"name": "p"}, "seen": seen})
    judgment = theorem.judgment
    assert isinstance(judgment, Private) and judgment.guarantee == ApproxDP(F(1))
    assert (theorem.rule, theorem.parameters["seen"]) == ("fixed-ledger", seen)
    assert theorem.hypotheses - stated().hypotheses >= {"fixed-ledger"}
    assert ("curator" in theorem.hypotheses) is (seen != "every transcript")


@pytest.mark.parametrize(
    "given",
    [
        {"program": {}, "seen": "one run"},
        {"program": {}},
        {"seen": FIRST},
        {"program": "p", "seen": FIRST},
    ],
)
def test_how_it_was_seen_must_be_one_of_three(given: Any) -> None:
    with pytest.raises(ProofError):
        prove("fixed-ledger", [stated()], given)


def test_a_ledger_that_depends_on_an_answer_is_not_taken_for_fixed() -> None:
    """It spends half, and then less noise or more by what it saw."""

    def program(curator: Any) -> Any:
        first = curator.measure(Total(), DiscreteLaplace(F(2)), low=0, high=3)
        scale = F(2) if first[0] > 1 else F(200)
        return np.array([*curator.measure(Total(), DiscreteLaplace(scale), low=0, high=3)])

    setting = Setting.of(Domain.from_cells("2"), AddRemove(), 3)
    assert fixed_ledger(program, PureBudget(F(1)), setting, None, ours=True) is None
    exhausting = PureBudget(F(1, 2))
    (event,) = fixed_ledger(program, exhausting, setting, None, ours=True) or ()
    assert fixed_ledger(program, exhausting, setting, None, ours=False) is None
    assert event.cost(setting.domain, AddRemove()).epsilon == F(1, 2)
