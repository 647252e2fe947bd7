"""Rules that read guarantees off the dominating pairs of a mechanism.

A dominated mechanism's divergence at every γ is at most that of the pairs' product (Zhu, Dong &
Wang 2022, Definition 7), and so is every divergence that those are mixed to: Rényi's, for example.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Dominated, Point, Profile, RenyiCurve
from proofs.losses import (
    SIDES,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    sides,
)
from proofs.parameters import Parameters
from proofs.profiles.methods import METHODS
from proofs.profiles.moments import log_moment
from proofs.rules.rule import Conclusion, Premises, Rule, at_most, require
from proofs.rules.zcdp_conversions import conclude, read_premise
from synthesizers.intervals import Interval


def _require_point(rule: str, losses: Losses, method: str, point: Point, hints: Any) -> None:
    """Raise ProofError unless the method finds δ(ε) <= δ of a ``point`` on every side."""
    epsilon, delta = point
    require(epsilon >= 0, rule, "epsilon must not be negative")
    known = isinstance(hints, dict) and set(hints) <= set(SIDES)
    require(known, rule, f"hints are named values for {' and '.join(SIDES)}")
    for side in sides(losses):
        hint: Any = hints.get(side, {})
        require(isinstance(hint, dict), rule, "hints are named values for remove and for add")
        found = METHODS[method](losses, side, epsilon, hint)
        at_most(found, delta, rule, f"delta at epsilon is larger on the side {side}")


def _largest_loss(loss: Loss, rule: str) -> Fraction:
    """The largest value of a bounded loss; raises ProofError for another."""
    match loss:
        case LaplaceLoss(epsilon):
            return epsilon
        case ResponseLoss(epsilon, delta) if delta == 0:
            return epsilon
        case DiscreteLaplaceLoss(rate, each):
            return rate * each
        case _:
            raise ProofError(f"the rule {rule} does not apply to a loss of the kind {loss.name}")


def pair_to_approx(premises: Premises, given: Parameters) -> Conclusion:
    """(ε, δ)-DP where a method finds that δ(ε) of the pairs is at most ``delta``; ε in nats.

    On both sides, where they differ. Source: Zhu, Dong & Wang 2022, Definition 7.

    Guarantee
    ---------
    ``test_pair_rules.py::test_a_point_is_proved_at_its_delta_and_refused_below``.
    """
    premise, held = read_premise(premises, Dominated)
    point = given.rational("epsilon"), given.rational("delta")
    method = given.choice("method", *METHODS)
    _require_point(premises.rule, held.losses, method, point, given.record("hints"))
    return conclude(premise, ApproxDP(*point))


def pair_to_profile(premises: Premises, given: Parameters) -> Conclusion:
    """(ε, δ)-DP at every one of some points, each as in `pair_to_approx`, with its own hints.

    Guarantee
    ---------
    ``test_pair_rules.py::test_a_profile_needs_every_point``.
    """
    premise, held = read_premise(premises, Dominated)
    points, hints = given.points("points"), given.value("hints")
    method = given.choice("method", *METHODS)
    same = isinstance(hints, list) and len(hints) == len(points)
    require(same, premises.rule, "hints are a list, one for each point")
    for point, own in zip(points, hints, strict=True):
        _require_point(premises.rule, held.losses, method, point, own)
    return conclude(premise, Profile(points))


def pair_to_pure(premises: Premises, given: Parameters) -> Conclusion:
    """Pure DP with the sum of the largest losses, where all are bounded; ε in nats.

    A loss of at most ε is P(S) <= e^ε·Q(S), and independent losses add up.

    Guarantee
    ---------
    ``test_pair_rules.py::test_pure_epsilon_is_where_the_profile_reaches_zero``.
    """
    premise, held = read_premise(premises, Dominated)
    total = sum(
        (count * _largest_loss(loss, premises.rule) for count, loss in held.losses), Fraction(0)
    )
    return conclude(premise, ApproxDP(total))


def pair_to_renyi(premises: Premises, given: Parameters) -> Conclusion:
    """Rényi DP at ``orders`` α with the ``epsilons``: Σ of the losses' D_α <= ε_α, on both sides.

    Rényi divergences add up over independent pairs, and dominated mechanisms have no larger ones:
    E_Q[(P/Q)^α] = α(α-1)·∫ γ^(α-2)·sup_S (P(S) - γ·Q(S)) dγ, over γ > 0.

    Guarantee
    ---------
    ``test_pair_rules.py::test_renyi_epsilons_are_the_pairs_own``.
    """
    premise, held = read_premise(premises, Dominated)
    orders, epsilons = given.rationals("orders"), given.rationals("epsilons")
    require(len(orders) == len(epsilons), premises.rule, "every order has its epsilon")
    require(all(order > 1 for order in orders), premises.rule, "orders are above 1")
    for order, epsilon in zip(orders, epsilons, strict=True):
        for side in sides(held.losses):
            # Sums of the ends are exact: a Gaussian's moment is a rational number.
            each = [(count, log_moment(loss, order - 1, side)) for count, loss in held.losses]
            lower = sum((count * moment.lower for count, moment in each), Fraction(0))
            upper = sum((count * moment.upper for count, moment in each), Fraction(0))
            wanted = epsilon * (order - 1)
            at_most(Interval(lower, upper), wanted, premises.rule, "an epsilon is too small")
    return conclude(premise, RenyiCurve(tuple(zip(orders, epsilons, strict=True))))


def pair_to_zcdp(premises: Premises, given: Parameters) -> Conclusion:
    """zCDP with the sum of the losses' ρ.

    That is μ²/2 of a Gaussian, s²/(2v) of a discrete Gaussian (Canonne, Kamath & Steinke 2020,
    Proposition 5), ε²/2 of a loss of at most ε (Bun & Steinke 2016, Proposition 1.4).

    Guarantee
    ---------
    ``test_pair_rules.py::test_zcdp_bounds_the_divergences_at_every_order``.
    """
    premise, held = read_premise(premises, Dominated)
    rho = Fraction(0)
    for count, loss in held.losses:
        match loss:
            case GaussianLoss(mu_squared):
                rho += count * mu_squared / 2
            case DiscreteGaussianLoss(variance, shift):
                rho += count * shift**2 / (2 * variance)
            case _:
                rho += count * _largest_loss(loss, premises.rule) ** 2 / 2
    return conclude(premise, ZCDP(rho))


def pair_to_gdp(premises: Premises, given: Parameters) -> Conclusion:
    """``mu``-Gaussian DP of Gaussian pairs with Σ μ² <= mu² (Dong, Roth & Su 2022, Corollary 3.3).

    Guarantee
    ---------
    ``test_pair_rules.py::test_gaussian_pairs_are_one_gaussian``.
    """
    premise, held = read_premise(premises, Dominated)
    mu = given.rational("mu")
    require(mu >= 0, premises.rule, "mu must not be negative")
    squared = Fraction(0)
    for count, loss in held.losses:
        if not isinstance(loss, GaussianLoss):
            raise ProofError(f"the rule {premises.rule} takes Gaussian losses alone")
        squared += count * loss.mu_squared
    at_most(squared, mu**2, premises.rule, "mu is below that of the losses together")
    return conclude(premise, GaussianDP(mu))


RULES: dict[str, Rule] = {
    "pair-to-approx": pair_to_approx,
    "pair-to-profile": pair_to_profile,
    "pair-to-pure": pair_to_pure,
    "pair-to-renyi": pair_to_renyi,
    "pair-to-zcdp": pair_to_zcdp,
    "pair-to-gdp": pair_to_gdp,
}
