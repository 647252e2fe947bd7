"""PrivBayes with Gaussian noise: a network of noisy pair scores, and joints that agree.

Purpose: records of a domain with many attributes under zero-concentrated differential privacy, by a
Bayesian network whose structure costs one question.

Source: our own design after what is known of the PrivBayes team's entry to the 2018 NIST challenge
(Bowen & Snoke 2021): Gaussian noise on the scores of pairs instead of choices, greedy parents,
Gaussian noise on the joints, consistency, ancestral sampling. The team published no code: the
score, the shares, the caps and the order of the attributes are ours. Scores: R of Zhang et al.
2017. Consistency: Qardaji, Yang & Li 2014.

Inputs: epsilon; delta; share, of rho for the structure (default 0.3); theta, the records of a cell
over the deviation of its noise (default 4); parents, the most of one child (default 4); slack of
the noisy answers.

Budget: rho, the largest whose zCDP implies (epsilon, delta). A share of it on one question: the
distances from independence of all d(d-1)/2 pairs, with discrete Gaussian noise; each distance moves
by 4 under add-remove and 6 under replace-one (4 where one side has two values), L2 the root of the
sum of squares. The rest in equal parts on joints of children with their parents, discrete Gaussian,
of L2 sensitivity 1 under add-remove and √2 under replace-one. For persons of at most m records, m
times as much under add-remove; under replace-one 8m a distance and m·√2 a joint. Where neither n
nor the number of rows is public, a fiftieth of rho goes to a noisy total first. One attribute has
no pair: its counts take the rest. Accountant: zCDP (Bun & Steinke 2016).

Post-processing: the first attribute has the largest sum of scores; then, of the attributes left,
the one whose parents have the largest sum joins. Its parents are those of the best scores that keep
the joint within n/(theta·deviation) cells, scores below their deviation aside. Joints within others
are not measured. Joints are made consistent on what they share, negatives go by norm-sub, and
records are drawn from parents to children by systematic sampling. On a small domain the network's
whole table is rounded instead.

Assumes public: the domain; n under replace-one of records.

Known weaknesses: scores are of pairs, so that parents that tell the same are taken twice, and what
only three attributes show together is not seen; the distance of sparse pairs is large by chance
alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from synthesizers.calibration import gaussian_variance
from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.estimation.blocks import conditional, release_blocks
from synthesizers.estimation.consistency import View, consistent
from synthesizers.estimation.negatives import norm_sub
from synthesizers.noise import require_positive
from synthesizers.programs.asking import (
    gaussian_counts,
    gaussian_noise,
    noisy_records,
    require_share,
    rows_released,
)
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import measure_marginal
from synthesizers.programs.parameters import parameter, rational, whole
from synthesizers.queries import IndependenceDistance, Marginal

SIZE_SHARE = Fraction(1, 50)
"""Of rho, for a total that nobody made public."""

Family = tuple[str, tuple[str, ...]]
"""A child and its parents."""

Scores = Mapping[frozenset[str], float]
"""What the noisy distances say of each pair."""


@dataclass(frozen=True, slots=True)
class PrivBayesGauss(GaussianProgram):
    """See the module's card."""

    share: Fraction = parameter(rational, Fraction(3, 10))
    theta: Fraction = parameter(rational, Fraction(4))
    parents: int = parameter(whole, 4)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        require_positive(self.theta, "theta")
        require_share(self.share, "share, that of rho for the structure,")

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        names = curator.domain.names
        size, rho = self._size(curator, self.rho)
        families: Sequence[Family] = [(names[0], ())]
        if len(names) > 1:
            families = self._families(curator, size, (1 - self.share) * rho, self.share * rho)
            rho = (1 - self.share) * rho
        views = self._views(curator, families, rho)
        network = []
        for child, parents in families:
            view = next(view for view in views if {child, *parents} <= set(view.attributes))
            order = sorted((*parents, child))
            axes = [order.index(name) for name in (*parents, child)]
            joint = norm_sub(view.counts)
            kept = View(view.attributes, joint).onto((*parents, child))
            network.append(conditional(child, parents, kept.transpose(axes)))
        total = sum(view.total for view in views) / len(views)
        return release_blocks(curator, network, rows_released(curator.setting, total))

    def _size(self, curator: Curator, rho: Fraction) -> tuple[float, Fraction]:
        """How many records there are about, and what of rho is left."""
        setting = curator.setting
        public = setting.rows if setting.records is None else setting.records
        if public is not None:
            return float(public), rho
        return noisy_records(curator, SIZE_SHARE * rho, self.slack), (1 - SIZE_SHARE) * rho

    def _families(
        self, curator: Curator, size: float, joints: Fraction, structure: Fraction
    ) -> Sequence[Family]:
        """Children with their parents, by the noisy scores of all pairs."""
        domain = curator.domain
        pairs = list(combinations(domain.names, 2))
        query = IndependenceDistance(tuple(((left,), (right,)) for left, right in pairs))
        noise = gaussian_noise(structure, query.sensitivity(domain, curator.neighbours))
        noisy = gaussian_counts(curator, query, structure, self.slack)
        scores = {
            frozenset(pair): float(score)
            for pair, score in zip(pairs, noisy.tolist(), strict=True)
            if score > math.sqrt(noise.variance)
        }
        one = Marginal(domain.names[:1]).sensitivity(domain, curator.neighbours)
        deviation = math.sqrt(gaussian_variance(joints / len(domain.names), one))
        cells = size / (float(self.theta) * deviation) if deviation else math.inf
        sizes = dict(zip(domain.names, domain.shape, strict=True))
        return greedy_families(sizes, scores, cells, self.parents)

    def _views(
        self, curator: Curator, families: Sequence[Family], rho: Fraction
    ) -> tuple[View, ...]:
        """Noisy joints that agree, of the families that are not within others."""
        sets = [frozenset((child, *parents)) for child, parents in families]
        asked = [own for own in dict.fromkeys(sets) if not any(own < other for other in sets)]
        names = curator.domain.names
        views = []
        for own in asked:
            query = Marginal(tuple(name for name in names if name in own))
            found = measure_marginal(curator, query, rho / len(asked), self.slack)
            shape = [curator.domain.attribute(name).size for name in query.attributes]
            views.append(View(query.attributes, found.counts.reshape(shape), found.variance))
        return consistent(views, curator.records)


def greedy_families(
    sizes: Mapping[str, int], scores: Scores, cells: float, most: int
) -> list[Family]:
    """Children with their parents: next is who has the parents of the largest sum of scores.

    ``scores``: of pairs that may be linked. A child takes the best-scored parents first, up to
    ``most`` and up to ``cells`` of them with it. Ties go by the order of the attributes.
    """
    names = list(sizes)

    def linked(left: str, right: str) -> float:
        return scores.get(frozenset((left, right)), 0.0)

    def parents_of(child: str, used: Sequence[str]) -> tuple[str, ...]:
        found: list[str] = []
        product = sizes[child]
        for parent in sorted(used, key=lambda name: -linked(child, name)):
            fits = product * sizes[parent] <= cells and len(found) < most
            if fits and linked(child, parent) > 0:
                found.append(parent)
                product *= sizes[parent]
        return tuple(found)

    root = max(names, key=lambda name: sum(linked(name, other) for other in names if other != name))
    families: list[Family] = [(root, ())]
    while len(families) < len(names):
        used = [child for child, _ in families]
        offers = [(name, parents_of(name, used)) for name in names if name not in used]
        families.append(max(offers, key=lambda one: sum(linked(one[0], p) for p in one[1])))
    return families
