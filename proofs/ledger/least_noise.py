"""The least noise for a claim, found by search; the theorem about what is found decides."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from proofs.guarantees import ApproxDP
from proofs.guarantees import Guarantee as Claimed
from proofs.ledger.expressions import Term
from proofs.ledger.terms import of_terms
from proofs.parts import Part, attains
from proofs.search.best import settle, strongest
from proofs.search.decimals import power_of_ten
from proofs.search.ways import Offer, tight_at
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours
from synthesizers.suggestions import suggest

DIGITS = 6
"""Significant digits of the parameter found."""

MORE_NOISE_IS_LARGER = {
    "gaussian": ("sigma", True),
    "discrete_gaussian": ("sigma", True),
    "laplace": ("scale", True),
    "discrete_laplace": ("scale", True),
    "randomized_response": ("epsilon", False),
    "exponential": ("epsilon", False),
}
"""Each mechanism's parameter, and whether a larger one means more noise."""

RANGE = Fraction(1, 10**9), Fraction(10**12)
"""Where a parameter is looked for, as a multiple of the sensitivity."""


@dataclass(frozen=True)
class Calibrated:
    """The least noise found: a mechanism's parameter, and the theorem that it suffices."""

    term: Term
    parameter: str
    value: Fraction
    offer: Offer


def calibrate_noise(
    name: str, claimed: Claimed, count: int, sensitivity: Fraction, neighbours: Neighbours
) -> Calibrated:
    """The least noise under which ``count`` runs keep the claim.

    It is found to `DIGITS` digits, rounded to more noise. Raises InputError where no noise in
    `RANGE` suffices.
    """
    if name not in MORE_NOISE_IS_LARGER:
        known = MORE_NOISE_IS_LARGER
        raise InputError(
            f"no noise {name[:40]!r} to calibrate; there are: {', '.join(known)}"
            f"{suggest(name, known)}"
        )
    parameter, upwards = MORE_NOISE_IS_LARGER[name]
    sensitive = {"sensitivity": sensitivity} if upwards else {}
    if sensitivity <= 0:
        raise InputError("a sensitivity to calibrate for must be above 0")
    if sensitivity != 1 and not upwards:
        raise InputError(f"{name} takes no sensitivity: its epsilon is that of one run")

    def term(value: Fraction) -> Term:
        return Term(count, name, {parameter: value, **sensitive})

    def suffices(value: Fraction) -> bool:
        return _suffices(of_terms([term(value)], neighbours), claimed, neighbours) is not None

    low, high = (sensitivity * end for end in RANGE)
    most, least = (high, low) if upwards else (low, high)
    if suffices(least):
        raise InputError(f"even the least noise of {name} that is looked at keeps {claimed}")
    if not suffices(most):
        raise InputError(
            f"no {parameter} of {name} within reach is proved to keep {claimed}; claim more, or "
            "run it less often"
        )
    found = term(_last(suffices, most, least))
    offer = _suffices(of_terms([found], neighbours), claimed, neighbours)
    assert offer is not None
    return Calibrated(found, parameter, found.parameters[parameter], offer)


def _suffices(parts: tuple[Part, ...], claimed: Claimed, neighbours: Neighbours) -> Offer | None:
    """A theorem that implies the claim; None where none is found."""
    if isinstance(claimed, ApproxDP) and claimed.delta > 0:
        # One evaluation of the profile says as much as a search for its ε.
        with contextlib.suppress(ValueError, ArithmeticError):
            offer = tight_at(parts, claimed.epsilon, claimed.delta)
            if offer is not None or all(map(attains, parts)):
                return offer
    return settle(strongest(parts, claimed), claimed, neighbours)


def _last(suffices: Callable[[Fraction], bool], good: Fraction, bad: Fraction) -> Fraction:
    """The last value of `DIGITS` digits on the way from a good one to a bad one that suffices."""
    first, last = (power_of_ten(end) + (end == max(good, bad)) for end in (good, bad))
    while abs(last - first) > 1:
        middle = (first + last) // 2
        first, last = (middle, last) if suffices(Fraction(10) ** middle) else (first, middle)
    unit = Fraction(10) ** (min(first, last) - DIGITS + 1)
    most, least = (10 ** (DIGITS - 1 + (end == max(first, last))) for end in (first, last))
    while abs(most - least) > 1:
        between = (most + least) // 2
        most, least = (between, least) if suffices(between * unit) else (most, between)
    return Fraction(most * unit)
