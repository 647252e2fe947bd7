"""The kernel: theorems come from rules alone, and keep what they rest on."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from typing import Any

import pytest

from proofs.entries import NoiseLoss
from proofs.errors import ProofError, UndecidedError
from proofs.hypotheses import BASE, HYPOTHESES
from proofs.judgments import LossList, Private
from proofs.kernel import Theorem, prove
from proofs.rules import RULES
from synthesizers.neighbours import AddRemove, ReplaceOne

F = Fraction

ANSWER = {
    "neighbours": AddRemove(),
    "query": "a count",
    "l0": 1,
    "l1": 1,
    "l2_squared": 1,
    "linf": 1,
    "monotone": True,
    "integers": True,
}


def laplace(amount: Any = "2") -> Theorem:
    stable = prove("stated-sensitivity", [], ANSWER)
    return prove("additive-noise", [stable], {"law": "discrete-laplace", "amount": amount})


def loss(amount: Fraction) -> LossList:
    return LossList(((1, NoiseLoss("discrete-laplace", amount, 1, F(1), F(1), F(1))),))


def test_a_theorem_says_what_its_rule_concludes() -> None:
    judgment = laplace().judgment
    assert isinstance(judgment, Private) and judgment.neighbours == AddRemove()
    assert judgment.guarantee == loss(F(2))


def test_hypotheses_of_the_premises_stay() -> None:
    assert laplace().hypotheses == BASE | {"stated-sensitivity"}
    assert prove("to-zcdp", [laplace()], {"rho": 1}).hypotheses == laplace().hypotheses


def test_a_theorem_cannot_be_made_changed_or_copied_by_hand() -> None:
    with pytest.raises(ProofError, match="prove"):
        Theorem(object(), judgment=laplace().judgment)
    theorem: Any = laplace()
    with pytest.raises(ProofError, match="changed"):
        theorem.judgment = None
    with pytest.raises(ProofError, match="changed"):
        del theorem.judgment
    for forge in (copy.copy, lambda t: pickle.loads(pickle.dumps(t))):
        with pytest.raises(ProofError):
            forge(theorem)


def test_what_only_looks_like_a_theorem_is_no_premise() -> None:
    class Forged(Theorem):
        def __init__(self) -> None:
            pass

    with pytest.raises(ProofError, match="takes theorems"):
        prove("as-losses", [Forged()])


def test_unknown_rules_and_parameters_are_refused() -> None:
    with pytest.raises(ProofError, match="no rule"):
        prove("wishful-thinking")
    with pytest.raises(ProofError, match="no parameter"):
        prove("to-zcdp", [laplace()], {"rho": 1, "hope": 1})
    with pytest.raises(ProofError, match="needs the parameter amount"):
        stable = prove("stated-sensitivity", [], ANSWER)
        prove("additive-noise", [stable], {"law": "discrete-laplace"})


@pytest.mark.parametrize(
    "amount", [0.1, float("nan"), 1j, b"1", None, True, "1e99999", "x", [], "0", -1]
)
def test_floats_and_what_is_no_number_are_refused(amount: Any) -> None:
    with pytest.raises(ProofError):
        laplace(amount)


@pytest.mark.parametrize("amount", ["0.5", "1/2", F(1, 2)])
def test_decimals_and_fractions_are_exact(amount: Any) -> None:
    judgment = laplace(amount).judgment
    assert isinstance(judgment, Private) and judgment.guarantee == loss(F(1, 2))


def test_a_number_of_too_many_digits_is_refused() -> None:
    with pytest.raises(ProofError, match="digits"):
        laplace(F(1, 3**20_000))


def test_counts_without_bound_are_refused_at_once() -> None:
    response = {"loss": "response", "count": 10**3_900, "epsilon": "1", "delta": "0"}
    guarantee = {"kind": "losses", "losses": [response]}
    stated = {"neighbours": AddRemove(), "mechanism": "many", "guarantee": guarantee}
    hints = {"remove": {"bits": 128}}
    with pytest.raises(ProofError, match="the method values needs fewer losses"):
        prove(
            "to-approx",
            [prove("stated-guarantee", [], stated)],
            {"method": "values", "epsilon": 1, "delta": "1/2", "hints": hints},
        )


def test_what_is_too_large_to_decide_is_undecided_and_not_false() -> None:
    with pytest.raises(UndecidedError, match="smaller mu"):
        prove("to-gdp", [laplace()], {"mu": 10**9, "shares": [10**9]})
    with pytest.raises(ProofError, match="does not apply") as refused:
        prove("to-gdp", [laplace()], {"mu": "1/10", "shares": ["1/10"]})
    assert not isinstance(refused.value, UndecidedError)


def test_premises_under_different_neighbours_do_not_compose() -> None:
    exchanged = prove("stated-sensitivity", [], {**ANSWER, "neighbours": ReplaceOne()})
    other = prove("additive-noise", [exchanged], {"law": "discrete-laplace", "amount": 2})
    with pytest.raises(ProofError, match="same neighbours"):
        prove("compose", [laplace(), other])


def test_every_hypothesis_has_its_sentence() -> None:
    assert all(words and not words.endswith(".") for words in HYPOTHESES.values())
    assert HYPOTHESES.keys() >= BASE


def test_rules_have_names_of_small_letters() -> None:
    assert len(RULES) > 40
    assert all(name.replace("-", "").isalpha() and name.islower() for name in RULES)
