"""Two poles: the worst tables of methods that measure marginals and choose which.

All records lie at two ends, the first and the last value of every attribute, and units move from
one to the other (or come to one). Every marginal moves by its whole sensitivity, so that whichever
are measured, all that is paid for noise is paid on this pair. What is chosen by distances from a
model of independent attributes is settled, and moves hardly: the one end's surplus grows by what
the other's loses. Both ends stand far above the noise, so that neither is cut off at zero nor
merged with rare values, and no other cell holds anything. (Ganev, Annamalai & Kulynych 2026 take
one record beside others that are unlike it in every attribute, and let the method choose nothing.)
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from audit.auditors.attack.pairs.distances import list_distances
from audit.auditors.attack.pairs.records import Records
from audit.auditors.attack.pairs.sizes import Sizes
from audit.auditors.attack.pairs.sketches import Sketch
from audit.statements.claim import Claim
from proofs.guarantees import GaussianDP
from synthesizers.neighbours import AddRemove

POLES = 200
"""Records where a claim leaves their number open (at ε = 1 and δ = 1/100 a pole of a hundred lies
ten deviations of the noise of three attributes above zero)."""

HALF, QUARTER = 2, 4
"""The part of the records at the end where units come. Where the number of rows is public, only
shares are seen: a record more at an end of few moves its share by nearly 1/n, and hardly those of
the others, where at an end of half both move by half as much, with the noise of both."""

NEARER = Fraction(2, 3)
"""Of μ, the part of the distance at which a floor's gap is least that is tried first: the gap is a
tenth wider there, and a leak of twice what is claimed falls in a quarter fewer runs. (Of ε both are
alike.)"""


def list_poles(values: Records, claim: Claim, sizes: Sizes) -> Iterator[Sketch]:
    """One sketch a distance and part: what suits the claim first, then neighbours.

    None where fewer than two attributes have two values: there is one marginal, and other kinds
    have records at its ends.
    """
    low, high, unit = values.low(), values.high(), sizes.unit
    if sum(len(attribute.values) > 1 for attribute in values.domain.attributes) < 2:
        return
    adds = isinstance(claim.neighbours, AddRemove)
    best, *others = list_distances(claim.guarantee) or [1]
    nearer = NEARER if isinstance(claim.guarantee, GaussianDP) else 1
    for steps in dict.fromkeys((max(round(nearer * best), 1), 1, best, *others)):
        for part in (QUARTER, HALF) if adds else (HALF,):
            rest = _room(claim, sizes) - steps * unit
            ends = rest // part
            gone = () if adds else (low,) * unit
            smallest = rest + steps * len(gone)
            if ends < 1 or rest - ends < 1 or smallest < sizes.least:
                continue
            words = f"{steps} steps" if steps > 1 else "a step"
            told = f"{words} between two poles, of {rest - ends} and {ends} records"
            yield Sketch(told, (low,) * (rest - ends) + (high,) * ends, gone, (high,) * unit, steps)


def _room(claim: Claim, sizes: Sizes) -> int:
    """The records of the larger database."""
    return max(POLES, sizes.most) if claim.records is None else sizes.most
