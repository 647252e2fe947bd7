"""Subsample: a uniform sample of the records themselves.

Purpose: a yardstick of utility ("as good as a 10 % sample"), and the positive
control of every privacy audit.

Source: SDNist (Lothe et al.), Table 3; MGD (Li et al.), Table 1.

Inputs: fraction f; floor(f n) of the n records are released as they are.

Budget: none. Not differentially private: a record of a cell of its own is
shown with chance f, so epsilon is infinite and delta(epsilon) = f for every
epsilon under replace-one (where f n is whole). Under add-remove the size of
the sample tells of n as well.

Post-processing: none.

Assumes public: the domain.

Known weaknesses: no protection at all for those who are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.curator import Setting
from synthesizers.laws.subsample import Subsample as SubsampleLaw
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import parameter, rational


@dataclass(frozen=True, slots=True)
class Subsample(OneLaw):
    """See the module's card."""

    fraction: Fraction = parameter(rational)

    def __post_init__(self) -> None:
        SubsampleLaw(self.fraction)

    def law(self, setting: Setting) -> SubsampleLaw:
        """The law of the release."""
        return SubsampleLaw(self.fraction)
