"""Distances: how far apart the ends of a chain of neighbours may tell most."""

from __future__ import annotations

from fractions import Fraction

from audit.auditors.attack.guessing.floors import claimed_value, takes_distance
from proofs.guarantees import GaussianDP, Guarantee

MOST_STEPS = 250
"""The longest chain (long enough for ε = 0.01)."""

BEST_DISTANCE = Fraction("2.22")
"""The kε at which the floor's gap is least: the minimiser of sqrt(1 + e^x)/x, from the closed form
of the gap for Laplace noise, z·sqrt((1 + e^x)/N)/k at a distance k."""

BEST_GAUSSIAN_DISTANCE = Fraction("3.15")
"""The kμ at which the floor's gap is least: the minimiser of sqrt(Φ(x/2)Φ(-x/2))/(φ(x/2)·x), the
standard error of 2Φ⁻¹(accuracy)/k for guesses by the middle threshold."""


def list_distances(guarantee: Guarantee) -> list[int]:
    """How far apart the ends of chains may tell most: the best by what is claimed, 2 and 4."""
    if not takes_distance(guarantee):
        return []
    best = BEST_GAUSSIAN_DISTANCE if isinstance(guarantee, GaussianDP) else BEST_DISTANCE
    claimed = claimed_value(guarantee)
    ideal = round(min(Fraction(MOST_STEPS), best / claimed)) if claimed else MOST_STEPS
    # Twice as far as is best, errors are so rare that few runs tell nothing.
    return [steps for steps in (ideal, 2, 4) if steps > 1 and steps * claimed <= 2 * best]
