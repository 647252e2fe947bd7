"""Records as numbers: what a classifier is given to tell two tables apart.

Missing values as in synthpop 1.9-2 (``utility.gen``): a number is 0 beside an indicator
column, a factor has one more level. An attribute is a number if it has bins, or is ordinal
with numbers for values; every other one is a factor. Where one table only names the bins of
an attribute, its middles stand for the numbers of both tables: a classifier would otherwise
tell them apart by their form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from audit.utility.records import Records, is_measured, numbers_alike

Tables = tuple[Records, Records]
"""The real and the synthetic table."""


@dataclass(frozen=True, eq=False)
class Features:
    """Numbers [records, columns] of both tables, the real records first.

    ``owners`` [columns]: the attribute that each column tells of, or two joined by " × ".
    """

    matrix: NDArray[np.float32] | NDArray[np.float64]
    owners: tuple[str, ...]

    @property
    def records(self) -> int:
        """The number of records of both tables."""
        return int(self.matrix.shape[0])

    def take(self, rows: NDArray[np.int64]) -> Features:
        """The features of some records."""
        return Features(self.matrix[rows], self.owners)


@dataclass(frozen=True, eq=False)
class _Factor:
    """The codes [N] of a factor; each level but the first that occurs is a column."""

    name: str
    codes: NDArray[np.int64]
    levels: NDArray[np.int64]

    @property
    def width(self) -> int:
        return len(self.levels) - 1

    def columns(self) -> Iterator[NDArray[np.float64]]:
        for level in self.levels[1:]:
            yield (self.codes == level).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Number:
    """The numbers [N] of an attribute, 0 where there is none, and indicators of why."""

    name: str
    values: NDArray[np.float64]
    indicators: tuple[NDArray[np.bool_], ...]

    @property
    def width(self) -> int:
        return 1 + len(self.indicators)

    def columns(self) -> Iterator[NDArray[np.float64]]:
        # Standardised for the solver; an unpenalised fit is the same on any scale.
        values = self.values / (np.abs(self.values).max() or 1.0)
        values -= values.mean()
        yield values / (values.std() or 1.0)
        for indicator in self.indicators:
            yield indicator.astype(np.float64)


def shares(owners: Sequence[str], parts: Sequence[float]) -> dict[str, float]:
    """What the columns of ``owners`` contribute, added up by owner and scaled to a sum of 1."""
    sums = dict.fromkeys(owners, 0.0)
    for owner, part in zip(owners, parts, strict=True):
        sums[owner] += float(part)
    total = sum(sums.values())
    return {owner: part / total if total else 0.0 for owner, part in sums.items()}


def tree_features(tables: Tables) -> Features:
    """Whole numbers in float32, a column an attribute and one an indicator.

    Factors are codes in the declared order. Numbers are their ranks among all that occur:
    a tree only compares, and ranks are exact in float32 below 2**24 records.
    """
    columns: list[NDArray[np.float32]] = []
    owners: list[str] = []
    for variable in _variables(tables):
        if isinstance(variable, _Factor):
            columns.append(variable.codes.astype(np.float32))
            owners.append(variable.name)
            continue
        columns.append(_ranks(variable.values))
        columns.extend(indicator.astype(np.float32) for indicator in variable.indicators)
        owners.extend([variable.name] * variable.width)
    matrix = np.empty((len(columns[0]), len(columns)), dtype=np.float32, order="F")
    for place, column in enumerate(columns):
        matrix[:, place] = column
    return Features(matrix, tuple(owners))


def parameters(tables: Tables, interactions: bool) -> int:
    """The parameters of a regression before aliased ones are dropped, the intercept included."""
    widths = [variable.width for variable in _variables(tables)]
    pairs = sum(a * b for a, b in combinations(widths, 2)) if interactions else 0
    return 1 + sum(widths) + pairs


def regression_features(tables: Tables, interactions: bool) -> Features:
    """A column for each parameter but the intercept, in float64.

    Main effects, and with ``interactions`` the products of the columns of every two
    attributes (synthpop's ``maxorder = 1``).
    """
    variables = list(_variables(tables))
    records = sum(table.records for table in tables)
    matrix = np.empty((records, parameters(tables, interactions) - 1))
    owners: list[str] = []
    places: Mapping[str, list[int]] = {variable.name: [] for variable in variables}
    for variable in variables:
        for column in variable.columns():
            places[variable.name].append(len(owners))
            matrix[:, len(owners)] = column
            owners.append(variable.name)
    if interactions:
        for first, second in combinations(places, 2):
            for a in places[first]:
                for b in places[second]:
                    np.multiply(matrix[:, a], matrix[:, b], out=matrix[:, len(owners)])
                    owners.append(f"{first} × {second}")
    return Features(matrix, tuple(owners))


def _variables(tables: Tables) -> Iterator[_Factor | _Number]:
    for column, attribute in enumerate(tables[0].domain.attributes):
        codes = np.concatenate([table.codes[:, column] for table in tables])
        if is_measured(attribute):
            values = np.concatenate(numbers_alike(tables, attribute.name))
            outside = codes == attribute.size
            none = np.isnan(values)
            indicators = tuple(flag for flag in (none & ~outside, outside) if flag.any())
            yield _Number(attribute.name, np.where(none, 0.0, values), indicators)
        else:
            yield _Factor(attribute.name, codes, np.flatnonzero(np.bincount(codes)))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float32]:
    ranks: NDArray[np.int64] = np.unique(values, return_inverse=True)[1]
    return ranks.astype(np.float32)
