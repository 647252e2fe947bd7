"""Quality as in SDMetrics: the shapes of columns, the trends of pairs, and the mean of the two."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.metrics.associations import Association, Correlations, cramers_v
from audit.metrics.counts import Attributes
from audit.metrics.metric import FIXED, Metric
from audit.metrics.numeric_columns import (
    Groups,
    Numbers,
    equal_width_groups,
    numeric_names,
    regrouped,
    stated_midpoints,
)
from audit.metrics.pair import Marginal, Pair
from audit.metrics.score import Breakdown, Score
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError

SDMETRICS = "sdmetrics"

BINS = 10
"""Bins of a numeric column beside one that is not: ``numpy.histogram``'s, SDMetrics 0.32."""

CORRELATION_THRESHOLD, ASSOCIATION_THRESHOLD = 0.5, 0.3
"""Pairs with no more than that are left out of the mean: ``reports/utils.py``, SDMetrics 0.32."""

SUBSAMPLE = 50_000
"""Above so many records SDMetrics counts pairs in an unseeded subsample: ``reports/utils.py``."""

NEW_VALUE = 1e-6
"""Records that SDMetrics lends to a value that no real one has: ``get_frequencies``."""

DECIMALS = 14
"""Numbers are rounded to so many decimals before they are compared: ``kscomplement.py``."""

EXACT_RECORDS = 10_000
"""Up to so many records SciPy rounds the distance to a multiple of 1/(n·m): ``ks_2samp``."""

KS, TV = "KS complement", "TV complement"
CORRELATION, CONTINGENCY = "correlation similarity", "contingency similarity"


@dataclass(frozen=True, kw_only=True)
class _Quality(Metric):
    """What the three scores share: a range, two modes, and which attributes are numbers."""

    lowest, highest, direction = 0.0, 1.0, "higher"
    modes = (FIXED, SDMETRICS)

    numeric: tuple[str, ...] | None = None

    def check(self, domain: Domain) -> None:
        """Refuse numeric attributes that are none."""
        numeric_names(domain, self.numeric)


@dataclass(frozen=True, kw_only=True)
class ColumnShapes(_Quality):
    """The mean over all attributes of 1 - the distance of their one-way distributions.

    The distance is Kolmogorov and Smirnov's for numeric attributes (``numeric``, or
    for None those of ``numeric_names``), total variation for the others. In the mode
    "fixed" a missing value is a value like any other, and one without a number lies
    below all numbers. In the mode "sdmetrics", which agrees with ``ColumnShapes`` of
    SDMetrics 0.32, missing values are dropped first, except those with a label of
    their own in the domain; a column without any value is left out, and counted.
    """

    name = "column-shapes"

    def wanted(self, domain: Domain) -> Sequence[Attributes]:
        """Every attribute that is not numeric."""
        numeric = numeric_names(domain, self.numeric)
        return [(name,) for name in domain.names if name not in numeric]

    def score(self, pair: Pair) -> Score:
        """The mean over the attributes that have a value; undefined if none has."""
        numeric = numeric_names(pair.domain, self.numeric)
        rows: list[tuple[str, float | None, str]] = []
        pair.count(self.wanted(pair.domain))
        for name in pair.domain.names:
            if name in numeric:
                real, synthetic = (table.numbers(name) for table in pair.tables)
                rows.append((name, self._numeric(real, synthetic), KS))
            else:
                attribute = pair.domain.attribute(name)
                rows.append((name, self._nominal(pair.marginal((name,)), attribute), TV))
        scores = [value for _, value, _ in rows if value is not None]
        missing = (
            "missing values are dropped first"
            if self.mode == SDMETRICS
            else "a missing value is a value of its own, below all numbers"
        )
        left = len(rows) - len(scores)
        worst = sorted(rows, key=lambda row: math.inf if row[1] is None else row[1])
        fields: dict[str, Any] = {
            "stated": (
                f"{len(numeric)} of {len(rows)} attributes compared as numbers; {missing}",
                *((f"{left} attributes without any value are left out",) if left else ()),
                *(stated_midpoints(pair, numeric) if numeric else ()),
            ),
            "details": (Breakdown("marginals", ("attribute", "score", "measure"), tuple(worst)),),
        }
        if not scores:
            return self.undefined("no attribute has a value in both tables", **fields)
        return self.scored(_mean(scores), **fields)

    def _numeric(self, real: Numbers, synthetic: Numbers) -> float | None:
        if self.mode == FIXED:
            return 1 - _kolmogorov_smirnov(
                *(np.where(np.isnan(numbers), -np.inf, numbers) for numbers in (real, synthetic))
            )
        known = [numbers[~np.isnan(numbers)].round(DECIMALS) for numbers in (real, synthetic)]
        if not len(known[0]) or not len(known[1]):
            return None
        return 1 - _kolmogorov_smirnov(known[0], known[1])

    def _nominal(self, marginal: Marginal, attribute: Attribute) -> float | None:
        if self.mode == FIXED:
            return 1 - marginal.total_variation()
        kept = np.ones(len(marginal.cells), dtype=bool)
        if attribute.missing and not attribute.missing_label:
            kept = marginal.cells != len(attribute.values)
        real, synthetic = marginal.real[kept].astype(float), marginal.synthetic[kept]
        if not real.sum() or not synthetic.sum():
            return None
        real[real == 0] = NEW_VALUE
        gaps = np.abs(real / real.sum() - synthetic / synthetic.sum())
        return max(1 - 0.5 * float(gaps.sum()), 0.0)


