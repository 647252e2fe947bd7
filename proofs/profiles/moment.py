"""A bound on the profile of any product of pairs by one moment.

As (1 - e^-u)₊ <= e^(cu)·c^c/(1+c)^(1+c) for every u, with equality at e^-u = c/(1+c),

    δ(ε) = E_P[(1 - e^(ε-L))₊] <= E_P[e^(cL)]·e^(-cε)·c^c/(1+c)^(1+c)

(Canonne, Kamath & Steinke 2020, Proposition 12, at the order α = 1 + c).
"""

from __future__ import annotations

from fractions import Fraction

from proofs.entries import Entries
from proofs.losses import ResponseLoss, Side
from proofs.parameters import Positive, read_fields
from proofs.profiles.entry_moments import divergence, leak, total
from proofs.profiles.method import Hint
from proofs.profiles.responses import infinite_mass
from synthesizers.intervals import MAX_POWER, Interval, exp_interval, log_interval


def delta(entries: Entries, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of any entries, from below by their leaks, from above by a moment.

    ``hint``: the ``order`` c > 0 of the moment.

    Guarantee
    ---------
    δ lies inside. Backed by closed forms in ``tests/proofs/profiles/test_loss_moments.py``.
    """
    order: Fraction = read_fields({"order": Positive}, hint, "the method moment")["order"]
    logs = log_interval(order / (1 + order)) * order - log_interval(1 + order)
    found = total((count, divergence(entry, order, side)) for count, entry in entries)
    # Exact, as the two large numbers may nearly cancel.
    size = found.upper - order * epsilon + logs.upper
    bound = exp_interval(max(min(size, Fraction(0)), Fraction(-MAX_POWER))).upper
    mass = infinite_mass(
        tuple((count, ResponseLoss(Fraction(0), leak(entry))) for count, entry in entries)
    )
    # At most 1, and it grows with both: m + (1 - m)·b.
    upper = mass.upper + (1 - mass.upper) * bound if bound < 1 else Fraction(1)
    return Interval(mass.lower, upper)
