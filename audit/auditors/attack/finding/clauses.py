"""Clauses: what a column that counts or flags says of an output, in words."""

from __future__ import annotations

import json

from audit.auditors.attack.columns.columns import Family, OutcomeColumns, ShapeColumns
from audit.auditors.attack.columns.number_columns import NumberColumns, NumberFeature
from audit.auditors.attack.columns.table_columns import TableColumns, TableFeature
from audit.auditors.attack.columns.text_columns import TextColumns
from audit.subjects.outcomes import Shape

Clause = tuple[str, str]
"""What it means that a column which counts or flags is above 0, and that it is 0."""


def describe_shape(shape: Shape) -> str:
    """What kind of thing an outcome is, as the end of a sentence that begins with the output."""
    match shape.kind:
        case "numbers":
            held, _, lengths = shape.detail.rpartition(" ")
            return f"a number ({held})" if lengths == "1" else f"{lengths} numbers ({held})"
        case "nothing":
            return "nothing at all"
        case "table":
            columns = json.loads(shape.detail)
            return "a table of " + ", ".join(f"{name} ({dtype})" for name, dtype in columns)
        case "data":
            return f"nested data ({shape.detail})"
        case "other":
            return f"an object of type {shape.detail}"
    return f"{shape.kind} ({shape.detail})"


def state_columns(columns: OutcomeColumns) -> list[Clause | None]:
    """What flags and counts say, one entry a column; None for any other number."""
    return [clause for family in columns.families for clause in _state_family(family)]


def _state_family(family: Family) -> list[Clause | None]:
    match family:
        case ShapeColumns():
            return [_state_shape(shape) for shape in family.shapes]
        case NumberColumns():
            return [_state_number(feature, family.origin) for feature in family.features]
        case TextColumns():
            return [
                (f"the output is {of[:40]!r}", f"the output is not {of[:40]!r}")
                if what == "is"
                else None
                for what, of in family.features
            ]
        case TableColumns():
            return [_state_table(feature) for feature in family.features]
    return [None] * len(family.names)


def _state_shape(shape: Shape) -> Clause:
    match shape.kind:
        case "raised":
            return f"the subject raised {shape.detail}", f"it did not raise {shape.detail}"
        case "ended":
            return (
                f"the run was ended from outside ({shape.detail})",
                f"the run was not ended from outside ({shape.detail})",
            )
    told = describe_shape(shape)[:80]
    return f"the output is {told}", f"the output is not {told}"


def _state_number(feature: NumberFeature, origin: str) -> Clause | None:
    noun = feature.name.removesuffix(f" is {feature.what}")
    match feature.what:
        case "no number" if origin == "data":
            place = noun.removeprefix("the value at ")
            return f"the output has no number at {place}", f"the output has a number at {place}"
        case "no number":
            return f"{noun} is missing or no number (NaN)", f"{noun} is a number"
        case "inf" | "-inf":
            sign = "plus" if feature.what == "inf" else "minus"
            return f"{noun} is {sign} infinity", f"{noun} is not {sign} infinity"
        case "-0":
            return f"{noun} is minus zero", f"{noun} is not minus zero"
    return None


def _state_table(feature: TableFeature) -> Clause | None:
    column = " or ".join(feature.of)
    match feature.what:
        case "count":
            what = f"category {feature.label[:40]!r}" if feature.label else "a missing value"
        case "missing":
            what = "a missing value"
        case "novel":
            what = "a value that neither database holds"
        case "equal":
            return f"a row equals target {feature.target + 1}", (
                f"no row equals target {feature.target + 1}"
            )
        case _:
            return None
    return f"{what} appears in column {column}", f"{what} does not appear in column {column}"
