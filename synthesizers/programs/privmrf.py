"""PrivMRF: a Markov random field on a graph of dependent attributes, marginals added by rounds.

Purpose: synthetic records of many attributes, whose marginals of several attributes matter.

Source: our reconstruction after Cai, Lei, Wei & Xiao 2021 (Data Synthesis via Differentially
Private Markov Random Fields), the published system of the group that entered NIST's Temporal Map
challenge as N-CRiPT; the entry itself, and its choices on public data, were not published.

Inputs: epsilon, delta; clique-cells and model-cells, the most cells of a clique and of all of them
(default 20000 and 200000); theta, by how much a cell's average count must exceed the noise's mean
size in a marginal of several attributes (default 6); steps of the last fit (default 250; the
others take a quarter); slack, how far beyond 0 and what the public number of rows allows answers
may lie (default: no bound that matters).

Budget: rho, the largest for which rho-zCDP implies (epsilon, delta)-DP, all of it discrete
Gaussian noise, of variance L2²/(2·share). Shares: 0.1 graph, for the distances from independence of
all pairs in one question (where n is private, a tenth of the share goes first to a noisy n); 0.1
L1, at equal shares for the rounds, each one question on the distances between data and model of up
to 400 marginals; 0.8 marginals, at equal shares. Where nothing is left to choose, no distance is
asked, and the share goes to the marginals. Per record, under add-remove: an independence distance
moves by 4, a distance to the model, a count and n by 1; under replace-one by 6 (4 where an
attribute is binary), by 2, by √2 in L2, by 0. For persons of at most m records (the cap on a taxi's
trips) m times those of add-remove, and twice that under replace-one.
Guarantee: rho-zCDP, hence (epsilon, delta)-DP.

Post-processing: the graph by local search on the noisy distances over 2n under the size limits,
triangulated; the first marginals from a greedy Bayesian network in each clique; then rounds (half
as many as attributes, at most 8) that measure the marginals with the largest noisy distances, 0.8
as many as attributes in all; a random field refitted after each; records drawn from it, or where
the domain is small its table rounded.

Assumes public: the domain, the size limits, theta; n under replace-one of records.

Known weaknesses: all pairs share a tenth of rho, so that small tables get a graph of noise; an L1
distance favours large marginals, whose counts err most anyway; many fits, slow.

Departures from the published code: zCDP in place of Gaussian DP (discrete noise); n is paid for
(there its cost is a hundred graph shares that nobody books) and the distance moves by what is
proved, 4 or 6 in counts rather than 4 under every relation; parents are added one by one, not
searched among all maximal sets; the 400 heaviest candidates are asked, not a random sample;
cliques are candidates themselves; no attribute hierarchies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synthesizers.calibration import gaussian_variance
from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.estimation.attribute_graph import (
    Pair,
    candidates,
    initial_marginals,
    search_cliques,
)
from synthesizers.estimation.fitting import fit_model, release_model
from synthesizers.estimation.graphical import GraphicalModel
from synthesizers.estimation.models import Model, NoisyMarginal, Shape
from synthesizers.noise import DiscreteGaussian, require_positive
from synthesizers.programs.asking import bounds_of_counts, rows_released
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import (
    estimate_records,
    measure_marginal,
    model_counts,
    require_steps,
)
from synthesizers.programs.parameters import parameter, rational, whole
from synthesizers.queries import IndependenceDistance, Marginal, ModelError, Query, Total

GRAPH, ERRORS, MARGINALS = Fraction(1, 10), Fraction(1, 10), Fraction(8, 10)
"""Shares of rho (the published code's beta1, beta3, and what is left)."""

OF_THE_TOTAL = Fraction(1, 10)
"""Of the graph's share, where n is private."""

LATER = Fraction(8, 10)
"""Marginals measured in rounds, over the number of attributes (the published code's t)."""

MOST_ROUNDS, MOST_ASKED = 8, 400
"""The most rounds, and the most distances asked in one (the published code)."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PrivMRF(GaussianProgram):
    """See the module's card."""

    clique_cells: int = parameter(whole, 20_000)
    model_cells: int = parameter(whole, 200_000)
    theta: Fraction = parameter(rational, Fraction(6))
    steps: int = parameter(whole, 250)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        require_steps(self.steps, "steps")
        require_positive(self.theta, "theta")

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        domain, rho = curator.domain, self.rho
        shape = {a.name: a.size for a in domain.attributes if a.size > 1}
        self._require_fit(shape)
        dependence, records = self._dependence(curator, shape, rho * GRAPH)
        cliques = search_cliques(shape, dependence, self.clique_cells, self.model_cells)

        later = math.floor(LATER * len(shape))
        useful = self._useful(curator, shape, records, rho * MARGINALS / (len(shape) + later))
        first = initial_marginals(shape, cliques, dependence, useful)
        weights = candidates(shape, cliques, first, useful)
        asked = len(weights) > later
        if not asked:
            first, later = [*first, *weights], 0
        share = rho * (MARGINALS if asked else MARGINALS + ERRORS) / (len(first) + later)
        noisy = [measure_marginal(curator, Marginal(names), share, self.slack) for names in first]
        rounds = min(max(1, len(shape) // 2), MOST_ROUNDS, later)
        model = self._fit(curator, noisy, rounds == 0, None)
        for number in range(rounds):
            wanted = later // rounds + (number < later % rounds)
            worst = self._worst(curator, weights, model, rho * ERRORS / rounds, wanted)
            noisy += [
                measure_marginal(curator, Marginal(names), share, self.slack) for names in worst
            ]
            model = self._fit(curator, noisy, number == rounds - 1, model)
        return release_model(curator, model, rows_released(curator.setting, model.total))

    def _require_fit(self, shape: Shape) -> None:
        if len(shape) < 2:
            raise InputError("privmrf needs two attributes of two or more values")
        if max(shape.values()) > self.clique_cells or sum(shape.values()) > self.model_cells:
            raise InputError(
                f"single attributes alone need clique-cells of {max(shape.values())} and "
                f"model-cells of {sum(shape.values())}, or more"
            )

    def _dependence(
        self, curator: Curator, shape: Shape, rho: Fraction
    ) -> tuple[dict[Pair, float], float]:
        """Noisy total variation of all pairs from independence, and the number of records."""
        setting = curator.setting
        low, high = bounds_of_counts(setting, self.slack)
        records: float | None = setting.records
        if records is None:
            (records,) = self._noisy(curator, Total(), rho * OF_THE_TOTAL, low, high).tolist()
            rho *= 1 - OF_THE_TOTAL
        records = max(1.0, records)
        pairs = list(combinations(shape, 2))
        distances = IndependenceDistance(tuple(((one,), (other,)) for one, other in pairs))
        # A distance is less than 2n.
        noisy = self._noisy(curator, distances, rho, low, 2 * high)
        found = noisy / (2 * records)
        return dict(zip(map(frozenset, pairs), found.tolist(), strict=True)), records

    def _useful(self, curator: Curator, shape: Shape, records: float, rho: Fraction) -> float:
        """The most cells of a marginal whose average count is theta times the noise's mean size."""
        marginal = Marginal((next(iter(shape)),))
        sensitivity = marginal.sensitivity(curator.domain, curator.neighbours)
        deviation = math.sqrt(gaussian_variance(rho, sensitivity))
        return records / (deviation * math.sqrt(2 / math.pi) * float(self.theta))

    def _worst(
        self,
        curator: Curator,
        weights: dict[Names, float],
        model: Model,
        rho: Fraction,
        wanted: int,
    ) -> list[Names]:
        """The candidates that the model fits worst, by noisy answers; they leave the candidates.

        The lower half of those asked weigh half as much from now on.
        """
        heaviest = sorted(weights, key=lambda names: (-weights[names], len(names), names))
        asked = heaviest[:MOST_ASKED]
        models = tuple(model_counts(model.counts(names)) for names in asked)
        errors = ModelError(tuple(map(Marginal, asked)), models)
        low, high = bounds_of_counts(curator.setting, self.slack)
        noisy = self._noisy(curator, errors, rho, low, 2 * high)
        ranked = [asked[place] for place in np.argsort(-noisy, kind="stable").tolist()]
        for names in ranked[len(ranked) // 2 :]:
            weights[names] /= 2
        for names in ranked[:wanted]:
            del weights[names]
        return ranked[:wanted]

    def _noisy(
        self, curator: Curator, query: Query, rho: Fraction, low: int, high: int
    ) -> NDArray[np.int64]:
        sensitivity = query.sensitivity(curator.domain, curator.neighbours)
        law = DiscreteGaussian(gaussian_variance(rho, sensitivity))
        return curator.measure(query, law, low=low, high=high)

    def _fit(
        self, curator: Curator, noisy: list[NoisyMarginal], last: bool, start: GraphicalModel | None
    ) -> GraphicalModel:
        domain, total = curator.domain, estimate_records(curator, noisy)
        shape = dict(zip(domain.names, domain.shape, strict=True))
        steps = self.steps if last else max(1, self.steps // 4)
        return fit_model(shape, noisy, total, steps, start)
