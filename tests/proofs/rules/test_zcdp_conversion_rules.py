"""Conversions of concentrated and Rényi DP: printed values, exact profiles, refusals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import ApproxZCDP, Guarantee, RenyiCurve
from proofs.rules.zcdp_conversions import PRECISIONS, at_most_growing, logs_at_most
from synthesizers.intervals import Interval
from tests.proofs.rules.divergences import (
    ORDERS,
    TINY,
    Law,
    above,
    accepted,
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


@pytest.mark.parametrize(("rho", "delta"), PRINTED)
def test_bun_and_steinke_epsilons_are_accepted_to_their_last_digit(rho: str, delta: str) -> None:
    below, unit = cut(PRINTED[rho, delta][0])
    found = convert("zcdp-to-approx", ZCDP(F(rho)), epsilon=below + unit, delta=delta)
    assert found == ApproxDP(below + unit, F(delta))
    with pytest.raises(ProofError):
        convert("zcdp-to-approx", ZCDP(F(rho)), epsilon=below, delta=delta)


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
    given = {"order": order, "epsilon": below + unit, "delta": delta}
    assert convert("zcdp-to-approx-at-order", zcdp, **given) == ApproxDP(below + unit, F(delta))
    for other in (order, 1 + (order - 1) / 3, order * F(99, 100), order * F(101, 100), 3 * order):
        with pytest.raises(ProofError):
            convert("zcdp-to-approx-at-order", zcdp, order=other, epsilon=below, delta=delta)


@given(
    st.fractions(F(1, 100), 8, max_denominator=100),
    st.fractions(F(1, 50), 12, max_denominator=50),
    st.one_of(st.sampled_from(ORDERS), st.fractions(F(11, 10), 40, max_denominator=30)),
)
@settings(max_examples=60, deadline=None)
def test_zcdp_conversions_cover_the_exact_profile(
    rho: Fraction, extra: Fraction, order: Fraction
) -> None:
    epsilon, mu = rho + extra, wide.sqrt(2 * mp(rho))
    exact = gaussian_excess(wide.exp(mp(epsilon)), mu)
    tail = upwards(wide.exp(-(mp(extra) ** 2) / (4 * mp(rho))))
    # The formula as Canonne, Kamath & Steinke print it.
    power = (mp(order) - 1) * (mp(order * rho) - mp(epsilon))
    formula = wide.exp(power) * (1 - 1 / mp(order)) ** mp(order) / (mp(order) - 1)
    for delta, rule, more in (
        (tail, "zcdp-to-approx", {}),
        (upwards(formula), "zcdp-to-approx-at-order", {"order": order}),
    ):
        if delta < 1 - F(1, 10**10):
            found = convert(rule, ZCDP(rho), epsilon=epsilon, delta=delta, **more)
            assert found == ApproxDP(epsilon, delta)
            assert exact <= mp(delta)
            with pytest.raises(ProofError):
                short = delta * (1 - F(1, 10**25))
                convert(rule, ZCDP(rho), epsilon=epsilon, delta=short, **more)


def test_without_a_loss_any_delta_will_do() -> None:
    nothing = ZCDP(F(0))
    tiny = F(1, 10**900)
    assert convert("zcdp-to-approx", nothing, epsilon=0, delta=tiny) == ApproxDP(F(0), tiny)
    approx = convert(
        "approx-zcdp-to-approx", ApproxZCDP(F(1), F(0), F(0)), epsilon=1, delta_split=tiny
    )
    assert approx == ApproxDP(F(1), tiny)


def test_zcdp_lists_its_divergence_at_each_order() -> None:
    curve = convert("zcdp-to-renyi", ZCDP(F(1, 3)), orders=["1.5", 2, 64])
    assert curve == RenyiCurve(((F(3, 2), F(1, 2)), (F(2), F(2, 3)), (F(64), F(64, 3))))


@pytest.mark.parametrize("delta", ["0", "1e-9", "0.999"])
def test_approximate_zcdp_takes_any_delta(delta: str) -> None:
    found = convert("zcdp-to-approx-zcdp", ZCDP(F(1, 3)), delta=delta)
    assert found == ApproxZCDP(F(0), F(1, 3), F(delta))


@given(
    st.fractions(0, 2, max_denominator=10),
    st.fractions(F(1, 50), 3, max_denominator=50),
    st.fractions(0, F(1, 2), max_denominator=100),
    st.fractions(F(1, 50), 6, max_denominator=50),
)
@settings(max_examples=40, deadline=None)
def test_approximate_zcdp_pays_delta_on_top_of_the_tail(
    xi: Fraction, rho: Fraction, delta: Fraction, extra: Fraction
) -> None:
    # Randomised response of loss ξ beside a Gaussian of ρ; with chance δ, all is given away.
    epsilon = xi + rho + extra
    gamma, mu = wide.exp(mp(epsilon)), wide.sqrt(2 * mp(rho))
    likely = 1 / (1 + wide.exp(-mp(xi)))
    inner = likely * gaussian_excess(gamma / wide.exp(mp(xi)), mu)
    inner += (1 - likely) * gaussian_excess(gamma * wide.exp(mp(xi)), mu)
    split = upwards(wide.exp(-(mp(extra) ** 2) / (4 * mp(rho))))
    known = ApproxZCDP(xi, rho, delta)
    if split < 1:
        found = convert("approx-zcdp-to-approx", known, epsilon=epsilon, delta_split=split)
        assert found == ApproxDP(epsilon, delta + (1 - delta) * split)
        assert mp(delta) + mp(1 - delta) * inner <= mp(found.delta)
        with pytest.raises(ProofError):
            short = epsilon - F(1, 10**25)
            convert("approx-zcdp-to-approx", known, epsilon=short, delta_split=split)


def test_a_delta_alone_is_all_of_an_approximate_guarantee_without_loss() -> None:
    # An outcome of chance δ that only one side has: δ cannot be less.
    found = convert(
        "approx-zcdp-to-approx",
        ApproxZCDP(F(0), F(0), F(1, 4)),
        epsilon=0,
        delta_split=F(1, 10**30),
    )
    assert isinstance(found, ApproxDP)
    assert response_excess(wide.mpf(1), F(0), F(1, 4)) < mp(found.delta)
    assert found.delta < F(1, 4) + F(1, 10**29)


@given(pairs(), st.sampled_from(ORDERS), st.fractions(0, 4, max_denominator=20))
@settings(max_examples=40, deadline=None)
def test_renyi_conversions_cover_exact_divergences(
    pair: tuple[Law, Law], order: Fraction, epsilon: Fraction
) -> None:
    value = above(max(renyi(order, *pair), renyi(order, *pair[::-1])))
    curve = RenyiCurve(((order, value),))
    gamma = wide.exp(mp(epsilon))
    exact = max(excess(gamma, *pair), excess(gamma, *pair[::-1]))
    for rule in ("renyi-to-approx", "renyi-to-approx-mironov"):

        def holds(delta: Fraction, rule: str = rule) -> bool:
            given = {"order": order, "epsilon": epsilon, "delta": delta}
            return accepted(lambda: convert(rule, curve, **given))

        if holds(1 - F(1, 10**12)):
            delta = least(holds, 1 - F(2, 10**12), 12)
            assert exact <= mp(delta)


def test_the_better_conversion_of_an_order_asks_for_less() -> None:
    curve, known = RenyiCurve(((F(8), F(1)),)), {"order": 8, "delta": "1e-6"}

    def found(rule: str) -> Fraction:
        return least(lambda e: accepted(lambda: convert(rule, curve, epsilon=e, **known)), 9, 15)

    better, mironov = found("renyi-to-approx"), found("renyi-to-approx-mironov")
    printed = epsilon_at(wide.mpf(8), wide.mpf(1), mp(F(1, 10**6)))
    assert mp(better - F(1, 10**15)) < printed <= mp(better)
    direct = 1 + wide.log(10**6) / 7
    assert mp(mironov - F(1, 10**15)) < direct <= mp(mironov)
    assert better < mironov


CURVE = RenyiCurve(((F(2), F(1)), (F(8), F(3))))
STATED = {"epsilon": 50, "delta": "1e-6"}


@pytest.mark.parametrize(
    ("rule", "premise", "parameters"),
    [
        *(
            (rule, premise, {**more, "epsilon": 50, name: delta})
            for rule, premise, name, more in (
                ("zcdp-to-approx", ZCDP(F(1)), "delta", {}),
                ("zcdp-to-approx-at-order", ZCDP(F(1)), "delta", {"order": 2}),
                ("renyi-to-approx", CURVE, "delta", {"order": 2}),
                ("renyi-to-approx-mironov", CURVE, "delta", {"order": 2}),
                ("approx-zcdp-to-approx", ApproxZCDP(F(0), F(1), F(0)), "delta_split", {}),
            )
            for delta in (0, 1, -1, "1.5")
        ),
        ("zcdp-to-approx", ZCDP(F(1)), {"epsilon": -1, "delta": "0.5"}),
        ("zcdp-to-approx", ZCDP(F(0)), {"epsilon": -1, "delta": "0.5"}),
        ("zcdp-to-approx", ZCDP(F(5)), {"epsilon": "0.1", "delta": "0.9"}),
        ("zcdp-to-approx-at-order", ZCDP(F(1)), {**STATED, "order": 1}),
        ("zcdp-to-approx-at-order", ZCDP(F(1)), {**STATED, "order": "0.5"}),
        ("zcdp-to-approx-at-order", ZCDP(F(1)), {**STATED, "order": -2}),
        ("zcdp-to-approx-at-order", ZCDP(F(0)), {"epsilon": "-0.1", "delta": "0.9", "order": 2}),
        ("renyi-to-approx", CURVE, {**STATED, "order": 4}),
        ("renyi-to-approx-mironov", CURVE, {**STATED, "order": 4}),
        ("renyi-to-approx-mironov", CURVE, {**STATED, "order": 8, "epsilon": "4.97"}),
        ("zcdp-to-renyi", ZCDP(F(1)), {"orders": [1, 2]}),
        ("zcdp-to-renyi", ZCDP(F(1)), {"orders": [3, 2]}),
        ("zcdp-to-renyi", ZCDP(F(1)), {"orders": []}),
        ("zcdp-to-approx-zcdp", ZCDP(F(1)), {"delta": 1}),
        ("zcdp-to-approx-zcdp", ZCDP(F(1)), {"delta": "-0.1"}),
        ("zcdp-to-approx", ApproxDP(F(1)), STATED),
        ("renyi-to-approx", ZCDP(F(1)), {**STATED, "order": 2}),
        ("approx-zcdp-to-approx", ZCDP(F(1)), {"epsilon": 50, "delta_split": "0.1"}),
    ],
)
def test_what_no_theorem_covers_is_refused(
    rule: str, premise: Guarantee, parameters: dict[str, Any]
) -> None:
    with pytest.raises(ProofError) as error:
        convert(rule, premise, **parameters)
    assert not isinstance(error.value, UndecidedError)


def test_an_order_near_one_is_decided() -> None:
    near, delta = 1 + F(1, 10**30), 1 - F(1, 10**30)
    given = {"order": near, "epsilon": 1, "delta": delta}
    assert convert("zcdp-to-approx-at-order", ZCDP(F(10)), **given) == ApproxDP(F(1), delta)
    with pytest.raises(ProofError) as error:
        convert("zcdp-to-approx-at-order", ZCDP(F(100)), **given)
    assert not isinstance(error.value, UndecidedError)


# The arithmetic beneath


def shrinking(centre: Fraction, seen: list[int]) -> Callable[[int], Interval]:
    def enclosure(bits: int) -> Interval:
        seen.append(bits)
        return Interval(centre - F(1, 2**bits), centre + F(1, 2**bits))

    return enclosure


@pytest.mark.parametrize(("close", "tries"), [(100, 1), (500, 2), (3000, 3)])
def test_the_precision_grows_until_an_inequality_is_decided(close: int, tries: int) -> None:
    seen: list[int] = []
    at_most_growing(shrinking(-F(1, 2**close), seen), F(0), "r", "e")
    assert seen == list(PRECISIONS[:tries])
    with pytest.raises(ProofError) as error:
        at_most_growing(shrinking(F(1, 2**close), seen), F(0), "r", "e")
    assert not isinstance(error.value, UndecidedError)


def test_an_inequality_beyond_the_stated_precision_stays_open() -> None:
    for side in (-1, 1):
        with pytest.raises(UndecidedError):
            at_most_growing(shrinking(F(side, 2**9999), []), F(0), "r", "e")


@given(
    st.lists(
        st.tuples(st.fractions(-9, 9), st.fractions(F(1, 10**6), 10**6)), min_size=1, max_size=4
    ),
    st.integers(-3, 3),
)
def test_sums_of_logarithms_are_enclosed(terms: list[tuple[Fraction, Fraction]], away: int) -> None:
    exact = wide.fsum(mp(factor) * wide.log(mp(number)) for factor, number in terms)
    bound = above(exact, 45) + F(away, 10**44)
    holds = accepted(lambda: logs_at_most(tuple(terms), bound, "r", "e"))
    assert holds == (exact <= mp(bound)) or abs(exact - mp(bound)) < wide.mpf(10) ** -50
