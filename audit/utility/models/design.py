"""The matrices of a regression that is fitted to two tables: the same terms for both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.utility.labels import value_labels
from audit.utility.records import Records, is_measured, numbers_alike

Both = tuple[NDArray[np.float64], NDArray[np.float64]]
"""A value a record of the real and of the synthetic table."""


def design_matrices(
    tables: tuple[Records, Records], predictors: tuple[str, ...]
) -> tuple[list[str], Both]:
    """The terms [k], and the columns [n, k] of both tables."""
    terms = ["(intercept)"]
    sides = tuple([np.ones(table.records)] for table in tables)
    for name in predictors:
        attribute = tables[0].domain.attribute(name)
        if is_measured(attribute):
            terms.append(name)
            for side, numbers in zip(sides, numbers_alike(tables, name), strict=True):
                side.append(numbers)
            continue
        codes = [table.column(name) for table in tables]
        counts = [np.bincount(column, minlength=attribute.size + 1) > 0 for column in codes]
        shared, any_table = counts[0] & counts[1], counts[0] | counts[1]
        base = int(np.argmax(shared if shared.any() else any_table))
        labels = value_labels(tables[0].domain, name)
        for code in np.flatnonzero(any_table).tolist():
            if code != base:
                terms.append(f"{name} = {labels[code]}")
                for side, column in zip(sides, codes, strict=True):
                    side.append((column == code).astype(np.float64))
    return terms, (np.column_stack(sides[0]), np.column_stack(sides[1]))


def drop_settled(
    tables: tuple[Records, Records], outcome: str, predictors: tuple[str, ...]
) -> tuple[tuple[Records, Records], list[str]]:
    """The tables without the values that settle the outcome in either table, and those values.

    The coefficient of a value whose records all have one outcome is infinite, and in
    the limit these records tell nothing about the others: without them every other
    estimate is the same.
    """
    domain = tables[0].domain
    nominal = [name for name in predictors if not is_measured(domain.attribute(name))]
    settled: list[str] = []
    found = True
    while found:
        found = False
        for name in nominal:
            size = domain.attribute(name).size + 1
            settles = np.zeros(size, dtype=np.bool_)
            for table in tables:
                counts = np.bincount(
                    table.column(name) * 2 + table.column(outcome), minlength=2 * size
                )
                settles |= (counts.reshape(size, 2) > 0).sum(axis=1) == 1
            if settles.any():
                found = True
                labels = value_labels(domain, name)
                settled += [f"{name} = {labels[code]}" for code in np.flatnonzero(settles)]
                first, second = (
                    table.take(np.flatnonzero(~settles[table.column(name)])) for table in tables
                )
                tables = first, second
    return tables, settled
