"""What each way of composing offers at a δ: an ε, and the theorem that proves it.

The searches behind them are untrusted. Every offer is worked out again by the independent checker
before it is made, and says where that leaves a number to the kernel.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import mpmath

from proofs.checker import check
from proofs.derivation import derivation
from proofs.entries import RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Private
from proofs.kernel import Theorem, prove
from proofs.losses import Losses, sides
from proofs.parts import Part, Repetition, entries_of
from proofs.profiles.entry_moments import concentration, largest, leak, pairs, total
from proofs.search.decimals import rounded_up, smallest_proved
from proofs.search.ends import (
    LEAST_DELTA,
    Bracket,
    enclose_delta,
    enclose_epsilon,
    methods_for,
)
from proofs.search.orders import (
    BITS,
    best_moment,
    best_order,
    convert,
    float_divergence,
    known_orders,
)
from proofs.search.repetition import Divergences, at_delta
from proofs.search.runs import concentrate_runs, of_point
from synthesizers.intervals import from_mpf, round_down, to_mpf

NAMES = {
    "gaussian": "Gaussian DP, closed form",
    "responses": "optimal composition, closed form",
    "laplace": "privacy-loss distribution, closed form",
    "values": "privacy-loss distribution, value by value",
    "contour": "privacy-loss distribution, contour integral",
    "lattice": "privacy-loss distribution, lattice",
    "sum": "sum of the largest losses",
}
"""Methods of the profile as a reader meets them."""


CLOSED = {"gaussian", "responses", "laplace", "values"}
"""The methods that take no time for a single run."""


@dataclass(frozen=True)
class Offer:
    """What one way of composing gives.

    ``rule``: its name for a reader. ``value``: the smallest found of what is asked for: ε at a δ,
    δ at an ε, ρ, μ, or ε at an order. ``theorem``: proves it. ``lower``: no smaller value holds
    for the dominating pairs; None where the way is not tight. ``kernel_only``: the independent
    checker can't afford some number of the proof.
    """

    rule: str
    value: Fraction
    theorem: Theorem
    lower: Fraction | None = None
    kernel_only: bool = False


Way = Callable[[Sequence[Part], Fraction], Offer | None]
"""A way of composing at a δ; None, or ProofError, where it does not apply."""


def offer(
    rule: str, theorem: Theorem, value: Fraction | None = None, lower: Fraction | None = None
) -> Offer:
    """The offer of a theorem, ``value`` being what it says of ε, ρ or μ unless another is stated.

    Raises ProofError where the checker rejects the theorem.
    """
    found = check(derivation(theorem))
    if found.status == "rejected":
        raise ProofError(f"the checker rejects the proof by {rule}: {found.reasons[0]}")
    own = stated_value(theorem) if value is None else value
    return Offer(rule, own, theorem, lower, found.status != "checked")


def stated_value(theorem: Theorem) -> Fraction:
    """The ε, ρ or μ of a theorem, or the ε at the first order that it lists."""
    judgment = theorem.judgment
    match judgment.guarantee if isinstance(judgment, Private) else None:
        case ApproxDP(value, _) | ZCDP(value) | GaussianDP(value):
            return value
        case RenyiCurve(((_, value), *_)):
            return value
    raise ProofError("the theorem states no single number")


def compose(parts: Sequence[Part]) -> Theorem:
    """The losses of all parts; ProofError where there are none."""
    counts = [part.count for part in parts]
    premises = [part.theorem for part in parts]
    return premises[0] if counts == [1] else prove("compose", premises, {"counts": counts})


def read_off(
    theorem: Theorem, method: str, epsilon: Fraction, delta: Fraction, hints: Any
) -> Theorem:
    """(ε, δ)-DP, read off a theorem's losses by a method."""
    given = {"method": method, "epsilon": epsilon, "delta": delta, "hints": hints}
    return prove("to-approx", [theorem], given)


def by_sum(theorem: Theorem) -> Theorem:
    """The sums of the largest losses and of the leaks; ProofError where a loss is unbounded."""
    entries = entries_of(theorem)
    epsilon = sum((count * largest(entry) for count, entry in entries), Fraction(0))
    delta = sum((count * leak(entry) for count, entry in entries), Fraction(0))
    return read_off(theorem, "sum", epsilon, delta, {})


