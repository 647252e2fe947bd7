"""How alike the two-way distributions of the attributes are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from audit.utility.associations import Association, Correlations, cramers_v
from audit.utility.compat.programs import SDMETRICS
from audit.utility.compat.sdmetrics import (
    ASSOCIATION_THRESHOLD,
    CORRELATION_THRESHOLD,
    SUBSAMPLE,
    program_bins,
)
from audit.utility.counts import Attributes
from audit.utility.metric import FIXED
from audit.utility.numeric_columns import (
    Grouping,
    Numbers,
    equal_width_groups,
    midpoints_note,
    numeric_names,
    regroup,
)
from audit.utility.pair import Marginal, Pair
from audit.utility.score import Breakdown, Score
from audit.utility.sdmetrics.quality_score import QualityScore, mean_of
from synthesizers.domain import Domain
from synthesizers.errors import InputError

BINS = 10
"""Bins of a numeric column beside one that is not: ``numpy.histogram``'s, SDMetrics 0.32."""

CORRELATION, CONTINGENCY = "correlation similarity", "contingency similarity"


@dataclass(frozen=True, kw_only=True)
class ColumnPairTrends(QualityScore):
    """The mean over all pairs of attributes of how alike their two-way distributions are.

    A pair of numeric attributes has 1 - |ρ_T - ρ_S|/2 with Pearson's correlations of
    the records that have both numbers; any other pair 1 - the total variation of its
    table, a numeric attribute cut into ten bins of equal width. In the mode "fixed"
    the bins are those of the real numbers, the ends open, and all pairs count whose
    real correlation is defined; where the synthetic one alone is not it is taken as 0.

    The mode "sdmetrics" agrees with ``ColumnPairTrends`` in the ``QualityReport`` of
    SDMetrics 0.32, up to 50,000 records, above which it counts in an unseeded
    subsample and this in all: each table has bins of its own, so that a shift of a
    numeric attribute goes unseen, and a missing number falls into the bin of the
    largest; pairs whose real correlation is at most 0.5 in size, or whose real Cramér's
    V is at most 0.3, are left out.
    """

    name = "column-pair-trends"
    family = "pairs"

    def check(self, domain: Domain) -> None:
        """Refuse a domain of one attribute, and numeric attributes that are none."""
        super().check(domain)
        if len(domain.attributes) < 2:
            raise InputError(f"{self.name}: needs two attributes, and the domain has one")

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The pairs without a numeric attribute."""
        numeric = frozenset(numeric_names(domain, self.numeric))
        return [p for p in itertools.combinations(domain.names, 2) if numeric.isdisjoint(p)]

    def score(self, pair: Pair) -> Score:
        """The mean over the pairs that count; undefined if none does."""
        rows = list(self._rows(pair))
        rows.sort(key=lambda row: math.inf if row[2] is None else row[2])
        scores = [row[2] for row in rows if row[2] is not None]
        weak = sum(row[3] is not None and abs(row[3]) <= _threshold(row[5]) for row in rows)
        left = f"{len(rows) - len(scores)} of {len(rows)} pairs are left out"
        if self.mode == SDMETRICS:
            law = (
                f"{left}, {weak} of them with a real association of at most "
                f"{CORRELATION_THRESHOLD} (correlation) or {ASSOCIATION_THRESHOLD} (Cramér's V)",
                f"bins of each table's own; counted in all records, where SDMetrics takes an "
                f"unseeded subsample of {SUBSAMPLE}",
            )
        else:
            law = (
                f"{left}, without a real correlation; {weak} weak pairs that SDMetrics 0.32 "
                "leaves out are counted",
                f"{BINS} bins of equal width over the real numbers",
            )
        columns = (
            "first attribute",
            "second attribute",
            "score",
            "real association",
            "synthetic association",
            "measure",
        )
        numeric = numeric_names(pair.domain, self.numeric)
        fields: dict[str, Any] = {
            "stated": (*law, *midpoints_note(pair, numeric)),
            "details": (Breakdown("pairs", columns, tuple(rows)),),
        }
        if not scores:
            return self.undefined("no pair of attributes counts", **fields)
        return self.scored(mean_of(scores), **fields)

    def _rows(
        self, pair: Pair
    ) -> Iterator[tuple[str, str, float | None, Association, Association, str]]:
        numeric = numeric_names(pair.domain, self.numeric)
        if len(numeric) > 1:
            correlations = [Correlations(table, numeric) for table in pair.tables]
            for first, second in itertools.combinations(numeric, 2):
                real, synthetic = (found(first, second) for found in correlations)
                yield (
                    first,
                    second,
                    self._correlation_score(real, synthetic),
                    real,
                    synthetic,
                    CORRELATION,
                )
        marginals = pair.marginals(self.marginals_read(pair.domain))
        if 0 < len(numeric) < len(pair.domain.names):
            both = itertools.combinations(pair.domain.names, 2)
            mixed = [names for names in both if (names[0] in numeric) != (names[1] in numeric)]
            binned = regroup(pair, numeric, self._bins)
            marginals = itertools.chain(marginals, binned.marginals(mixed))
        for marginal in marginals:
            first, second = marginal.attributes
            real, synthetic = cramers_v(marginal, corrected=False)
            yield first, second, self._count_score(marginal, real), real, synthetic, CONTINGENCY

    def _bins(self, real: Numbers, synthetic: Numbers) -> Grouping:
        grouping = equal_width_groups if self.mode == FIXED else program_bins
        return grouping(real, synthetic, BINS)

    def _correlation_score(self, real: Association, synthetic: Association) -> float | None:
        if real is None or (self.mode == SDMETRICS and synthetic is None):
            return None
        if self.mode == SDMETRICS and abs(real) <= CORRELATION_THRESHOLD:
            return None
        return 1 - abs(real - (synthetic or 0.0)) / 2

    def _count_score(self, marginal: Marginal, association: Association) -> float | None:
        weak = association is None or association <= ASSOCIATION_THRESHOLD
        if self.mode == SDMETRICS and weak:
            return None
        return 1 - marginal.total_variation()


def _threshold(measure: str) -> float:
    return CORRELATION_THRESHOLD if measure == CORRELATION else ASSOCIATION_THRESHOLD
