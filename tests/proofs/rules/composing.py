"""Rules of composition and structure applied outside the kernel, and mechanisms put together.

A mechanism is here a pair of laws: what it answers on two neighbours.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import strategies as st

from proofs.judgments import Guarantee, Private
from proofs.parameters import plain
from proofs.rules import RULES
from proofs.rules.rule import Conclusion
from synthesizers.neighbours import AddRemove, Neighbours
from tests.proofs.rules.divergences import ORDERS, Law, above, excess, mp, pairs, renyi, wide

F = Fraction
Pair = tuple[Law, Law]
ADD_REMOVE = AddRemove()


def concluded(
    rule: str, guarantees: Sequence[Guarantee], under: Neighbours = ADD_REMOVE, /, **given: Any
) -> Conclusion:
    """What a rule concludes of mechanisms M0, M1, … with these guarantees."""
    premises = tuple(Private(under, guarantee) for place, guarantee in enumerate(guarantees))
    return from_premises(rule, premises, **given)


def from_premises(rule: str, premises: tuple[Any, ...], /, **given: Any) -> Conclusion:
    """What a rule concludes of judgments."""
    return RULES[rule].apply(premises, plain(given))


def guarantee(
    rule: str, guarantees: Sequence[Guarantee], under: Neighbours = ADD_REMOVE, /, **given: Any
) -> Any:
    """The guarantee alone."""
    judgment = concluded(rule, guarantees, under, **given).judgment
    assert isinstance(judgment, Private)
    return judgment.guarantee


def joint(first: Pair, seconds: Sequence[Pair]) -> Pair:
    """Both answers, where the first answer says which mechanism gives the second."""
    p, q = (
        tuple(a * b for a, second in zip(law, seconds, strict=True) for b in second[side])
        for side, law in enumerate(first)
    )
    return p, q


def worst_excess(gamma: mpmath.mpf, pair: Pair) -> mpmath.mpf:
    """sup P(S) - γ·Q(S), the larger of both directions."""
    return max(excess(gamma, *pair), excess(gamma, *reversed(pair)))


def worst_renyi(order: Fraction, pair: Pair) -> mpmath.mpf:
    """D_α, the larger of both directions."""
    return max(renyi(order, *pair), renyi(order, *reversed(pair)))


def delta_at(epsilon: Fraction, members: Sequence[Pair]) -> Fraction:
    """The smallest δ, rounded up, with which all of the mechanisms are (ε, δ)-DP."""
    return max(above(worst_excess(wide.exp(mp(epsilon)), pair), 45) for pair in members)


def rho_at_orders(members: Sequence[Pair]) -> Fraction:
    """The largest D_α/α over the orders that are tried, rounded up."""
    return max(
        above(worst_renyi(order, pair) / mp(order), 45) for pair in members for order in ORDERS
    )


def binned(shifts: Sequence[Fraction], cuts: Sequence[Fraction]) -> Pair:
    """Normal laws of variance 1 around two shifts, of which only the bin is told."""
    laws = []
    for shift in shifts:
        below = [F(0), *(above(wide.ncdf(mp(cut - shift)), 50) for cut in cuts), F(1)]
        laws.append(tuple(high - low for low, high in itertools.pairwise(below)))
    first, second = laws
    return first, second


@st.composite
def adaptive(draw: st.DrawFn) -> tuple[Pair, list[Pair]]:
    """A mechanism, and for each of its answers another one."""
    first = draw(pairs())
    return first, [draw(pairs()) for _ in first[0]]
