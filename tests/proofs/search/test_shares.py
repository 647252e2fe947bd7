"""Shares of a ledger's lines: how fast ε grows with a line's runs, by differences of ε."""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs.errors import ProofError
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.search.shares import marginal_shares
from proofs.search.ways import renyi
from synthesizers.neighbours import AddRemove

F = Fraction
LEDGERS = (
    ("1000 * gaussian(sigma=30)", "200 * laplace(epsilon=0.02)"),
    ("400 * discrete_gaussian(sigma=9)", "100 * exponential(epsilon=0.1)"),
    ("1000 * poisson(q=0.01, gaussian(sigma=1))", "100 * randomized_response(epsilon=0.05)"),
    ("100 * zcdp(rho=0.001)", "100 * pure(epsilon=0.05, delta=1e-12)"),
    ("100 * best_of(pure(epsilon=0.05), expected=10)", "100 * gaussian(sigma=30)"),
)


def epsilon(text: str) -> float:
    found = renyi(of_terms(parse(text), AddRemove()), F("1e-6"))
    assert found is not None
    return float(found.value)


@pytest.mark.parametrize("ledger", LEDGERS, ids=str)
def test_a_share_is_what_one_percent_more_runs_cost(ledger: tuple[str, str]) -> None:
    whole = " + ".join(ledger)
    shares = marginal_shares(of_terms(parse(whole), AddRemove()), F("1e-6"))
    for line, share in zip(ledger, shares, strict=True):
        count = int(line.split(" ")[0])
        more, less = (
            epsilon(whole.replace(line, line.replace(f"{count} *", f"{count + step} *")))
            for step in (count // 100, -count // 100)
        )
        # Of sampled losses whole orders alone are proved, so that ε grows in small jumps.
        near = 0.15 if "poisson" in whole else 0.02
        assert share == pytest.approx((more - less) * 50, rel=near)


def test_a_repeated_run_has_the_share_of_its_divergences() -> None:
    text = "best_of(gaussian(sigma=4), expected=10)"
    (repeated, other) = marginal_shares(
        of_terms(parse(f"{text} + gaussian(sigma=30)"), AddRemove()), F("1e-6")
    )
    assert 0 < other < repeated < epsilon(text)


def test_without_delta_a_share_is_the_largest_loss() -> None:
    parts = of_terms(parse("3 * laplace(epsilon=0.5) + exponential(epsilon=1)"), AddRemove())
    assert marginal_shares(parts, F(0)) == (1.5, 1.0)


def test_losses_that_leak_more_than_delta_have_no_shares() -> None:
    with pytest.raises(ProofError, match="leak"):
        marginal_shares(of_terms(parse("pure(epsilon=1, delta=0.1)"), AddRemove()), F("1e-6"))
