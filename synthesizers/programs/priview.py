"""PriView: noisy views from a covering design, made consistent.

Purpose: marginals of any few of many attributes, all from a few noisy marginals
of more attributes each (the views), that agree with one another; and records
that have these views.

Source: Qardaji, Yang & Li 2014; the outline in Li, Zhang & Wang 2021 (DPSyn),
section 3.2. A reconstruction: no code of the authors was seen. Our extensions:
attributes of any size (consistency after Zhang et al. 2018, CALM; a limit of
cells beside the one of attributes); noise on the integers; records, by maximum
entropy on small domains and by GUM (Zhang et al. 2021) on others, where the
paper answers queries.

Inputs: epsilon; length (attributes of a view, default 8, the paper's); strength
(every 2, default, or 3 attributes are together in some view, or "predicted":
3 where a cell of three attributes would have a standard deviation of at most
0.003 of the public number of rows); cells (the most cells of a view, default
1000; a set that must be covered may have more); views (as a1+a2;a2+a3, in
place of the design); rounds (of GUM, default 20); slack (how far beyond 0 and
the public number of rows noisy counts may lie; default: no bound that matters;
give a small one to enumerate).

Budget: epsilon/m on each of m views. A view has L1 sensitivity 1 under
add-remove and 2 under replace-one; for persons of at most m' records, m' times
as much. Noise: discrete Laplace of scale m·sensitivity/epsilon a cell.
Guarantee: epsilon-DP.

Post-processing: overall consistency, and ripple (no count below -1/2), twice in
turn and consistency at last; with n public, all views have it as their total. A
domain of at most 4096 cells is then fitted whole, by iterative proportional
fitting, and rounded by largest remainder. On others records begin along the
strongest tree of the views' pairs, and are updated by GUM. Rounds end early
where one takes less than a tenth of the mean distance. They are as many as the
public number of rows, or the views' common total.

Assumes public: the domain and the views; n under replace-one of records.

Known weaknesses: the noise of each view grows with the number of views, which
for attributes of many values is nearly that of all pairs. What is in no view
together is taken as independent given what is. The greedy design is not the
smallest: 64 binary attributes take 102 views of 8, where 72 would do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Budget, PureBudget
from synthesizers.calibration import laplace_scale, require_epsilon
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.consistency import View, consistent
from synthesizers.estimation.covering import covering_design
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, round_table
from synthesizers.estimation.gum import Rates
from synthesizers.estimation.maximum_entropy import maximum_entropy
from synthesizers.estimation.negatives import norm_sub
from synthesizers.estimation.ripple import ripple
from synthesizers.estimation.view_records import records_of_views
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.asking import bounds_of_counts, count_of_all, rows_released
from synthesizers.programs.parameters import attribute_sets, one_of, parameter, rational, whole
from synthesizers.queries import Marginal

RIPPLES = 2
"""Rounds of consistency and ripple (the paper has a few)."""

THRESHOLD = 0.5
"""Counts above minus this stay as they are (half a record)."""

SMALL_ERROR = Fraction(3, 1000)
"""The relative error up to which triples are covered: the upper end of what Qardaji, Yang & Li 2014
aim at, from memory."""

FITTINGS = 50
"""Rounds of proportional fitting (consistent views need few)."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PriView:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    length: int = parameter(whole, 8)
    strength: str = parameter(one_of("2", "3", "predicted"), "2")
    cells: int = parameter(whole, 1000)
    views: tuple[tuple[str, ...], ...] | None = parameter(attribute_sets, None)
    rounds: int = parameter(whole, 20)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        if self.length < 1 or self.cells < 1:
            raise InputError("the views of priview have one attribute and one cell or more")

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(Fraction(self.epsilon))

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        setting = curator.setting
        queries = [Marginal(names) for names in self.chosen(setting)]
        low, high = bounds_of_counts(setting, self.slack)
        noisy = []
        for query in queries:
            sensitivity = query.sensitivity(curator.domain, curator.neighbours)
            scale = laplace_scale(self.epsilon / len(queries), sensitivity)
            if scale == 0:
                # One cell and n public: nothing is asked.
                noisy.append((count_of_all(setting),))
                continue
            counts = curator.measure(query, DiscreteLaplace(scale), low=low, high=high)
            noisy.append(tuple(counts.tolist()))
        names = tuple(query.attributes for query in queries)
        views = reconcile(curator.domain, names, tuple(noisy), setting.records)
        rows = rows_released(setting, views[0].total)
        if curator.domain.size <= SMALL_DOMAIN:
            return round_table(curator.domain, whole_table_of(curator.domain, views), rows)
        return self._records(curator, views, rows)

    def chosen(self, setting: Setting) -> tuple[tuple[str, ...], ...]:
        """The attributes of each view; InputError for views that the domain has not."""
        domain = setting.domain
        if self.views is not None:
            for names in self.views:
                Marginal(names).size(domain)
            return self.views
        strength = 2 if self.strength == "predicted" else int(self.strength)
        if self.strength == "predicted" and self._affordable(setting, self._design(domain, 3)):
            strength = 3
        return self._design(domain, strength)

    def _design(self, domain: Domain, strength: int) -> tuple[tuple[str, ...], ...]:
        blocks = covering_design(domain.shape, strength, self.length, self.cells)
        return tuple(tuple(domain.names[position] for position in block) for block in blocks)

    def _affordable(self, setting: Setting, views: tuple[tuple[str, ...], ...]) -> bool:
        """Whether cells of three attributes would have a small error, each from one view."""
        size = setting.require_rows() if setting.records is None else setting.records
        limit = (SMALL_ERROR * size) ** 2
        for names in views:
            sensitivity = Marginal(names).sensitivity(setting.domain, setting.neighbours)
            scale = laplace_scale(self.epsilon / len(views), sensitivity)
            sizes = sorted(setting.domain.attribute(name).size for name in names)
            if 2 * scale**2 * math.prod(sizes[3:]) > limit:
                return False
        return True

    def _records(self, curator: Curator, views: tuple[View, ...], rows: int) -> Dataset:
        generator, domain = public_generator(curator), curator.domain
        viewed = {name for view in views for name in view.attributes}
        unseen = [
            View((name,), np.ones(size))
            for name, size in zip(domain.names, domain.shape, strict=True)
            if name not in viewed
        ]
        codes = records_of_views(
            domain.names, [*views, *unseen], rows, Rates(), self.rounds, generator
        )
        return Dataset(domain, codes.astype(np.int64))


