"""Two-way marginals: every pair of attributes measured, and all of them fitted at once.

Purpose: the baseline that every choice of marginals has to beat; at a large epsilon it seldom is.

Source: folklore; a baseline of McKenna, Mullins, Sheldon & Miklau 2022 (AIM). Fits as in
Private-PGM (McKenna, Sheldon & Miklau 2019), or by GUM as in PrivSyn (Zhang et al. 2021).

Inputs: epsilon, delta; model-cells, the most cells of a domain that is fitted whole (default
100000), and the steps of that fit (default 250); rounds of consistency and of GUM for larger
domains (default 30); slack, how far beyond 0 and the public number of rows a noisy count may lie
(default: no bound that matters).

Budget: one question a pair (one, of the attribute, if there is one alone), its marginal, each for
the same share of rho, the largest for which rho-zCDP implies (epsilon, delta)-DP (Canonne, Kamath &
Steinke 2020): discrete Gaussian noise of variance L2²/(2·share). A marginal has L2 sensitivity 1
under add-remove and √2 under replace-one; for persons of at most m records, m times the first, and
√2·m under replace-one.
Accountant: sums of rho. Guarantee: rho-zCDP, hence (epsilon, delta)-DP.

Post-processing: all pairs together make one clique, so that a graphical model of them is the whole
table: fitted by mirror descent where it has at most model-cells cells, its records drawn, or up to
4096 cells its table rounded. Larger domains: the pairs are made consistent, rid of negative counts
(norm-cut), and records are updated towards them.

Assumes public: the domain, the number of rows (otherwise the weighted mean of the pairs' totals).

Known weaknesses: the noise of a pair grows with the number of pairs, and pairs of many values are
mostly noise. Differs from dpsyn-2020 by its fit of the whole table where there is one to fit, and
by Gaussian noise at every epsilon, so that both can be compared at equal noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.estimation.consistency import View, mean_total, settle_views
from synthesizers.estimation.fitting import fit_model, release_model
from synthesizers.estimation.generation import public_generator
from synthesizers.estimation.gum import Rates
from synthesizers.estimation.models import NoisyMarginal
from synthesizers.estimation.negatives import cut_norm
from synthesizers.estimation.view_records import records_of_views
from synthesizers.programs.asking import rows_released
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import (
    estimate_records,
    measure_marginal,
    require_steps,
)
from synthesizers.programs.parameters import parameter, whole
from synthesizers.programs.view_questions import all_pairs
from synthesizers.queries import Marginal


@dataclass(frozen=True, slots=True)
class TwoWayMarginals(GaussianProgram):
    """See the module's card."""

    model_cells: int = parameter(whole, 100_000)
    steps: int = parameter(whole, 250)
    rounds: int = parameter(whole, 30)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        require_steps(self.steps, "steps")
        require_steps(self.rounds, "rounds")

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        domain = curator.domain
        pairs = [
            pair
            for pair in map(Marginal, all_pairs(domain))
            if pair.sensitivity(domain, curator.neighbours).l2_squared
        ]
        rho = self.rho
        noisy = [measure_marginal(curator, pair, rho / len(pairs), self.slack) for pair in pairs]
        if noisy and domain.size > self.model_cells:
            return self._update_records(curator, noisy)
        total = estimate_records(curator, noisy)
        shape = dict(zip(domain.names, domain.shape, strict=True))
        model = fit_model(shape, noisy, total, self.steps)
        return release_model(curator, model, rows_released(curator.setting, total))

    def _update_records(self, curator: Curator, noisy: list[NoisyMarginal]) -> Dataset:
        """Records by GUM, for domains whose table is too large."""
        domain, records = curator.domain, curator.records
        views = [
            View(
                pair.attributes,
                pair.counts.reshape(domain.project(pair.attributes).shape),
                pair.variance,
            )
            for pair in noisy
        ]
        public = None if records is None else float(records)
        agreed = settle_views(views, cut_norm, self.rounds, public)
        rows = rows_released(curator.setting, mean_total(views))
        generator = public_generator(curator)
        codes = records_of_views(domain.names, agreed, rows, Rates(), self.rounds, generator)
        return Dataset(domain, codes.astype(np.int64))
