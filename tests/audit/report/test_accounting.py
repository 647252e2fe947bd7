"""An accounting as a reader and as a program see it: rounded in the safe direction."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.report.accounting import Asked, accounting_json, accounting_lines
from proofs.checker import check
from proofs.hypotheses import HYPOTHESES
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.parts import Part
from proofs.search.account import Account, account_delta, account_epsilon
from synthesizers.neighbours import AddRemove
from synthesizers.reals import ARITHMETIC

F = Fraction


def account_of(text: str, delta: str) -> tuple[Asked, Account]:
    parts = of_terms(parse(text), AddRemove())
    return Asked(parts, AddRemove(), "epsilon", F(delta)), account_epsilon(parts, F(delta))


def test_both_ends_are_printed_outwards() -> None:
    lines = list(accounting_lines(*account_of("1000 * gaussian(sigma=30)", "1e-6")))
    assert lines[0] == "1000 × gaussian(sigma=30)"
    assert lines[1] == "add-remove: databases differ by one record; n is private"
    assert lines[2] == "at δ = 0.000001"
    assert "  5.18903664082188 ≤ ε ≤ 5.18903664082189" in lines
    assert "  by Gaussian DP, closed form" in lines
    assert f"  {HYPOTHESES['stated-sensitivity']}" in lines


def test_the_arithmetic_is_named() -> None:
    question, account = account_of("laplace(epsilon=1)", "0")
    assert list(accounting_lines(question, account))[-1] == f"  the arithmetic of {ARITHMETIC}"
    assert accounting_json(question, account)["arithmetic"] == ARITHMETIC


def test_no_lower_end_is_shown_where_none_is_known() -> None:
    question, account = account_of("zcdp(rho=0.5)", "1e-6")
    (ends,) = [x for x in accounting_lines(question, account) if x.startswith("  ε ")]
    upper = F(ends.removeprefix("  ε ≤ "))
    assert account.best.value <= upper < account.best.value + F("1e-13")


def test_equal_ends_are_one_number() -> None:
    assert "  ε = 2" in list(accounting_lines(*account_of("2 * laplace(epsilon=1)", "0")))


def test_what_the_kernel_alone_knows_stands_beside_what_can_be_checked() -> None:
    lines = list(accounting_lines(*account_of("100 * laplace(epsilon=0.1)", "1e-6")))
    assert "  by privacy-loss distribution, closed form  (kernel only)" in lines
    (other,) = [line for line in lines if "every step can be re-checked" in line]
    assert other.startswith("  ε ≤ ")


@pytest.mark.parametrize(
    "text", ["1000 * gaussian(sigma=30)", "100 * laplace(epsilon=0.1)", "zcdp(rho=1)"]
)
def test_the_document_says_what_the_checker_says_of_it(text: str) -> None:
    document = accounting_json(*account_of(text, "1e-6"))
    status = check({"proof": {"derivation": document["proof"]["derivation"]}}).status
    assert status == ("kernel only" if document["kernel_only"] else "checked")
    for other in document["proof"]["alternatives"]:
        assert check(other).status == "checked"
    assert bool(document["proof"]["alternatives"]) is document["kernel_only"]


def test_the_keys_are_those_of_the_contract() -> None:
    document = accounting_json(*account_of("100 * laplace(epsilon=0.1)", "1e-6"))
    lower, upper = (F(document["epsilon"][end]) for end in ("lower", "upper"))
    assert 0 < lower <= upper and isinstance(document["epsilon"]["upper"], str)
    assert isinstance(document["rule"], str)
    assert all(F(other["epsilon"]) >= upper for other in document["others"])
    assert document["neighbours"] == "add-remove" and document["unit"]["name"] == "record"
    (line,) = document["mechanisms"]
    assert (line["count"], line["mechanism"]) == (100, "laplace(epsilon=0.1)")
    assert 0 < float(line["share"]) < float(upper)


def test_delta_at_an_epsilon_has_the_same_form() -> None:
    parts = of_terms(parse("gaussian(sigma=1)"), AddRemove())
    question = Asked(parts, AddRemove(), "delta", F(1))
    account = account_delta(parts, F(1))
    lines = list(accounting_lines(question, account))
    assert "at ε = 1" in lines and "  0.126936737506643 ≤ δ ≤ 0.126936737506644" in lines
    document = accounting_json(question, account)
    assert document["epsilon"] == "1"
    assert F(document["delta"]["lower"]) < F(document["delta"]["upper"])


def test_a_mixed_ledger_is_printed_line_by_line_with_shares() -> None:
    text = "1000 * gaussian(sigma=30) + 20 * laplace(epsilon=0.1) + zcdp(rho=0.01)"
    question, account = account_of(text, "1e-6")
    lines = list(accounting_lines(question, account))
    assert lines[0].startswith("1000 × gaussian(sigma=30)  ≈ ")
    assert [line.endswith("%") for line in lines[:4]] == [True, True, True, False]
    assert account.shares is not None
    assert 0 < sum(account.shares) < account.best.value


def test_names_of_strangers_cannot_move_the_cursor() -> None:
    (good,) = of_terms(parse("laplace(epsilon=1)"), AddRemove())
    bad: Part = Part("\x1b[2J\u202eevil", 1, good.theorem)
    lines = list(
        accounting_lines(Asked((bad,), AddRemove(), "epsilon", F(0)), account_epsilon((bad,), F(0)))
    )
    assert lines[0] == "\\x1b[2J\\u202eevil"
