"""Random rounding: every count becomes a multiple of a base, right on average.

Purpose: what census offices do to whole tables of counts: Statistics New
Zealand to base 3 (RR3), Statistics Canada to base 5.

Source: Nargundkar & Saveland 1972; Fellegi 1975. Statistics New Zealand has
rounded its censuses so since 1981.

Inputs: base b, from 2 to 1000. A count n with remainder r by b goes up to the next
multiple with chance r/b and down to the one before with chance 1 - r/b,
independently of other cells. Multiples, zero among them, stay as they are.

Budget: none. Not differentially private: a released count other than 0 says
that somebody is there, so a record of a cell of its own shows with chance 1/b:
epsilon is infinite, and delta(epsilon) at least 1/b for every epsilon. What is
protected: a released count of c leaves every true one from c - b + 1 to c + b - 1
possible, and a released 0 those from 0 to b - 1.

Post-processing: none. Released counts do not sum to the number of records.

Assumes public: the domain, the base.

Known weaknesses: the same table rounded afresh several times gives the true
counts away by its averages (offices fix the rounding by the cell for that
reason; here each release is fresh); so do margins that are rounded on their
own, which this program does not release; a cell released above 0 is not empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthesizers.curator import Setting
from synthesizers.laws.rounding import RandomRounding
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import parameter, whole


@dataclass(frozen=True, slots=True)
class RandomRound(OneLaw):
    """See the module's card."""

    base: int = parameter(whole)

    def __post_init__(self) -> None:
        RandomRounding(self.base)

    def law(self, setting: Setting) -> RandomRounding:
        """The law of the release."""
        return RandomRounding(self.base)
