"""Columns of tables: their rows, their values, and how near they come to the targets.

The targets are the records in which the two databases differ. A table that a generator was
trained on holds its records' combinations of values too often (Stadler, Oprisanu & Troncoso 2022
call them features of the target; Houssiau et al. 2022 count answers to random subset queries).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns.table_rows import Rows, rows_of
from audit.subjects.outcomes import Outcomes

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class TableFeature:
    """One column.

    ``what``: rows, distinct, missing, novel, mean, least, largest, count, equal, nearest, near,
    match or residual. ``of``: attributes. ``target``: the target's number. ``label``: the value
    that is counted.
    """

    name: str
    what: str
    of: tuple[str, ...] = ()
    target: int = 0
    label: str = ""


LabelCounts = Mapping[tuple[str, ...], tuple[int, ...]]
"""Marginals: by attributes, the counts of their cells, as `Compared.cells` numbers them."""


@dataclass(frozen=True, eq=False)
class Reference:
    """What tables are compared with.

    ``attributes``: of the databases, in their order. ``labels``: by attribute, the values that are
    told apart. ``edges``: by attribute of many numbers, those of its bins. ``targets``: label by
    attribute. ``marginals``: of the first database.
    """

    attributes: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    edges: Mapping[str, tuple[float, ...]]
    targets: tuple[Mapping[str, str], ...]
    marginals: LabelCounts

    def restrict(self, features: Sequence[TableFeature]) -> Reference:
        """The part that some columns need."""
        names = {name for feature in features for name in feature.of}
        marginals = {feature.of for feature in features if feature.what == "residual"}
        return Reference(
            self.attributes,
            {name: labels for name, labels in self.labels.items() if name in names},
            {name: edges for name, edges in self.edges.items() if name in names},
            tuple({n: text for n, text in t.items() if n in names} for t in self.targets),
            {of: counts for of, counts in self.marginals.items() if of in marginals},
        )

    def to_json(self) -> dict[str, Any]:
        """The reference as plain data."""
        return {
            "attributes": list(self.attributes),
            "labels": {name: list(labels) for name, labels in self.labels.items()},
            "edges": {name: list(edges) for name, edges in self.edges.items()},
            "targets": [dict(target) for target in self.targets],
            "marginals": [[list(of), list(counts)] for of, counts in self.marginals.items()],
        }


def reference_from_json(data: Mapping[str, Any]) -> Reference:
    """The reference that `Reference.to_json` wrote."""
    return Reference(
        tuple(data["attributes"]),
        {name: tuple(labels) for name, labels in data["labels"].items()},
        {name: tuple(edges) for name, edges in data["edges"].items()},
        tuple(data["targets"]),
        {tuple(of): tuple(counts) for of, counts in data["marginals"]},
    )


@dataclass(frozen=True, eq=False)
class TableColumns:
    """Columns of tables; 0 for outcomes that are none."""

    features: tuple[TableFeature, ...]
    reference: Reference

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is."""
        return tuple(feature.name for feature in self.features)

    def rows(self, outcomes: Outcomes) -> FloatArray:
        """[columns, runs], finite numbers."""
        found = np.zeros((len(self.features), len(outcomes)))
        for rows in rows_of(outcomes, self.reference.attributes):
            table = Compared(rows, self.reference)
            for place, feature in enumerate(self.features):
                found[place, rows.runs] = table.measure(feature)
        return found

    def take(self, places: Sequence[int]) -> TableColumns:
        """Some of the columns, with what they need of the reference."""
        features = tuple(self.features[place] for place in places)
        return TableColumns(features, self.reference.restrict(features))

    def to_json(self) -> dict[str, Any]:
        """The columns as plain data."""
        features = [[f.name, f.what, list(f.of), f.target, f.label] for f in self.features]
        return {"family": "table", "features": features, "reference": self.reference.to_json()}


def table_columns_from_json(data: Mapping[str, Any]) -> TableColumns:
    """The columns that `TableColumns.to_json` wrote; a LookupError where they can't be measured."""
    features = tuple(
        TableFeature(name, what, tuple(of), target, text)
        for name, what, of, target, text in data["features"]
    )
    columns = TableColumns(features, reference_from_json(data["reference"]))
    names = sorted({name for feature in features for name in feature.of})
    one_row = Rows.of_records([{}], names)
    for feature in features:
        Compared(one_row, columns.reference).measure(feature)
    return columns


