"""Inspired by pfr: histogram queries in public groups of columns, denoised.

Purpose: a public list of what depends on what does the work of a model: few
histograms, noise in proportion to what they serve.

Source: inspired by team pfr (first in matches 1 and 2 of the NIST challenge of
2018), which is known through Bowen & Snoke 2021, section 3.1.3 alone. This is
our reconstruction; the denoising rule, the order of draws and the share for
the number of records are ours.

Inputs: epsilon; queries: groups separated by semicolons, the queries of a group
by commas, the columns of a query by +, each with an optional threshold, as in
a+b,b+c@5000;d (default: all columns in the domain's order, packed into groups
of one query while it has at most cells cells); cells (default 1000, a choice
of this project); rules = column=other:0,0,1;... (the code of a column for every
code of another one); denoise (default true); slack, how far beyond 0 and the
number of rows a noisy count may lie (default: no bound that matters).

Budget: epsilon is shared among the groups in proportion to their columns, and
within a group evenly among its queries; queries that are dropped have no share.
A query is a marginal, of L1 sensitivity 1 under add-remove and 2 under
replace-one; for persons of at most m records, m times as much. Noise: discrete
Laplace. Where a query has a threshold, or the rows are not stated, and n is
private, 1/20 of epsilon is spent first on a noisy
number of records. Accountant: sums of epsilon.

Post-processing: a query whose threshold is above the number of records (public,
or the noisy one) is dropped. Denoising takes noisy counts as a mixture of empty
and other cells: an empty cell is below 0 with chance a/(1+a) and at most 0 with
chance 1/(1+a), a = e^(-1/scale), so that either number of such counts estimates
how many of the K cells are empty: K0 is negatives (1+a)/a where a is at least
1/2, and nonpositives (1+a) where less noise leaves few negatives; the K0
smallest become 0, but none that noise alone hardly reaches (above log(20 K)
scales). What is left is clipped at 0. Queries are drawn in their order, each
given the columns that it shares with earlier ones of its group; groups are put
together independently; rules fill their columns; what is in no query is
uniform. Where the domain has at most 4096 cells the product of these chances is
rounded to the number of rows by largest remainder.

Assumes public: the domain, queries, thresholds and rules (learnt from the
private records they would be a hidden release), the number of rows (otherwise
the noisy number of records).

Known weaknesses: what the public list does not foresee is lost; a denoised
table is biased towards its large cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import PureBudget
from synthesizers.calibration import laplace_scale, require_epsilon
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.blocks import Block, cell_count, release_blocks
from synthesizers.programs.asking import rows_released
from synthesizers.programs.column_groups import noisy_counts, pack, require_disjoint
from synthesizers.programs.parameters import (
    attribute_name,
    parameter,
    rational,
    switch,
    whole,
    wholes,
)
from synthesizers.queries import Marginal, Total

IntArray = NDArray[np.int64]

TOTAL_SHARE = Fraction(1, 20)
"""Of epsilon for a private number of records, where it is needed."""


SURELY = 20
"""A count is surely not that of an empty cell, if the chance that any of them passes it is below
1/20."""


@dataclass(frozen=True, slots=True)
class HistogramQuery:
    """The columns of a histogram; ``least``: how many records it is worth asking about."""

    columns: tuple[str, ...]
    least: int = 0


QueryGroup = tuple[HistogramQuery, ...]


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """``column`` has the code ``codes[c]`` where ``other`` has the code c."""

    column: str
    other: str
    codes: tuple[int, ...]


def query_groups(text: str, name: str) -> tuple[QueryGroup, ...]:
    """Groups of queries: ``a+b,b+c@5000;d``."""
    return tuple(
        tuple(_query(part, name) for part in group.split(",")) for group in text.split(";")
    )


def _query(text: str, name: str) -> HistogramQuery:
    columns, _, least = text.partition("@")
    names = tuple(attribute_name(part, name) for part in columns.split("+"))
    return HistogramQuery(names, whole(least, name) if least else 0)


def column_rules(text: str, name: str) -> tuple[ColumnRule, ...]:
    """Rules of columns: ``city=neighbourhood:0,0,1;…``."""
    rules = []
    for part in text.split(";"):
        column, _, rest = part.partition("=")
        other, _, codes = rest.partition(":")
        names = attribute_name(column, name), attribute_name(other, name)
        rules.append(ColumnRule(*names, wholes(codes, name)))
    return tuple(rules)


def denoise(noisy: IntArray, scale: float) -> IntArray:
    """Noisy counts with as many of the smallest put to 0 as are likely to be empty; not negative.

    ``scale``: of the discrete Laplace noise.
    """
    # Where noise is so small that a comes to 0, no count is below 0.
    a = max(math.exp(-1 / scale), 1e-300)
    negatives, nonpositives = (noisy < 0).sum(), (noisy <= 0).sum()
    estimate = negatives * (1 + a) / a if a >= 1 / 2 else nonpositives * (1 + a)
    unsure = noisy <= scale * math.log(SURELY * len(noisy))
    empty = min(int(unsure.sum()), round(estimate))
    left = noisy.clip(0)
    left[np.argsort(noisy, kind="stable")[:empty]] = 0
    return left


@dataclass(frozen=True, slots=True)
class PfrStyle:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    queries: tuple[QueryGroup, ...] = parameter(query_groups, ())
    cells: int = parameter(whole, 1000)
    rules: tuple[ColumnRule, ...] = parameter(column_rules, ())
    denoise: bool = parameter(switch, True)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        groups = tuple(_columns(group) for group in self.queries)
        require_disjoint(groups, "groups of queries")
        require_disjoint(
            [*groups, tuple(rule.column for rule in self.rules)], "queries and rules together"
        )

    def budget(self, setting: Setting) -> PureBudget:
        """The nominal guarantee."""
        return PureBudget(Fraction(self.epsilon))

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        setting, domain = curator.setting, curator.domain
        groups = self._groups(domain)
        asked = any(query.least for group in groups for query in group)
        left, records = Fraction(1), setting.records
        if records is None and (asked or setting.rows is None):
            share, left = TOTAL_SHARE, 1 - TOTAL_SHARE
            records = int(
                noisy_counts(curator, Total(), self.budget(setting), share, self.slack)[0]
            )
        if asked:
            assert records is not None
            groups = _worth_asking(groups, records)
        columns = sum(len(_columns(group)) for group in groups)
        blocks: list[Block] = []
        for group in groups:
            share = left * Fraction(len(_columns(group)), columns * len(group))
            blocks += self._draw_blocks(curator, group, share)
        blocks += self._apply_rules(domain, blocks)
        return release_blocks(curator, blocks, rows_released(setting, float(records or 0)))

    def _groups(self, domain: Domain) -> tuple[QueryGroup, ...]:
        """The groups of queries, checked against the domain and the rules."""
        ruled = {rule.column for rule in self.rules}
        groups = self.queries
        if not groups:
            names = [name for name in domain.names if name not in ruled]
            groups = tuple((HistogramQuery(g),) for g in pack(domain.project(names), self.cells))
        for group in groups:
            for query in group:
                Marginal(query.columns).size(domain)
        for rule in self.rules:
            sizes = domain.attribute(rule.other).size, domain.attribute(rule.column).size
            if len(rule.codes) != sizes[0] or max(rule.codes) >= sizes[1]:
                raise InputError(
                    f"the rule of {rule.column} needs a code below {sizes[1]} for each of the "
                    f"{sizes[0]} codes of {rule.other}"
                )
            if rule.other in ruled:
                raise InputError(
                    f"the rule of {rule.column} follows {rule.other}, which has a rule"
                )
        return groups

    def _draw_blocks(self, curator: Curator, group: QueryGroup, share: Fraction) -> list[Block]:
        """The blocks of a group, each query given the columns of earlier ones."""
        domain, budget = curator.domain, self.budget(curator.setting)
        blocks: list[Block] = []
        before: set[str] = set()
        for query in group:
            marginal = Marginal(query.columns)
            noisy = noisy_counts(curator, marginal, budget, share, self.slack)
            moves = marginal.sensitivity(domain, curator.neighbours)
            kept = noisy.clip(0)
            if self.denoise and moves.l1:
                kept = denoise(noisy, float(laplace_scale(budget.epsilon * share, moves)))
            blocks += _block(domain, query.columns, kept, before)
            before |= set(query.columns)
        return blocks

    def _apply_rules(self, domain: Domain, blocks: Sequence[Block]) -> list[Block]:
        """A block for each rule, after one for what it follows where no query draws that."""
        drawn = {name for block in blocks for name in block.attributes}
        ruled = []
        for rule in self.rules:
            size, codes = domain.attribute(rule.column).size, list(rule.codes)
            if rule.other not in drawn:
                drawn.add(rule.other)
                ruled.append(Block((rule.other,), np.ones(len(codes))))
            ruled.append(Block((rule.column,), np.eye(size)[codes], (rule.other,)))
        return ruled


def _columns(group: QueryGroup) -> tuple[str, ...]:
    """The different columns of a group, in order."""
    return tuple(dict.fromkeys(name for query in group for name in query.columns))


def _worth_asking(groups: Sequence[QueryGroup], records: int) -> tuple[QueryGroup, ...]:
    """The groups without the queries whose thresholds are above the number of records."""
    kept = (tuple(query for query in group if query.least <= records) for group in groups)
    return tuple(group for group in kept if group)


def _block(
    domain: Domain, columns: tuple[str, ...], counts: IntArray, before: set[str]
) -> list[Block]:
    """The block of a query's new columns given its columns that were drawn before."""
    given = tuple(name for name in columns if name in before)
    new = tuple(name for name in columns if name not in before)
    if not new:
        return []
    table = counts.reshape([domain.attribute(name).size for name in columns])
    order = [columns.index(name) for name in (*given, *new)]
    weights = table.transpose(order).reshape(cell_count(domain, given), -1)
    return [Block(new, weights.astype(float), given)]
