"""What a certificate says of attacks on one release: a ceiling of what each of them can gain.

Take a record whose place in the real table or in the holdout is decided at random, and an attack
that hits or not by the release and that record. With the release's program on neighbours P and Q,
the two chances of a hit differ by at most the largest P(S) - Q(S), the *advantage*:

- (ε, δ): P <= e^ε Q + δ on S, and the same of Q and P outside of it, so that the advantage is at
  most (e^ε - 1 + 2δ)/(e^ε + 1) (Kairouz, Oh & Viswanath 2015).
- μ: 2Φ(μ/2) - 1 (Dong, Roth & Su 2022, Corollary 1 at ε = 0).
- ρ and ε(α): the Kullback-Leibler divergence K is at most ρ, or ε(α), as Rényi's grow with their
  order; the advantage is at most √(K/2) (Pinsker) and √(1 - e^-K) (Bretagnolle & Huber 1979).

These are expectations over the program's noise and the split: one release may give more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.profiles.values import root_of
from synthesizers.errors import TooLargeError
from synthesizers.intervals import WORKING_BITS, exp_interval
from synthesizers.normal import normal_cdf

ONE = Fraction(1)


@dataclass(frozen=True)
class Ceiling:
    """What a guarantee bounds between tables that are some steps between neighbours apart.

    ``advantage``: of a chance in one over that in the other, between 0 and 1. ``factor`` and
    ``addend``: a chance is at most so often the other, and that more; None where the guarantee is
    none of (ε, δ), or the factor beyond all that is reckoned with.
    """

    advantage: Fraction
    factor: Fraction | None = None
    addend: Fraction | None = None


def find_ceiling(guarantee: Guarantee, steps: int) -> Ceiling:
    """The ceiling between tables that are 1 or 2 ``steps`` apart.

    Guarantee
    ---------
    No mechanism that keeps the guarantee between neighbours has a larger advantage: numbers are
    rationals, rounded up. Two steps: (2ε, (1 + e^ε)δ) (Dwork & Roth 2014, Theorem 2.2, and Vadhan
    2017, Lemma 2.2), 2μ (Dong, Roth & Su 2022, Theorem 2.14), 4ρ (Bun & Steinke 2016, Proposition
    1.9), and twice the advantage of one. Backed by ``tests/audit/disclosure/test_ceilings.py``.
    """
    if steps == 1:
        return _of_one_step(guarantee)
    twice = 2 * _of_one_step(guarantee).advantage
    far = _of_two_steps(guarantee)
    advantage = twice if far is None else min(twice, far.advantage)
    return Ceiling(
        min(advantage, ONE), *((None, None) if far is None else (far.factor, far.addend))
    )


def _of_one_step(guarantee: Guarantee) -> Ceiling:
    match guarantee:
        case ApproxDP(epsilon, delta):
            return _of_pair(epsilon, delta)
        case GaussianDP(mu):
            return Ceiling(_of_gaussian(mu))
        case ZCDP(rho):
            return Ceiling(_of_divergence(rho))
        case RenyiDP(_, epsilon):
            return Ceiling(_of_divergence(epsilon))


def _of_two_steps(guarantee: Guarantee) -> Ceiling | None:
    match guarantee:
        case ApproxDP(epsilon, delta):
            try:
                grown = (1 + exp_interval(epsilon).upper) * delta
            except TooLargeError:
                return Ceiling(ONE)
            return _of_pair(2 * epsilon, min(grown, ONE))
        case GaussianDP(mu):
            return Ceiling(_of_gaussian(2 * mu))
        case ZCDP(rho):
            return Ceiling(_of_divergence(4 * rho))
        case RenyiDP():
            return None


def _of_pair(epsilon: Fraction, delta: Fraction) -> Ceiling:
    try:
        factor = exp_interval(epsilon).upper
    except TooLargeError:
        return Ceiling(ONE)
    # It grows in e^ε, as δ <= 1.
    return Ceiling(min((factor - 1 + 2 * delta) / (factor + 1), ONE), factor, delta)


def _of_gaussian(mu: Fraction) -> Fraction:
    try:
        return 1 - 2 * normal_cdf(-mu / 2, WORKING_BITS).lower
    except TooLargeError:
        return ONE


def _of_divergence(most: Fraction) -> Fraction:
    if not most:
        return most
    try:
        both = most / 2, 1 - exp_interval(-most).lower
    except TooLargeError:
        return ONE
    return min(root_of(value).upper for value in both)
