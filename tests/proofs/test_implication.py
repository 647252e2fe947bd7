"""Which theorems entail which claims: kind by kind, under the same neighbours."""

from __future__ import annotations

from typing import Any

import pytest

from proofs.guarantees import parse_guarantee
from proofs.implication import implies
from proofs.kernel import prove
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit


def stated(**guarantee: Any) -> Any:
    given = {"neighbours": AddRemove(), "mechanism": "m", "guarantee": guarantee}
    return prove("stated-guarantee", [], given)


APPROX = stated(kind="approx", epsilon="1", delta="1/1000")
PURE = stated(kind="approx", epsilon="1", delta="0")
ZCDP = stated(kind="zcdp", rho="1/2")
GDP = stated(kind="gdp", mu="1")
RENYI = stated(kind="renyi", points=[["2", "1"], ["8", "4"]])


@pytest.mark.parametrize(
    ("theorem", "claim", "entailed"),
    [
        (APPROX, "epsilon=1, delta=1e-3", True),
        (APPROX, "epsilon=2, delta=0.1", True),
        (APPROX, "epsilon=1, delta=0.000999", False),
        (APPROX, "epsilon=0.999, delta=0.1", False),
        (APPROX, "epsilon=5", False),
        (PURE, "epsilon=1", True),
        (PURE, "epsilon=1, delta=1e-9", True),
        (PURE, "rho=0.5", False),
        (ZCDP, "rho=0.5", True),
        (ZCDP, "rho=0.4999999", False),
        (ZCDP, "mu=1", False),
        (GDP, "mu=1", True),
        (GDP, "mu=0.99", False),
        (RENYI, "alpha=2, rdp=1", True),
        (RENYI, "alpha=1.5, rdp=1", True),
        (RENYI, "alpha=3, rdp=1", False),
        (RENYI, "alpha=3, rdp=4", True),
        (RENYI, "alpha=9, rdp=100", False),
    ],
)
def test_a_theorem_entails_what_is_weaker_of_its_own_kind(
    theorem: Any, claim: str, entailed: bool
) -> None:
    assert implies(theorem, parse_guarantee(claim), AddRemove()) is entailed


def test_neighbours_and_units_must_be_the_same() -> None:
    claim = parse_guarantee("epsilon=1")
    assert not implies(PURE, claim, ReplaceOne())
    assert not implies(PURE, claim, AddRemove(Unit("person", 2)))


def test_the_stability_of_a_query_entails_no_claim() -> None:
    answer = dict(query="q", l0=1, l1=1, l2_squared=1, linf=1, monotone=True, integers=True)
    stable = prove("stated-sensitivity", [], {"neighbours": AddRemove(), **answer})
    assert not implies(stable, parse_guarantee("epsilon=100"), AddRemove())


def test_a_convex_combination_of_claims_is_not_made_up() -> None:
    """Between two orders only the larger order's bound holds."""
    assert not implies(RENYI, parse_guarantee("alpha=5, rdp=2.5"), AddRemove())
