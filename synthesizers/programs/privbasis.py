"""PrivBasis: the most frequent itemsets with noisy counts.

Purpose: the k itemsets that most records contain, from data with any number of
items, without asking of every itemset.

Source: Li, Qardaji, Su & Cao 2012 (PrivBasis), as recalled, and the outline in
Li, Zhang & Wang 2021 (DPSyn), section 3.1. Ours: items are attributes with one
of their values, which exclude each other, so that bins that no record can be
in are left out; noise on the integers; replace-one; records as output.

Inputs: epsilon; k (default 10); items (values, default: all values of all
attributes, or ones: the second value of attributes of two values, as in tables
of transactions); longest (the most items of a basis, default 12, the paper's);
eta (default 1.1; the paper has 1.1 or 1.2); output (itemsets, default, or
records); rounds (of GUM, default 20); slack (how far beyond 0 and the public
number of rows noisy counts may lie; default: no bound that matters; give a small
one to enumerate).

Budget: shares 0.1, 0.4 and 0.5 of epsilon. First a rank lambda of the items is
chosen, whose count is nearest to that of the itemset ranked eta·k among those
of up to longest items: score -|f_j - theta|, of sensitivity 1 under add-remove
and 2 under replace-one. A rank beyond eta·k is taken for eta·k, whose count is at
least as near. Then lambda items by repeated choice without replacement, score
their count, of sensitivity 1; it moves in one direction
under add-remove alone, so that under replace-one a choice costs twice. Where
lambda passes longest, lambda2 = eta·k - lambda pairs of them too (by the paper
divided by the root of lambda2/lambda where that is above 1), and items and pairs
share by their numbers. At last each of w bases has epsilon/(2w) for its bins: a
marginal, of L1 sensitivity 1 and 2. For persons of at most m records all
sensitivities are m times as much. Noise: discrete Laplace. A choice of one
candidate is not asked. Guarantee: epsilon-DP.

Post-processing: an itemset's count is the sum of the bins that have it, from
several bases weighed by inverse variance. Itemsets: the k of the largest counts
as texts, each followed by its rounded count. Records (our extension): bins
without negatives (norm-sub); a domain of at most 4096 cells is fitted whole by
iterative proportional fitting, and rounded by largest remainder; on others
records begin with independent columns and are updated by GUM, values that are
no items being equally frequent. As many as the public number of rows, or the
mean total of the bases.

Assumes public: the domain and the items; n under replace-one of records.

Known weaknesses: counts are good for frequent itemsets alone. An itemset that
is in no basis is not found. Bins are exponentially many in the length of a
basis, and an itemset's noise grows with the bins that it sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from synthesizers.budget import Budget, PureBudget
from synthesizers.calibration import exponential_rate, laplace_scale, require_epsilon
from synthesizers.curator import Curator, Output, Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.estimation.bases import (
    Basis,
    Bins,
    Item,
    bases_of,
    estimate_counts,
    grouping,
    groups_of,
)
from synthesizers.estimation.bin_records import records_of_bins
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.asking import bounds_of_counts, count_of_all, rows_released
from synthesizers.programs.parameters import one_of, parameter, rational, whole
from synthesizers.queries import ItemsetCounts, Query, RankDistance, RecodedMarginal
from synthesizers.selection import Exponential

SHARES = (Fraction(1, 10), Fraction(4, 10), Fraction(5, 10))
"""Of epsilon: for the number of items, for items and pairs, for bins (Li et al. 2012)."""

MOST_WANTED = 256
"""The most itemsets, times eta, that are looked for: bases are made in
minutes."""


@dataclass(frozen=True, slots=True)
class PrivBasis:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    k: int = parameter(whole, 10)
    items: str = parameter(one_of("values", "ones"), "values")
    longest: int = parameter(whole, 12)
    eta: Fraction = parameter(rational, Fraction(11, 10))
    output: str = parameter(one_of("itemsets", "records"), "itemsets")
    rounds: int = parameter(whole, 20)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        if self.k < 1 or self.eta < 1 or not 2 <= self.longest <= 16:
            raise InputError("privbasis needs k >= 1, eta >= 1 and longest from 2 to 16")
        if self.eta * self.k > MOST_WANTED:
            raise InputError(f"privbasis finds at most {MOST_WANTED} itemsets: lower k or eta")

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(Fraction(self.epsilon))

    def __call__(self, curator: Curator) -> Output:
        """Itemsets, each a text followed by its noisy count; or records over the domain."""
        domain, bounds = curator.domain, bounds_of_counts(curator.setting, self.slack)
        items = self.all_items(domain)
        first, second, third = (self.epsilon * share for share in SHARES)
        wanted = math.ceil(self.eta * self.k)
        ranks = RankDistance(tuple(items), self.longest, wanted)
        # An item beyond that rank is no nearer the threshold, and bases of its like are many.
        size = min(1 + _choose(curator, ranks, first), wanted)
        many = self._pairs(size) if size > self.longest else 0
        share = second * Fraction(size, size + many)
        frequent = _choose_all(curator, [(item,) for item in items], size, share)
        found = [item for (item,) in frequent]
        pairs: list[tuple[Item, Item]] = []
        if size > self.longest:
            options = [pair for pair in combinations(found, 2) if pair[0][0] != pair[1][0]]
            chosen = _choose_all(curator, options, min(many, len(options)), second - share)
            pairs = [(left, right) for left, right in chosen]
            bases = bases_of(found, pairs, self.longest)
        else:
            bases = [frozenset(found)]
        bins = [_measure(curator, basis, third / len(bases), bounds) for basis in bases]
        if self.output == "records":
            rows = rows_released(curator.setting, float(np.mean([b.counts.sum() for b in bins])))
            return records_of_bins(curator, bins, rows, self.rounds)
        return _list_itemsets(domain, items, estimate_counts(bins), self.k)

    def all_items(self, domain: Domain) -> list[Item]:
        """The public items; InputError where ones are asked for and no attribute has two values."""
        if self.items == "values":
            sizes = zip(domain.names, domain.shape, strict=True)
            return [(name, code) for name, size in sizes for code in range(size)]
        found = [(name, 1) for name in domain.names if domain.attribute(name).size == 2]
        if not found:
            raise InputError("items=ones needs attributes of two values, and the domain has none")
        return found

    def _pairs(self, size: int) -> int:
        """How many pairs are chosen beside ``size`` items (Li et al. 2012), rounded down."""
        more = self.eta * self.k - size
        if more <= size:
            return max(0, math.floor(more))
        return math.isqrt(math.floor(more * size))


def _measure(curator: Curator, basis: Basis, epsilon: Fraction, bounds: tuple[int, int]) -> Bins:
    domain = curator.domain
    codes = grouping(domain, basis)
    groups = [groups_of(domain.attribute(name).size, own) for name, own in codes.items()]
    query = RecodedMarginal(tuple(codes), tuple(groups))
    sensitivity = query.sensitivity(domain, curator.neighbours)
    if sensitivity.l1 == 0:
        # One bin and n public: nothing is asked.
        counts = np.array([count_of_all(curator.setting)])
    else:
        noise = DiscreteLaplace(laplace_scale(epsilon, sensitivity))
        counts = curator.measure(query, noise, low=bounds[0], high=bounds[1])
    table = counts.astype(np.float64).reshape(query.shape)
    return Bins(query.attributes, tuple(codes.values()), table)


def _choose(curator: Curator, scores: Query, epsilon: Fraction) -> int:
    """The number of a candidate chosen by its score; nothing is asked where there is only one."""
    if scores.size(curator.domain) == 1:
        return 0
    sensitivity = scores.sensitivity(curator.domain, curator.neighbours)
    return curator.select(scores, Exponential(exponential_rate(epsilon, sensitivity)))


def _choose_all(
    curator: Curator, itemsets: Sequence[tuple[Item, ...]], number: int, epsilon: Fraction
) -> list[tuple[Item, ...]]:
    """So many of some itemsets, chosen one after the other by their counts."""
    left = list(itemsets)
    return [
        left.pop(_choose(curator, ItemsetCounts(tuple(left)), epsilon / number))
        for _ in range(number)
    ]


def _list_itemsets(
    domain: Domain, items: Sequence[Item], counts: dict[Basis, float], k: int
) -> list[str | int]:
    """The k itemsets of the largest counts, ties to the earlier items, as texts and counts."""
    places = {item: place for place, item in enumerate(items)}
    ordered = {itemset: sorted(places[item] for item in itemset) for itemset in counts}
    best = sorted(counts, key=lambda itemset: (-counts[itemset], ordered[itemset]))[:k]
    found: list[str | int] = []
    for itemset in best:
        named = [items[place] for place in ordered[itemset]]
        labels = (f"{name}={domain.attribute(name).labels[code]}" for name, code in named)
        found += [" & ".join(labels), round(counts[itemset])]
    return found
