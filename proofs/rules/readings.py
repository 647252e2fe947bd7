"""Read-offs: what a list of losses, all together, says in each of the usual terms.

A dominated mechanism's divergence at every γ is at most that of the pairs' product (Zhu, Dong &
Wang 2022, Definition 7), and so is every divergence that those are mixed to: Rényi's, for example.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from proofs.entries import Entries, Point
from proofs.errors import require
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import LossList, Private, Profile
from proofs.losses import GaussianLoss, Side, sides
from proofs.parameters import AtLeast0, Record, one_of
from proofs.profiles import moment
from proofs.profiles.entry_moments import concentration, divergence, largest, leak, pairs, total
from proofs.profiles.methods import METHODS
from proofs.rules.rule import (
    Conclusion,
    at_most,
    at_most_growing,
    curve_of,
    guarantee_of,
    restate,
    rule,
)
from synthesizers.intervals import Interval, exp_interval
from synthesizers.normal import normal_cdf

Method = Annotated[str, one_of(("sum", "moment", *METHODS))]
"""The methods that read a profile off a list of losses."""

Hints = dict[str, Record]
"""What a method is told, by the side."""


def _delta(entries: Entries, method: str, side: Side, epsilon: Fraction, hint: Record) -> Interval:
    """Encloses the δ at ε that a method finds, or is above what it leaves open."""
    if method == "moment":
        return moment.delta(entries, side, epsilon, hint)
    return METHODS[method](pairs(entries), side, epsilon, hint)


def _require_point(entries: Entries, method: str, point: Point, hints: Hints) -> None:
    """Raise ProofError unless the method finds δ(ε) <= δ of a ``point`` on every side."""
    epsilon, delta = point
    require(epsilon >= 0, "epsilon must not be negative")
    known = set(hints) <= set(sides(entries))
    require(known, f"hints are named values for {' and '.join(sides(entries))}")
    if method == "sum":
        require(not hints, "the sum takes no hints")
        most = sum((count * largest(entry) for count, entry in entries), Fraction(0))
        missed = sum((count * leak(entry) for count, entry in entries), Fraction(0))
        require(most <= epsilon, "epsilon must be at least the sum of the largest losses")
        require(missed <= delta, "delta must be at least the sum of the losses' deltas")
        return
    for side in sides(entries):
        found = _delta(entries, method, side, epsilon, hints.get(side, {}))
        expected = f"delta at epsilon must be that of the side {side}, or more"
        if method == "moment":
            require(found.upper <= delta, expected)
        at_most(found, delta, expected)


@rule("to-approx")
def to_approx(
    premise: Private, method: Method, epsilon: Fraction, delta: Fraction, hints: Hints
) -> Conclusion:
    """(ε, δ)-DP where a method finds that δ(ε) of the losses is at most ``delta``; ε in nats.

    On both sides, where they differ. Source: Zhu, Dong & Wang 2022, Definition 7; the sum: Dwork &
    Roth 2014, Theorem 3.16; a moment: Canonne, Kamath & Steinke 2020, Proposition 12.

    Guarantee
    ---------
    ``test_reading_rules.py::test_a_point_is_proved_at_its_delta_and_refused_below``.
    """
    _require_point(guarantee_of(premise, LossList).losses, method, (epsilon, delta), hints)
    return restate(premise, ApproxDP(epsilon, delta))


@rule("to-profile")
def to_profile(
    premise: Private, method: Method, points: tuple[Point, ...], hints: tuple[Hints, ...]
) -> Conclusion:
    """(ε, δ)-DP at every one of some points, each as in `to_approx`, with its own hints.

    Guarantee
    ---------
    ``test_reading_rules.py::test_a_profile_needs_every_point``.
    """
    require(len(hints) == len(points), "hints are a list, one for each point")
    entries = guarantee_of(premise, LossList).losses
    for point, own in zip(points, hints, strict=True):
        _require_point(entries, method, point, own)
    return restate(premise, Profile(points))


@rule("to-renyi")
def to_renyi(
    premise: Private, orders: tuple[Fraction, ...], epsilons: tuple[Fraction, ...]
) -> Conclusion:
    """Rényi DP at ``orders`` α with the ``epsilons``: Σ of the losses' D_α <= ε_α, on both sides.

    Rényi divergences add up over losses, and dominated mechanisms have no larger ones:
    E_Q[(P/Q)^α] = α(α-1)·∫ γ^(α-2)·sup_S (P(S) - γ·Q(S)) dγ, over γ > 0. Source: Mironov 2017,
    Proposition 1.

    Guarantee
    ---------
    ``test_reading_rules.py::test_renyi_epsilons_are_the_losses_own``.
    """
    entries = guarantee_of(premise, LossList).losses
    require(all(leak(entry) == 0 for _, entry in entries), "a loss may be infinite")
    curve = curve_of(orders, epsilons)
    for order, epsilon in curve.points:
        for side in sides(entries):
            found = total((n, divergence(entry, order - 1, side)) for n, entry in entries)
            at_most(found, epsilon * (order - 1), "an epsilon is too small")
    return restate(premise, curve)


@rule("to-zcdp")
def to_zcdp(premise: Private, rho: Fraction) -> Conclusion:
    """``rho``-zCDP with at least the sum of the losses' ρ.

    Source: Bun & Steinke 2016, Lemma 2.3; that of each loss is in `concentration`.

    Guarantee
    ---------
    ``test_reading_rules.py::test_zcdp_bounds_the_divergences_at_every_order``.
    """
    entries = guarantee_of(premise, LossList).losses

    def add_up(bits: int) -> Interval:
        return total((count, concentration(entry, bits)) for count, entry in entries)

    at_most_growing(add_up, rho, "rho must be at least that of the losses together")
    return restate(premise, ZCDP(rho))


@rule("to-gdp")
def to_gdp(premise: Private, mu: AtLeast0, shares: list[AtLeast0]) -> Conclusion:
    """``mu``-Gaussian DP: the squares of the losses' μ add up to at most mu².

    ``shares``: a μ for each loss but the Gaussian one, in their order. A loss of at most ε is
    μ-GDP where Φ(-μ/2) <= 1/(1 + e^ε): the Gaussian trade-off curve is convex, so that it lies
    below the two segments of ε-DP if it does at their three ends. Source: Dong, Roth & Su 2022,
    Corollary 3.3 and section 2.

    Guarantee
    ---------
    ``test_reading_rules.py::test_gaussian_dp_has_the_larger_profile``.
    """
    entries = guarantee_of(premise, LossList).losses
    others = [(n, entry) for n, entry in entries if not isinstance(entry, GaussianLoss)]
    require(len(shares) == len(others), "each loss but the Gaussian one needs its share")
    squared = sum(
        (n * e.mu_squared for n, e in entries if isinstance(e, GaussianLoss)), Fraction(0)
    )
    for (count, entry), share in zip(others, shares, strict=True):
        require(leak(entry) == 0, "a loss may be infinite")
        bound = largest(entry)

        def mass(bits: int, share: Fraction = share, bound: Fraction = bound) -> Interval:
            tail, power = normal_cdf(-share / 2, bits), exp_interval(bound, bits)
            return Interval(tail.lower * (1 + power.lower), tail.upper * (1 + power.upper))

        expected = "a share must be so large that Φ(-share/2)·(1 + e^epsilon) is at most 1"
        at_most_growing(mass, Fraction(1), expected)
        squared += count * share**2
    require(squared <= mu**2, "mu squared must reach the sum of the squares")
    return restate(premise, GaussianDP(mu))
