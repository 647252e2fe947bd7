"""Exact divergences of small laws and of normal ones, and rules applied outside the kernel.

All is mpmath's at 60 digits; nothing of the rules' own arithmetic is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import strategies as st

from proofs.errors import ProofError, UndecidedError
from proofs.judgments import Guarantee, Private
from proofs.parameters import plain
from proofs.rules import RULES
from synthesizers.neighbours import AddRemove, Unit

TINY = Fraction(1, 10**40)
ORDERS = (
    Fraction(1000001, 1000000),
    Fraction(11, 10),
    Fraction(3, 2),
    Fraction(2),
    Fraction(5),
    Fraction(33),
)
Law = Sequence[Fraction]
wide = mpmath.MPContext()
wide.dps = 60
"""mpmath at 60 digits, whatever precision other tests set."""


def mp(value: Fraction | int) -> mpmath.mpf:
    """A rational as mpmath's number."""
    exact = Fraction(value)
    return wide.mpf(exact.numerator) / exact.denominator


def above(value: mpmath.mpf, places: int = 20) -> Fraction:
    """A decimal of so many places, a unit or less above the value."""
    return Fraction(int(wide.ceil(value * wide.mpf(10) ** places)), 10**places)


def upwards(value: mpmath.mpf) -> Fraction:
    """A number above a positive value, by at most 10^-40 of it where that is a fraction."""
    return above(value, max(0, 41 - int(wide.floor(wide.log10(value)))))


def convert(rule: str, guarantee: Guarantee, /, **given: Any) -> Guarantee:
    """What a rule concludes of one mechanism, and of nothing else."""
    premise = Private(AddRemove(Unit("person", 3)), guarantee)
    found = RULES[rule].apply([premise], plain(given))
    assert isinstance(found.judgment, Private)
    assert found.judgment.neighbours == premise.neighbours
    assert found.hypotheses == frozenset()
    return found.judgment.guarantee


def accepted(attempt: Callable[[], object]) -> bool:
    """Whether a rule applies; an inequality left open is an error here."""
    try:
        attempt()
    except ProofError as error:
        assert not isinstance(error, UndecidedError)
        return False
    return True


def least(accepts: Callable[[Fraction], bool], top: Fraction | int, places: int) -> Fraction:
    """The smallest decimal of so many places that is accepted, by bisection below ``top``."""
    low, high = -1, int(top * 10**places) + 1
    assert accepts(Fraction(high, 10**places))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if accepts(Fraction(middle, 10**places)) else (middle, high)
    return Fraction(high, 10**places)


def renyi(order: Fraction, p: Law, q: Law) -> mpmath.mpf:
    """D_α(P ‖ Q), all chances positive."""
    chances = zip(p, q, strict=True)
    total = wide.fsum(mp(a) ** mp(order) * mp(b) ** mp(1 - order) for a, b in chances)
    return wide.log(total) / mp(order - 1)


def excess(gamma: mpmath.mpf, p: Law, q: Law) -> mpmath.mpf:
    """sup P(S) - γ·Q(S)."""
    return wide.fsum(max(mp(a) - gamma * mp(b), wide.mpf(0)) for a, b in zip(p, q, strict=True))


def gaussian_excess(gamma: mpmath.mpf, mu: mpmath.mpf) -> mpmath.mpf:
    """sup P(S) - γ·Q(S) of N(μ, 1) against N(0, 1), μ > 0."""
    if gamma <= 0:
        return 1 - gamma
    middle = wide.log(gamma) / mu
    return wide.ncdf(mu / 2 - middle) - gamma * wide.ncdf(-mu / 2 - middle)


def response_excess(gamma: mpmath.mpf, epsilon: Fraction, delta: Fraction) -> mpmath.mpf:
    """sup P(S) - γ·Q(S) of the four outcomes of a response loss."""
    likely = 1 / (1 + wide.exp(-mp(epsilon)))
    parts = [likely - gamma * (1 - likely), 1 - likely - gamma * likely]
    return mp(delta) + mp(1 - delta) * wide.fsum(max(part, wide.mpf(0)) for part in parts)


def response(epsilon: Fraction) -> tuple[Law, Law]:
    """Randomised response, its chances to 45 digits."""
    likely = above(1 / (1 + wide.exp(-mp(epsilon))), 45)
    return (likely, 1 - likely), (1 - likely, likely)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Law, Law]:
    """Two laws of three or four outcomes, all chances positive."""
    size = draw(st.integers(3, 4))
    drawn = [draw(st.lists(st.integers(1, 30), min_size=size, max_size=size)) for _ in range(2)]
    first, second = (tuple(Fraction(each, sum(law)) for each in law) for law in drawn)
    return first, second


amounts = st.fractions(0, 5, max_denominator=12)
chances = st.fractions(0, Fraction(9, 10), max_denominator=12)
