"""The kernel's theorem about a ledger, against the exact channel of its transcripts.

A ceiling below an exact value would be a contradiction: a rule, a law or a measure is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from audit.channels.channel import Channel
from audit.channels.measures.delta import epsilon_at
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.gdp import gdp
from audit.channels.measures.renyi import renyi
from audit.channels.measures.zcdp import zcdp
from audit.statements.decimals import Enclosure
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.parts import Part
from proofs.search.best import strongest

ASKED: tuple[Guarantee, ...] = (
    ApproxDP(Fraction(0)),
    ApproxDP(Fraction(0), Fraction(1, 10**6)),
    ApproxDP(Fraction(0), Fraction(1, 100)),
    ApproxDP(Fraction(0), Fraction(1, 5)),
    RenyiDP(Fraction(3, 2), Fraction(0)),
    RenyiDP(Fraction(4), Fraction(0)),
    ZCDP(Fraction(0)),
    GaussianDP(Fraction(0)),
)
"""Statements that are compared, their own parameter left open (pure, δ
small and large, orders near 1 and above, and both concentrated kinds)."""


@dataclass(frozen=True)
class Compared:
    """A ceiling that the kernel proved, beside what is exact on an instance.

    ``asked``: the kind of statement, with its δ or order. ``rule``: how the ceiling was proved.
    """

    asked: Guarantee
    rule: str
    ceiling: Fraction
    exact: Enclosure

    @property
    def contradicts(self) -> bool:
        """Whether the exact value is certainly above the ceiling."""
        return self.exact.lower > self.ceiling


def ceilings(parts: tuple[Part, ...], channel: Channel) -> Iterator[Compared]:
    """Every way of composing, at every statement of `ASKED`.

    ``channel``: of the transcripts of the ledger that the parts are of.

    Guarantee
    ---------
    ``contradicts`` only if the theorem's number is below the exact one. Backed by
    ``tests/audit/auditors/composition/test_ceilings.py``.
    """
    for asked in ASKED:
        offers = strongest(parts, asked)
        if not offers:
            continue
        exact = exact_value(channel, asked)
        for offer in offers:
            yield Compared(asked, offer.rule, offer.value, exact)


def exact_value(channel: Channel, asked: Guarantee) -> Enclosure:
    """The smallest value of a statement's own parameter on a channel."""
    match asked:
        case ApproxDP(_, delta):
            return epsilon(channel).enclosure if delta == 0 else epsilon_at(channel, delta)
        case RenyiDP(order, _):
            return renyi(channel, order).enclosure
        case ZCDP():
            return zcdp(channel).extreme.enclosure
        case GaussianDP():
            return gdp(channel).enclosure
