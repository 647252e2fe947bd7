"""Combined histograms: noisy counts of public groups of columns, one row drawn of each.

Purpose: records of persons who have several, at the price of one histogram a
group of columns and nothing else.

Source: Jim King, in the NIST Temporal Map challenge of 2020-2021, after his
write-up. Corrected: bins come from the schema, and no table is fitted on the
private data.

Inputs: epsilon; groups = a+b;c (attributes left out are groups of their own;
default: attributes in the domain's order, packed while a group has at most
cells cells); cells (default 1000, a choice of this project); slack, how far
beyond 0 and the number of rows a noisy count may lie (default: no bound that
matters).

Budget: g histograms, and the number of records where nobody states the rows (a
population query of the author's), all with discrete Laplace noise of one
scale: the sum of their L1 sensitivities over epsilon. For persons of at most m
records a histogram has m under add-remove and 2m under replace-one, so that
the scale is the author's (histograms x sample size + population
queries)/epsilon, of which each population query counts m here because it
counts records. For records m is 1. Accountant: sums of epsilon.

Post-processing: counts are clipped at 0 and taken as weights (all zero: equal
weights). Where the domain has at most 4096 cells the product of the weights is
rounded to the number of rows by largest remainder; otherwise each row draws
every group independently, systematically within a group.

Assumes public: the domain, the groups, m, the number of rows (otherwise the
noisy number of records).

Known weaknesses: columns of different groups are independent, and so are the
records of a person; without a threshold noise fills the empty cells.

Departures: the author samples m rows of each person with replacement, so that
everybody weighs the same; here the curator keeps the first m records of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.estimation.blocks import Block, release_blocks
from synthesizers.programs.asking import rows_released
from synthesizers.programs.column_groups import (
    GroupProgram,
    noisy_counts,
    partition,
)
from synthesizers.queries import Marginal, Query, Total


@dataclass(frozen=True, slots=True)
class Histograms(GroupProgram):
    """See the module's card."""

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        setting, domain = curator.setting, curator.domain
        groups = partition(domain, self.groups, self.cells)
        queries: list[Query] = [Marginal(group) for group in groups]
        if setting.rows is None:
            queries.append(Total())
        moves = [query.sensitivity(domain, setting.neighbours).l1 for query in queries]
        budget = self.budget(setting)
        counts = [
            noisy_counts(curator, query, budget, Fraction(move, max(1, sum(moves))), self.slack)
            for query, move in zip(queries, moves, strict=True)
        ]
        rows = rows_released(setting, float(counts[-1].sum()))
        blocks = [Block(g, n.clip(0).astype(float)) for g, n in zip(groups, counts, strict=False)]
        return release_blocks(curator, blocks, rows)
