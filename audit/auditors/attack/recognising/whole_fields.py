"""Whole fields: numbers that every run gives, and how fields are called in sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns.fields import numbers_by_field
from audit.auditors.attack.recognising.cases import Case

FloatArray = NDArray[np.float64]

MOST_FIELDS = 64
"""Fields of numbers that are looked at one by one."""

REACH = ("the least of ", "the largest of ")


def list_whole_fields(case: Case) -> Iterator[tuple[str, FloatArray]]:
    """Fields with one number in every run, and how far columns of tables reach."""
    outcomes = case.runs.outcomes
    for field, values in numbers_by_field(outcomes).items():
        if len(values) == len(outcomes) and len(outcomes.shapes) == 1:
            yield field, values
    if [shape.kind for shape in outcomes.shapes] != ["table"]:
        return
    (tables,) = outcomes.blocks
    if any(len(table) == 0 for table in tables):
        return
    for name in tables[0].select_dtypes("number").columns:
        yield f"{REACH[0]}{name}", np.array([float(table[name].min()) for table in tables])
        yield f"{REACH[1]}{name}", np.array([float(table[name].max()) for table in tables])


def describe_place(field: str) -> str:
    """Where a label stands, in a sentence."""
    if field.endswith(" keys"):
        return "among the keys of the output"
    kind, _, name = field.partition(" ")
    return f"in column {name}" if kind == "table" else "in the texts of the output"


def describe_field(field: str) -> str:
    """A field's name in a sentence."""
    kind, _, place = field.partition(" ")
    match kind:
        case "numbers":
            return "the output" if place == "0" else f"coordinate {int(place) + 1}"
        case "table":
            return f"column {place}"
        case "text":
            return f"number {int(place) + 1} in the text"
        case "data":
            return f"the value at {place}" if place else "the output"
    return field