@dataclass(frozen=True, eq=False)
class Compared:
    """Rows beside a reference, with what several columns need of them."""

    rows: Rows
    reference: Reference

    def measure(self, feature: TableFeature) -> FloatArray:
        """[tables], one column; 0 where a table lacks the attribute."""
        rows, of = self.rows, feature.of
        if feature.what == "rows":
            return rows.total()
        if not all(name in rows.columns for name in of):
            return np.zeros(len(rows.runs))
        match feature.what:
            case "distinct":
                return self._distinct(of[0])
            case "missing":
                return rows.total(rows.among(of[0], [""]))
            case "novel":
                return rows.total(self._novel(of))
            case "mean":
                numbers = rows.numbers(of[0])
                known = np.isfinite(numbers)
                many = np.maximum(rows.total(known), 1)
                return rows.total(np.where(known, numbers / many[rows.of], 0.0))
            case "least":
                return rows.least(rows.numbers(of[0]), 0.0)
            case "largest":
                return -rows.least(-rows.numbers(of[0]), 0.0)
            case "count":
                return rows.total(rows.among(of[0], [feature.label]))
            case "equal":
                return rows.total(self._all(of, feature.target, False))
            case "match":
                return rows.total(self.match(of, feature.target))
            case "nearest":
                return rows.least(self._distance(of, feature.target), float(len(of)))
            case "near":
                return rows.total(self._distance(of, feature.target) <= 1)
        return self._residual(of)

    def matching(self, of: Sequence[str], target: int) -> int:
        """How many rows are like a target in some attributes."""
        return int(np.count_nonzero(self.match(of, target)))

    def match(self, of: Sequence[str], target: int) -> NDArray[np.bool_]:
        """[rows], whether a row has a target's values in some attributes, or lies in their bins."""
        return self._all(of, target, True)

    def _distinct(self, name: str) -> FloatArray:
        places, values = self.rows.code_column(name)
        both = np.unique(self.rows.of * (len(values) + 1) + places + 1) // (len(values) + 1)
        return np.bincount(both, minlength=len(self.rows.runs)).astype(np.float64)

    def _novel(self, of: Sequence[str]) -> NDArray[np.bool_]:
        """[rows], whether a value occurs in neither database."""
        found = np.zeros(len(self.rows.of), np.bool_)
        for name in of:
            found |= ~self.rows.among(name, [*self.reference.labels[name], ""])
        return found

    def _all(self, of: Sequence[str], target: int, by_bins: bool) -> NDArray[np.bool_]:
        """[rows], whether all these attributes have the target's value, or lie in its bin."""
        found = np.ones(len(self.rows.of), np.bool_)
        for name in of:
            wanted = self.reference.targets[target].get(name, "")
            edges = self.reference.edges.get(name) if by_bins else None
            if edges is None or not wanted:
                found &= self.rows.among(name, [wanted])
            else:
                place = np.searchsorted(edges, float(wanted), side="right")
                numbers = self.rows.numbers(name)
                bins = np.searchsorted(edges, numbers, side="right")
                found &= (bins == place) & ~np.isnan(numbers)
        return found

    def _distance(self, of: Sequence[str], target: int) -> FloatArray:
        """[rows], how many attributes differ; those of many numbers by at most 1, in part.

        The difference of numbers is taken relative to the distance of the outermost edges.
        """
        found = np.zeros(len(self.rows.of))
        for name in of:
            wanted = self.reference.targets[target].get(name, "")
            edges = self.reference.edges.get(name)
            if edges is None or not wanted:
                found += ~self.rows.among(name, [wanted])
            else:
                apart = abs(self.rows.numbers(name) - float(wanted)) / (edges[-1] - edges[0])
                found += np.where(np.isnan(apart), 1.0, np.minimum(apart, 1.0))
        return found

    def _residual(self, of: tuple[str, ...]) -> FloatArray:
        """[tables], the sum of absolute differences of all cells to the first database's."""
        expected = np.array(self.reference.marginals[of], np.float64)
        return np.asarray(abs(self.cells(of) - expected).sum(axis=1))

    def cells(self, of: Sequence[str]) -> FloatArray:
        """[tables, cells], the marginal of each; each attribute's last cell is of other values."""
        cell = np.zeros(len(self.rows.of), np.intp)
        size = 1
        for name in of:
            if name in self.reference.edges:
                edges, numbers = self.reference.edges[name], self.rows.numbers(name)
                places = np.searchsorted(edges, numbers, side="right")
                places[np.isnan(numbers)] = len(edges) + 1
                many = len(edges) + 2
            else:
                known = {text: place for place, text in enumerate(self.reference.labels[name])}
                other = len(known)
                lookup = [known.get(text, other) for text in [*self.rows.labels(name), ""]]
                places = np.array(lookup, np.intp)[self.rows.code_column(name)[0]]
                many = other + 1
            cell, size = cell * many + places, size * many
        tables = len(self.rows.runs)
        counts = np.bincount(self.rows.of * size + cell, minlength=tables * size)
        return counts.reshape(tables, size).astype(np.float64)
