"""What single entries say of the loss: its largest value, its ρ, its moments, its leak.

Each is None, or a ProofError, where the entry says nothing of that kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from proofs.entries import (
    BoundedRangeLoss,
    ConcentratedLoss,
    Entries,
    Entry,
    NoiseLoss,
    RenyiCurve,
)
from proofs.errors import ProofError
from proofs.losses import (
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    Side,
    join,
)
from proofs.profiles.moments import log_moment
from synthesizers.intervals import Interval, exp_interval


def pairs(entries: Entries) -> Losses:
    """The dominating pairs of all entries; ProofError where one has none.

    A mechanism of bounded range ε is ε-DP, and dominated as such.
    """
    return join([_pairs(entry) for _, entry in entries], [count for count, _ in entries])


def _pairs(entry: Entry) -> Losses:
    match entry:
        case NoiseLoss():
            return entry.pairs
        case BoundedRangeLoss(epsilon):
            return ((1, ResponseLoss(epsilon)),)
        case ConcentratedLoss() | RenyiCurve():
            raise ProofError(f"a loss of the kind {entry.name} has no dominating pair")
        case _:
            return ((1, entry),)


def leak(entry: Entry) -> Fraction:
    """The chance with which nothing is known of the loss."""
    return entry.delta if isinstance(entry, ResponseLoss | ConcentratedLoss) else Fraction(0)


def largest(entry: Entry) -> Fraction:
    """The largest loss but for a leak; ProofError where it is unbounded."""
    match entry:
        case NoiseLoss(law, amount, _, l1) if law != "discrete-gaussian":
            return l1 / amount
        case ResponseLoss(epsilon) | BoundedRangeLoss(epsilon):
            return epsilon
        case ConcentratedLoss(xi, 0):
            return xi
    raise ProofError(f"a loss of the kind {entry.name} is unbounded")


def concentration(entry: Entry, bits: int) -> Interval:
    """Encloses a ρ of ρ-zCDP; ProofError where there is none.

    μ²/2 of a Gaussian; L2²/(2σ²) of discrete Gaussian noise (Canonne, Kamath & Steinke 2020,
    Theorem 4); ε·tanh(ε/2) of pure DP (Steinke 2024, Theorem 5), for Laplace noise once or once a
    move; ε²/8 of bounded range (Cesar & Rogers 2021, Lemmas 3.2 and 3.4).
    """
    match entry:
        case GaussianLoss(squared):
            return _exactly(squared / 2)
        case NoiseLoss("discrete-gaussian", variance, _, _, squared):
            return _exactly(squared / (2 * variance))
        case NoiseLoss():
            once = _pure(largest(entry), bits)
            moves = total((count, _pure(_bound(pair), bits)) for count, pair in entry.pairs)
            return _least(once, moves)
        case ResponseLoss(epsilon, 0):
            return _pure(epsilon, bits)
        case BoundedRangeLoss(epsilon):
            return _least(_pure(epsilon, bits), _exactly(epsilon**2 / 8))
        case ConcentratedLoss(0, rho, 0):
            return _exactly(rho)
    raise ProofError(f"a loss of the kind {entry.name} is not known to be concentrated")


def divergence(entry: Entry, order: Fraction, side: Side) -> Interval:
    """Encloses a bound on c·D_(1+c), c = ``order`` > 0, the leak apart; ProofError for none.

    Guarantee
    ---------
    The upper end is no less than ln E_P[e^(cL)]. Backed by exact divergences in
    ``tests/proofs/test_entries.py``.
    """
    match entry:
        case ConcentratedLoss(xi, rho):
            return _exactly(order * (xi + (1 + order) * rho))
        case RenyiCurve():
            return _exactly(order * entry.at(1 + order))
        case BoundedRangeLoss(epsilon):
            bounded = log_moment(ResponseLoss(epsilon), order, side)
            return _least(bounded, _exactly(order * (1 + order) * epsilon**2 / 8))
        case NoiseLoss():
            found = total((n, log_moment(pair, order, side)) for n, pair in entry.pairs)
            if entry.law != "discrete-gaussian":
                return _least(found, log_moment(ResponseLoss(largest(entry)), order, side))
            rho = entry.l2_squared / (2 * entry.amount)
            return _least(found, _exactly(order * (1 + order) * rho))
        case ResponseLoss():
            return log_moment(replace(entry, delta=Fraction(0)), order, side)
        case _:
            return log_moment(entry, order, side)


def total(parts: Iterable[tuple[int, Interval]]) -> Interval:
    """The sum of intervals, each so often; its ends are exact, so that rational sums stay so."""
    lower = upper = Fraction(0)
    for count, part in parts:
        lower, upper = lower + count * part.lower, upper + count * part.upper
    return Interval(lower, upper)


def _exactly(value: Fraction) -> Interval:
    return Interval(value, value)


def _least(one: Interval, other: Interval) -> Interval:
    """The smaller of two bounds."""
    return Interval(min(one.lower, other.lower), min(one.upper, other.upper))


def _bound(pair: Loss) -> Fraction:
    """The largest loss of a Laplace pair."""
    match pair:
        case LaplaceLoss(epsilon):
            return epsilon
        case DiscreteLaplaceLoss(rate, shift):
            return rate * shift
    raise ProofError(f"a loss of the kind {pair.name} is unbounded")


def _pure(epsilon: Fraction, bits: int) -> Interval:
    """ε·tanh(ε/2) = ε·(1 - 2/(1 + e^ε)), the least ρ of ε-DP."""
    power = exp_interval(epsilon, bits)
    ends = [epsilon - 2 * epsilon / (1 + end) for end in (power.lower, power.upper)]
    return Interval(*ends)
