"""Tight composition: certified [lower, upper] for ε(δ) and δ(ε) of a product of dominating pairs.

Which method is used, and the hints that make it tight, are found by searches that nobody trusts;
both ends come from the methods of `proofs.profiles`, each of which encloses the profile. The
upper end is what the rule ``to-approx`` proves at the same hint. The lower end says how
tight it is: no smaller ε holds for the pairs themselves, and so for mechanisms that attain them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

from proofs.errors import ProofError
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
    sides,
)
from proofs.profiles.methods import METHODS
from proofs.search import contour, lattice
from proofs.search.bracket import bracket
from proofs.search.start import estimate_epsilon
from synthesizers.intervals import Interval

Hints = Mapping[Side, Mapping[str, Any]]
"""A hint for each side that is looked at."""

WIDTH = Fraction(1, 10**16)
"""The distance of two ends that a search is content with."""

LEAST_DELTA = Fraction(1, 10**40)
"""The δ to which a profile is resolved where none is named."""

MAX_FOLD = 300
"""The number of Laplace losses up to which their closed form is used: its cost grows with the
cube of it."""

MAX_VALUES = 1_000_000
"""The most values of a discrete loss whose profile is looked for."""

MANY_LATTICES = 3
"""So many different discrete Gaussians leave little of a contour integral's tail."""

NARROW = Fraction(1, 10**9)
"""The distance of two ends, of an ε or relative to a δ, beyond which another method is tried."""
LARGE_LOSS = 100
"""The s²/v of a discrete Gaussian beyond which a lattice has many points between few values."""

MAX_LOSS = 1 << 60
"""The largest s²/v of a discrete Gaussian whose profile is looked for."""

MAX_KINDS = {"lattice": 50}
"""The most different losses that a method is asked about."""

VALUED = {
    ResponseLoss,
    DiscreteLaplaceLoss,
    DiscreteGaussianLoss,
    SampledGaussianLoss,
    FixedSizeLoss,
}
"""The losses that the method values knows: discrete ones, and one Gaussian on a sample."""

MAX_SAMPLED = 4
"""The most different sampled losses whose profile is looked for."""

LEAST_FRACTION = Fraction(1, 10**12)
"""The smallest sampling rate whose profile is looked for: a search in doubles resolves no smaller
one."""

DEVIATIONS = 17
"""How far a discrete Gaussian law is summed up, in deviations: beyond are less than 2^-192."""


@dataclass(frozen=True)
class Bracket:
    """Both ends of a number, the method that certified them, and its hints at the upper end."""

    lower: Fraction
    upper: Fraction
    method: str
    hints: Hints


def methods_for(losses: Losses) -> tuple[str, ...]:
    """The methods that know these losses, the narrowest first."""
    kinds = {type(loss) for _, loss in losses}
    if kinds <= {GaussianLoss}:
        return ("gaussian",)
    secret = {AllocationLoss, FixedSizeLoss} & kinds
    if secret and SampledGaussianLoss in kinds:
        return ()
    once = ("values",) if kinds <= VALUED and _sampled_once(losses) else ()
    if secret:
        return (*once, "lattice")
    if SampledGaussianLoss in kinds:
        return (*once, "contour")
    if GaussianLoss in kinds:
        return ("contour", "lattice")
    if kinds == {LaplaceLoss} and len(losses) == 1 and losses[0][0] <= MAX_FOLD:
        return ("laplace", "lattice")
    sizes = {_two_point(loss) for _, loss in losses}
    if None not in sizes and len(sizes) == 1:
        return ("responses", "lattice")
    many = sum(isinstance(loss, DiscreteGaussianLoss) for _, loss in losses) >= MANY_LATTICES
    exact = lattice.is_exact(losses) and not any(_is_large(loss) for _, loss in losses)
    if many and not exact:
        return ("contour", "lattice")
    valued = ("values",) if kinds <= VALUED and not many else ()
    rest = ("contour",) if len(losses) > 1 else ()
    return ("lattice", *valued, *rest) if exact else (*valued, "lattice", *rest)


def _sampled_once(losses: Losses) -> bool:
    sampled = SampledGaussianLoss | FixedSizeLoss
    return sum(count for count, loss in losses if isinstance(loss, sampled)) == 1


def _is_large(loss: Loss) -> bool:
    return isinstance(loss, DiscreteGaussianLoss) and loss.shift**2 > LARGE_LOSS * loss.variance


def _two_point(loss: object) -> Fraction | None:
    """The ε of a loss that is ±ε and nothing else; None for any other."""
    if isinstance(loss, ResponseLoss):
        return loss.epsilon
    if isinstance(loss, DiscreteLaplaceLoss) and loss.shift == 1:
        return loss.rate
    return None


