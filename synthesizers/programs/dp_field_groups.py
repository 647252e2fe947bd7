"""DPFieldGroups: noisy contingency tables of public groups of attributes, drawn independently.

Purpose: the simplest of the systems that did well in the 2018 challenge: it
keeps what goes on within a group of attributes, and nothing between groups.

Source: Gardner 2019 (gardn999: fourth in match 3 of the NIST challenge of
2018); Bowen & Snoke 2021, section 3.1.2. The packing of attributes in order,
the uniform fallback and the discrete noise are ours.

Inputs: epsilon; groups = a+b;c (attributes left out are groups of their own;
default: attributes in the domain's order, packed while a group has at most
cells cells); cells (default 1000, a choice of this project); slack, how far
beyond 0 and the number of rows a noisy count may lie (default: no bound that
matters).

Budget: one question a group, its contingency table, each for 1/g of epsilon.
A table has L1 sensitivity 1 under add-remove and 2 under replace-one; for
persons of at most m records, m times as much. Noise: discrete Laplace of scale
b = g sensitivity/epsilon. Accountant: sums of epsilon. The author's g/epsilon
is the scale for add-remove.

Post-processing: noisy counts below 1.9 b log10(cells of the group) become 0
(the author's constant), which leaves an empty cell with chance
cells^(-1.9/ln 10)/2: 0.28, 0.075, 0.011 of 2, 10, 100 cells. Each row draws a
cell of every group with chance proportional to what is left; a group of which
nothing is left is uniform. Where the domain has at most 4096 cells the rows are
one multinomial draw.

Assumes public: the domain, the groups (chosen from the private data they would
be a hidden release), the number of rows (otherwise the noisy sum over the group
of the fewest cells).

Known weaknesses: attributes of different groups are independent; rare cells
fall below the threshold, and what remains is scaled up.

Departures: the author fixed 800 000 rows and chose 39 groups of 98 attributes
by eye from public data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.calibration import laplace_scale
from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.estimation.blocks import Block, draw_records
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator
from synthesizers.estimation.systematic import independent_choices
from synthesizers.laws.public_laws import Multinomial
from synthesizers.programs.asking import rows_released
from synthesizers.programs.column_groups import (
    Group,
    GroupProgram,
    noisy_counts,
    partition,
    total_of,
)
from synthesizers.queries import Marginal

IntArray = NDArray[np.int64]

THRESHOLD = 1.9
"""Gardner 2019: counts below this many scales a decade of cells are dropped."""


def keep_large(noisy: IntArray, scale: float) -> IntArray:
    """Noisy counts from THRESHOLD·scale·log10(cells) on, and 0 for the others."""
    limit = THRESHOLD * scale * math.log10(len(noisy))
    return np.where(noisy >= limit, noisy.clip(0), 0)


@dataclass(frozen=True, slots=True)
class DPFieldGroups(GroupProgram):
    """See the module's card."""

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        domain, budget = curator.domain, self.budget(curator.setting)
        groups = partition(domain, self.groups, self.cells)
        queries = [Marginal(group) for group in groups]
        for query in queries:
            query.size(domain)
        share = Fraction(1, len(groups))
        counts = [noisy_counts(curator, query, budget, share, self.slack) for query in queries]
        scales = [
            float(laplace_scale(budget.epsilon * share, q.sensitivity(domain, curator.neighbours)))
            for q in queries
        ]
        left = [keep_large(noisy, scale) for noisy, scale in zip(counts, scales, strict=True)]
        rows = rows_released(curator.setting, total_of(counts))
        blocks = [Block(g, cells.astype(float)) for g, cells in zip(groups, left, strict=True)]
        if domain.size > SMALL_DOMAIN:
            generator = public_generator(curator)
            return draw_records(domain, blocks, rows, generator, independent_choices)
        drawn = curator.draw(Multinomial(rows, _products(curator, groups, left)))
        return Dataset.from_histogram(domain, drawn)


def _products(curator: Curator, groups: tuple[Group, ...], left: list[IntArray]) -> tuple[int, ...]:
    """The weight of each cell of a small domain: the product of its groups' counts."""
    domain = curator.domain
    codes = domain.codes()
    products = np.ones(len(codes), np.object_)
    for group, counts in zip(groups, left, strict=True):
        weights = counts if counts.any() else np.ones_like(counts)
        columns = [domain.position(name) for name in group]
        products *= weights.astype(object)[domain.project(group).cells_of(codes[:, columns])]
    return tuple(products.tolist())
