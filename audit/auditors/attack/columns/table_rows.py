"""The rows of many tables at once, each with the run that it came from."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.subjects.outcomes import MOST_NUMBERS, Outcomes, Shape, number_length
from audit.subjects.plain_data import records

FloatArray = NDArray[np.float64]

ROWS_AT_ONCE = 1_000_000
"""Rows that are held at once (some hundred megabytes)."""


@dataclass(frozen=True, eq=False)
class Rows:
    """``runs``: [tables], the run of each table. ``of``: [rows], the place of each row's table.

    ``columns``: [rows] each. Values are looked at as categories, by their labels, or as doubles.
    """

    runs: NDArray[np.intp]
    of: NDArray[np.intp]
    columns: Mapping[str, Any]
    _coded: dict[str, tuple[NDArray[np.intp], Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def of_records(cls, records: Sequence[Mapping[str, Any]], attributes: Sequence[str]) -> Rows:
        """One table, of records with these attributes; they may lack some."""
        columns = {
            name: np.array([_plain(record.get(name)) for record in records], object)
            for name in attributes
        }
        return cls(np.zeros(1, np.intp), np.zeros(len(records), np.intp), columns)

    def is_numeric(self, name: str) -> bool:
        """Whether a column's type is one of numbers."""
        dtype = self.columns[name].dtype
        return isinstance(dtype, np.dtype) and dtype.kind in "iuf"

    def holds_numbers(self, name: str) -> bool:
        """Whether all values that are there are finite numbers."""
        return self.is_numeric(name) or all(
            not text or math.isfinite(number(text)) for text in self.labels(name)
        )

    def code_column(self, name: str) -> tuple[NDArray[np.intp], Any]:
        """A column as categories: [rows] the places of values, -1 where missing; the values."""
        if name not in self._coded:
            try:
                self._coded[name] = pd.factorize(self.columns[name])
            except TypeError:  # lists and other values that can't be told apart by hashing
                self._coded[name] = pd.factorize(np.array(list(map(repr, self.columns[name]))))
        return self._coded[name]

    def labels(self, name: str) -> list[str]:
        """The labels of the values."""
        return list(map(label, self.code_column(name)[1]))

    def among(self, name: str, wanted: Sequence[str]) -> NDArray[np.bool_]:
        """[rows], whether the column has a value of one of these labels; "" is missing."""
        if self.is_numeric(name):
            values = np.asarray(self.columns[name], np.float64)
            found = np.isin(values, [number(text) for text in wanted])
            return found | np.isnan(values) if "" in wanted else found
        known = set(wanted)
        # The last entry is that of number -1.
        chosen = [*(text in known for text in self.labels(name)), "" in known]
        return np.array(chosen)[self.code_column(name)[0]]

    def numbers(self, name: str) -> FloatArray:
        """[rows], a column as doubles; NaN where it holds no finite number."""
        if self.is_numeric(name):
            doubles = np.asarray(self.columns[name], np.float64)
        else:
            read = [*map(number, self.labels(name)), math.nan]
            doubles = np.array(read)[self.code_column(name)[0]]
        return np.where(np.isfinite(doubles), doubles, math.nan)

    def total(self, weights: NDArray[Any] | None = None) -> FloatArray:
        """[tables], the sum over each table's rows; without weights, how many rows it has."""
        return np.bincount(self.of, weights, len(self.runs)).astype(np.float64)

    def least(self, values: FloatArray, empty: float) -> FloatArray:
        """[tables], the smallest over each table's rows, NaN left out."""
        found = np.full(len(self.runs), math.inf)
        np.fmin.at(found, self.of, values)
        return np.where(np.isfinite(found), found, empty)


def rows_of(outcomes: Outcomes, attributes: Sequence[str]) -> Iterator[Rows]:
    """The rows of all tables among outcomes, some tables of one shape at a time.

    Lists of records and arrays with two axes are tables too; where these name no columns, they
    are the ``attributes`` in their order.
    """
    for place, (shape, block) in enumerate(zip(outcomes.shapes, outcomes.blocks, strict=True)):
        runs = np.flatnonzero(outcomes.of == place)
        if isinstance(block, np.ndarray):
            width = array_width(shape)
            if width and len(block):
                yield from _rows_of_arrays(block, runs, _default_names(attributes, width))
            continue
        for tables in _alike(shape, block, attributes):
            yield from _rows_of_tables(tables, runs)


def _alike(
    shape: Shape, block: tuple[Any, ...], attributes: Sequence[str]
) -> Iterator[list[tuple[int, pd.DataFrame]]]:
    """The tables in a block of outcomes, those with the same columns together."""
    if shape.kind == "table" and block:
        yield list(enumerate(block))
    if shape.kind == "data":
        found: dict[tuple[str, ...], list[tuple[int, pd.DataFrame]]] = {}
        for run, text in enumerate(block):
            told = records(text, attributes)
            if told is not None:
                table = pd.DataFrame(told)
                found.setdefault(tuple(table.columns), []).append((run, table))
        yield from found.values()


def _rows_of_tables(
    tables: Sequence[tuple[int, pd.DataFrame]], runs: NDArray[np.intp]
) -> Iterator[Rows]:
    start = 0
    while start < len(tables):
        end, rows = start, 0
        while end < len(tables) and (end == start or rows + len(tables[end][1]) <= ROWS_AT_ONCE):
            rows += len(tables[end][1])
            end += 1
        some = [table for _, table in tables[start:end]]
        whole = pd.concat(some, ignore_index=True)
        columns = {str(name): whole.iloc[:, place] for place, name in enumerate(whole.columns)}
        of = np.repeat(np.arange(len(some)), [len(table) for table in some])
        yield Rows(runs[[run for run, _ in tables[start:end]]], of, columns)
        start = end


def _rows_of_arrays(
    block: FloatArray, runs: NDArray[np.intp], names: Sequence[str]
) -> Iterator[Rows]:
    rows = block.shape[1] // len(names)
    step = max(ROWS_AT_ONCE // max(rows, 1), 1)
    for start in range(0, len(block), step):
        some = block[start : start + step]
        flat = some.reshape(-1, len(names))
        of = np.repeat(np.arange(len(some)), rows)
        columns = {name: flat[:, place] for place, name in enumerate(names)}
        yield Rows(runs[start : start + step], of, columns)


def array_width(shape: Shape) -> int:
    """The columns of an array with two axes, 0 for any other shape, or one not looked at whole."""
    found = re.fullmatch(r"array \S+ \d+x(\d+)", shape.detail)
    if shape.kind != "numbers" or not found or number_length(shape) > MOST_NUMBERS:
        return 0
    return int(found[1])


def _default_names(attributes: Sequence[str], width: int) -> list[str]:
    return list(attributes) if len(attributes) == width else [str(k) for k in range(width)]


def label(value: object) -> str:
    """A value as a category: the same for 3, 3.0 and "3"; "" for all that is missing."""
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | float | np.number):
        double = float(value)
        if math.isnan(double):
            return ""
        return str(int(double)) if double.is_integer() else repr(double)
    return str(value)


def number(text: str) -> float:
    """The number that a label stands for, NaN if none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _plain(value: object) -> object:
    """A value that counts as one of its own: no list, which an array would take apart."""
    return json.dumps(value, sort_keys=True) if isinstance(value, list | dict) else value
