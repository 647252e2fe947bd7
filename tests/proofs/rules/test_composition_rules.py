"""Sequential composition with constants: exact divergences of adaptive mechanisms, refusals."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs.entries import ConcentratedLoss, Entries, RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Odometer, Private, Profile, Stable
from proofs.losses import GaussianLoss, ResponseLoss
from proofs.profiles import moment
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.proofs.rules.composing import (
    Pair,
    adaptive,
    binned,
    concluded,
    delta_at,
    from_premises,
    guarantee,
    joint,
    rho_at_orders,
    worst_excess,
    worst_renyi,
)
from tests.proofs.rules.divergences import (
    ORDERS,
    TINY,
    Law,
    above,
    accepted,
    amounts,
    convert,
    excess,
    gaussian_excess,
    mp,
    pairs,
    response,
    response_excess,
    wide,
)

F = Fraction
SMALL = mp(TINY)
GAMMAS = [wide.exp(mp(F(power, 4))) for power in range(-8, 13)]


def composed(*guarantees: Guarantee, **given: Any) -> LossList:
    """The losses of mechanisms with these guarantees, one after another."""
    found = guarantee("compose", [convert("as-losses", one) for one in guarantees], **given)
    assert isinstance(found, LossList)
    return found


def summed(losses: LossList, epsilon: Fraction, delta: Fraction | int = 0) -> Guarantee:
    """(ε, δ), where the sums of the losses prove it."""
    return convert("to-approx", losses, method="sum", epsilon=epsilon, delta=delta, hints={})


@settings(max_examples=30, deadline=None)
@given(adaptive(), amounts, amounts)
def test_sums_bound_adaptive_approximate_mechanisms(
    both: tuple[Pair, list[Pair]], first: Fraction, second: Fraction
) -> None:
    deltas = delta_at(first, [both[0]]), delta_at(second, both[1])
    assume(sum(deltas) < 1)
    found = composed(ApproxDP(first, deltas[0]), ApproxDP(second, deltas[1]))
    epsilon, delta = first + second, sum(deltas, F(0))
    assert summed(found, epsilon, delta) == ApproxDP(epsilon, delta)
    for short in ((epsilon - TINY, delta), (epsilon, delta - TINY)):
        assert not accepted(partial(summed, found, *short))
    assert worst_excess(wide.exp(mp(epsilon)), joint(*both)) <= mp(delta) + SMALL


def test_the_sum_of_pure_losses_is_attained() -> None:
    epsilon = F(1, 3)
    pair = response(epsilon)
    assert summed(composed(ApproxDP(epsilon), counts=[3]), F(1)) == ApproxDP(F(1))
    triple = joint(pair, [joint(pair, [pair, pair])] * 2)
    assert worst_excess(wide.exp(mp(F(1))), triple) < SMALL
    assert worst_excess(wide.exp(mp(F(1) - F(1, 10**9))), triple) > SMALL


@settings(max_examples=25, deadline=None)
@given(adaptive())
def test_sums_bound_adaptive_concentrated_mechanisms(both: tuple[Pair, list[Pair]]) -> None:
    rhos = rho_at_orders([both[0]]), rho_at_orders(both[1])
    found, rho = composed(*map(ZCDP, rhos)), sum(rhos, F(0))
    assert convert("to-zcdp", found, rho=rho) == ZCDP(rho)
    assert not accepted(lambda: convert("to-zcdp", found, rho=rho - TINY))
    together = joint(*both)
    for order in ORDERS:
        assert worst_renyi(order, together) <= mp(order * rho) + SMALL


@settings(max_examples=25, deadline=None)
@given(adaptive())
def test_sums_bound_adaptive_renyi_mechanisms(both: tuple[Pair, list[Pair]]) -> None:
    curves = [
        [max(above(worst_renyi(a, pair), 45) for pair in members) for a in ORDERS]
        for members in ([both[0]], both[1])
    ]
    found = composed(*(RenyiCurve(tuple(zip(ORDERS, own, strict=True))) for own in curves))
    sums = [sum(own) for own in zip(*curves, strict=True)]
    read = convert("to-renyi", found, orders=ORDERS, epsilons=sums)
    assert read == RenyiCurve(tuple(zip(ORDERS, sums, strict=True)))
    assert not accepted(
        lambda: convert("to-renyi", found, orders=ORDERS, epsilons=[*sums[:-1], sums[-1] - TINY])
    )
    together = joint(*both)
    for order, epsilon in zip(ORDERS, sums, strict=True):
        assert worst_renyi(order, together) <= mp(epsilon) + SMALL


def test_sums_of_renyi_divergences_are_attained() -> None:
    pair = response(F(1))
    once = above(worst_renyi(F(3), pair), 45)
    found = composed(RenyiCurve(((F(3), once),)), counts=[2])
    convert("to-renyi", found, orders=[3], epsilons=[2 * once])
    assert abs(worst_renyi(F(3), joint(pair, [pair, pair])) - mp(2 * once)) < SMALL


def test_a_curve_bounds_the_orders_below_its_own() -> None:
    found = composed(RenyiCurve(((F(2), F(1)),)), RenyiCurve(((F(3), F(5)),)))
    convert("to-renyi", found, orders=[2], epsilons=[6])
    with pytest.raises(ProofError, match="so large"):
        convert("to-renyi", found, orders=[3], epsilons=[100])


def _failing(pair: Pair, delta: Fraction) -> Pair:
    """The mechanism, and with chance δ an answer that tells the databases apart."""
    p, q = pair
    scaled = [tuple((1 - delta) * chance for chance in law) for law in (p, q)]
    return (*scaled[0], delta, F(0)), (*scaled[1], F(0), delta)


@settings(max_examples=25, deadline=None)
@given(adaptive(), st.fractions(0, F(2, 5), max_denominator=9), st.fractions(0, F(2, 5)))
def test_moments_bound_adaptive_mechanisms_that_fail(
    both: tuple[Pair, list[Pair]], first: Fraction, second: Fraction
) -> None:
    # Where a first answer gives all away, any mechanism may follow: the first of those drawn does.
    members = [*both[1], both[1][0], both[1][0]]
    together = joint(_failing(both[0], first), [_failing(pair, second) for pair in members])
    entries: list[Entries] = [
        ((1, ConcentratedLoss(F(0), rho_at_orders([both[0]]), first)),),
        ((1, ConcentratedLoss(F(0), rho_at_orders(both[1]), second)),),
    ]
    found = guarantee("compose", [LossList(each) for each in entries])
    for power in range(0, 9):
        epsilon = F(power, 2)
        hints = ({"order": str(order - 1)} for order in ORDERS)
        least = min(moment.delta(found.losses, "remove", epsilon, each).upper for each in hints)
        assert worst_excess(wide.exp(mp(epsilon)), together) <= mp(least) + SMALL


cuts = st.lists(st.fractions(-2, 3, max_denominator=8), min_size=1, max_size=4, unique=True).map(
    sorted
)
shifts = st.fractions(F(1, 10), 2, max_denominator=10)


@settings(max_examples=25, deadline=None)
@given(shifts, shifts, cuts, st.lists(cuts, min_size=5, max_size=5))
def test_the_root_of_squares_bounds_adaptive_gaussian_mechanisms(
    first: Fraction, second: Fraction, bins: list[Fraction], more: list[list[Fraction]]
) -> None:
    mu = above(wide.sqrt(mp(first**2 + second**2)), 30)
    convert("to-gdp", composed(GaussianDP(first), GaussianDP(second)), mu=mu, shares=[])
    start = binned([first, F(0)], bins)
    together = joint(start, [binned([second, F(0)], each) for each in more[: len(start[0])]])
    for gamma in GAMMAS:
        assert worst_excess(gamma, together) <= gaussian_excess(gamma, mp(mu)) + SMALL


def test_the_root_of_squares_is_taken_exactly() -> None:
    found = composed(GaussianDP(F(3)), GaussianDP(F(2)), counts=[1, 4])
    assert convert("to-gdp", found, mu=5, shares=[]) == GaussianDP(F(5))
    for mu in (5 - F(1, 10**30), -5):
        assert not accepted(partial(convert, "to-gdp", found, mu=mu, shares=[]))


def _product(losses: Entries) -> Pair:
    """The product of response pairs: with chance δ told apart, else randomised response."""
    total: Pair = ((F(1),), (F(1),))
    for count, loss in losses:
        assert isinstance(loss, ResponseLoss)
        part = _failing(response(loss.epsilon), loss.delta)
        for _ in range(count):
            total = joint(total, [part] * len(total[0]))
    return total


@settings(max_examples=25, deadline=None)
@given(adaptive(), amounts, amounts)
def test_the_product_of_pairs_dominates_adaptive_mechanisms(
    both: tuple[Pair, list[Pair]], first: Fraction, second: Fraction
) -> None:
    deltas = delta_at(first, [both[0]]), delta_at(second, both[1])
    assume(max(deltas) < 1)
    found = composed(ApproxDP(first, deltas[0]), ApproxDP(second, deltas[1]))
    product, together = _product(found.losses), joint(*both)
    for gamma in GAMMAS:
        assert worst_excess(gamma, together) <= worst_excess(gamma, product) + SMALL


CURVE = ((F(2), F(3)),)


@pytest.mark.parametrize(
    ("held", "loss"),
    [
        (ApproxDP(F(1)), ResponseLoss(F(1))),
        (ApproxDP(F(1), F(1, 9)), ResponseLoss(F(1), F(1, 9))),
        (ZCDP(F(1)), ConcentratedLoss(F(0), F(1), F(0))),
        (GaussianDP(F(3)), GaussianLoss(F(9))),
        (RenyiCurve(CURVE), RenyiCurve(CURVE)),
        (GaussianDP(F(0)), None),
        (LossList(()), "refused"),
        (Profile(((F(1), F(0)),)), "refused"),
        (Odometer(((F(1), F(1)),), F(0)), "refused"),
    ],
)
def test_a_guarantee_becomes_the_loss_of_its_kind(held: Guarantee, loss: Any) -> None:
    if loss == "refused":
        with pytest.raises(ProofError, match="it takes"):
            convert("as-losses", held)
    else:
        assert convert("as-losses", held) == LossList(((1, loss),) if loss else ())


@given(pairs(), st.fractions(0, 2, max_denominator=20))
@settings(max_examples=40, deadline=None)
def test_a_guarantee_as_a_loss_says_no_more(pair: tuple[Law, Law], epsilon: Fraction) -> None:
    delta = delta_at(epsilon, [pair])
    found = composed(ApproxDP(epsilon, delta))
    assert found == LossList(((1, ResponseLoss(epsilon, delta)),))
    for at in (wide.mpf(0), *(wide.exp(wide.mpf(step) / 4) for step in range(-12, 13))):
        bound = response_excess(at, epsilon, delta) + SMALL
        assert excess(at, *pair) <= bound and excess(at, *pair[::-1]) <= bound
    # Nor does it say more when it is read back.
    assert summed(found, epsilon, delta) == ApproxDP(epsilon, delta)
    assert not accepted(lambda: summed(found, epsilon - TINY, delta))


LISTS = [
    LossList(((2, ResponseLoss(F(1), F(1, 9))), (1, RenyiCurve(CURVE)))),
    LossList(((1, GaussianLoss(F(4))),)),
    LossList(()),
]


def test_gaussian_losses_become_one() -> None:
    premises = [LossList(((1, GaussianLoss(F(1))),)), LISTS[0], LISTS[1], LISTS[2]]
    found = guarantee("compose", premises, counts=[3, 2, 2, 7])
    assert [count for count, _ in found.losses] == [2, 1, 4]
    assert found.losses[1] == (1, GaussianLoss(F(11)))


class TestSequences:
    def test_a_count_is_as_many_premises(self) -> None:
        counted = guarantee("compose", LISTS, counts=[1, 3, 2])
        assert counted == guarantee("compose", [LISTS[0], *[LISTS[1]] * 3, *[LISTS[2]] * 2])

    def test_the_neighbours_stay_and_no_hypothesis_is_added(self) -> None:
        found = concluded("compose", LISTS[:2], ReplaceOne(), counts=[1, 2])
        assert isinstance(found.judgment, Private)
        assert found.judgment.neighbours == ReplaceOne()
        assert found.hypotheses == frozenset()

    @pytest.mark.parametrize("counts", [[1], [1, 2, 3], [1, 0], [1, -1], [1, "2"], 2, [1, True]])
    def test_bad_counts_are_refused(self, counts: object) -> None:
        with pytest.raises(ProofError, match="counts"):
            guarantee("compose", LISTS[:2], counts=counts)

    def test_other_neighbours_or_kinds_are_refused(self) -> None:
        one, other = (Private(under, LISTS[0]) for under in (AddRemove(), ReplaceOne()))
        with pytest.raises(ProofError, match="same neighbours"):
            from_premises("compose", (one, other))
        for odd in (ApproxDP(F(1)), ZCDP(F(1)), GaussianDP(F(1)), Profile(((F(1), F(0)),))):
            with pytest.raises(ProofError, match="of the kind LossList"):
                guarantee("compose", [LISTS[0], odd])
        stable = Stable(AddRemove(), 1, F(1), F(1), F(1), True, True)
        for judgments in ((), (stable,), (one, stable)):
            with pytest.raises(ProofError, match="one or more premises"):
                from_premises("compose", judgments)

    def test_a_scale_that_is_no_constant_cannot_be_said(self) -> None:
        with pytest.raises(ProofError, match="no parameter 'scale'"):
            guarantee("compose", LISTS, scale="chosen by the first answer")


@pytest.mark.parametrize(
    "loss", [ResponseLoss(F(1), F(1, 4)), ConcentratedLoss(F(1), F(0), F(1, 4))]
)
def test_deltas_that_add_up_to_one_prove_nothing(loss: Any) -> None:
    assert summed(LossList(((3, loss),)), F(3), F(3, 4)) == ApproxDP(F(3), F(3, 4))
    with pytest.raises(InputError, match="delta < 1"):
        summed(LossList(((4, loss),)), F(4), F(1))


def test_a_loss_chosen_by_an_earlier_answer_breaks_the_sum_of_constants() -> None:
    # The first answer decides whether the second costs 1/4 or 3: the sum with 1/4 is false, and
    # what holds needs a premise for the worst of both.
    first, small, large = response(F(1, 2)), response(F(1, 4)), response(F(3))
    together = joint(first, [large, small])
    summed(composed(ApproxDP(F(1, 2)), ApproxDP(F(1, 4))), F(3, 4))
    assert worst_excess(wide.exp(mp(F(3, 4))), together) > F(1, 10)
    worst = guarantee("mixture", [ApproxDP(F(3)), ApproxDP(F(1, 4))])
    right = composed(ApproxDP(F(1, 2)), worst)
    assert not accepted(lambda: summed(right, F(7, 2) - TINY))
    assert summed(right, F(7, 2)) == ApproxDP(F(7, 2))
    assert worst_excess(wide.exp(mp(F(7, 2))), together) < SMALL


def test_a_million_runs_compose_at_once() -> None:
    k = 10**6
    assert summed(composed(ApproxDP(F(1, 10**4)), counts=[k]), F(100)) == ApproxDP(F(100))
    convert("to-zcdp", composed(ZCDP(F(1, 10**7)), counts=[k]), rho="0.1")
    convert("to-gdp", composed(GaussianDP(F(1, 10**3)), counts=[k]), mu=1, shares=[])
