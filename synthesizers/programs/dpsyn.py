"""DPSyn of the 2018 challenge: given marginals, rare values recoded, records by GUM or by flows.

Purpose: synthetic records whose marginals are near the true ones, of sets of attributes that an
analyst names beforehand; no choice depends on the data but the recoding.

Source: the team DPSyn's entry in the 2018 challenge of NIST (Li, Zhang & Wang 2021, sections 5
and 6 and appendix A; Bowen & Snoke 2021). A reconstruction: the team's marginals, and its rules
for single columns, are those of one data set.

Inputs: epsilon; delta; marginals, sets of attributes as in a+b;b+c (default: all pairs of at most
5000 cells); least-count, the count that a value must reach, beside 4.5 standard deviations
(default 800, the team's); recode-from, the number of values from which on an attribute is recoded
(default 9, our choice); updater = gum (default) or mcf; rate, by how much a cell may grow in a
round of GUM (default 1/5, the team's); rounds (default 100 for gum and mcf, the team's);
consistency-rounds (default 100, the team's); slack, how far beyond 0 and the number of rows a
noisy count may lie (default: no bound that matters).

Budget: t marginals, counted beforehand: those of the single attributes that are recoded or stand
in no set, and then the given sets, of recoded attributes. Each is asked once, all with the same
discrete Gaussian noise, whose variance is the sum of the squared L2 sensitivities over 2·rho: 1
for each under add-remove, 2 under replace-one, for persons of at most m records m² times that.
Accountant: the sum of rho (zCDP), of the largest rho that gives (epsilon, delta) (Canonne, Kamath
& Steinke 2020), which is as tight here as the team's search over Renyi orders.

Post-processing: values whose noisy count is below the larger of least-count and 4.5 standard
deviations are put together as one if their noisy counts sum to at least that, else they are left
out. Views are made consistent, weighted by the inverse of the cells summed (a public n is kept),
and rid of negatives (norm-cut) in turn. With gum records begin along the strongest tree of the
pairs, with mcf as independent columns, and they are updated towards all views in each round; a
round of gum that takes less than a tenth of the mean distance is the last. Values that were put
together are drawn apart in proportion to their noisy counts.

Assumes public: the domain, the marginals, the number of rows (otherwise the weighted mean of the
views' totals).

Known weaknesses: marginals are chosen blindly; values that are left out never appear; with
updater=mcf each view is met exactly and the others pay for it. Departures: the farthest view is
updated first; GUM begins along the strongest tree of pairs that are more dependent than noise
shows, copies of a record what hangs together, and overwrites none where the other views lose more
by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.consistency import mean_total, settle_views
from synthesizers.estimation.flows import Flow
from synthesizers.estimation.generation import public_generator
from synthesizers.estimation.gum import Rates, Update
from synthesizers.estimation.negatives import cut_norm
from synthesizers.estimation.recoding import Recoding
from synthesizers.estimation.view_records import records_of_views
from synthesizers.programs.asking import gaussian_noise, rows_released
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.parameters import attribute_sets, one_of, parameter, rational, whole
from synthesizers.programs.view_questions import (
    all_pairs,
    ask_view,
    decode,
    recode_view,
    together,
)
from synthesizers.queries import Marginal, RecodedMarginal

RARE = 4.5
"""Standard deviations of noise that a value's count must reach (the team's code)."""

MOST_CELLS = 5000
"""The most cells of a pair that is measured by default: PrivSyn's cap on a marginal."""


@dataclass(frozen=True, slots=True)
class DPSyn(GaussianProgram):
    """See the module's card."""

    marginals: tuple[tuple[str, ...], ...] | None = parameter(attribute_sets, None)
    least_count: int = parameter(whole, 800)
    recode_from: int = parameter(whole, 9)
    updater: str = parameter(one_of("gum", "mcf"), "gum")
    rate: Fraction = parameter(rational, Fraction(1, 5))
    rounds: int = parameter(whole, 100)
    consistency_rounds: int = parameter(whole, 100)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        if not 0 < self.rate <= 1:
            raise InputError(f"rate must be above 0 and at most 1, found {self.rate}")
        if self.marginals is not None:
            sets = [frozenset(Marginal(names).attributes) for names in self.marginals]
            if len(set(sets)) < len(sets):
                raise InputError("marginals must name each set of attributes once")

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        setting, domain = curator.setting, curator.domain
        single, sets = self._questions(domain)
        queries = [*map(Marginal, single), *map(Marginal, sets)]
        rho = self.rho
        noise = gaussian_noise(rho, together(queries, setting))
        threshold = max(RARE * float(noise.variance) ** 0.5, self.least_count)
        one_ways = [ask_view(curator, Marginal(names), noise, self.slack) for names in single]
        recodings = {name: Recoding.identity(domain.attribute(name).size) for name in domain.names}
        for view in one_ways:
            if domain.attribute(view.attributes[0]).size >= self.recode_from:
                recodings[view.attributes[0]] = Recoding.of(view.counts, threshold, drop=True)
        views = [
            ask_view(
                curator,
                RecodedMarginal(names, tuple(recodings[name].groups for name in names)),
                noise,
                self.slack,
            )
            for names in sets
        ]
        generator = public_generator(curator)
        public = None if setting.records is None else float(setting.records)
        all_views = [*views, *(recode_view(view, recodings) for view in one_ways)]
        agreed = settle_views(all_views, cut_norm, self.consistency_rounds, public)
        rows = rows_released(setting, mean_total(all_views))
        codes = records_of_views(domain.names, agreed, rows, self._update, self.rounds, generator)
        return decode(domain, codes, recodings, one_ways, generator)

    @property
    def _update(self) -> Rates | Update:
        return Flow() if self.updater == "mcf" else Rates(float(self.rate), 1.0)

    def _questions(self, domain: Domain) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
        """The single attributes to be asked about first, and the sets after them."""
        given = all_pairs(domain, MOST_CELLS) if self.marginals is None else self.marginals
        for names in given:
            domain.project(names)
        sets = [names for names in given if len(names) > 1]
        within = {name for names in sets for name in names}
        single: list[tuple[str, ...]] = [
            (name,)
            for name in domain.names
            if name not in within
            or (name,) in given
            or domain.attribute(name).size >= self.recode_from
        ]
        return single, sets
