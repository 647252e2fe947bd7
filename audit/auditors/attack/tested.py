"""What a frozen rule's guesses in the certify runs say, at the errors that they may have.

In batch mode a bettor runs along with the binomial test, and counts where the audit is interrupted.
Each has its part of every error, so that both together keep the whole.
"""

from __future__ import annotations

from fractions import Fraction

from audit.auditors.attack.floors import floor_bound, p_value
from audit.auditors.attack.guesses import Guesses
from audit.statements.evidence import Bound
from proofs.guarantees import Guarantee

BETTOR_SHARE = Fraction(1, 10)
"""The bettor's part of an error (a choice of this project: the binomial's gap to the truth is then
3 % wider at 95 %)."""


def tested_floor(
    guesses: Guesses, guarantee: Guarantee, error: Fraction, distance: int, covers: str
) -> Bound:
    """The binomial's floor, at its part of ``error``."""
    return floor_bound(guesses, guarantee, float(error * (1 - BETTOR_SHARE)), distance, covers)


def tested_p_value(guesses: Guesses, guarantee: Guarantee, distance: int) -> float:
    """The p-value of the claim by the binomial, which has its part of every error."""
    return min(1.0, p_value(guesses, guarantee, distance) / float(1 - BETTOR_SHARE))
