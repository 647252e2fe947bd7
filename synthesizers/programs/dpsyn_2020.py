"""DPSyn of the 2020 challenge: all pairs of attributes, made consistent, and records by GUM.

Purpose: synthetic records of up to some dozens of attributes whose two-way marginals are near the
true ones; no choice depends on the data.

Source: the team DPSyn's entry in the Temporal Map challenge of NIST, 2020 (Li, Zhang & Wang 2021;
its general version, as the team describes it); PriView (Qardaji, Yang & Li 2014) for consistency;
PrivSyn (Zhang et al. 2021) for norm-cut and GUM. A reconstruction.

Inputs: epsilon; delta; consistency-rounds (default 30) and rounds of GUM (default 30), both the
team's; slack, how far beyond 0 and the number of rows a noisy count may lie (default: no bound
that matters).

Budget: k = d(d - 1)/2 marginals of two attributes (one, of the attribute, if d = 1), all with the
same noise: discrete Laplace for epsilon, or discrete Gaussian for the largest rho that gives
(epsilon, delta) (Canonne, Kamath & Steinke 2020), whichever has the smaller variance: which one
follows from the domain and the neighbours. A marginal has L1 and L2 sensitivity 1 under
add-remove, 2 and sqrt 2 under replace-one; for persons of at most m records, m times as much. So
2(k·L1/epsilon)² is compared with k·L2²/(2·rho). Accountant: the sum of epsilon, or of rho (zCDP).

Post-processing: views are made consistent (PriView's overall consistency; a public n is kept) and
rid of negatives (norm-cut) in turn. Records begin along the strongest tree of pairs that are more
dependent than noise shows, and are updated towards all views, the farthest first, at the rate
0.84^floor(round/20). Rounds end early where one takes less than a tenth of the mean distance.
Attributes that no chain of views connects are made apart and joined.

Assumes public: the domain, the number of rows (otherwise the weighted mean of the views' totals).

Known weaknesses: the noise of a marginal grows with the number of pairs, and pairs of many values
are mostly noise; what three attributes have in common is kept by chance. Departures: the rho is
the tight one, where the team took rho + 2·sqrt(rho·ln(1/delta)) = epsilon; GUM begins
with a tree, not with independent columns, copies of a record what hangs together (the team: half
and all of them whole), and overwrites none where the other views lose more by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synthesizers.budget import Budget, PureBudget, ZCDPBudget
from synthesizers.calibration import zcdp_rho
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset
from synthesizers.estimation.consistency import mean_total, settle_views
from synthesizers.estimation.generation import public_generator
from synthesizers.estimation.gum import Rates
from synthesizers.estimation.negatives import cut_norm
from synthesizers.estimation.view_records import records_of_views
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.programs.asking import gaussian_noise, rows_released
from synthesizers.programs.parameters import parameter, rational, whole
from synthesizers.programs.view_questions import all_pairs, ask_view, together
from synthesizers.queries import Marginal


@dataclass(frozen=True, slots=True)
class DPSyn2020:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    delta: Fraction = parameter(rational)
    consistency_rounds: int = parameter(whole, 30)
    rounds: int = parameter(whole, 30)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        zcdp_rho(self.epsilon, self.delta)

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee: pure where Laplace noise is the smaller, zCDP otherwise."""
        if isinstance(self.noise(setting), DiscreteLaplace):
            return PureBudget(Fraction(self.epsilon))
        return ZCDPBudget(zcdp_rho(self.epsilon, self.delta))

    def noise(self, setting: Setting) -> DiscreteGaussian | DiscreteLaplace:
        """The law of smaller variance, for all views."""
        sensitivity = together(self._queries(setting), setting)
        gaussian = gaussian_noise(zcdp_rho(self.epsilon, self.delta), sensitivity)
        scale = Fraction(sensitivity.l1) / Fraction(self.epsilon)
        return DiscreteLaplace(scale) if 0 < 2 * scale * scale <= gaussian.variance else gaussian

    def _queries(self, setting: Setting) -> list[Marginal]:
        return [Marginal(names) for names in all_pairs(setting.domain)]

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        setting = curator.setting
        noise = self.noise(setting)
        views = [ask_view(curator, query, noise, self.slack) for query in self._queries(setting)]
        generator = public_generator(curator)
        public = None if setting.records is None else float(setting.records)
        agreed = settle_views(views, cut_norm, self.consistency_rounds, public)
        rows = rows_released(setting, mean_total(views))
        names = setting.domain.names
        codes = records_of_views(names, agreed, rows, Rates(), self.rounds, generator)
        return Dataset(setting.domain, codes.astype(np.int64))
