"""Selection laws: one candidate, chosen by its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from synthesizers import samplers
from synthesizers.budget import Cost
from synthesizers.exact import ExpRational
from synthesizers.noise import require_positive
from synthesizers.plain import PlainLaw
from synthesizers.queries import Sensitivity
from synthesizers.randomness import Entropy


@dataclass(frozen=True, slots=True)
class Exponential(PlainLaw):
    """P[i] ∝ exp(rate · score_i), the exponential mechanism (McSherry & Talwar 2007).

    Guarantee
    ---------
    ``chances`` are exact and sum to 1; ``sample`` has exactly this law given
    ideal random bits. Backed by ``tests/synthesizers/test_selection.py``.
    """

    rate: Fraction
    name = "exponential"

    def __post_init__(self) -> None:
        rate = require_positive(self.rate, "rate of an exponential mechanism")
        object.__setattr__(self, "rate", rate)

    def chances(self, scores: Sequence[int]) -> list[ExpRational]:
        """P[i] for every candidate."""
        top = max(scores)
        powers = [self.rate * (score - top) for score in scores]
        normaliser: dict[Fraction, Fraction] = {}
        for power in powers:
            normaliser[power] = normaliser.get(power, Fraction(0)) + 1
        return [ExpRational({power: Fraction(1)}, normaliser) for power in powers]

    def sample(self, scores: Sequence[int], entropy: Entropy) -> int:
        """One candidate's number."""
        top = max(scores)
        return samplers.exponential_choice([self.rate * (score - top) for score in scores], entropy)

    def cost(self, sensitivity: Sensitivity) -> Cost:
        """ε = 2·rate·L∞, or rate·L∞ for monotone scores; ε²/8-zCDP.

        Sources: McSherry & Talwar 2007; Cesar & Rogers 2021 for ε²/8.
        """
        factor = 1 if sensitivity.monotone else 2
        epsilon = factor * self.rate * sensitivity.linf
        return Cost(epsilon, epsilon * epsilon / 8)
