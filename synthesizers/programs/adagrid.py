"""AdaGrid: a tree of marginals, measured finely where counts are plausible.

Purpose: synthetic records of many attributes with large domains, whose two-way marginals have most
of their cells empty; with targets, records that keep how pairs of attributes go with the targets.

Source: the Minutemen's entry to NIST's Temporal Map challenge in the general form that they
published with it (McKenna, Miklau & Sheldon 2021, Adaptive Grid). The contest form is not built:
its 66 marginals, rounds and person weights were chosen on public taxi data. Selection as in MST
(McKenna, Miklau & Sheldon 2021, JPC), model as in Private-PGM (McKenna, Sheldon & Miklau 2019).

Inputs: epsilon, delta; targets, public names of attributes that every marginal holds (default
none); threshold, how many standard deviations a noisy count needs to be plausible (default 5);
unit, the whole number that weights of queries are rounded to (default 1024); steps of each fit
(default 250); slack, how far beyond 0 and the public number of rows answers may lie (default: no
bound that matters).

Budget: rho, the largest for which rho-zCDP implies (epsilon, delta)-DP, in shares 0.1, 0.1, 0.8.
(1) Of every attribute, joined with the targets, the marginal and all marginals below it, at equal
shares, with discrete Gaussian noise of variance L2²/(2·rho). A marginal over others is asked by its
grid: counts of the cells whose sub-marginals were all plausible, of weight u (the unit), and the
queries of the k sub-marginals on the rest, of weight u/√k rounded down. (2) A spanning tree of the
attributes beside the targets, by Kruskal's steps: exponential mechanisms at equal shares on the L1
distance between an edge's marginal (with the targets) and the model's; not asked where there are
fewer than three such attributes, and what is not spent goes to (3): the grids of the edges, at
equal shares. Per record, sensitivities under add-remove are L2 1 (a marginal), at most u (a grid)
and 1 (a distance); under replace-one √2, at most √2·u, and 2. For persons of at most m records, m
times those of add-remove, and twice those of replace-one.
Guarantee: rho-zCDP, hence (epsilon, delta)-DP.

Post-processing: a graphical model fitted to all answers by their variances; records drawn from it,
or where the domain is small its table rounded. n, where private, is estimated from the whole
marginals.

Assumes public: the domain, the targets, threshold and unit; n under replace-one of records.

Known weaknesses: a tree holds the pairs on its edges, and others only as far as these imply them;
cells that are not plausible get their counts from sums alone, so that rare combinations are smooth;
the first share alone decides what is plausible.

Departures from the code that was published: noise is discrete and calibrated to the relation; the
fit weighs answers by their variances; sums over no cell are not asked; attributes of one value are
left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from synthesizers.calibration import gaussian_variance
from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.adaptive_grid import Below, grid, least_plausible, lightest
from synthesizers.estimation.fitting import fit_model, release_model
from synthesizers.estimation.graphical import GraphicalModel
from synthesizers.estimation.models import Model, NoisyMarginal
from synthesizers.neighbours import Neighbours
from synthesizers.noise import DiscreteGaussian
from synthesizers.programs.asking import bounds_of_counts, rows_released
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import (
    choose,
    epsilon_of_choice,
    estimate_records,
    model_counts,
    price_of_choice,
    require_steps,
)
from synthesizers.programs.parameters import attribute_names, parameter, rational, whole
from synthesizers.queries import Marginal, ModelError, Query, Sensitivity

SHARES = (Fraction(1, 10), Fraction(1, 10), Fraction(8, 10))
"""Of rho: first marginals, choice of the tree, its edges (the published code's defaults)."""

MOST_UNIT = 2**20
"""The largest unit: weighted counts stay far within 64 bits."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AdaGrid(GaussianProgram):
    """See the module's card."""

    targets: Names = parameter(attribute_names, ())
    threshold: Fraction = parameter(rational, Fraction(5))
    unit: int = parameter(whole, 1024)
    steps: int = parameter(whole, 250)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        require_steps(self.steps, "steps")
        if self.threshold < 0:
            raise InputError("the threshold of plausible counts must not be negative")
        if len(set(self.targets)) != len(self.targets):
            raise InputError("a target is named twice; name it once")
        # Grids stand on one another: of 2, 3, … marginals with the targets, and of 2 on an edge.
        if self.unit > MOST_UNIT or not lightest(self.unit, [*range(2, len(self.targets) + 2), 2]):
            raise InputError(
                f"the unit must be at most {MOST_UNIT}, and so large that weights divided by the "
                "roots of the numbers of sub-marginals are not rounded down to 0"
            )

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        domain = curator.domain
        free, targets = self._free(domain), self._within(domain)
        rho = self.rho
        first, choice, edges = (rho * share for share in SHARES)
        if len(free) == 1:
            first = rho
        seen: dict[Names, Below] = {}
        measured: list[NoisyMarginal] = []
        sets = closure(free, targets)
        for names in sets:
            self._measure(curator, names, first / len(sets), seen, measured)
        model = None
        if len(free) > 1:
            tree, spent = [(*free, *targets)], Fraction(0)
            if len(free) > 2:
                model = self._fit(curator, measured, None)
                epsilon = epsilon_of_choice(choice / (len(free) - 1))
                tree = spanning_tree(curator, free, targets, model, epsilon)
                spent = len(tree) * price_of_choice(epsilon)
            share = (choice - spent + edges) / len(tree)
            for names in tree:
                self._measure(curator, names, share, seen, measured)
        model = self._fit(curator, measured, model)
        return release_model(curator, model, rows_released(curator.setting, model.total))

    def _within(self, domain: Domain) -> Names:
        """The targets of more than one value, in the domain's order."""
        return tuple(
            name
            for name in domain.names
            if name in self.targets and domain.attribute(name).size > 1
        )

    def _free(self, domain: Domain) -> Names:
        """The attributes beside the targets, of more than one value; InputError where none is."""
        for name in self.targets:
            domain.position(name)
        free = tuple(
            name
            for name in domain.names
            if name not in self.targets and domain.attribute(name).size > 1
        )
        if not free:
            raise InputError("adagrid needs an attribute of two or more values beside the targets")
        return free

    def _measure(
        self,
        curator: Curator,
        names: Names,
        rho: Fraction,
        seen: dict[Names, Below],
        measured: list[NoisyMarginal],
    ) -> None:
        """Ask a marginal by its grid; keep what is plausible of it and what was measured."""
        below = [
            found
            for part, found in seen.items()
            if len(part) == len(names) - 1 and set(part) < set(names)
        ]
        asked = grid(curator.domain, names, below, self.unit)
        query, weight = asked.query, asked.weight
        sensitivity = _sensitivity(query, curator.domain, curator.neighbours)
        variance = gaussian_variance(rho, sensitivity)
        low, high = bounds_of_counts(curator.setting, self.slack)
        answers = curator.measure(
            query, DiscreteGaussian(variance), low=weight * low, high=weight * high
        )
        least = least_plausible(self.threshold, variance)
        seen[asked.attributes] = Below(asked, asked.plausible(answers, least))
        measured.append(
            NoisyMarginal(
                asked.attributes, answers / weight, float(variance / weight**2), asked.matrix
            )
        )

    def _fit(
        self, curator: Curator, measured: list[NoisyMarginal], start: GraphicalModel | None
    ) -> GraphicalModel:
        domain, total = curator.domain, estimate_records(curator, measured)
        shape = dict(zip(domain.names, domain.shape, strict=True))
        return fit_model(shape, measured, total, self.steps, start)


def spanning_tree(
    curator: Curator, free: Names, targets: Names, model: Model, epsilon: Fraction
) -> list[Names]:
    """The edges of a tree of the free attributes, each with the targets, by choices of ``epsilon``.

    Kruskal's steps: of the pairs that join parts of the forest, each scores the L1 distance of its
    marginal, with the targets, to the model's.
    """
    order = curator.domain.names
    pairs = {
        pair: tuple(name for name in order if name in (*pair, *targets))
        for pair in combinations(free, 2)
    }
    counts = {pair: model_counts(model.counts(names)) for pair, names in pairs.items()}
    parts = {name: name for name in free}
    tree: list[Names] = []
    while len(tree) < len(free) - 1:
        joining = [pair for pair in pairs if parts[pair[0]] != parts[pair[1]]]
        scores = ModelError(
            tuple(Marginal(pairs[pair]) for pair in joining),
            tuple(counts[pair] for pair in joining),
        )
        one, other = joining[choose(curator, scores, epsilon)]
        tree.append(pairs[one, other])
        kept, away = parts[one], parts[other]
        parts = {name: kept if part == away else part for name, part in parts.items()}
    return tree


@lru_cache(maxsize=64)
def _sensitivity(query: Query, domain: Domain, neighbours: Neighbours) -> Sensitivity:
    # An enumeration asks the same grids again and again.
    return query.sensitivity(domain, neighbours)


def closure(free: Names, targets: Names) -> list[Names]:
    """Each free attribute with the targets, and every set below it; the smallest sets first."""
    found = {
        part
        for name in free
        for size in range(1, len(targets) + 2)
        for part in combinations((name, *targets), size)
    }
    return sorted(found, key=lambda part: (len(part), part))
