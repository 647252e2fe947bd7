"""The least noise for a claim, found by search; the theorem about what is found decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from proofs import accountants
from proofs.accounts import of_terms
from proofs.components import Component
from proofs.errors import ProofError
from proofs.expressions import Term
from proofs.guarantees import ApproxDP
from proofs.guarantees import Guarantee as Claimed
from proofs.judgments import Dominated, Private
from proofs.prover import Offer, composed, settling, strongest
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours

DIGITS = 6
"""Significant digits of the parameter found (a choice of this project)."""

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
    components: tuple[Component, ...]


def calibrated(
    name: str, claimed: Claimed, count: int, sensitivity: Fraction, neighbours: Neighbours
) -> Calibrated:
    """The least noise under which ``count`` runs keep the claim.

    It is found to `DIGITS` digits, rounded to more noise. Raises InputError where no noise in
    `RANGE` suffices.
    """
    if name not in MORE_NOISE_IS_LARGER:
        known = ", ".join(MORE_NOISE_IS_LARGER)
        raise InputError(f"no noise {name[:40]!r} to calibrate; there are: {known}")
    parameter, upwards = MORE_NOISE_IS_LARGER[name]
    sensitive = {"sensitivity": sensitivity} if upwards else {}
    if sensitivity <= 0:
        raise InputError("a sensitivity to calibrate for must be above 0")
    if sensitivity != 1 and not upwards:
        raise InputError(f"{name} takes no sensitivity: its epsilon is that of one run")

    def term(amount: Fraction) -> Term:
        value = amount if upwards else 1 / amount
        return Term(count, name, {parameter: value, **sensitive})

    def keeps(amount: Fraction) -> bool:
        return _keeps(of_terms([term(amount)], neighbours), claimed)

    low, high = (sensitivity * end for end in RANGE)
    if not keeps(high):
        raise InputError(
            f"no {parameter} of {name} within reach keeps {claimed}; claim more, or run it less "
            "often"
        )
    amount = _least(keeps, low, high)
    while True:
        components = of_terms([term(amount)], neighbours)
        offer = settling(strongest(components, claimed), claimed, neighbours)
        if offer is not None:
            found = term(amount)
            return Calibrated(found, parameter, found.parameters[parameter], offer, components)
        amount += _unit(amount)
        if amount > high:
            raise ProofError("no theorem was found for the noise that was searched")


def _keeps(components: tuple[Component, ...], claimed: Claimed) -> bool:
    """Whether the claim seems to hold, by one evaluation where the profile decides."""
    if isinstance(claimed, ApproxDP) and claimed.delta > 0:
        try:
            pairs = composed("compose-pairs", components, Dominated)
            if pairs is not None:
                judgment = pairs.judgment
                assert isinstance(judgment, Private)
                assert isinstance(judgment.guarantee, Dominated)
                losses = judgment.guarantee.losses
                return accountants.delta(losses, claimed.epsilon).upper <= claimed.delta
        except InputError:
            return False
    found = strongest(components, claimed)
    limit = getattr(claimed, {"ZCDP": "rho", "GaussianDP": "mu"}.get(_kind(claimed), "epsilon"))
    return bool(found) and found[0].value <= limit


def _kind(claimed: Claimed) -> str:
    return type(claimed).__name__


def _least(keeps: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Fraction:
    """The least amount of `DIGITS` digits that keeps a claim, if more always does."""
    while high > 2 * low:
        # The geometric middle: the range spans many powers of ten.
        middle = Fraction(float(low) ** 0.5 * float(high) ** 0.5)
        low, high = (low, middle) if keeps(middle) else (middle, high)
    unit = _unit(low)
    first, last = -(-low // unit), -(-high // unit)
    while first < last:
        middle_number = (first + last) // 2
        if keeps(middle_number * unit):
            last = middle_number
        else:
            first = middle_number + 1
    return last * unit


def _unit(amount: Fraction) -> Fraction:
    """One unit in the last of `DIGITS` significant digits."""
    power = 0
    while amount >= 10:
        amount, power = amount / 10, power + 1
    while amount < 1:
        amount, power = amount * 10, power - 1
    return Fraction(10) ** (power - DIGITS + 1)
