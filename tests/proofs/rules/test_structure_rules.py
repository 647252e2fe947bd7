"""Post-processing, mixtures and branches: exact divergences of small laws, refusals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs.entries import ConcentratedLoss, NoiseLoss, RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Odometer, Private, Profile
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.proofs.rules.composing import (
    Pair,
    binned,
    concluded,
    delta_at,
    from_premises,
    guarantee,
    rho_at_orders,
    worst_excess,
    worst_renyi,
)
from tests.proofs.rules.divergences import (
    ORDERS,
    TINY,
    Law,
    amounts,
    gaussian_excess,
    mp,
    pairs,
    wide,
)

F = Fraction
SMALL = mp(TINY)
GAMMAS = [wide.exp(mp(F(power, 4))) for power in range(-8, 13)]


KINDS: list[Guarantee] = [
    ApproxDP(F(1), F(1, 9)),
    ZCDP(F(1)),
    GaussianDP(F(1)),
    LossList(((1, ConcentratedLoss(F(1), F(2), F(1, 9))),)),
    RenyiCurve(((F(2), F(1)),)),
    Profile(((F(1), F(1, 9)),)),
    LossList(((1, NoiseLoss("laplace", F(1), 1, F(1), F(1), F(1))),)),
    Odometer(((F(1), F(9)),), F(1, 9)),
]


maps = st.lists(
    st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=4, max_size=4
)


def _mapped(pair: Pair, rows: list[list[int]]) -> Pair:
    """The laws after each outcome was mapped at random to one of three."""
    first, second = (
        tuple(
            sum((p * F(row[to], sum(row)) for p, row in zip(law, rows, strict=False)), F(0))
            for to in range(3)
        )
        for law in pair
    )
    return first, second


@settings(max_examples=40, deadline=None)
@given(pairs(), maps, amounts)
def test_what_is_made_of_the_answers_reveals_no_more(
    pair: Pair, rows: list[list[int]], epsilon: Fraction
) -> None:
    made = _mapped(pair, rows)
    delta = delta_at(epsilon, [pair])
    assume(delta < 1)
    found = guarantee("post-processing", [ApproxDP(epsilon, delta)], map="at random")
    assert worst_excess(wide.exp(mp(found.epsilon)), made) <= mp(found.delta) + SMALL
    concentrated = guarantee("post-processing", [ZCDP(rho_at_orders([pair]))], map="at random")
    assume(all(all(law) for law in made))
    for order in ORDERS:
        assert worst_renyi(order, made) <= mp(order * concentrated.rho) + SMALL


@pytest.mark.parametrize("premise", KINDS[:-1])
def test_all_kinds_but_odometers_are_kept(premise: Guarantee) -> None:
    found = concluded("post-processing", [premise], ReplaceOne(), map="sum of cells")
    assert found.judgment == Private(ReplaceOne(), premise)
    assert found.hypotheses == {"post-processing"}


def test_a_bound_on_large_losses_is_not_kept() -> None:
    # The loss is above ln 2 with chance 1/10 only; once two answers are told as one, with 6/10.
    p, q = (F(1, 10), F(1, 2), F(4, 10)), (F(1, 1000), F(1, 4), F(749, 1000))

    def large(first: Law, second: Law) -> Fraction:
        return sum((a for a, b in zip(first, second, strict=True) if a > 2 * b), F(0))

    assert large(p, q) == F(1, 10)
    assert large((p[0] + p[1], p[2]), (q[0] + q[1], q[2])) == F(6, 10)
    with pytest.raises(ProofError, match="odometer"):
        guarantee("post-processing", [KINDS[-1]], map="merged")


def test_post_processing_refuses() -> None:
    with pytest.raises(ProofError, match="map"):
        guarantee("post-processing", [ZCDP(F(1))])
    with pytest.raises(ProofError, match="one premise"):
        guarantee("post-processing", [ZCDP(F(1))] * 2, map="m")


shares = st.lists(st.integers(1, 9), min_size=2, max_size=3).map(
    lambda parts: [F(part, sum(parts)) for part in parts]
)


@settings(max_examples=40, deadline=None)
@given(shares, st.lists(pairs(), min_size=3, max_size=3), st.lists(amounts, min_size=3, max_size=3))
def test_a_mixture_that_names_its_choice_is_no_worse_than_the_worst(
    weights: list[Fraction], drawn: list[Pair], epsilons: list[Fraction]
) -> None:
    members = list(zip(weights, drawn, epsilons, strict=False))
    whole: Pair = (
        tuple(w * p for w, pair, _ in members for p in pair[0]),
        tuple(w * p for w, pair, _ in members for p in pair[1]),
    )
    deltas = [delta_at(epsilon, [pair]) for _, pair, epsilon in members]
    assume(max(deltas) < 1)
    premises = [ApproxDP(e, d) for (_, _, e), d in zip(members, deltas, strict=True)]
    found = guarantee("mixture", premises, weights=weights)
    assert found.epsilon == max(premise.epsilon for premise in premises)
    assert worst_excess(wide.exp(mp(found.epsilon)), whole) <= mp(found.delta) + SMALL
    rhos = [ZCDP(rho_at_orders([pair])) for _, pair, _ in members]
    rho = guarantee("mixture", rhos, weights=weights).rho
    for order in ORDERS:
        assert worst_renyi(order, whole) <= mp(order * rho) + SMALL


def test_the_delta_of_a_mixture_is_weighted() -> None:
    premises = [ApproxDP(F(1), F(1, 2)), ApproxDP(F(2), F(1, 10))]
    found = concluded("mixture", premises, weights=["0.25", "3/4"])
    assert found.judgment == Private(AddRemove(), ApproxDP(F(2), F(1, 5)))
    assert found.hypotheses == {"independent-choice"}


def test_mixtures_of_normal_laws_are_bounded_by_the_largest_mu() -> None:
    mu = guarantee("mixture", [GaussianDP(F(1)), GaussianDP(F(2))], weights=["1/3", "2/3"]).mu
    cuts = [F(place, 4) for place in range(-12, 20)]
    members = [(F(1, 3), binned([F(1), F(0)], cuts)), (F(2, 3), binned([F(2), F(0)], cuts))]
    whole = [tuple(w * p for w, pair in members for p in pair[side]) for side in (0, 1)]
    for gamma in GAMMAS:
        assert worst_excess(gamma, (whole[0], whole[1])) <= gaussian_excess(gamma, mp(mu)) + SMALL


@pytest.mark.parametrize(
    "weights", [["1/2"], ["1/2", "1/3"], [0, 1], ["3/2", "-1/2"], ["1/3", "1/3", "1/3"]]
)
def test_weights_that_are_no_chances_are_refused(weights: list[object]) -> None:
    with pytest.raises(ProofError, match="weights"):
        guarantee("mixture", [ApproxDP(F(1)), ApproxDP(F(2))], weights=weights)


@pytest.mark.parametrize(
    ("premises", "expected"),
    [
        ([ApproxDP(F(1), F(1, 2)), ApproxDP(F(2), F(1, 10))], ApproxDP(F(2), F(1, 2))),
        ([ZCDP(F(1)), ZCDP(F(3)), ZCDP(F(2))], ZCDP(F(3))),
        ([GaussianDP(F(3)), GaussianDP(F(1))], GaussianDP(F(3))),
    ],
)
def test_a_public_branch_has_the_worst_of_each_number(
    premises: list[Guarantee], expected: Guarantee
) -> None:
    found = concluded("mixture", premises, ReplaceOne())
    assert found.judgment == Private(ReplaceOne(), expected)
    assert found.hypotheses == {"public"}


@settings(max_examples=25, deadline=None)
@given(pairs(), pairs(), amounts, amounts)
def test_each_branch_has_the_guarantee_of_the_worst(
    first: Pair, second: Pair, one: Fraction, other: Fraction
) -> None:
    deltas = delta_at(one, [first]), delta_at(other, [second])
    assume(max(deltas) < 1)
    found = guarantee("mixture", [ApproxDP(one, deltas[0]), ApproxDP(other, deltas[1])])
    for pair in (first, second):
        assert worst_excess(wide.exp(mp(found.epsilon)), pair) <= mp(found.delta) + SMALL


@pytest.mark.parametrize("stated", [{"weights": ["1/2", "1/2"]}, {}])
def test_branches_of_several_kinds_or_relations_are_refused(stated: dict[str, object]) -> None:
    with pytest.raises(ProofError, match="of the kind"):
        guarantee("mixture", [ZCDP(F(1)), ApproxDP(F(1))], **stated)
    for other in (RenyiCurve(((F(2), F(1)),)), KINDS[6]):
        with pytest.raises(ProofError, match="of the kind"):
            guarantee("mixture", [other] * 2, **stated)
    with pytest.raises(ProofError, match="premises about mechanisms"):
        from_premises("mixture", (), **stated)
    members = [Private(under, ZCDP(F(1))) for under in (AddRemove(), ReplaceOne())]
    with pytest.raises(ProofError, match="same neighbours"):
        from_premises("mixture", tuple(members), **stated)
