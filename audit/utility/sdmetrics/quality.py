"""Quality as in SDMetrics: the mean of what shapes of columns and trends of pairs score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit.utility.metric import FIXED, Combined
from audit.utility.pair import Pair
from audit.utility.score import Score
from audit.utility.sdmetrics.column_pair_trends import ColumnPairTrends
from audit.utility.sdmetrics.column_shapes import ColumnShapes
from audit.utility.sdmetrics.quality_score import QualityScore, mean_of


@dataclass(frozen=True, kw_only=True)
class Quality(Combined, QualityScore):
    """The mean of ``ColumnShapes`` and ``ColumnPairTrends``: the score of a ``QualityReport``.

    In the mode "sdmetrics" one of the two that is undefined is left out, as there; in
    the mode "fixed" the score is undefined then.
    """

    name = "quality"
    family = None

    def score(self, pair: Pair) -> Score:
        """The mean of the two scores."""
        scores: Mapping[str, Score] = {part.name: part.score(pair) for part in self.parts()}
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
        return self.scored(mean_of(values), **fields)

    def parts(self) -> tuple[ColumnShapes, ColumnPairTrends]:
        """The two scores."""
        return (
            ColumnShapes(mode=self.mode, numeric=self.numeric),
            ColumnPairTrends(mode=self.mode, numeric=self.numeric),
        )
