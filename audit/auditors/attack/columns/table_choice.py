"""Which columns suit tables: those of their targets, residuals and values, to a bounded number."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from audit.auditors.attack.columns.cuts import cuts
from audit.auditors.attack.columns.table_columns import (
    Compared,
    Reference,
    TableColumns,
    TableFeature,
)
from audit.auditors.attack.columns.table_rows import Rows, label, rows_of
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair

Record = Mapping[str, Any]

MOST_COLUMNS = 180
"""Columns of tables (what learners on some thousand runs can weigh)."""

MOST_TARGETS = 3
"""Targets that get columns: an exchanged record has two."""

MOST_ATTRIBUTES = 24
"""Attributes that columns speak of (so many leave room for targets)."""

MOST_PAIRS, MOST_TRIPLES = 40, 12
"""Sets of two and three attributes on which a target is looked for, those on which it is rarest
in the databases first."""

MOST_RESIDUALS = 10
"""Two-way marginals that are compared with the first database's."""

MOST_LABELS = 6
"""Values of an attribute that are counted."""

MOST_KNOWN = 500
"""Values of an attribute, and cells of a marginal, that are carried along (a score stays below some
hundred kilobytes)."""

MOST_SETS = 2000
"""Sets of attributes that are looked at."""

FEW_VALUES = 12
"""An attribute of more distinct numbers is divided into as many bins."""


def table_columns_for(outcomes: Outcomes, pair: Pair) -> TableColumns:
    """Columns that suit the tables among outcomes; none where there are none."""
    first, second = databases_of(pair)
    given = tuple(dict.fromkeys(str(name) for record in [*first, *second] for name in record))
    some = next(rows_of(outcomes, given), None)
    if some is None:
        return TableColumns((), Reference((), {}, {}, (), {}))
    names = [*(n for n in given if n in some.columns), *(n for n in some.columns if n not in given)]
    names = names[:MOST_ATTRIBUTES]
    known = names[: sum(name in given for name in names)]
    both = Rows.of_records([*first, *second], names)
    edges = {name: found for name in names if (found := edges_of(name, some, both))}
    labels = {name: tuple(dict.fromkeys(both.labels(name))) for name in known if name not in edges}
    labels = {name: found for name, found in labels.items() if len(found) <= MOST_KNOWN}
    targets = surplus(first, second)[:MOST_TARGETS]
    aims = tuple({n: label(record.get(n)) for n in known} for record, _ in targets)
    reference = Reference(given, labels, edges, aims, {})
    features = [TableFeature("rows", "rows")]
    features += _target_features(Compared(both, reference), known)
    residuals = _residual_features(Compared(Rows.of_records(first, names), reference), known)
    features += [feature for feature, _ in residuals]
    features += _value_features(some, reference, names)
    marginals = {feature.of: counts for feature, counts in residuals}
    return TableColumns(tuple(features[:MOST_COLUMNS]), replace(reference, marginals=marginals))


def databases_of(pair: Pair) -> tuple[list[Record], list[Record]]:
    """Both databases as records; empty where they are none."""
    found = [_records(database) for database in (pair.first, pair.second)]
    return (found[0] or [], found[1] or []) if None not in found else ([], [])


def _records(database: Any) -> list[Record] | None:
    if isinstance(database, list) and all(isinstance(record, Mapping) for record in database):
        return database
    return None


def surplus(first: Sequence[Record], second: Sequence[Record]) -> list[tuple[Record, int]]:
    """The records that one database holds more often: each with how much more often the second."""
    counts = Counter(map(_text, second))
    counts.subtract(Counter(map(_text, first)))
    return [(json.loads(text), count) for text, count in counts.items() if count]


def _text(record: Record) -> str:
    return json.dumps(record, sort_keys=True)


def edges_of(name: str, some: Rows, both: Rows) -> tuple[float, ...]:
    """Of bins of an attribute of many numbers; none of any other."""
    pooled = []
    for rows in (some, both):
        if not rows.holds_numbers(name):
            return ()
        numbers = rows.numbers(name)
        pooled.append(numbers[~np.isnan(numbers)])
    values = np.concatenate(pooled)
    if len(np.unique(values)) <= FEW_VALUES:
        return ()
    return tuple(cuts(values, FEW_VALUES).tolist())


def _target_features(both: Compared, known: Sequence[str]) -> list[TableFeature]:
    """How often each target is found, whole and in part, and how near the nearest row comes."""
    found: list[TableFeature] = []
    if not known:
        return found
    every = tuple(known)
    for target in range(len(both.reference.targets)):
        told = f"target {target + 1}"
        found += [
            TableFeature(f"rows equal to {told}", "equal", every, target),
            TableFeature(f"the distance of {told} to the nearest row", "nearest", every, target),
            TableFeature(f"rows within one value of {told}", "near", every, target),
        ]
        for size, most in ((1, len(known)), (2, MOST_PAIRS), (3, MOST_TRIPLES)):
            sets = list(combinations(known, size))[:MOST_SETS]
            often = [both.matching(of, target) for of in sets]
            found += [
                TableFeature(f"rows like {told} in {' and '.join(of)}", "match", of, target)
                for of in (sets[place] for place in np.argsort(often, kind="stable")[:most])
            ]
    return found


def _residual_features(
    first: Compared, known: Sequence[str]
) -> list[tuple[TableFeature, tuple[int, ...]]]:
    """How far one- and two-way marginals are from the first database's, with these."""
    found = []
    plain = [n for n in known if n in first.reference.labels or n in first.reference.edges]
    for of in [*combinations(plain, 1), *list(combinations(plain, 2))[:MOST_RESIDUALS]]:
        cells = first.cells(of)[0]
        if len(cells) <= MOST_KNOWN:
            name = f"the residual of the marginal of {' and '.join(of)}"
            found.append((TableFeature(name, "residual", of), tuple(map(int, cells))))
    return found


def _value_features(some: Rows, reference: Reference, names: Sequence[str]) -> list[TableFeature]:
    """What the columns of a table hold."""
    plain = tuple(name for name in names if name in reference.labels)
    found = [TableFeature("rows with a value of neither database", "novel", plain)] if plain else []
    for name in names:
        found += [
            TableFeature(f"distinct values of {name}", "distinct", (name,)),
            TableFeature(f"missing values of {name}", "missing", (name,)),
        ]
        if some.holds_numbers(name):
            found += [
                TableFeature(f"the {what} of {name}", what, (name,))
                for what in ("mean", "least", "largest")
            ]
        if name in plain:
            told = f"rows with a value of {name} that is in neither database"
            found.append(TableFeature(told, "novel", (name,)))
        if name not in reference.edges:
            frequent = np.argsort(-np.bincount(some.code_column(name)[0] + 1)[1:], kind="stable")
            labels = some.labels(name)
            found += [
                TableFeature(f"rows with {name} {labels[k][:40]}", "count", (name,), 0, labels[k])
                for k in frequent[:MOST_LABELS]
            ]
    return found
