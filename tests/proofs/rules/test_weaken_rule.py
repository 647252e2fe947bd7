"""Weaker guarantees: what follows from points of a curve, and what does not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.entries import RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Odometer, Profile, guarantee_to_json
from tests.proofs.rules.divergences import (
    ORDERS,
    TINY,
    Law,
    above,
    accepted,
    amounts,
    chances,
    convert,
    mp,
    pairs,
    renyi,
)

F = Fraction


def weakens(strong: Guarantee, weak: Guarantee) -> bool:
    stated = guarantee_to_json(weak)
    return accepted(lambda: convert("weaken", strong, guarantee=stated)) and (
        convert("weaken", strong, guarantee=stated) == weak
    )


@given(st.tuples(amounts, chances), st.tuples(amounts, chances))
def test_weaken_never_strengthens(strong: Any, weak: Any) -> None:
    (a, d), (b, e) = strong, weak
    assert weakens(ZCDP(a), ZCDP(b)) == (a <= b)
    assert weakens(GaussianDP(a), GaussianDP(b)) == (a <= b)
    for one in (ApproxDP(a, d), Profile(((a, d),))):
        for other in (ApproxDP(b, e), Profile(((b, e),))):
            assert weakens(one, other) == (a <= b and d <= e)


places = st.fractions(F(5, 4), 9, max_denominator=4)


@given(
    st.dictionaries(places, amounts, min_size=1, max_size=5),
    st.dictionaries(places, amounts, min_size=1, max_size=3),
)
def test_a_weaker_curve_rests_on_points_of_the_stronger(
    strong: dict[Fraction, Fraction], weak: dict[Fraction, Fraction]
) -> None:
    curve, wanted = (RenyiCurve(tuple(sorted(points.items()))) for points in (strong, weak))
    assert weakens(curve, wanted) == all(
        any(at >= order and known <= epsilon for at, known in strong.items())
        for order, epsilon in weak.items()
    )
    first, second = (
        Profile(tuple(sorted((at, value / 10) for at, value in points.items())))
        for points in (strong, weak)
    )
    reached = [
        any(at <= epsilon and known <= delta for at, known in first.points)
        for epsilon, delta in second.points
    ]
    assert weakens(first, second) == all(reached)
    assert reached == [weakens(first, ApproxDP(*point)) for point in second.points]


@given(pairs(), st.sampled_from(ORDERS), st.sampled_from(ORDERS))
@settings(max_examples=40)
def test_a_lower_order_may_use_the_divergence_of_a_higher(
    pair: tuple[Law, Law], one: Fraction, other: Fraction
) -> None:
    low, high = min(one, other), max(one, other)
    assert renyi(low, *pair) <= renyi(high, *pair) + mp(TINY)
    value = above(renyi(high, *pair))
    assert weakens(RenyiCurve(((high, value),)), RenyiCurve(((low, value),)))


@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        (ApproxDP(F(1), F(0)), ZCDP(F(9))),
        (ZCDP(F(1)), GaussianDP(F(9))),
        (RenyiCurve(((F(2), F(1)),)), Profile(((F(2), F(9, 10)),))),
        (RenyiCurve(((F(2), F(1)),)), ApproxDP(F(2), F(9, 10))),
        (RenyiCurve(((F(2), F(1)),)), RenyiCurve(((F(2), F(1)), (F(3), F(9))))),
        (Profile(((F(2), F(1, 10)),)), Profile(((F(1), F(9, 10)),))),
        (Profile(((F(2), F(1, 10)),)), ApproxDP(F(1), F(9, 10))),
        (LossList(()), LossList(())),
        (LossList(()), ApproxDP(F(0))),
        (Odometer(((F(1), F(1)),), F(0)), Odometer(((F(1), F(1)),), F(0))),
    ],
)
def test_other_kinds_and_unreached_points_are_refused(strong: Guarantee, weak: Guarantee) -> None:
    with pytest.raises(ProofError, match="no stronger"):
        convert("weaken", strong, guarantee=guarantee_to_json(weak))
