"""How alike the one-way distributions of the attributes are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.utility.compat.programs import SDMETRICS
from audit.utility.compat.sdmetrics import compared_numbers, program_complement
from audit.utility.counts import Attributes
from audit.utility.metric import FIXED
from audit.utility.numeric_columns import (
    Numbers,
    midpoints_note,
    numeric_names,
)
from audit.utility.pair import Marginal, Pair
from audit.utility.score import Breakdown, Score
from audit.utility.sdmetrics.quality_score import QualityScore, mean_of
from synthesizers.domain import Attribute, Domain

EXACT_RECORDS = 10_000
"""Up to so many records SciPy rounds the distance to a multiple of 1/(n·m): ``ks_2samp``."""

KS, TV = "KS complement", "TV complement"


@dataclass(frozen=True, kw_only=True)
class ColumnShapes(QualityScore):
    """The mean over all attributes of 1 - the distance of their one-way distributions.

    The distance is Kolmogorov and Smirnov's for numeric attributes (``numeric``, or
    for None those of ``numeric_names``), total variation for the others. In the mode
    "fixed" a missing value is a value like any other, and one without a number lies
    below all numbers. In the mode "sdmetrics", which agrees with ``ColumnShapes`` of
    SDMetrics 0.32, missing values are dropped first, except those with a label of
    their own in the domain; a column without any value is left out, and counted.
    """

    name = "column-shapes"
    family = "one-way shares"

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """Every attribute that is not numeric."""
        numeric = numeric_names(domain, self.numeric)
        return [(name,) for name in domain.names if name not in numeric]

    def score(self, pair: Pair) -> Score:
        """The mean over the attributes that have a value; undefined if none has."""
        numeric = numeric_names(pair.domain, self.numeric)
        rows: list[tuple[str, float | None, str]] = []
        pair.count(self.marginals_read(pair.domain))
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
                *midpoints_note(pair, numeric),
            ),
            "details": (Breakdown("marginals", ("attributes", "score", "measure"), tuple(worst)),),
        }
        if not scores:
            return self.undefined("no attribute has a value in both tables", **fields)
        return self.scored(mean_of(scores), **fields)

    def _numeric(self, real: Numbers, synthetic: Numbers) -> float | None:
        if self.mode == FIXED:
            return 1 - _kolmogorov_smirnov(
                *(np.where(np.isnan(numbers), -np.inf, numbers) for numbers in (real, synthetic))
            )
        known = [compared_numbers(numbers) for numbers in (real, synthetic)]
        if not len(known[0]) or not len(known[1]):
            return None
        return 1 - _kolmogorov_smirnov(known[0], known[1])

    def _nominal(self, marginal: Marginal, attribute: Attribute) -> float | None:
        if self.mode == FIXED:
            return 1 - marginal.total_variation()
        return program_complement(marginal, attribute)


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