def by_moment(theorem: Theorem, order: Fraction, epsilon: Fraction, delta: Fraction) -> Theorem:
    """(ε, δ)-DP by the losses' moment at an order α > 1."""
    hints = {side: {"order": str(order - 1)} for side in sides(entries_of(theorem))}
    return read_off(theorem, "moment", epsilon, delta, hints)


def by_best_moment(theorem: Theorem, delta: Fraction) -> Theorem:
    """The least ε of the losses' moments at a δ above their leaks."""
    entries = entries_of(theorem)
    missed = sum((count * leak(entry) for count, entry in entries), Fraction(0))
    if not missed < delta:
        raise ProofError("the losses leak more than delta")
    # What is left of δ beside the leaks, which are at most their sum: m + (1 - m)·d.
    left = (delta - missed) / (1 - missed)
    order, divergence = best_moment(entries, left)
    return smallest_proved(
        lambda: convert(divergence, order, left),
        lambda epsilon: by_moment(theorem, order, epsilon, delta),
    )


def basic(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The sum of each run's ε, at an equal share of δ where it has no pure one."""
    runs = sum(part.count for part in parts)
    bounded = [Part(one.name, one.count, _bound(one, delta / runs)) for one in parts]
    theorem = by_sum(compose(bounded))
    if _delta_of(theorem) > delta:
        return None
    return offer("basic composition", theorem)


def _bound(part: Part, delta: Fraction) -> Theorem:
    """Losses that are bounded but for leaks: the part's own, or an (ε, δ) of theirs."""
    if part.repetition is not None:
        return prove("as-losses", [_point_of(part, part.repetition, delta)])
    try:
        by_sum(part.theorem)
    except ProofError:
        return prove("as-losses", [by_best_moment(part.theorem, delta)])
    return part.theorem


def _delta_of(theorem: Theorem) -> Fraction:
    assert isinstance(theorem.judgment, Private)
    assert isinstance(theorem.judgment.guarantee, ApproxDP)
    return theorem.judgment.guarantee.delta


def compose_advanced(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """Advanced composition of runs of one mechanism (Dwork, Rothblum & Vadhan 2010, III.3).

    With (ε₀, δ₀) the k runs have ε = √(2k·ln(1/δ'))·ε₀ + k·ε₀·(e^ε₀ - 1) at δ = k·δ₀ + δ'. The
    moment at the order 1 + √(ln(1/δ')/ρ), ρ = k·ε₀²/2, proves as much.
    """
    if len(parts) != 1 or delta == 0:
        return None
    (part,) = parts
    count = part.count
    if count == 1 and part.repetition is not None:
        return None
    # Half of δ for the mechanisms where they have none of their own.
    one = _bound(part, delta / (2 * count))
    each = by_sum(one)
    own = stated_value(each)
    slack = delta - count * _delta_of(each)
    if slack <= 0 or own == 0:
        return None
    whole = compose([Part(part.name, count, one)])
    order = _order_of_tail(count * own**2 / 2, slack)

    def value() -> mpmath.mpf:
        epsilon = to_mpf(own)
        spread = mpmath.sqrt(2 * count * mpmath.log(1 / to_mpf(slack)))
        return spread * epsilon + count * epsilon * mpmath.expm1(epsilon)

    proved = smallest_proved(value, lambda epsilon: by_moment(whole, order, epsilon, delta))
    return offer("advanced composition", proved)


def _order_of_tail(rho: Fraction, delta: Fraction) -> Fraction:
    """The order at which the tail of a loss of ρ-zCDP is bounded best, nearly."""
    above = mpmath.sqrt(mpmath.log(1 / to_mpf(delta)) / to_mpf(rho))
    return 1 + round_down(from_mpf(above), BITS)


def concentrate(parts: Sequence[Part]) -> Theorem:
    """The least ρ of all parts; ProofError where one has none."""
    theorem = compose([_concentrate(part) for part in parts])
    found = total((n, concentration(entry, 128)) for n, entry in entries_of(theorem))
    if found.lower == found.upper:
        return prove("to-zcdp", [theorem], {"rho": found.upper})
    return smallest_proved(
        lambda: to_mpf(found.upper), lambda rho: prove("to-zcdp", [theorem], {"rho": rho})
    )


def _concentrate(part: Part) -> Part:
    """A repeated one that is known by its Rényi divergences, by its ρ; any other as it is."""
    repetition = part.repetition
    if repetition is None or not any(isinstance(one, RenyiCurve) for _, one in part.entries):
        return part
    rho = concentrate_runs(repetition.runs, concentrate([repetition.run]))
    return replace(part, theorem=prove("as-losses", [rho]))


def zcdp_tail(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The sum of all ρ, by the bound on the tail of the loss (Bun & Steinke 2016)."""
    zcdp = concentrate(parts)
    rho = stated_value(zcdp)
    if delta == 0 or rho == 0:
        return None
    order, losses = _order_of_tail(rho, delta), prove("as-losses", [zcdp])

    def value() -> mpmath.mpf:
        return to_mpf(rho) + 2 * mpmath.sqrt(to_mpf(rho) * mpmath.log(1 / to_mpf(delta)))

    proved = smallest_proved(value, lambda epsilon: by_moment(losses, order, epsilon, delta))
    return offer("zCDP (Bun & Steinke)", proved)


def zcdp_at_order(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The sum of all ρ at the best order (Canonne, Kamath & Steinke 2020)."""
    zcdp = concentrate(parts)
    rho = stated_value(zcdp)
    if delta == 0 or rho == 0:
        return None
    order, losses = best_order(lambda at: at * float(rho), delta), prove("as-losses", [zcdp])
    proved = smallest_proved(
        lambda: convert(order * rho, order, delta),
        lambda epsilon: by_moment(losses, order, epsilon, delta),
    )
    return offer("zCDP at the best order (Canonne, Kamath & Steinke)", proved)


def renyi(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The sum of all Rényi divergences at the best order."""
    theorem = compose(parts)
    if delta == 0 or not entries_of(theorem):
        return None
    return offer("Rényi DP at the best order", by_best_moment(theorem, delta))


def tight(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The smallest ε of the product of the dominating pairs."""
    theorem = compose(parts)
    ends = _ends(pairs(entries_of(theorem)), delta)
    if ends.method == "sum":
        proved = by_sum(theorem)
    else:
        proved = read_off(theorem, ends.method, ends.upper, delta, ends.hints)
    # Of several answers, the pairs' sum of the largest losses may be more than their own.
    return offer(NAMES[ends.method], proved, lower=min(ends.lower, stated_value(proved)))


def tight_rechecked(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The contour's ε rounded up until the independent checker can follow.

    None where it can't, and where it needs no room.
    """
    theorem = compose(parts)
    ends = _ends(pairs(entries_of(theorem)), delta)
    # It does not know sampled losses, whose sides differ.
    if ends.method != "contour" or len(ends.hints) > 1:
        return None
    narrow = tight(parts, delta)
    if narrow is None or not narrow.kernel_only:
        return None
    stated = rounded_up(ends.upper * (1 + Fraction(1, 10**7)), 8)
    proved = read_off(theorem, ends.method, stated, delta, ends.hints)
    found = offer(f"{narrow.rule}, rounded up", proved)
    return None if found.kernel_only else found


@lru_cache(maxsize=64)
def _ends(losses: Losses, delta: Fraction) -> Bracket:
    return enclose_epsilon(losses, delta)


def tight_at(parts: Sequence[Part], epsilon: Fraction, delta: Fraction) -> Offer | None:
    """(``epsilon``, ``delta`` > 0) of the product of the dominating pairs; None where it fails."""
    theorem = compose(parts)
    losses = pairs(entries_of(theorem))
    ends = enclose_delta(losses, epsilon, min(delta, LEAST_DELTA))
    if ends.upper > delta:
        return None
    return offer(NAMES[ends.method], read_off(theorem, ends.method, epsilon, delta, ends.hints))


def pure_of(repetition: Repetition) -> Theorem:
    """(ε, δ) of a repeated mechanism by the largest losses of its run."""
    return of_point(repetition.runs, by_sum(repetition.run.theorem))


def with_curves(parts: Sequence[Part], orders: Sequence[Fraction]) -> Theorem:
    """The losses of all parts, of repeated ones by their divergences at some orders."""
    changed = []
    for one in parts:
        if one.repetition is not None:
            curve = Divergences(one.repetition).curve(orders)
            one = replace(one, theorem=prove("as-losses", [curve]))
        changed.append(one)
    return compose(changed)


def with_curves_near(
    parts: Sequence[Part], best: Callable[[Callable[[float], float]], Fraction]
) -> Theorem:
    """The same at one or more orders; ``best``: the order, given the sum in doubles."""
    repeats = [(c.count, Divergences(c.repetition)) for c in parts if c.repetition]
    others = [c for c in parts if c.repetition is None]
    own = tuple((c.count * count, entry) for c in others for count, entry in c.entries)
    runs = [entry for _, one in repeats for entry in one.repetition.run.entries]

    def near(order: float) -> float:
        return float_divergence(own, order) + sum(n * one.near(order) for n, one in repeats)

    return with_curves(parts, known_orders((*own, *runs), best(near)))


def _by_curves(parts: Sequence[Part], delta: Fraction) -> Theorem:
    theorem = with_curves_near(parts, lambda near: best_order(near, delta))
    return by_best_moment(theorem, delta)


def _point_of(part: Part, repetition: Repetition, delta: Fraction) -> Theorem:
    """The smallest ε of a repeated mechanism at a δ that some way finds; ProofError for none."""
    one = [replace(part, count=1)]
    ways: tuple[Callable[[], Theorem], ...] = (
        partial(pure_of, repetition),
        partial(at_delta, repetition, delta),
        partial(_by_curves, one, delta),
    )
    found = []
    for way in ways:
        with contextlib.suppress(ValueError, ArithmeticError):
            found.append(way())
    found = [theorem for theorem in found if _delta_of(theorem) <= delta]
    if not found:
        raise ProofError("no bound on a repeated mechanism is known at this delta")
    return min(found, key=stated_value)


def profile_of_run(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The profile of one run of the only mechanism, which is repeated."""
    (only, *more) = parts
    if more or only.count > 1 or only.repetition is None:
        return None
    return offer("profile of a repeated mechanism", at_delta(only.repetition, delta))


def renyi_of_repeated(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The sum of all Rényi divergences at the best order, some of repeated mechanisms."""
    if delta == 0 or all(part.repetition is None for part in parts):
        return None
    return offer("Rényi DP of repeated mechanisms", _by_curves(parts, delta))


def tight_with_points(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """The pairs of all parts, of a repeated one that of its (ε, δ) at half of all δ."""
    runs = sum(part.count for part in parts if part.repetition)
    if delta == 0 or runs == 0 or sum(part.count for part in parts) == 1:
        return None
    points = [
        replace(one, theorem=_bound(one, delta / (2 * runs))) if one.repetition else one
        for one in parts
    ]
    found = tight(points, delta)
    assert found is not None
    return replace(found, rule=f"{found.rule}, half of delta for repeated mechanisms")


def at_zero(parts: Sequence[Part], delta: Fraction) -> Offer | None:
    """ε = 0, where the δ of each run at 0 has a closed form and all add up to at most δ."""
    points, spent = [], Fraction(0)
    for part in parts:
        losses = pairs(part.entries)
        if delta == 0 or part.repetition or not CLOSED.issuperset(methods_for(losses)[:1]):
            return None
        ends = enclose_delta(losses, Fraction(0))
        own = rounded_up(ends.upper, 20)
        spent += part.count * own
        if spent > delta:
            return None
        point = read_off(part.theorem, ends.method, Fraction(0), own, ends.hints)
        points.append(replace(part, theorem=prove("as-losses", [point])))
    return offer("basic composition at epsilon = 0", by_sum(compose(points)), lower=Fraction(0))


WAYS: tuple[Way, ...] = (
    at_zero,
    tight,
    tight_rechecked,
    profile_of_run,
    tight_with_points,
    zcdp_at_order,
    renyi,
    renyi_of_repeated,
    zcdp_tail,
    compose_advanced,
    basic,
)
"""Every way at a δ; of equal values the first is named."""
