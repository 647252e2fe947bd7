"""How much of ε each line of a ledger causes: estimates in doubles, for readers alone.

By a moment at an order α, ε = Σ nᵢ·Dᵢ(α) + (what δ costs at α); at the best order the derivative of
ε in nᵢ is Dᵢ(α). So nᵢ·Dᵢ(α) is how fast ε grows with a line's runs, times their number: its
marginal share. At δ = 0 it is the sum of the line's largest losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from proofs.errors import ProofError
from proofs.parts import Part
from proofs.profiles.entry_moments import largest, leak
from proofs.search.float_moments import entry_moment
from proofs.search.orders import best_order


def marginal_shares(parts: Sequence[Part], delta: Fraction) -> tuple[float, ...]:
    """The share of ε of each part at a δ; raises ProofError where its losses leak more than δ."""
    entries = [(part.count * n, entry) for part in parts for n, entry in part.entries]
    left = delta - sum((count * leak(entry) for count, entry in entries), Fraction(0))
    if left < 0:
        raise ProofError("the losses leak more than delta")
    if left == 0:
        return tuple(
            float(sum((part.count * n * largest(entry) for n, entry in part.entries), Fraction(0)))
            for part in parts
        )

    def divergence(order: float) -> float:
        moments = (count * entry_moment(entry, order - 1) for count, entry in entries)
        return sum(moments) / (order - 1)

    above = float(best_order(divergence, left)) - 1
    return tuple(
        part.count * sum(n * entry_moment(entry, above) for n, entry in part.entries) / above
        for part in parts
    )
