"""Conversions from concentrated and Rényi DP, and what all conversions share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import ApproxZCDP, Guarantee, Private, RenyiCurve
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, G, Premises, Rule, at_most, require
from synthesizers.intervals import Interval, log_interval

PRECISIONS = (192, 768, 3072)
"""The bits at which an inequality is tried before it stays open."""


def read_premise(premises: Premises, kind: type[G]) -> tuple[Private, G]:
    """The only premise, a mechanism, and its guarantee of one kind; raises ProofError."""
    found, guarantees = premises.guarantees(kind)
    require(len(found) == 1, premises.rule, "it takes one premise")
    return found[0], guarantees[0]


def conclude(premise: Private, guarantee: Guarantee) -> Conclusion:
    """Another guarantee of the premise's mechanism, under its neighbours."""
    return Conclusion(replace(premise, guarantee=guarantee))


def at_most_growing(
    value: Callable[[int], Interval], bound: Fraction, rule: str, expected: str
) -> None:
    """`at_most` for a number enclosed to as many bits as asked for, at the first that decide.

    Guarantee
    ---------
    Returns only if the number is at most ``bound``, where each interval holds it. Backed by
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_the_precision_grows_until_an_inequality_is_decided``.
    """
    for bits in PRECISIONS:
        found = value(bits)
        if found.upper <= bound or found.lower > bound:
            break
    at_most(found, bound, rule, expected)


def logs_at_most(
    terms: tuple[tuple[Fraction, Fraction], ...], bound: Fraction, rule: str, expected: str
) -> None:
    """Raise ProofError unless Σ c·ln x <= ``bound`` over the ``terms`` (c, x).

    Guarantee
    ---------
    Returns only if it holds. Backed by
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_sums_of_logarithms_are_enclosed``.
    """

    def total(bits: int) -> Interval:
        lower = upper = Fraction(0)
        for factor, number in terms:
            log = log_interval(number, bits)
            ends = (factor * log.lower, factor * log.upper)
            lower, upper = lower + min(ends), upper + max(ends)
        return Interval(lower, upper)

    at_most_growing(total, bound, rule, expected)


def _inside(delta: Fraction, rule: str) -> Fraction:
    require(0 < delta < 1, rule, "delta must lie strictly between 0 and 1")
    return delta


def zcdp_tail(xi: Fraction, rho: Fraction, epsilon: Fraction, delta: Fraction, rule: str) -> None:
    """Raise ProofError unless ε >= ξ + ρ + 2·√(ρ·ln(1/δ)), with 0 < δ < 1; ε in nats.

    Then (ξ, ρ)-zCDP entails (ε, δ)-DP (Bun & Steinke 2016, Proposition 1.3). The root is gone:
    with t = ε - ξ - ρ the condition is t >= 0 and 4ρ·ln(1/δ) <= t².

    Guarantee
    ---------
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_bun_and_steinke_epsilons_are_accepted_to_their_last_digit``.
    """
    excess = epsilon - xi - rho
    expected = "epsilon must be at least xi + rho + 2·√(rho·ln(1/delta))"
    term = (4 * rho, 1 / _inside(delta, rule))
    require(excess >= 0, rule, expected)
    logs_at_most((term,), excess**2, rule, expected)


def _at_order(order: Fraction, divergence: Fraction, parameters: Parameters, rule: str) -> ApproxDP:
    """(ε, δ)-DP as stated, where it follows from a bound on D_α at an order α > 1.

    δ >= e^((α-1)(D_α-ε))·(1 - 1/α)^(α-1)/α (Canonne, Kamath & Steinke 2020, Corollary 13), as
    ln(1/(δα)) + (α-1)·ln(1 - 1/α) <= (α-1)(ε - D_α).
    """
    epsilon, delta = parameters.rational("epsilon"), _inside(parameters.rational("delta"), rule)
    terms = ((Fraction(1), 1 / (delta * order)), (order - 1, (order - 1) / order))
    expected = "epsilon and delta must be at least those of this order"
    logs_at_most(terms, (order - 1) * (epsilon - divergence), rule, expected)
    require(epsilon >= 0, rule, "epsilon must not be negative")
    return ApproxDP(epsilon, delta)


def zcdp_to_approx(premises: Premises, parameters: Parameters) -> Conclusion:
    """ρ-zCDP is (ε, δ)-DP for ε >= ρ + 2·√(ρ·ln(1/δ)) (Bun & Steinke 2016, Proposition 1.3).

    Guarantee
    ---------
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_zcdp_conversions_cover_the_exact_profile``.
    """
    premise, zcdp = read_premise(premises, ZCDP)
    epsilon, delta = parameters.rational("epsilon"), parameters.rational("delta")
    zcdp_tail(Fraction(0), zcdp.rho, epsilon, delta, premises.rule)
    return conclude(premise, ApproxDP(epsilon, delta))


