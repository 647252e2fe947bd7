"""A column of choices: how a table's pairs of attributes hang together, as the databases differ.

A method that chooses which pairs of attributes it measures, by how far each hangs together, shows
its choice in the table: a pair that was measured hangs together there as in the database, and one
that was not hardly does. So of each pair the table's association is weighed by how much more the
pair hangs together in the second database, which is known, and added up: there is nothing to learn
but a threshold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns.marginal_columns import Records, list_targets
from audit.auditors.attack.columns.table_columns import (
    Compared,
    Reference,
    reference_from_json,
)
from audit.auditors.attack.columns.table_rows import Rows, rows_of
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair

FloatArray = NDArray[np.float64]
Edge = tuple[str, str]

MOST_EDGES = 200
"""Pairs of attributes that are looked at, those of the first attributes first (all of 20)."""

HARDLY = 0.1
"""Of a record: a pair of attributes that moves by less is not what a choice hangs on (an exchanged
record that decides it moves it by about one, one from pole to pole by 1/n)."""


@dataclass(frozen=True, eq=False)
class ChoiceColumns:
    """One column, or none; 0 for outcomes that are no tables.

    ``edges``: pairs of attributes. ``weights``: of each, how much more it hangs together in the
    second database. How far values agree is told by those of the reference's targets.
    """

    edges: tuple[Edge, ...]
    weights: tuple[float, ...]
    reference: Reference

    @property
    def names(self) -> tuple[str, ...]:
        """What the column is."""
        return ("which pairs of attributes hang together",) if self.edges else ()

    def rows(self, outcomes: Outcomes) -> FloatArray:
        """[columns, runs]."""
        found = np.zeros((len(self.names), len(outcomes)))
        for rows in rows_of(outcomes, self.reference.attributes):
            found[:, rows.runs] = self.weights @ measure_edges(rows, self.edges, self.reference)
        return found

    def take(self, places: Sequence[int]) -> ChoiceColumns:
        """Itself: there is one column."""
        return self

    def to_json(self) -> dict[str, Any]:
        """The column as plain data."""
        return {
            "family": "choices",
            "edges": [list(edge) for edge in self.edges],
            "weights": list(self.weights),
            "reference": self.reference.to_json(),
        }


def choice_columns_from_json(data: Mapping[str, Any]) -> ChoiceColumns:
    """The column that `ChoiceColumns.to_json` wrote.

    ValueError where an edge or a weight is none, LookupError where it can't be measured.
    """
    edges = tuple((str(first), str(second)) for first, second in data["edges"])
    weights = tuple(map(float, data["weights"]))
    if len(weights) != len(edges) or not all(map(math.isfinite, weights)):
        raise ValueError("each edge has a weight, which is a finite number")
    reference = reference_from_json(data["reference"])
    measure_edges(Rows.of_records([{}], sorted({n for e in edges for n in e})), edges, reference)
    return ChoiceColumns(edges, weights, reference)


def choice_columns_for(outcomes: Outcomes, pair: Pair) -> ChoiceColumns:
    """The pairs of attributes on which a choice between the databases may hang.

    No column where no outcome is a table, or none of the pairs moves.
    """
    reference, first, second, counts = list_targets(outcomes, pair)
    names = list(dict.fromkeys(name for target in reference.targets for name in target))
    edges = tuple(islice(combinations(names, 2), MOST_EDGES))
    before, after = (_measure(some, names, edges, reference) for some in (first, second))
    weights = after - before
    moved = np.flatnonzero(abs(weights) >= HARDLY * sum(map(abs, counts)) / 2)
    return ChoiceColumns(
        tuple(edges[place] for place in moved), tuple(weights[moved].tolist()), reference
    )


def _measure(
    some: Records, names: Sequence[str], edges: Sequence[Edge], reference: Reference
) -> FloatArray:
    return measure_edges(Rows.of_records(some, names), edges, reference)[:, 0]


def measure_edges(rows: Rows, edges: Sequence[Edge], reference: Reference) -> FloatArray:
    """[edges, tables], how far each pair hangs together; 0 where a table lacks the attribute.

    Of n rows those that have both of a target's values, less those that would if the attributes
    were independent, either way; the sum over targets.
    """
    compared, many = Compared(rows, reference), np.maximum(rows.total(), 1)
    known = {name for edge in edges for name in edge if name in rows.columns}
    found = np.zeros((len(edges), len(rows.runs)))
    for target in range(len(reference.targets)):
        alike = {name: compared.match([name], target) for name in known}
        for place, edge in enumerate(edges):
            if known.issuperset(edge):
                one, other = (alike[name] for name in edge)
                expected = rows.total(one) * rows.total(other) / many
                found[place] += abs(rows.total(one & other) - expected)
    return found