@dataclass(frozen=True, kw_only=True)
class ColumnPairTrends(_Quality):
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

    def check(self, domain: Domain) -> None:
        """Refuse a domain of one attribute, and numeric attributes that are none."""
        super().check(domain)
        if len(domain.attributes) < 2:
            raise InputError(f"{self.name}: needs two attributes, and the domain has one")

    def wanted(self, domain: Domain) -> Sequence[Attributes]:
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
            "stated": (*law, *(stated_midpoints(pair, numeric) if numeric else ())),
            "details": (Breakdown("pairs", columns, tuple(rows)),),
        }
        if not scores:
            return self.undefined("no pair of attributes counts", **fields)
        return self.scored(_mean(scores), **fields)

    def _rows(
        self, pair: Pair
    ) -> Iterator[tuple[str, str, float | None, Association, Association, str]]:
        numeric = numeric_names(pair.domain, self.numeric)
        if len(numeric) > 1:
            correlations = [Correlations(table, numeric) for table in pair.tables]
            for first, second in itertools.combinations(numeric, 2):
                real, synthetic = (found(first, second) for found in correlations)
                yield first, second, self._correlated(real, synthetic), real, synthetic, CORRELATION
        marginals = pair.marginals(self.wanted(pair.domain))
        if 0 < len(numeric) < len(pair.domain.names):
            both = itertools.combinations(pair.domain.names, 2)
            mixed = [names for names in both if (names[0] in numeric) != (names[1] in numeric)]
            binned = regrouped(pair, numeric, self._bins)
            marginals = itertools.chain(marginals, binned.marginals(mixed))
        for marginal in marginals:
            first, second = marginal.attributes
            real, synthetic = cramers_v(marginal, corrected=False)
            yield first, second, self._counted(marginal, real), real, synthetic, CONTINGENCY

    def _bins(self, real: Numbers, synthetic: Numbers) -> Groups:
        if self.mode == FIXED:
            return equal_width_groups(real, synthetic, BINS)
        codes = []
        for numbers in (real, synthetic):
            edges = np.histogram_bin_edges(numbers[~np.isnan(numbers)], bins=BINS)
            # The largest number has a bin of its own, and NaN falls there too.
            codes.append(np.digitize(numbers, edges) - 1)
        return codes[0], codes[1], tuple(f"bin {k + 1}" for k in range(BINS + 1))

    def _correlated(self, real: Association, synthetic: Association) -> float | None:
        if real is None or (self.mode == SDMETRICS and synthetic is None):
            return None
        if self.mode == SDMETRICS and abs(real) <= CORRELATION_THRESHOLD:
            return None
        return 1 - abs(real - (synthetic or 0.0)) / 2

    def _counted(self, marginal: Marginal, association: Association) -> float | None:
        weak = association is None or association <= ASSOCIATION_THRESHOLD
        if self.mode == SDMETRICS and weak:
            return None
        return 1 - marginal.total_variation()


@dataclass(frozen=True, kw_only=True)
class Quality(_Quality):
    """The mean of ``ColumnShapes`` and ``ColumnPairTrends``: the score of a ``QualityReport``.

    In the mode "sdmetrics" one of the two that is undefined is left out, as there; in
    the mode "fixed" the score is undefined then.
    """

    name = "quality"

    def check(self, domain: Domain) -> None:
        """Refuse what the two scores refuse."""
        for part in self._parts():
            part.check(domain)

    def wanted(self, domain: Domain) -> Sequence[Attributes]:
        """The marginals of both scores."""
        return [names for part in self._parts() for names in part.wanted(domain)]

    def score(self, pair: Pair) -> Score:
        """The mean of the two scores."""
        scores: Mapping[str, Score] = {part.name: part.score(pair) for part in self._parts()}
        values = [score.value for score in scores.values() if score.value is not None]
        said = tuple(
            f"{name}: " + (f"{score.value:.6g}" if score.value is not None else "undefined")
            for name, score in scores.items()
        )
        fields: dict[str, Any] = {
            "stated": (*said, *(text for score in scores.values() for text in score.stated)),
            "details": tuple(detail for score in scores.values() for detail in score.details),
        }
        if not values or (self.mode == FIXED and len(values) < len(scores)):
            reasons = [f"{n}: {s.undefined}" for n, s in scores.items() if s.value is None]
            return self.undefined("; ".join(reasons), **fields)
        return self.scored(_mean(values), **fields)

    def _parts(self) -> tuple[ColumnShapes, ColumnPairTrends]:
        return (
            ColumnShapes(mode=self.mode, numeric=self.numeric),
            ColumnPairTrends(mode=self.mode, numeric=self.numeric),
        )


def _threshold(measure: str) -> float:
    return CORRELATION_THRESHOLD if measure == CORRELATION else ASSOCIATION_THRESHOLD


def _mean(values: Sequence[float]) -> float:
    return float(np.sum(values)) / len(values)


def _kolmogorov_smirnov(real: Numbers, synthetic: Numbers) -> float:
    """The largest distance of the two empirical distribution functions, in [0, 1]."""
    pooled = np.concatenate([real, synthetic])
    below = [
        np.searchsorted(np.sort(numbers), pooled, side="right") for numbers in (real, synthetic)
    ]
    n, m = len(real), len(synthetic)
    if max(n, m) <= EXACT_RECORDS:
        return float(np.abs(below[0] * m - below[1] * n).max() / (n * m))
    return float(np.abs(below[0] / n - below[1] / m).max())