def zcdp_to_approx_at_order(premises: Premises, parameters: Parameters) -> Conclusion:
    """ρ-zCDP is (ε, δ)-DP by its divergence αρ at one order α > 1; any order is valid.

    Source: Canonne, Kamath & Steinke 2020, Corollary 13; ε and ρ in nats.

    Guarantee
    ---------
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_zcdp_conversions_cover_the_exact_profile``.
    """
    premise, zcdp = read_premise(premises, ZCDP)
    order = parameters.rational("order")
    require(order > 1, premises.rule, "the order must be above 1")
    return conclude(premise, _at_order(order, order * zcdp.rho, parameters, premises.rule))


def zcdp_to_renyi(premises: Premises, parameters: Parameters) -> Conclusion:
    """ρ-zCDP is (α, αρ)-Rényi DP at each stated order α > 1 (Bun & Steinke 2016, Definition 1.1).

    Guarantee
    ---------
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_zcdp_lists_its_divergence_at_each_order``.
    """
    premise, zcdp = read_premise(premises, ZCDP)
    orders = parameters.rationals("orders")
    return conclude(premise, RenyiCurve(tuple((order, order * zcdp.rho) for order in orders)))


def zcdp_to_approx_zcdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """ρ-zCDP is δ-approximate (0, ρ)-zCDP (Bun & Steinke 2016, Definition 8.1).

    Guarantee
    ---------
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_approximate_zcdp_takes_any_delta``.
    """
    premise, zcdp = read_premise(premises, ZCDP)
    return conclude(premise, ApproxZCDP(Fraction(0), zcdp.rho, parameters.rational("delta")))


def approx_zcdp_to_approx(premises: Premises, parameters: Parameters) -> Conclusion:
    """δ-approximate (ξ, ρ)-zCDP is (ε, δ + (1-δ)δ')-DP for ε >= ξ + ρ + 2·√(ρ·ln(1/δ')).

    Source: Bun & Steinke 2016, section 8; δ' is the parameter ``delta_split``.

    Guarantee
    ---------
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_approximate_zcdp_pays_delta_on_top_of_the_tail``.
    """
    premise, approx = read_premise(premises, ApproxZCDP)
    epsilon, split = parameters.rational("epsilon"), parameters.rational("delta_split")
    zcdp_tail(approx.xi, approx.rho, epsilon, split, premises.rule)
    return conclude(premise, ApproxDP(epsilon, approx.delta + (1 - approx.delta) * split))


def _point(premises: Premises, parameters: Parameters) -> tuple[Private, Fraction, Fraction]:
    """The only premise, a stated order of its Rényi curve, and the ε there."""
    premise, curve = read_premise(premises, RenyiCurve)
    order, points = parameters.rational("order"), dict(curve.points)
    require(order in points, premises.rule, "the order must be one of the premise's")
    return premise, order, points[order]


def renyi_to_approx(premises: Premises, parameters: Parameters) -> Conclusion:
    """(α, ε_α)-Rényi DP is (ε, δ)-DP as in `zcdp_to_approx_at_order`, with ε_α for αρ.

    Source: Canonne, Kamath & Steinke 2020, Proposition 12; Asoodeh et al. 2020; ε in nats.

    Guarantee
    ---------
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_renyi_conversions_cover_exact_divergences``.
    """
    premise, order, divergence = _point(premises, parameters)
    return conclude(premise, _at_order(order, divergence, parameters, premises.rule))


def renyi_to_approx_mironov(premises: Premises, parameters: Parameters) -> Conclusion:
    """(α, ε_α)-Rényi DP is (ε, δ)-DP for ε >= ε_α + ln(1/δ)/(α - 1) (Mironov 2017, Proposition 3).

    Guarantee
    ---------
    ``tests/proofs/rules/test_zcdp_conversion_rules.py::test_renyi_conversions_cover_exact_divergences``.
    """
    premise, order, divergence = _point(premises, parameters)
    epsilon, delta = parameters.rational("epsilon"), parameters.rational("delta")
    term = (Fraction(1), 1 / _inside(delta, premises.rule))
    expected = "epsilon must be at least that of the order plus ln(1/delta)/(order - 1)"
    logs_at_most((term,), (order - 1) * (epsilon - divergence), premises.rule, expected)
    return conclude(premise, ApproxDP(epsilon, delta))


RULES: dict[str, Rule] = {
    "zcdp-to-approx": zcdp_to_approx,
    "zcdp-to-approx-at-order": zcdp_to_approx_at_order,
    "zcdp-to-renyi": zcdp_to_renyi,
    "zcdp-to-approx-zcdp": zcdp_to_approx_zcdp,
    "approx-zcdp-to-approx": approx_zcdp_to_approx,
    "renyi-to-approx": renyi_to_approx,
    "renyi-to-approx-mironov": renyi_to_approx_mironov,
}
"""The conversions from concentrated and Rényi DP by their names."""
