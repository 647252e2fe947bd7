"""What programs of Gaussian noise share: (epsilon, delta), and the zCDP budget that they allow."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.budget import Budget, ZCDPBudget
from synthesizers.calibration import zcdp_rho
from synthesizers.curator import Setting
from synthesizers.programs.parameters import parameter, rational


@dataclass(frozen=True, slots=True)
class GaussianProgram:
    """A program whose questions are paid for in rho; its subclasses ask them."""

    epsilon: Fraction = parameter(rational)
    delta: Fraction = parameter(rational)

    def __post_init__(self) -> None:
        zcdp_rho(self.epsilon, self.delta)

    @property
    def rho(self) -> Fraction:
        """The largest rho whose zCDP implies (epsilon, delta) at its best order."""
        return zcdp_rho(self.epsilon, self.delta)

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return ZCDPBudget(self.rho)
