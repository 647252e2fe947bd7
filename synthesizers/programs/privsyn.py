"""PrivSyn: pairs chosen by their dependence, merged, made consistent, and records by GUM.

Purpose: synthetic records whose marginals are near the true ones, of the pairs of attributes that
are worth their noise; many more than a tree could hold.

Source: Zhang, Wang, Li, Honorio, Backes, He, Chen & Zhang 2021 (PrivSyn). A reconstruction.

Inputs: epsilon; delta; gamma, the most cells of a merged marginal (default 5000, the paper's);
rounds of GUM (default 50) and of consistency (default 30, our choices); scale of the distances,
which are rounded down to multiples of 1/scale (default 1); slack, how far beyond 0 and the number
of rows a noisy answer may lie (default: no bound that matters).

Budget: rho is the largest that gives (epsilon, delta) (Canonne, Kamath & Steinke 2020), split
1/10 : 1/10 : 8/10 as in the paper. One tenth on the distances from independence (InDif, in
counts) of all P pairs, asked at once: each has sensitivity 4 under add-remove, so that their L2
sensitivity is 4·sqrt P; under replace-one 6 (4 if both attributes are binary), for persons of at
most m records 4m and 8m. One tenth on the d one-way marginals, each for 1/d of it. The rest on
the chosen marginals, marginal i for a share in proportion to its cells^(2/3). A marginal has L2
sensitivity 1 under add-remove, sqrt 2 under replace-one, m times that for persons. Noise:
discrete Gaussian. Accountant: the sum of rho (zCDP). With one attribute its marginal has all of
rho. Where no marginal is chosen its part of rho stays unspent.

Post-processing: values whose noisy count is below 3 standard deviations are put together, by
attribute. DenseMarg chooses pairs greedily while the expected noise (L1, under the best split, of
pairs without those values) grows by less than the noisy distance that is saved. Cliques of chosen
pairs of at most gamma cells that share at most two attributes with those before replace their
pairs. Views are made consistent, weighted by the inverse of their variance (a public n is kept),
and rid of negatives (norm-sub) in turn. Records begin along the strongest tree of pairs that are
more dependent than noise shows, and are updated by GUM, the farthest view first, at the rate
0.84^floor(round/20), attributes that no chain of views connects apart. Rounds end early where one
takes less than a tenth of the mean distance. Values that were put together are drawn apart in
proportion to their noisy counts.

Assumes public: the domain, the number of rows (otherwise the weighted mean of the one-way
totals).

Known weaknesses: dependences that lie below the noise are lost; what is beyond the chosen
marginals is kept by chance. Departures: the paper gives InDif sensitivity 4 under replace-one
too, which large tables exceed; its rho is the simple conversion's; it puts rare values together
after the measurement, where we do so before, so that less is noised; GUM begins
with a tree, not with independent columns, copies of a record what hangs together (the paper: half
and all of them whole), and overwrites none where the other views lose more by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.estimation.consistency import View, mean_total, settle_views
from synthesizers.estimation.dense_marg import dense_pairs, merge_cliques
from synthesizers.estimation.generation import public_generator
from synthesizers.estimation.gum import Rates
from synthesizers.estimation.negatives import norm_sub
from synthesizers.estimation.recoding import Recoding
from synthesizers.estimation.view_records import records_of_views
from synthesizers.programs.asking import WIDE, gaussian_noise, rows_released
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.parameters import parameter, whole
from synthesizers.programs.view_questions import (
    ask_view,
    decode,
    recode_view,
    together,
)
from synthesizers.queries import IndependenceDistance, Marginal, RecodedMarginal

SCORES, ONE_WAYS, CHOSEN = Fraction(1, 10), Fraction(1, 10), Fraction(8, 10)
"""The shares of rho (Zhang et al. 2021, section 6.1)."""

RARE = 3
"""Standard deviations of noise below which a value is put together with others (section 5)."""

_WEIGHT_UNIT = 1_000_000
"""What a weight of 1 is held as, so that shares of rho are fractions."""


@dataclass(frozen=True, slots=True)
class PrivSyn(GaussianProgram):
    """See the module's card."""

    gamma: int = parameter(whole, 5000)
    rounds: int = parameter(whole, 50)
    consistency_rounds: int = parameter(whole, 30)
    scale: int = parameter(whole, 1)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        if self.scale < 1:
            raise InputError(f"the scale of distances must be at least 1, found {self.scale}")

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        setting, names = curator.setting, curator.domain.names
        rho = self.rho
        pairs = list(combinations(names, 2))
        distances = self._distances(curator, pairs, rho * SCORES) if pairs else np.zeros(0)
        one_ways = self._one_ways(curator, rho * ONE_WAYS if pairs else rho)
        recodings = {
            view.attributes[0]: Recoding.of(
                view.counts, RARE * float(np.sqrt(view.variance)), drop=False
            )
            for view in one_ways
        }
        chosen = self._choose_sets(setting, pairs, distances, recodings, rho * CHOSEN)
        views = self._views(curator, chosen, recodings, rho * CHOSEN)
        generator = public_generator(curator)
        public = None if setting.records is None else float(setting.records)
        all_views = [*views, *(recode_view(view, recodings) for view in one_ways)]
        agreed = settle_views(all_views, norm_sub, self.consistency_rounds, public)
        rows = rows_released(setting, mean_total(one_ways))
        codes = records_of_views(names, agreed, rows, Rates(), self.rounds, generator)
        return decode(setting.domain, codes, recodings, one_ways, generator)

    def _distances(
        self, curator: Curator, pairs: Sequence[tuple[str, str]], rho: Fraction
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Noisy distances from independence, in counts."""
        query = IndependenceDistance(tuple(((a,), (b,)) for a, b in pairs), self.scale)
        sensitivity = query.sensitivity(curator.domain, curator.neighbours)
        low, high = -WIDE, WIDE
        if self.slack is not None:
            # The distance of n records is below 2n.
            low, high = -self.slack, 2 * self.scale * curator.setting.require_rows() + self.slack
        noise = gaussian_noise(rho, sensitivity)
        return curator.measure(query, noise, low=low, high=high) / self.scale

    def _one_ways(self, curator: Curator, rho: Fraction) -> list[View]:
        queries = [Marginal((name,)) for name in curator.domain.names]
        noise = gaussian_noise(rho, together(queries, curator.setting))
        return [ask_view(curator, query, noise, self.slack) for query in queries]

    def _choose_sets(
        self,
        setting: Setting,
        pairs: Sequence[tuple[str, str]],
        distances: np.ndarray[tuple[int], np.dtype[np.float64]],
        recodings: Mapping[str, Recoding],
        rho: Fraction,
    ) -> list[tuple[str, ...]]:
        """The sets of attributes to measure: chosen pairs, merged."""
        sizes = {name: recoding.size for name, recoding in recodings.items()}
        cells = np.array([sizes[a] * sizes[b] for a, b in pairs], np.float64)
        l2_squared = max(
            (together([Marginal(pair)], setting).l2_squared for pair in pairs), default=1
        )
        numbers = dense_pairs(distances, cells, float(rho), l2_squared or 1)
        return merge_cliques([pairs[number] for number in numbers], sizes, self.gamma)

    def _views(
        self,
        curator: Curator,
        chosen: Sequence[tuple[str, ...]],
        recodings: Mapping[str, Recoding],
        rho: Fraction,
    ) -> list[View]:
        queries = [
            RecodedMarginal(names, tuple(recodings[name].groups for name in names))
            for names in chosen
        ]
        weights = [round(query.size(curator.domain) ** (2 / 3) * _WEIGHT_UNIT) for query in queries]
        views = []
        for query, weight in zip(queries, weights, strict=True):
            share = rho * Fraction(weight, sum(weights))
            sensitivity = query.sensitivity(curator.domain, curator.neighbours)
            views.append(ask_view(curator, query, gaussian_noise(share, sensitivity), self.slack))
        return views
