"""Conversions of concentrated and Rényi DP: printed values, exact profiles, refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.entries import ConcentratedLoss, RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Guarantee, LossList
from synthesizers.errors import InputError
from tests.proofs.rules.divergences import (
    ORDERS,
    TINY,
    Law,
    above,
    convert,
    excess,
    gaussian_excess,
    least,
    mp,
    pairs,
    renyi,
    response_excess,
    upwards,
    wide,
)

F = Fraction
SMALL = mp(TINY)

PRINTED = {
    ("0.01", "1e-6"): ("0.75338443776996769", "0.6216926545596025", "0.57505518577999729"),
    ("0.5", "1e-6"): ("5.756521769756932", "5.221534444530169", "4.886554117462212"),
    ("5", "1e-6"): ("21.622581362691099", "20.551948814041252", "19.423656474031051"),
    ("0.01", "1e-10"): ("0.96970518243761624", "0.86432118572417292", "0.82354839086175706"),
    ("0.5", "1e-10"): ("7.2861404244151118", "6.8393294131208485", "6.547924066864951"),
    ("5", "1e-10"): ("26.459660262893472", "25.536334138512997", "24.569659039830499"),
}
"""By ρ and δ: ε after Bun & Steinke, after Canonne, Kamath & Steinke at the best order, and of the
Gaussian mechanism itself, each to 17 digits."""


def cut(printed: str) -> tuple[Fraction, Fraction]:
    """A number cut to 15 significant digits, and a unit of the last of them."""
    places = 15 - len(printed.split(".")[0].lstrip("0"))
    return F(int(F(printed) * 10**places), 10**places), F(1, 10**places)


def at_order(held: Guarantee, epsilon: object, delta: object, order: Fraction) -> Guarantee:
    """(ε, δ) by the moment of an order α > 1."""
    losses = held if isinstance(held, LossList) else convert("as-losses", held)
    given = {"epsilon": epsilon, "delta": delta, "hints": {"remove": {"order": order - 1}}}
    return convert("to-approx", losses, method="moment", **given)


def proved(held: Guarantee, epsilon: object, delta: object, order: Fraction) -> bool:
    """Whether that moment is enough; where it is not, the least δ stays unknown."""
    try:
        at_order(held, epsilon, delta, order)
    except ProofError:
        return False
    return True


def of_tail(rho: mpmath.mpf, delta: mpmath.mpf) -> Fraction:
    """The order at which Bun & Steinke 2016, Proposition 1.3, bound the tail: 1 + √(ln(1/δ)/ρ)."""
    return above(1 + wide.sqrt(wide.log(1 / delta) / rho), 12)


@pytest.mark.parametrize(("rho", "delta"), PRINTED)
def test_bun_and_steinke_epsilons_are_more_than_is_needed(rho: str, delta: str) -> None:
    below, unit = cut(PRINTED[rho, delta][0])
    order = of_tail(mp(F(rho)), mp(F(delta)))
    for epsilon in (below + unit, below):
        found = at_order(ZCDP(F(rho)), epsilon, delta, order)
        assert found == ApproxDP(epsilon, F(delta))


def epsilon_at(order: mpmath.mpf, divergence: mpmath.mpf, delta: mpmath.mpf) -> mpmath.mpf:
    """ε after Canonne, Kamath & Steinke 2020, Proposition 12, in the form that they print."""
    return divergence + wide.log(1 - 1 / order) - wide.log(delta * order) / (order - 1)


def best_order(rho: Fraction, delta: Fraction) -> Fraction:
    """The order of the least ε, by golden sections, to nine digits."""
    low, high = wide.mpf("1.0001"), wide.mpf(10**4)
    ratio = (wide.sqrt(5) - 1) / 2
    while high - low > 1e-9:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        values = [epsilon_at(order, order * mp(rho), mp(delta)) for order in (left, right)]
        low, high = (low, right) if values[0] < values[1] else (left, high)
    return above(low, 9)


@pytest.mark.parametrize(("rho", "delta"), PRINTED)
def test_the_best_order_gives_the_printed_epsilon(rho: str, delta: str) -> None:
    below, unit = cut(PRINTED[rho, delta][1])
    zcdp, order = ZCDP(F(rho)), best_order(F(rho), F(delta))
    assert at_order(zcdp, below + unit, delta, order) == ApproxDP(below + unit, F(delta))
    for other in (order, 1 + (order - 1) / 3, order * F(99, 100), order * F(101, 100), 3 * order):
        with pytest.raises(ProofError):
            at_order(zcdp, below, delta, other)


@given(
    st.fractions(F(1, 100), 8, max_denominator=100),
    st.fractions(F(1, 50), 12, max_denominator=50),
    st.one_of(st.sampled_from(ORDERS), st.fractions(F(11, 10), 40, max_denominator=30)),
)
@settings(max_examples=60, deadline=None)
def test_moments_of_zcdp_cover_the_exact_profile(
    rho: Fraction, extra: Fraction, order: Fraction
) -> None:
    epsilon, mu = rho + extra, wide.sqrt(2 * mp(rho))
    exact = gaussian_excess(wide.exp(mp(epsilon)), mu)
    # Bun & Steinke's tail is at least the moment of its own order.
    tail = upwards(wide.exp(-(mp(extra) ** 2) / (4 * mp(rho))))
    if tail < 1 - F(1, 10**10):
        at_order(ZCDP(rho), epsilon, tail, 1 + extra / (2 * rho))
        assert exact <= mp(tail)
    # The formula as Canonne, Kamath & Steinke print it.
    power = (mp(order) - 1) * (mp(order * rho) - mp(epsilon))
    delta = upwards(wide.exp(power) * (1 - 1 / mp(order)) ** mp(order) / (mp(order) - 1))
    if delta < 1 - F(1, 10**10):
        assert at_order(ZCDP(rho), epsilon, delta, order) == ApproxDP(epsilon, delta)
        assert exact <= mp(delta)
        with pytest.raises(ProofError):
            at_order(ZCDP(rho), epsilon, delta * (1 - F(1, 10**25)), order)


def test_without_a_loss_any_delta_will_do() -> None:
    for held in (ZCDP(F(0)), LossList(((1, ConcentratedLoss(F(0), F(0), F(0))),))):
        for method, tiny in (("sum", F(0)), ("moment", F(1, 10**900))):
            losses = held if isinstance(held, LossList) else convert("as-losses", held)
            hints = {"remove": {"order": 10**903}} if tiny else {}
            given = {"method": method, "epsilon": 0, "delta": tiny, "hints": hints}
            assert convert("to-approx", losses, **given) == ApproxDP(F(0), tiny)


def test_zcdp_lists_its_divergence_at_each_order() -> None:
    losses = convert("as-losses", ZCDP(F(1, 3)))
    orders, epsilons = (F(3, 2), F(2), F(64)), [F(1, 2), F(2, 3), F(64, 3)]
    curve = convert("to-renyi", losses, orders=orders, epsilons=epsilons)
    assert curve == RenyiCurve(tuple(zip(orders, epsilons, strict=True)))
    for place in range(3):
        short = [one - (place == n) * TINY for n, one in enumerate(epsilons)]
        with pytest.raises(ProofError, match="epsilon"):
            convert("to-renyi", losses, orders=orders, epsilons=short)


@given(
    st.fractions(0, 2, max_denominator=10),
    st.fractions(F(1, 50), 3, max_denominator=50),
    st.fractions(0, F(1, 2), max_denominator=100),
    st.fractions(F(1, 50), 6, max_denominator=50),
)
@settings(max_examples=40, deadline=None)
def test_approximate_zcdp_pays_delta_on_top_of_the_moment(
    xi: Fraction, rho: Fraction, delta: Fraction, extra: Fraction
) -> None:
    # Randomised response of loss ξ beside a Gaussian of ρ; with chance δ, all is given away.
    epsilon = xi + rho + extra
    gamma, mu = wide.exp(mp(epsilon)), wide.sqrt(2 * mp(rho))
    likely = 1 / (1 + wide.exp(-mp(xi)))
    inner = likely * gaussian_excess(gamma / wide.exp(mp(xi)), mu)
    inner += (1 - likely) * gaussian_excess(gamma * wide.exp(mp(xi)), mu)
    order = 1 + extra / (2 * rho)
    a = mp(order)
    power = (a - 1) * (mp(xi + order * rho) - mp(epsilon))
    split = upwards(wide.exp(power) * (1 - 1 / a) ** a / (a - 1))
    assert mp(split) <= wide.exp(-(mp(extra) ** 2) / (4 * mp(rho)))
    stated, known = delta + (1 - delta) * split, ConcentratedLoss(xi, rho, delta)
    if split < 1 - F(1, 10**10):
        losses = LossList(((1, known),))
        assert at_order(losses, epsilon, stated, order) == ApproxDP(epsilon, stated)
        assert mp(delta) + mp(1 - delta) * inner <= mp(stated)
        with pytest.raises(ProofError):
            at_order(losses, epsilon - F(1, 10**25), stated, order)


def test_a_delta_alone_is_all_of_an_approximate_guarantee_without_loss() -> None:
    # An outcome of chance δ that only one side has: δ cannot be less.
    losses = LossList(((1, ConcentratedLoss(F(0), F(0), F(1, 4))),))
    given: dict[str, Any] = {"method": "sum", "epsilon": 0, "hints": {}}
    convert("to-approx", losses, delta="1/4", **given)
    assert response_excess(wide.mpf(1), F(0), F(1, 4)) == mp(F(1, 4))
    with pytest.raises(ProofError, match="delta"):
        convert("to-approx", losses, delta=F(1, 4) - TINY, **given)


@given(pairs(), st.sampled_from(ORDERS), st.fractions(0, 4, max_denominator=20))
@settings(max_examples=40, deadline=None)
def test_moments_of_renyi_curves_cover_exact_divergences(
    pair: tuple[Law, Law], order: Fraction, epsilon: Fraction
) -> None:
    value = above(max(renyi(order, *pair), renyi(order, *pair[::-1])))
    curve = RenyiCurve(((order, value),))
    gamma = wide.exp(mp(epsilon))
    exact = max(excess(gamma, *pair), excess(gamma, *pair[::-1]))

    def holds(delta: Fraction) -> bool:
        return proved(curve, epsilon, delta, order)

    if holds(1 - F(1, 10**12)):
        assert exact <= mp(least(holds, 1 - F(2, 10**12), 12))


def test_an_order_asks_for_less_than_mironov_stated() -> None:
    curve, order, delta = RenyiCurve(((F(8), F(1)),)), F(8), F(1, 10**6)
    found = least(lambda epsilon: proved(curve, epsilon, delta, order), 9, 15)
    printed = epsilon_at(wide.mpf(8), wide.mpf(1), mp(delta))
    assert mp(found - F(1, 10**15)) < printed <= mp(found)
    # Mironov 2017, Proposition 3.
    assert mp(found) < 1 + wide.log(10**6) / 7


CURVE = RenyiCurve(((F(2), F(1)), (F(8), F(3))))


@pytest.mark.parametrize("held", [ZCDP(F(1)), CURVE])
@pytest.mark.parametrize(
    ("epsilon", "delta", "order"),
    [
        (50, 0, 2),
        (50, 1, 2),
        (50, -1, 2),
        (50, "1.5", 2),
        (50, "1e-6", 1),
        (50, "1e-6", "0.5"),
        (50, "1e-6", -2),
        (-1, "0.5", 2),
        ("0.1", "0.1", 8),
    ],
)
def test_what_no_theorem_covers_is_refused(
    held: Guarantee, epsilon: object, delta: object, order: object
) -> None:
    assert at_order(held, 50, "1e-6", F(2))
    with pytest.raises(InputError):
        at_order(held, epsilon, delta, F(str(order)))


def test_orders_beyond_a_curve_are_refused() -> None:
    # Between two orders the larger one's divergence holds.
    assert at_order(CURVE, "7.96", "1e-6", F(4)) == ApproxDP(F("7.96"), F("1e-6"))
    with pytest.raises(ProofError, match="so large"):
        at_order(CURVE, 50, "1e-6", F(9))


def test_an_order_near_one_is_decided() -> None:
    near, delta = 1 + F(1, 10**30), 1 - F(1, 10**30)
    assert at_order(ZCDP(F(10)), 1, delta, near) == ApproxDP(F(1), delta)
    assert not proved(ZCDP(F(100)), 1, delta, near)
