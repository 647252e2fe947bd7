"""Exact numbers: values without noise that stand in the outputs on one of the databases alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.recognising.cases import Case
from audit.auditors.attack.recognising.whole_fields import (
    MOST_FIELDS,
    REACH,
    describe_field,
    list_whole_fields,
)
from audit.auditors.attack.veils.number_veils import stands_out
from audit.statements.evidence import Cause

FloatArray = NDArray[np.float64]

SEVERAL = 20
"""Different values that show noise beside a value that recurs."""


def name_exact_number(case: Case) -> Cause | None:
    """A number that stands there exactly, on one of the databases alone."""
    for place, (field, values) in enumerate(list_whole_fields(case)):
        if place == MOST_FIELDS:
            break
        kinds, counts = np.unique(values, return_counts=True)
        for value in kinds[np.argsort(-counts, kind="stable")][:4].tolist():
            marks = np.isnan(values) if np.isnan(value) else values == value
            side = case.one_sided(marks)
            mine = values[case.runs.coins == (side == "B")]
            if side and stands_out(value, mine) and case.tells(marks.astype(str).tolist()):
                return _name_exact_value(case, field, value, values, side)
    return None


def _name_exact_value(
    case: Case, field: str, value: float, values: FloatArray, side: str
) -> Cause | None:
    what = describe_field(field)
    seen = f"{what} is exactly {value:.6g} in runs on {side}, and never on the other"
    mine = values[case.runs.coins == (side == "B")]
    noisy = len(np.unique(mine)) >= SEVERAL
    if field.startswith(REACH):
        return Cause("read-bounds", seen)
    if (noisy and value in (0.0,)) or np.isnan(value):
        return Cause("exact-threshold", f"{seen}, beside numbers with noise")
    if noisy and value in (float(np.nanmin(mine)), float(np.nanmax(mine))):
        return Cause("read-bounds", f"{seen}, and numbers with noise end there")
    if noisy:
        return Cause("exact-extremes", seen)
    if case.rule is None and value not in _derive_numbers(case):
        return None
    return Cause("exact-extremes", f"{seen}; no noise is seen on it")


def _derive_numbers(case: Case) -> set[float]:
    """Numbers that stand in the databases or follow from them at once: sums, sizes, values."""
    found: set[float] = set()
    for database in (case.pair.first, case.pair.second):
        numbers = list(_list_numbers(database))
        if isinstance(database, list):
            found.add(float(len(database)))
        if numbers:
            found |= {*numbers, float(sum(numbers)), float(np.mean(numbers))}
    return found


def _list_numbers(data: Any) -> Iterator[float]:
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        for item in data:
            yield from _list_numbers(item)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield float(data)
