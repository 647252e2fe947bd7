"""A proof as text: every step with its rule and what it says, and each rule explained."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.report.certificate.proof import proof_lines
from proofs.derivation import derivation
from proofs.hypotheses import HYPOTHESES
from proofs.kernel import Theorem, prove
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.search.account import account_epsilon
from proofs.statements import page, summary
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit

F = Fraction
PERSON = ReplaceOne(Unit("person", 3))


def stated(guarantee: dict[str, Any], name: str = "m") -> Theorem:
    given = {"neighbours": PERSON, "mechanism": name, "guarantee": guarantee}
    return prove("stated-guarantee", [], given)


def test_every_step_stands_with_its_premises_and_what_it_says() -> None:
    parts = of_terms(parse("2 * laplace(epsilon=0.5)"), AddRemove())
    theorem = account_epsilon(parts, F(0)).best.theorem
    data = derivation(theorem)
    lines = list(proof_lines(data))
    assert lines[0] == "(1) by stated-sensitivity"
    for place, step in enumerate(data["steps"]):
        (line,) = [line for line in lines if line.startswith(f"({place + 1}) ")]
        assert line.endswith(f"by {step['rule']}")
        for premise in step["premises"]:
            assert f"({premise + 1})" in line
        assert f"  {step['rule']}: {summary(step['rule'])}" in lines
    assert any("1-DP" in line for line in lines)
    for name in data["hypotheses"]:
        assert f"  {HYPOTHESES[name]}" in lines


@pytest.mark.parametrize(
    ("guarantee", "words"),
    [
        ({"kind": "approx", "epsilon": "1/2", "delta": "0"}, "1/2-DP"),
        ({"kind": "approx", "epsilon": "1/2", "delta": "1/9"}, "(1/2, 1/9)-DP"),
        ({"kind": "zcdp", "rho": "3"}, "3-zCDP"),
        ({"kind": "gdp", "mu": "3"}, "3-GDP"),
        ({"kind": "renyi", "points": [["2", "1"]]}, "Rényi DP at (order, epsilon) = (2, 1)"),
        ({"kind": "losses", "losses": []}, "the data are not used"),
        (
            {"kind": "losses", "losses": [{"loss": "bounded-range", "count": 2, "epsilon": "1"}]},
            "2 × bounded-range(epsilon = 1)",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_kind_of_guarantee_has_its_words(guarantee: dict[str, Any], words: str) -> None:
    text = "\n".join(proof_lines(derivation(stated(guarantee))))
    assert words in text
    assert "a person of at most 3 records" in text


def test_a_long_number_is_shown_as_a_decimal_and_a_long_text_is_cut() -> None:
    third = str(F(10**40 + 1, 3 * 10**40))
    point = {"kind": "approx", "epsilon": third, "delta": "0"}
    lines = list(proof_lines(derivation(stated(point, "x" * 1000))))
    assert any("≈ 0.333333333333-DP" in line for line in lines)
    assert all(len(line) < 400 for line in lines)


@pytest.mark.parametrize("name", ["²" * 50, "1/" * 30, "9" * 3000, "-" * 70, "1/0" + "0" * 60])
def test_a_name_made_of_digits_is_shown_whatever_it_is(name: str) -> None:
    point = {"kind": "approx", "epsilon": "1", "delta": "0"}
    assert any("mechanism = " in line for line in proof_lines(derivation(stated(point, name))))


def test_a_page_is_read_by_its_headings() -> None:
    found = page("additive-noise")
    assert found[""] == "additive-noise"
    assert {"Statement", "Side conditions", "Why", "Source", "Tests"} <= set(found)
    assert "\n" not in summary("additive-noise")
