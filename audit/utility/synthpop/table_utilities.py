"""Table utilities: one statistic of synthpop's ``utility.tab`` over all pairs of attributes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.utility.compat.programs import SYNTHPOP
from audit.utility.counts import Attributes
from audit.utility.labels import value_labels
from audit.utility.metric import FIXED, Metric
from audit.utility.numeric_columns import (
    midpoints_note,
    numeric_names,
    quantile_groups,
    regroup,
)
from audit.utility.pair import Marginal, Pair
from audit.utility.score import Breakdown, Entry, Score
from audit.utility.synthpop.table_statistics import STATISTICS, table_utilities
from synthesizers.domain import Domain
from synthesizers.errors import InputError

__all__ = ["STATISTICS", "TableUtility", "table_utilities"]

LISTED_TABLES = 5
"""The tables whose worst cells are listed: as many as synthpop prints."""

LISTED_CELLS = 8
"""The most cells listed of each."""


@dataclass(frozen=True, kw_only=True)
class TableUtility(Metric):
    """The mean of one ``statistic`` of ``table_utilities`` over all tables of ``k`` attributes.

    Numeric attributes (``numeric``, or for None those of ``numeric_names``) are cut
    into ``groups`` quantile groups of both tables together, left-closed, as
    ``group_num`` of synthpop does; with ``declared_bins`` the values and bins of the
    domain stand instead. Missing values, and those outside the domain, are cells of
    their own. Tables for which the statistic is undefined are left out and counted.

    "synthpop" and "fixed" differ as ``table_utilities`` says.
    """

    name = "table-utility"
    family = "pairs"
    lowest, highest, direction = 0.0, math.inf, "lower"
    modes = (FIXED, SYNTHPOP)

    statistic: str = "S_pMSE"
    k: int = 2
    groups: int = 5
    declared_bins: bool = False
    numeric: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown statistic, and numbers out of range."""
        super().__post_init__()
        if self.statistic not in STATISTICS:
            raise InputError(
                f"{self.name}: the statistic must be one of {', '.join(STATISTICS)}, not "
                f"{self.statistic!r}"
            )
        self.at_least(1, "k")
        self.at_least(2, "groups")

    @property
    def span(self) -> tuple[float, float]:
        """Every statistic has a range of its own."""
        signed = self.statistic == "PO50" and self.mode == SYNTHPOP
        return -50.0 if signed else 0.0, STATISTICS[self.statistic]

    def check(self, domain: Domain) -> None:
        """Refuse numeric attributes that are none, or more attributes than the domain has."""
        numeric_names(domain, self.numeric)
        if self.k > len(domain.attributes):
            raise InputError(
                f"{self.name}: k = {self.k}, and the domain has {len(domain.attributes)} "
                "attributes; take a smaller k"
            )

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The tables without an attribute that is grouped."""
        grouped = self._grouped_attributes(domain)
        return [names for names in self._tables(domain) if grouped.isdisjoint(names)]

    def score(self, pair: Pair) -> Score:
        """The mean over the tables where the statistic is defined; undefined if there is none."""
        names = numeric_names(pair.domain, self.numeric)
        grouped = self._grouped_attributes(pair.domain)
        other = (
            regroup(pair, names, lambda real, syn: quantile_groups(real, syn, self.groups))
            if grouped
            else pair
        )
        tables = self._tables(pair.domain)
        found: dict[Attributes, Mapping[str, float | None]] = {}
        for counted, own in ((pair, True), (other, False)):
            sets = [table for table in tables if grouped.isdisjoint(table) == own]
            for table, marginal in zip(sets, counted.marginals(sets), strict=True):
                found[table] = table_utilities(marginal.real, marginal.synthetic, mode=self.mode)
        values = {table: found[table][self.statistic] for table in tables}
        defined = [value for value in values.values() if value is not None]
        worst = sorted(values, key=lambda table: _worst_first(values[table]))

        def marginal_of(table: Attributes) -> Marginal:
            return (pair if grouped.isdisjoint(table) else other).marginal(table)

        left = len(values) - len(defined)
        cut = f"{self.groups} quantile groups of both tables together"
        fields: dict[str, Any] = {
            "stated": (
                f"{self.statistic}, the mean over {len(defined)} tables of {self.k} attributes",
                f"numeric attributes {f'in {cut}' if grouped else 'as the domain declares them'}",
                *self._null(pair.records),
                f"{left} tables are left out, in which {self.statistic} is undefined",
                *(midpoints_note(pair, names) if grouped else ()),
            ),
            "details": (
                self._breakdown(worst, values, found),
                _cells([marginal_of(table) for table in worst[:LISTED_TABLES]], other.domain),
            ),
        }
        if not defined:
            return self.undefined(f"{self.statistic} is undefined for every table", **fields)
        return self.scored(math.fsum(defined) / len(defined), **fields)

    def _null(self, records: tuple[int, int]) -> tuple[str, ...]:
        if not self.statistic.startswith("S_"):
            return ()
        n, m = records
        return (
            "about 1 where the synthetic table is drawn from the fitted real one; where both are "
            f"draws of one distribution that null is to be multiplied by 1 + n*/n = {1 + m / n:.4g}"
            + (" (by its root for S_WMabsDD)" if self.statistic == "S_WMabsDD" else ""),
        )

    def _grouped_attributes(self, domain: Domain) -> frozenset[str]:
        return frozenset() if self.declared_bins else frozenset(numeric_names(domain, self.numeric))

    def _tables(self, domain: Domain) -> list[Attributes]:
        return list(itertools.combinations(domain.names, self.k))

    def _breakdown(
        self,
        worst: list[Attributes],
        values: Mapping[Attributes, float | None],
        found: Mapping[Attributes, Mapping[str, float | None]],
    ) -> Breakdown:
        """Every pair, for a heat map; of other tables the worst."""
        others = [name for name in ("pMSE", "df") if name != self.statistic]
        if self.k == 2:
            rows: list[tuple[Entry, ...]] = [
                (*table, values[table], *(found[table][name] for name in others)) for table in worst
            ]
            columns = ("first attribute", "second attribute", self.statistic, *others)
            return Breakdown("pairs", columns, tuple(rows))
        rows = [
            (" × ".join(table), values[table], *(found[table][name] for name in others))
            for table in worst
        ]
        return Breakdown.of_worst("marginals", ("attributes", self.statistic, *others), rows)


def _worst_first(value: float | None) -> float:
    return math.inf if value is None else -value


def _cells(marginals: list[Marginal], domain: Domain) -> Breakdown:
    """The cells that are furthest from their expectation, of a few tables."""
    rows: list[tuple[Entry, ...]] = []
    for marginal in marginals:
        n, m = marginal.records
        z = (marginal.synthetic - marginal.real * (m / n)) / np.sqrt(
            (marginal.synthetic + marginal.real) * (m / (n + m))
        )
        for cell in np.argsort(-np.abs(z), kind="stable")[:LISTED_CELLS].tolist():
            labels = [
                value_labels(domain, name)[marginal.codes(name)[cell]]
                for name in marginal.attributes
            ]
            rows.append(
                (
                    " × ".join(marginal.attributes),
                    " × ".join(labels),
                    int(marginal.real[cell]),
                    int(marginal.synthetic[cell]),
                    float(z[cell]),
                )
            )
    note = f"at most {LISTED_CELLS} cells of each of the worst {LISTED_TABLES} tables"
    columns = ("attributes", "cell", "real records", "synthetic records", "z")
    return Breakdown("cells", columns, tuple(rows), note, "z")