# Whoever lists transcripts plays most of them more than once.
@lru_cache(maxsize=256)
def reconcile(
    domain: Domain,
    names: tuple[tuple[str, ...], ...],
    noisy: tuple[tuple[int, ...], ...],
    total: int | None,
) -> tuple[View, ...]:
    """Views that agree and have no negative counts, from noisy counts, last attribute fastest.

    ``total``: the public number of records, kept exactly. The last step, which brings what little
    is negative to 0, can leave the views apart by as much.
    """
    views: tuple[View, ...] = tuple(
        View(attributes, np.array(counts, np.float64).reshape(domain.project(attributes).shape))
        for attributes, counts in zip(names, noisy, strict=True)
    )
    views = consistent(views, total)
    for _ in range(RIPPLES):
        calm = [View(view.attributes, ripple(view.counts, THRESHOLD)) for view in views]
        views = consistent(calm, total)
    return tuple(View(view.attributes, norm_sub(view.counts)) for view in views)


@lru_cache(maxsize=256)
def whole_table_of(domain: Domain, views: tuple[View, ...]) -> FloatArray:
    """The table of largest entropy, [cells], that has the views."""
    marginals = [(tuple(map(domain.position, view.attributes)), view.counts) for view in views]
    return maximum_entropy(domain.shape, marginals, FITTINGS).ravel()