def _require_searchable(losses: Losses) -> None:
    """Raise ProofError where a search in doubles would not end, or find nothing."""
    if sum(isinstance(loss, SampledGaussianLoss) for _, loss in losses) > MAX_SAMPLED:
        raise ProofError(f"there are more than {MAX_SAMPLED} different sampled losses")
    for _, loss in losses:
        most = 0
        if isinstance(loss, DiscreteLaplaceLoss):
            most = loss.shift
        elif isinstance(loss, DiscreteGaussianLoss) and loss.shift:
            most = 2 * DEVIATIONS * isqrt(int(loss.variance))
            if loss.shift**2 > MAX_LOSS * loss.variance:
                raise ProofError("a loss is too large for a search in doubles")
        if most > MAX_VALUES:
            raise ProofError(f"a loss has more than {MAX_VALUES} values")
        if isinstance(loss, SampledGaussianLoss) and loss.fraction < LEAST_FRACTION:
            raise ProofError("a sampling rate is too small for a search in doubles")


def hint_for(
    method: str, losses: Losses, side: Side, epsilon: Fraction, delta: Fraction
) -> Mapping[str, Any]:
    """A hint under which the method is tight at an ε where the profile is about ``delta``."""
    match method:
        case "gaussian":
            return {}
        case "contour":
            return contour.contour_hint(losses, side, epsilon, delta)
        case "lattice":
            return lattice.hint(losses, side, epsilon)
        case _:
            # So many bits after the point as make the relative width of δ about 2^-80.
            size = delta.denominator.bit_length() - delta.numerator.bit_length()
            return {"bits": 80 + max(0, size)}


def enclose_delta(losses: Losses, epsilon: Fraction, least: Fraction = LEAST_DELTA) -> Bracket:
    """Both ends of the smallest δ at an ε >= 0; ``least``: a δ down to which it is resolved."""
    return _narrowest(losses, lambda method: _delta(method, losses, epsilon, least), relative=True)


def _delta(method: str, losses: Losses, epsilon: Fraction, least: Fraction) -> Bracket:
    hints = _hints(method, losses, epsilon, least)
    found = [METHODS[method](losses, side, epsilon, hints[side]) for side in sides(losses)]
    lower = max(Fraction(0), *(interval.lower for interval in found))
    return Bracket(lower, min(Fraction(1), max(i.upper for i in found)), method, hints)


def enclose_epsilon(losses: Losses, delta: Fraction, width: Fraction = WIDTH) -> Bracket:
    """Both ends of the smallest ε at a δ; ProofError where no finite ε has so small a δ."""
    if delta == 0 or not losses:
        return _pure(losses)
    return _narrowest(losses, lambda method: _epsilon(method, losses, delta, width))


def _epsilon(method: str, losses: Losses, delta: Fraction, width: Fraction) -> Bracket:
    if method == "contour":
        low, high, hints = contour.epsilon_bracket(losses, delta)
        return Bracket(low, high, method, hints)
    if method == "lattice":
        low, high = lattice.epsilon_bracket(losses, delta)
        if "add" in sides(losses) and lattice.profile(losses, "add", high).upper > delta:
            ends = lattice.epsilon_bracket(losses, delta, "add")
            low, high = max(low, ends[0]), max(high, ends[1])
    else:
        profile = _profile(method, losses, delta)
        low, high = bracket(profile, delta, estimate_epsilon(losses, delta), width)
    return Bracket(low, high, method, _hints(method, losses, high, delta))


def _hints(method: str, losses: Losses, epsilon: Fraction, delta: Fraction) -> Hints:
    return {side: hint_for(method, losses, side, epsilon, delta) for side in sides(losses)}


def _narrowest(losses: Losses, found: Callable[[str], Bracket], relative: bool = False) -> Bracket:
    """The first bracket that is `NARROW`, or else the least upper end beside the largest lower one.

    Raises ProofError where no method finds any.
    """
    _require_searchable(losses)
    refusal: Exception = ProofError("there are too many different losses, or no method for some")
    ends: list[Bracket] = []
    for method in methods_for(losses):
        if len(losses) > MAX_KINDS.get(method, len(losses)):
            continue
        try:
            ends.append(found(method))
        except (ValueError, ArithmeticError) as error:
            # A search in doubles that leaves their range has found nothing.
            refusal = error
            continue
        if ends[-1].upper - ends[-1].lower <= NARROW * (ends[-1].upper if relative else 1):
            break
    if not ends:
        raise ProofError(f"no method could enclose the profile: {refusal}")
    best = min(ends, key=lambda each: each.upper)
    return replace(best, lower=max(each.lower for each in ends))


def _profile(method: str, losses: Losses, delta: Fraction) -> Callable[[Fraction], Interval]:
    def at(epsilon: Fraction) -> Interval:
        hints = _hints(method, losses, epsilon, delta)
        found = [METHODS[method](losses, side, epsilon, hints[side]) for side in sides(losses)]
        return Interval(max(i.lower for i in found), max(i.upper for i in found))

    return at


def _pure(losses: Losses) -> Bracket:
    """The sum of the largest losses, which a product of pairs attains."""
    total = Fraction(0)
    for count, loss in losses:
        match loss:
            case LaplaceLoss(epsilon):
                total += count * epsilon
            case ResponseLoss(epsilon, failure) if failure == 0:
                total += count * epsilon
            case DiscreteLaplaceLoss(rate, shift):
                total += count * rate * shift
            case _:
                raise ProofError("no finite epsilon holds at delta = 0; give a delta above 0")
    return Bracket(total, total, "sum", {})
