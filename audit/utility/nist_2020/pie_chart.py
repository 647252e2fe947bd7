"""The pie-chart score of sprint 1 of the Temporal Map Challenge, and Inv-Pie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.utility.compat.programs import SPRINT_1
from audit.utility.compat.sprint_1 import sprint_1_rows
from audit.utility.counts import Attributes, order_attributes
from audit.utility.labels import value_labels
from audit.utility.metric import FIXED, Metric
from audit.utility.nist_2020.pie_rows import (
    BIAS_LIMIT,
    KEPT_SHARE,
    PieRows,
    fixed_rows,
)
from audit.utility.pair import Pair
from audit.utility.score import Breakdown, Score, Undefined
from synthesizers.domain import Domain
from synthesizers.errors import InputError


@dataclass(frozen=True, kw_only=True)
class _PieMetric(Metric):
    family = "pie chart"
    modes = (FIXED, SPRINT_1)

    place: str = "neighborhood"
    period: str = "month"
    type: str = "incident_type"

    def __post_init__(self) -> None:
        """Refuse an attribute in two roles."""
        super().__post_init__()
        if len({self.place, self.period, self.type}) < 3:
            raise InputError(f"{self.name}: place, period and type must be three attributes")

    def check(self, domain: Domain) -> None:
        """Raise ``InputError`` if ``domain`` lacks one of the attributes."""
        self.need(domain, place=self.place, period=self.period, type=self.type)

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The three attributes together."""
        return [order_attributes((self.place, self.period, self.type), domain)]

    def _rows(self, pair: Pair) -> PieRows:
        rows = fixed_rows if self.mode == FIXED else sprint_1_rows
        return rows(pair, self.place, self.period, self.type)

    def _scored_rows(self, pair: Pair, rows: PieRows, value: float, highest: float) -> Score:
        score = self.scored(value, stated=self._notes(rows), details=(self._worst(pair, rows),))
        return replace(score, highest=highest)

    def _notes(self, rows: PieRows) -> tuple[str, ...]:
        empty = int(((rows.real == 0) & (rows.synthetic > 0)).sum())
        lost = int(((rows.real > 0) & (rows.synthetic == 0)).sum())
        alone = "score 0" if self.mode == FIXED else "are compared with an even pie"
        return (
            f"{len(rows.scores)} rows, one a {self.place} and {self.period}; types below "
            f"{KEPT_SHARE:.0%} of a row are ignored",
            f"a row loses 0.2 for each misleading type and 0.25 for counts that differ by more "
            f"than {BIAS_LIMIT}",
            f"{int(rows.identical.sum())} rows are identical, those without records included; "
            f"{empty} have synthetic records alone and {lost} real records alone, and {alone}",
        )

    def _worst(self, pair: Pair, rows: PieRows) -> Breakdown:
        order = np.argsort(rows.scores, kind="stable")
        places = value_labels(pair.domain, self.place)
        periods = value_labels(pair.domain, self.period)
        width = pair.real.shape[pair.domain.position(self.period)]
        entries = zip(
            (f"{places[row // width]}, {periods[row % width]}" for row in order.tolist()),
            *(
                column[order].tolist()
                for column in (
                    rows.scores,
                    rows.real,
                    rows.synthetic,
                    rows.divergence,
                    rows.misleading,
                    rows.bias,
                )
            ),
            strict=True,
        )
        return Breakdown.of_worst(
            "groups",
            (
                "group",
                "score",
                "real records",
                "synthetic records",
                "Jensen-Shannon distance",
                "misleading types",
                "bias",
            ),
            tuple(entries),
        )


@dataclass(frozen=True, kw_only=True)
class PieChart(_PieMetric):
    """How alike the pie charts of types are, summed over all places and periods.

    A row, one place and period, scores 1 if its counts are identical in both tables.
    Otherwise types below 5 % of a table's row are ignored, and the row scores 1 less
    the Jensen-Shannon distance (base 2) of the rest, less 0.2 for each misleading
    type, kept in the synthetic row alone, less 0.25 if the counts of the whole rows
    differ by more than 500, clipped to [0, 1]. The score is at most the number of
    rows, 3336 = 12 × 278 on the challenge's own grid, those without records included.

    "fixed" smooths nothing, and a row with a type left to compare in one table alone
    scores 0.
    "sprint-1" reproduces the scorer to the last bit: it adds 10^-9 to every count,
    so that a row without records is an even pie. Its rows and types must be in the
    domain's order there.

    Sources: Li et al., MGD, section 5; drivendataorg/deid2-runtime, branch sprint-1,
    ``runtime/scripts/metric.py``.
    """

    name = "pie-chart"
    lowest, highest, direction = 0.0, math.inf, "higher"

    def score(self, pair: Pair) -> Score:
        """The sum over the rows; undefined where the program gives none."""
        try:
            rows = self._rows(pair)
        except Undefined as reason:
            return self.undefined(str(reason))
        value = float(np.sum(rows.scores))
        return self._scored_rows(pair, rows, value, float(len(rows.scores)))


@dataclass(frozen=True, kw_only=True)
class InvPie(_PieMetric):
    """One less the pie-chart score over the number of rows: 0 is the best, 1 the worst.

    Source: Li et al., MGD, section 5 (Inv-Pie); fields and modes as ``PieChart``.
    """

    name = "inv-pie"
    lowest, highest, direction = 0.0, 1.0, "lower"

    def score(self, pair: Pair) -> Score:
        """One less the mean over the rows; undefined where the program gives none."""
        try:
            rows = self._rows(pair)
        except Undefined as reason:
            return self.undefined(str(reason))
        value = 1 - float(np.sum(rows.scores)) / len(rows.scores)
        return self._scored_rows(pair, rows, min(max(value, 0.0), 1.0), 1.0)
