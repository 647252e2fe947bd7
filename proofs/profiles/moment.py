"""A bound on the profile of any product of pairs by one moment.

As (1 - e^-u)₊ <= e^(cu)·c^c/(1+c)^(1+c) for every u, with equality at e^-u = c/(1+c),

    δ(ε) = E_P[(1 - e^(ε-L))₊] <= E_P[e^(cL)]·e^(-cε)·c^c/(1+c)^(1+c)

(Canonne, Kamath & Steinke 2020, Proposition 12, at the order α = 1 + c).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from proofs.losses import Losses, ResponseLoss, Side
from proofs.parameters import Parameters
from proofs.profiles.method import Hint
from proofs.profiles.moments import log_moment
from proofs.profiles.responses import infinite_mass
from synthesizers.intervals import MAX_POWER, Interval, exp_interval, log_interval


def delta(losses: Losses, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of any losses, from below by their infinite part, from above by a moment.

    ``hint``: the ``order`` c > 0 of the moment.

    Guarantee
    ---------
    δ lies inside. Backed by closed forms in ``tests/proofs/profiles/test_loss_moments.py``.
    """
    given = Parameters("moment", hint)
    order = given.positive("order")
    given.close()
    size = log_interval(order / (1 + order)) * order - log_interval(1 + order) - order * epsilon
    for count, loss in losses:
        finite = replace(loss, delta=Fraction(0)) if isinstance(loss, ResponseLoss) else loss
        size += count * log_moment(finite, order, side)
    bound = exp_interval(max(min(size.upper, Fraction(0)), Fraction(-MAX_POWER))).upper
    mass = infinite_mass(losses)
    # At most 1, and it grows with both: m + (1 - m)·b.
    upper = mass.upper + (1 - mass.upper) * bound if bound < 1 else Fraction(1)
    return Interval(mass.lower, upper)
