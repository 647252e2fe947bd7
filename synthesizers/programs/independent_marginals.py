"""Independent marginals: noisy counts of each attribute alone, drawn independently.

Purpose: the baseline that every synthesizer of correlations has to beat, and
at a small epsilon often does not.

Source: folklore; a baseline of McKenna, Mullins, Sheldon & Miklau 2022 (AIM).
The systematic draws are our choice.

Inputs: epsilon; noise = gaussian (default) or laplace; delta, with gaussian
noise alone; slack, how far beyond 0 and the number of rows a noisy count may
lie (default: no bound that matters).

Budget: one question an attribute, its marginal, each for the same share: 1/d
of epsilon (laplace) or of rho (gaussian; the largest rho that gives
(epsilon, delta), Canonne, Kamath & Steinke 2020). A marginal has L1 sensitivity
1 and L2 sensitivity 1 under add-remove, 2 and sqrt 2 under replace-one; for
persons of at most m records, m times as much. Accountant: sums of epsilon, or
of rho (zCDP). Attributes of one value are not asked about where n is public.

Post-processing: counts are clipped at 0 and taken as weights (all zero: equal
weights). Where the domain has at most 4096 cells the product of the weights is
rounded to the number of rows by largest remainder. Otherwise each attribute is
drawn systematically: every value gets its share of the rows up to one, in an
order that is random and independent of the other attributes.

Assumes public: the domain, the number of rows (otherwise the noisy sum over
the smallest attribute).

Known weaknesses: no correlation survives.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.budget import Budget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset
from synthesizers.estimation.blocks import Block, release_blocks
from synthesizers.programs.asking import rows_released
from synthesizers.programs.column_groups import (
    noisy_counts,
    nominal_budget,
    require_parameters,
    total_of,
)
from synthesizers.programs.parameters import one_of, parameter, rational, whole
from synthesizers.queries import Marginal


@dataclass(frozen=True, slots=True)
class IndependentMarginals:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    delta: Fraction | None = parameter(rational, None)
    noise: str = parameter(one_of("gaussian", "laplace"), "gaussian")
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        require_parameters(self.noise, self.epsilon, self.delta)

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return nominal_budget(self.noise, self.epsilon, self.delta)

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        budget, names = self.budget(curator.setting), curator.domain.names
        share = Fraction(1, len(names))
        counts = [
            noisy_counts(curator, Marginal((name,)), budget, share, self.slack) for name in names
        ]
        blocks = [
            Block((name,), noisy.clip(0).astype(float))
            for name, noisy in zip(names, counts, strict=True)
        ]
        return release_blocks(curator, blocks, rows_released(curator.setting, total_of(counts)))
