"""Conversions: from one guarantee of a mechanism to another guarantee of the same mechanism.

This file turns pure and approximate DP, Gaussian DP and profiles into the other kinds; what starts
from concentrated and Rényi DP is in `proofs.rules.zcdp_conversions`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import fields
from fractions import Fraction
from itertools import accumulate

from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Guarantee,
    Point,
    Private,
    Profile,
    RenyiCurve,
)
from proofs.losses import GaussianLoss, ResponseLoss, join
from proofs.parameters import Parameters
from proofs.rules import zcdp_conversions
from proofs.rules.guarantee_json import guarantee_from_json
from proofs.rules.rule import Conclusion, Premises, Rule, at_most, require
from proofs.rules.zcdp_conversions import at_most_growing, conclude, read_premise
from synthesizers.exact import ExpRational
from synthesizers.intervals import Interval, exp_interval
from synthesizers.normal import normal_cdf


def weaken(premises: Premises, parameters: Parameters) -> Conclusion:
    """A weaker guarantee of the same kind: no number is smaller, no new point is stronger.

    A Rényi divergence does not fall as the order grows (van Erven & Harremoës 2014, Theorem 3),
    and (ε, δ)-DP implies (ε', δ)-DP for ε' >= ε.

    Guarantee
    ---------
    Nothing stronger is concluded. Backed by
    ``tests/proofs/rules/test_conversion_rules.py::test_weaken_never_strengthens``.
    """
    premise = premises.private(ApproxDP, ZCDP, GaussianDP, ApproxZCDP, RenyiCurve, Profile)
    weaker = guarantee_from_json(parameters.record("guarantee"))
    expected = "the stated guarantee must be no stronger than the premise's, and of its kind"
    require(_is_weaker(premise.guarantee, weaker), premises.rule, expected)
    return conclude(premise, weaker)


def _is_weaker(strong: Guarantee, weak: Guarantee) -> bool:
    """Whether the second follows from the first, both of one kind."""
    match strong, weak:
        case (RenyiCurve() as curve, RenyiCurve(points)) | (Profile() as curve, Profile(points)):
            return _below(curve, points)
        case _ if type(strong) is type(weak):
            names = [field.name for field in fields(strong)]
            return all(getattr(strong, name) <= getattr(weak, name) for name in names)
        case _:
            return False


def _below(curve: RenyiCurve | Profile, points: tuple[Point, ...]) -> bool:
    """Whether each point follows from one of the curve."""
    firsts, seconds = zip(*curve.points, strict=True)
    if isinstance(curve, Profile):
        least = list(accumulate(seconds, min))
        places = [bisect_right(firsts, first) - 1 for first, _ in points]
    else:
        least = list(accumulate(reversed(seconds), min))[::-1]
        places = [bisect_left(firsts, first) for first, _ in points]
    reached = zip(places, points, strict=True)
    return all(0 <= at < len(least) and least[at] <= second for at, (_, second) in reached)


def pure_to_zcdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """ε-DP is ε²/2-zCDP (Bun & Steinke 2016, Proposition 1.4).

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_pure_dp_bounds_every_renyi_divergence``.
    """
    premise, pure = _pure(premises)
    return conclude(premise, ZCDP(pure**2 / 2))


def pure_to_zcdp_tight(premises: Premises, parameters: Parameters) -> Conclusion:
    """ε-DP is ρ-zCDP for ρ >= ε·tanh(ε/2), and for no smaller one (Steinke 2024, Theorem 5).

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_pure_dp_bounds_every_renyi_divergence``,
    and tight by ``test_the_tight_rho_of_pure_dp_is_that_of_randomised_response`` there.
    """
    premise, pure = _pure(premises)
    rho, power = parameters.rational("rho"), ExpRational.exp(pure)
    expected = "rho must be at least epsilon·tanh(epsilon/2)"
    at_most(power * pure - pure, power * rho + rho, premises.rule, expected)
    return conclude(premise, ZCDP(rho))


def pure_to_pair(premises: Premises, parameters: Parameters) -> Conclusion:
    """(ε, δ)-DP is dominated by randomised response that fails with chance δ, on both sides.

    Source: Kairouz, Oh & Viswanath 2015; Murtagh & Vadhan 2016, section 3; ε in nats.

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_the_response_pair_dominates_every_approximate_mechanism``.
    """
    premise, approx = read_premise(premises, ApproxDP)
    loss = ResponseLoss(approx.epsilon, approx.delta)
    return conclude(premise, Dominated(((1, loss),)))


def pure_to_gdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """ε-DP is μ-GDP where Φ(-μ/2) <= 1/(1 + e^ε), and for no smaller μ.

    Source: Dong, Roth & Su 2022, section 2: the Gaussian trade-off curve is convex, so that it lies
    below the two segments of ε-DP if it does at their three ends.

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_the_gaussian_of_pure_dp_has_the_larger_profile``.
    """
    premise, pure = _pure(premises)
    mu = parameters.rational("mu")

    def mass(bits: int) -> Interval:
        tail, power = normal_cdf(-mu / 2, bits), exp_interval(pure, bits)
        return Interval(tail.lower * (1 + power.lower), tail.upper * (1 + power.upper))

    expected = "mu must be so large that Φ(-mu/2)·(1 + e^epsilon) is at most 1"
    at_most_growing(mass, Fraction(1), premises.rule, expected)
    return conclude(premise, GaussianDP(mu))


def pure_to_renyi(premises: Premises, parameters: Parameters) -> Conclusion:
    """ε-DP has at order α the Rényi divergence of randomised response, or less.

    ε_α >= ln((e^(αε) + e^((1-α)ε))/(1 + e^ε))/(α - 1), in nats: the ratio of two chances lies
    between e^-ε and e^ε, and x^α is convex (Steinke 2024, Theorem 4).

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_pure_dp_bounds_every_renyi_divergence``.
    """
    premise, pure = _pure(premises)
    orders, epsilons = parameters.rationals("orders"), parameters.rationals("epsilons")
    require(len(orders) == len(epsilons), premises.rule, "each order needs its epsilon")
    curve = RenyiCurve(tuple(zip(orders, epsilons, strict=True)))
    one, exp = ExpRational.of(1), ExpRational.exp
    for order, epsilon in curve.points:
        moment = exp(order * pure) + exp((1 - order) * pure)
        stated = exp((order - 1) * epsilon) * (one + exp(pure))
        expected = "each epsilon must be at least that of randomised response"
        at_most(moment, stated, premises.rule, expected)
    return conclude(premise, curve)


def approx_to_approx_zcdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """(ε, δ)-DP is δ-approximate (0, ε²/2)-zCDP (Bun & Steinke 2016, section 8).

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_approximate_dp_is_randomised_response_but_for_delta``.
    """
    premise, approx = read_premise(premises, ApproxDP)
    return conclude(premise, ApproxZCDP(Fraction(0), approx.epsilon**2 / 2, approx.delta))


def approx_to_profile(premises: Premises, parameters: Parameters) -> Conclusion:
    """(ε, δ)-DP as a profile of one point.

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_a_profile_gives_its_largest_epsilon_below_the_stated``.
    """
    premise, approx = read_premise(premises, ApproxDP)
    return conclude(premise, Profile(((approx.epsilon, approx.delta),)))


def profile_to_approx(premises: Premises, parameters: Parameters) -> Conclusion:
    """(ε, δ)-DP with the δ of the largest listed ε that is at most the stated one.

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_a_profile_gives_its_largest_epsilon_below_the_stated``.
    """
    premise, profile = read_premise(premises, Profile)
    epsilon = parameters.rational("epsilon")
    deltas = [delta for at, delta in profile.points if at <= epsilon]
    require(bool(deltas), premises.rule, "epsilon must be at least the smallest of the profile")
    return conclude(premise, ApproxDP(epsilon, deltas[-1]))


def gdp_to_pair(premises: Premises, parameters: Parameters) -> Conclusion:
    """μ-GDP is dominated by N(μ, 1) against N(0, 1), on both sides (Dong, Roth & Su 2022).

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_gaussian_dp_is_the_gaussian_pair``.
    """
    premise, gaussian = read_premise(premises, GaussianDP)
    return conclude(premise, Dominated(join([((1, GaussianLoss(gaussian.mu**2)),)], [1])))


def gdp_to_zcdp(premises: Premises, parameters: Parameters) -> Conclusion:
    """μ-GDP is μ²/2-zCDP: D_α(N(μ, 1) ‖ N(0, 1)) = α·μ²/2 (Dong, Roth & Su 2022).

    Guarantee
    ---------
    ``tests/proofs/rules/test_conversion_rules.py::test_gaussian_dp_is_the_gaussian_pair``.
    """
    premise, gaussian = read_premise(premises, GaussianDP)
    return conclude(premise, ZCDP(gaussian.mu**2 / 2))


def _pure(premises: Premises) -> tuple[Private, Fraction]:
    """The only premise, of pure DP, and its ε."""
    premise, approx = read_premise(premises, ApproxDP)
    require(approx.delta == 0, premises.rule, "the premise must have delta = 0")
    return premise, approx.epsilon


RULES: dict[str, Rule] = {
    "weaken": weaken,
    "pure-to-zcdp": pure_to_zcdp,
    "pure-to-zcdp-tight": pure_to_zcdp_tight,
    "pure-to-pair": pure_to_pair,
    "pure-to-gdp": pure_to_gdp,
    "pure-to-renyi": pure_to_renyi,
    "approx-to-approx-zcdp": approx_to_approx_zcdp,
    "approx-to-profile": approx_to_profile,
    "profile-to-approx": profile_to_approx,
    "gdp-to-pair": gdp_to_pair,
    "gdp-to-zcdp": gdp_to_zcdp,
    **zcdp_conversions.RULES,
}
"""The conversions by their names."""
