"""Sequential composition with constants: exact divergences of adaptive mechanisms, refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Mechanism,
    Private,
    RenyiCurve,
    Stable,
)
from proofs.losses import GaussianLoss, Losses, ResponseLoss
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
    above,
    accepted,
    amounts,
    gaussian_excess,
    mp,
    response,
    wide,
)

F = Fraction
SMALL = mp(TINY)
GAMMAS = [wide.exp(mp(F(power, 4))) for power in range(-8, 13)]


@settings(max_examples=30, deadline=None)
@given(adaptive(), amounts, amounts)
def test_sums_bound_adaptive_approximate_mechanisms(
    both: tuple[Pair, list[Pair]], first: Fraction, second: Fraction
) -> None:
    deltas = delta_at(first, [both[0]]), delta_at(second, both[1])
    assume(sum(deltas) < 1)
    found = guarantee("compose", [ApproxDP(first, deltas[0]), ApproxDP(second, deltas[1])])
    assert found == ApproxDP(first + second, sum(deltas))
    assert worst_excess(wide.exp(mp(found.epsilon)), joint(*both)) <= mp(found.delta) + SMALL


def test_the_sum_of_pure_losses_is_attained() -> None:
    epsilon = F(1, 3)
    pair = response(epsilon)
    found = guarantee("compose", [ApproxDP(epsilon)], counts=[3])
    triple = joint(pair, [joint(pair, [pair, pair])] * 2)
    assert found == ApproxDP(F(1))
    assert worst_excess(wide.exp(mp(found.epsilon)), triple) < SMALL
    assert worst_excess(wide.exp(mp(found.epsilon - F(1, 10**9))), triple) > SMALL


@settings(max_examples=25, deadline=None)
@given(adaptive())
def test_sums_bound_adaptive_concentrated_mechanisms(both: tuple[Pair, list[Pair]]) -> None:
    rhos = rho_at_orders([both[0]]), rho_at_orders(both[1])
    found = guarantee("compose-zcdp", [ZCDP(rho) for rho in rhos])
    together = joint(*both)
    for order in ORDERS:
        assert worst_renyi(order, together) <= mp(order * found.rho) + SMALL


@settings(max_examples=25, deadline=None)
@given(adaptive())
def test_sums_bound_adaptive_renyi_mechanisms(both: tuple[Pair, list[Pair]]) -> None:
    curves = [
        RenyiCurve(
            tuple((a, max(above(worst_renyi(a, pair), 45) for pair in pairs)) for a in ORDERS)
        )
        for pairs in ([both[0]], both[1])
    ]
    found = guarantee("compose-renyi", curves)
    together = joint(*both)
    assert [order for order, _ in found.points] == list(ORDERS)
    for order, epsilon in found.points:
        assert worst_renyi(order, together) <= mp(epsilon) + SMALL


def test_sums_of_renyi_divergences_are_attained() -> None:
    pair = response(F(1))
    curve = RenyiCurve(((F(3), above(worst_renyi(F(3), pair), 45)),))
    ((_, epsilon),) = guarantee("compose-renyi", [curve], counts=[2]).points
    assert abs(worst_renyi(F(3), joint(pair, [pair, pair])) - mp(epsilon)) < SMALL


def _failing(pair: Pair, delta: Fraction) -> Pair:
    """The mechanism, and with chance δ an answer that tells the databases apart."""
    p, q = pair
    scaled = [tuple((1 - delta) * chance for chance in law) for law in (p, q)]
    return (*scaled[0], delta, F(0)), (*scaled[1], F(0), delta)


@settings(max_examples=25, deadline=None)
@given(adaptive(), st.fractions(0, F(2, 5), max_denominator=9), st.fractions(0, F(2, 5)))
def test_sums_bound_adaptive_mechanisms_that_fail(
    both: tuple[Pair, list[Pair]], first: Fraction, second: Fraction
) -> None:
    # Where a first answer gives all away, any mechanism may follow: the first of those drawn does.
    pairs = [*both[1], both[1][0], both[1][0]]
    together = joint(_failing(both[0], first), [_failing(pair, second) for pair in pairs])
    premises = [
        ApproxZCDP(F(0), rho_at_orders([both[0]]), first),
        ApproxZCDP(F(0), rho_at_orders(both[1]), second),
    ]
    found = guarantee("compose-approx-zcdp", premises)
    assert found.delta == first + second
    for power in range(0, 9):
        epsilon = mp(F(power, 2))
        tails = [wide.exp(mp(a - 1) * (mp(found.xi + found.rho * a) - epsilon)) for a in ORDERS]
        left = mp(found.delta) + mp(1 - found.delta) * min(1, *tails)
        assert worst_excess(wide.exp(epsilon), together) <= left + SMALL


def test_approximate_concentrated_numbers_add_up() -> None:
    premises = [ApproxZCDP(F(1), F(2), F(1, 9)), ApproxZCDP(F(3), F(5), F(1, 18))]
    found = guarantee("compose-approx-zcdp", premises, counts=[2, 3])
    assert found == ApproxZCDP(F(11), F(19), F(7, 18))


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
    found = guarantee("compose-gdp", [GaussianDP(first), GaussianDP(second)], mu=mu)
    start = binned([first, F(0)], bins)
    together = joint(start, [binned([second, F(0)], each) for each in more[: len(start[0])]])
    for gamma in GAMMAS:
        assert worst_excess(gamma, together) <= gaussian_excess(gamma, mp(found.mu)) + SMALL


def test_the_root_of_squares_is_taken_exactly() -> None:
    premises = [GaussianDP(F(3)), GaussianDP(F(2))]
    assert guarantee("compose-gdp", premises, counts=[1, 4], mu=5) == GaussianDP(F(5))
    assert not accepted(
        lambda: guarantee("compose-gdp", premises, counts=[1, 4], mu=5 - F(1, 10**30))
    )


def _product(losses: Losses) -> Pair:
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
    premises = [
        Dominated(((1, ResponseLoss(first, deltas[0])),)),
        Dominated(((1, ResponseLoss(second, deltas[1])),)),
    ]
    found = guarantee("compose-pairs", premises)
    product, together = _product(found.losses), joint(*both)
    for gamma in GAMMAS:
        assert worst_excess(gamma, together) <= worst_excess(gamma, product) + SMALL


def test_gaussian_pairs_become_one() -> None:
    premises = [
        Dominated(((1, GaussianLoss(F(1))),)),
        Dominated(((2, ResponseLoss(F(1))), (1, GaussianLoss(F(4))))),
        Dominated(()),
    ]
    found = guarantee("compose-pairs", premises, counts=[3, 2, 7])
    assert found == Dominated(((1, GaussianLoss(F(11))), (4, ResponseLoss(F(1)))))


@pytest.mark.parametrize(
    ("rule", "premises", "given_too"),
    [
        ("compose", [ApproxDP(F(1), F(1, 9)), ApproxDP(F(2))], {}),
        ("compose-zcdp", [ZCDP(F(1)), ZCDP(F(3))], {}),
        ("compose-approx-zcdp", [ApproxZCDP(F(1), F(2), F(1, 9))] * 2, {}),
        ("compose-renyi", [RenyiCurve(((F(2), F(3)),))] * 2, {}),
        ("compose-gdp", [GaussianDP(F(1)), GaussianDP(F(2))], {"mu": 4}),
        ("compose-pairs", [Dominated(((1, ResponseLoss(F(1))),)), Dominated(())], {}),
    ],
)
class TestSequences:
    def test_a_count_is_as_many_premises(
        self, rule: str, premises: list[Any], given_too: dict[str, Any]
    ) -> None:
        spelled = [premises[0], *[premises[1]] * 3]
        counted = guarantee(rule, premises, counts=[1, 3], **given_too)
        assert counted == guarantee(rule, spelled, **given_too)

    def test_the_mechanism_lists_its_parts_and_no_hypothesis_is_added(
        self, rule: str, premises: list[Any], given_too: dict[str, Any]
    ) -> None:
        found = concluded(rule, premises, ReplaceOne(), counts=[1, 2], **given_too)
        assert isinstance(found.judgment, Private)
        assert found.judgment.neighbours == ReplaceOne()
        parts = found.judgment.mechanism.parts
        assert parts == ((1, Mechanism.of("M0", {})), (2, Mechanism.of("M1", {})))
        assert found.hypotheses == frozenset()

    @pytest.mark.parametrize("counts", [[1], [1, 2, 3], [1, 0], [1, -1], [1, "2"], 2, [1, True]])
    def test_bad_counts_are_refused(
        self, rule: str, premises: list[Any], given_too: dict[str, Any], counts: object
    ) -> None:
        with pytest.raises(ProofError, match="counts"):
            guarantee(rule, premises, counts=counts, **given_too)

    def test_other_neighbours_or_kinds_are_refused(
        self, rule: str, premises: list[Any], given_too: dict[str, Any]
    ) -> None:
        one = Private(Mechanism("M"), AddRemove(), premises[0])
        other = Private(Mechanism("M"), ReplaceOne(), premises[1])
        with pytest.raises(ProofError, match="same neighbours"):
            from_premises(rule, (one, other), **given_too)
        odd = GaussianDP(F(1)) if rule != "compose-gdp" else ZCDP(F(1))
        with pytest.raises(ProofError, match="of the kind"):
            guarantee(rule, [premises[0], odd], **given_too)
        stable = Stable("{}", AddRemove(), 1, F(1), F(1), F(1), True, True)
        for judgments in ((), (stable,), (one, stable)):
            with pytest.raises(ProofError, match="premises of the kind"):
                from_premises(rule, judgments, **given_too)

    def test_a_scale_that_is_no_constant_cannot_be_said(
        self, rule: str, premises: list[Any], given_too: dict[str, Any]
    ) -> None:
        with pytest.raises(ProofError, match="no parameter 'scale'"):
            guarantee(rule, premises, scale="chosen by the first answer", **given_too)


@pytest.mark.parametrize(
    ("rule", "premise"),
    [
        ("compose", ApproxDP(F(1), F(1, 4))),
        ("compose-approx-zcdp", ApproxZCDP(F(0), F(1), F(1, 4))),
    ],
)
def test_deltas_that_add_up_to_one_are_refused(rule: str, premise: Any) -> None:
    assert guarantee(rule, [premise], counts=[3]).delta == F(3, 4)
    with pytest.raises(ProofError, match="less than 1"):
        guarantee(rule, [premise], counts=[4])


def test_other_orders_are_refused() -> None:
    curves = [RenyiCurve(((F(2), F(1)),)), RenyiCurve(((F(3), F(1)),))]
    with pytest.raises(ProofError, match="same orders"):
        guarantee("compose-renyi", curves)


def test_a_negative_mu_is_refused() -> None:
    with pytest.raises(ProofError, match="at least 0"):
        guarantee("compose-gdp", [GaussianDP(F(1))], mu=-1)


def test_a_loss_chosen_by_an_earlier_answer_breaks_the_sum_of_constants() -> None:
    # The first answer decides whether the second costs 1/4 or 3: the sum with 1/4 is false, and
    # what holds needs a premise for the worst of both.
    first, small, large = response(F(1, 2)), response(F(1, 4)), response(F(3))
    together = joint(first, [large, small])
    wrong = guarantee("compose", [ApproxDP(F(1, 2)), ApproxDP(F(1, 4))])
    assert worst_excess(wide.exp(mp(wrong.epsilon)), together) > F(1, 10)
    worst = guarantee("worst-branch", [ApproxDP(F(3)), ApproxDP(F(1, 4))])
    right = guarantee("compose", [ApproxDP(F(1, 2)), worst])
    assert worst_excess(wide.exp(mp(right.epsilon)), together) < SMALL


def test_a_million_runs_compose_at_once() -> None:
    k = 10**6
    assert guarantee("compose", [ApproxDP(F(1, 10**4))], counts=[k]) == ApproxDP(F(100))
    assert guarantee("compose-zcdp", [ZCDP(F(1, 10**7))], counts=[k]) == ZCDP(F(1, 10))
    assert guarantee("compose-gdp", [GaussianDP(F(1, 10**3))], counts=[k], mu=1).mu == 1
