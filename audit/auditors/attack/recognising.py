"""Recognising: what kind of leak a refuting rule shows, by what it still tells of less.

A facet is a part of every outcome, such as its form or which labels appear in it. A cause is named
where its facet alone would refute the claim, or where nothing refutes it behind its veil.
All is measured on runs that the rule was learned from, so that nothing here touches those that
tested it; the name stands beside the verdict, and may be wrong without making that wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from audit.auditors.attack.behind import draw_veils
from audit.auditors.attack.cases import CLEAR, QUICK, Case
from audit.auditors.attack.causes import UNRECOGNISED
from audit.auditors.attack.fields import labels_by_field, numbers_by_field
from audit.auditors.attack.form_veils import has_failed
from audit.auditors.attack.number_veils import stands_out
from audit.auditors.attack.promise import promises_refutation
from audit.auditors.attack.row_veils import row_counts
from audit.auditors.attack.sentences import describe_shape, name_bits
from audit.statements.evidence import Cause
from audit.subjects.outcomes import Shape

FloatArray = NDArray[np.float64]

SHIFTED = 1e-3
"""The p-value below which two samples are no shifts of one another (of honest shifts one in a
thousand is then not called one)."""

MOST_FIELDS = 64
"""Fields of numbers that are looked at one by one."""

SEVERAL = 20
"""Different values that show noise beside a value that recurs."""


def recognise(case: Case) -> Cause:
    """The cause of a refutation, the first that fits; `UNRECOGNISED` where none does."""
    for look in _LOOKS:
        found = look(case)
        if found is not None:
            return found
    return Cause(UNRECOGNISED, "no cause that is known by name explains it")


def _failures(case: Case) -> Cause | None:
    """Exceptions and ends from outside."""
    shapes = case.runs.outcomes.shapes
    if not any(map(has_failed, shapes)):
        return None
    facet = [_ending(shape) for shape in shapes]
    if not case.tells([facet[place] for place in case.runs.outcomes.of]):
        return None
    told = ", ".join(sorted({text for text in facet if text}))
    return _on_tiny(case, f"{told} on one database more often than on the other", "exceptions")


def _ending(shape: Shape) -> str:
    if not has_failed(shape):
        return ""
    return f"it raised {shape.detail}" if shape.kind == "raised" else f"ended ({shape.detail})"


def _on_tiny(case: Case, seen: str, otherwise: str) -> Cause:
    """Empty tables where a database holds hardly any record, else another cause."""
    if not case.tiny or case.sizes is None:
        return Cause(otherwise, seen)
    return Cause("empty-tables", f"{seen}; the databases hold {_sizes(case.sizes)} records")


def _sizes(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]} and {sizes[1]}"


def _size(case: Case) -> Cause | None:
    """How many rows there are, or a number that is the number of records."""
    counts = row_counts(case.runs.outcomes)
    told = _exact_values(case, counts.astype(np.float64))
    if told and case.tells(counts.astype(str).tolist()):
        seen = f"the number of rows is {told}, without noise"
        if case.sizes is not None and set(np.unique(counts).tolist()) != set(case.sizes):
            return _on_tiny(case, seen, "exact-size")
        return Cause("exact-size", seen)
    if case.sizes is None or case.sizes[0] == case.sizes[1]:
        return None
    expected = np.where(case.runs.coins, case.sizes[1], case.sizes[0])
    for field, values in _whole_fields(case):
        if np.array_equal(values, expected) and case.tells(values.astype(str).tolist()):
            return Cause("exact-size", f"{_field(field)} is the exact number of records")
    return None


def _exact_values(case: Case, values: FloatArray) -> str:
    """As "3 on A and 4 on B", where each database has one value of its own; else nothing."""
    sides = [np.unique(values[case.runs.coins == side]) for side in (False, True)]
    if any(len(side) != 1 for side in sides) or sides[0][0] == sides[1][0]:
        return ""
    return f"{sides[0][0]:.6g} on A and {sides[1][0]:.6g} on B"


def _forms(case: Case) -> Cause | None:
    """What kind of thing the output is, its columns and their types."""
    shapes = case.runs.outcomes.shapes
    forms = [_form(shape) for shape in shapes]
    if not case.tells([forms[place] for place in case.runs.outcomes.of]):
        return None
    shown = " or ".join(dict.fromkeys(describe_shape(shape)[:100] for shape in shapes))
    seen = f"the output is {shown}, by the database"
    several = len({shape.kind for shape in shapes}) > 1
    return _on_tiny(case, seen, "exact-threshold" if several else "schema")


def _form(shape: Shape) -> str:
    """A shape without the lengths of numbers."""
    detail = shape.detail.rpartition(" ")[0] if shape.kind == "numbers" else shape.detail
    return f"{shape.kind} {detail}"


def _records_order(case: Case) -> Cause | None:
    """The order of records in a database."""
    if case.aligned is None or not case.tells_plainly:
        return None
    if promises_refutation(case.aligned, case.pair, QUICK, case.aim):
        return None
    return Cause(
        "order",
        "the databases are told apart no longer once the records that both hold stand in the same "
        "places",
    )


def _rows_order(case: Case) -> Cause | None:
    """The order of rows in what is put out."""
    _, veiled = draw_veils(case.runs, case.pair, ("order",))
    if np.array_equal(veiled.outcomes.codes(), case.runs.outcomes.codes()):
        return None
    if case.tells_behind("order") or not case.tells_plainly:
        return None
    return Cause("order", "the databases are told apart no longer once rows are sorted")


def _labels(case: Case) -> Cause | None:
    """A label that only outputs on one of the databases have."""
    held = labels_by_field(case.runs.outcomes)
    counts = Counter(entry for labels in held for entry in labels)
    for (field, text), count in counts.most_common():
        if count < CLEAR:
            break
        marks = np.array([(field, text) in labels for labels in held])
        side = case.one_sided(marks)
        if side and not _is_number(text) and case.tells(marks.astype(str).tolist()):
            seen = f"category {text[:40]!r} appears {_place(field)} on database {side} alone"
            both = all(json.dumps(text)[1:-1] in database for database in case.held)
            return Cause("exact-threshold" if both else "read-categories", seen)
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _values(case: Case) -> Cause | None:
    """A number that stands there exactly, on one of the databases alone."""
    for place, (field, values) in enumerate(_whole_fields(case)):
        if place == MOST_FIELDS:
            break
        kinds, counts = np.unique(values, return_counts=True)
        for value in kinds[np.argsort(-counts, kind="stable")][:4].tolist():
            marks = np.isnan(values) if np.isnan(value) else values == value
            side = case.one_sided(marks)
            mine = values[case.runs.coins == (side == "B")]
            if side and stands_out(value, mine) and case.tells(marks.astype(str).tolist()):
                return _exact_value(case, field, value, values, side)
    return None


def _exact_value(
    case: Case, field: str, value: float, values: FloatArray, side: str
) -> Cause | None:
    seen = f"{_field(field)} is exactly {value:.6g} in runs on {side}, and never on the other"
    mine = values[case.runs.coins == (side == "B")]
    noisy = len(np.unique(mine)) >= SEVERAL
    if field.startswith(_REACH):
        return Cause("read-bounds", seen)
    if (noisy and value in (0.0,)) or np.isnan(value):
        return Cause("exact-threshold", f"{seen}, beside numbers with noise")
    if noisy and value in (float(np.nanmin(mine)), float(np.nanmax(mine))):
        return Cause("read-bounds", f"{seen}, and numbers with noise end there")
    if noisy:
        return Cause("exact-extremes", seen)
    if case.rule is None and value not in _derive(case):
        return None
    return Cause("exact-extremes", f"{seen}; no noise is seen on it")


def _derive(case: Case) -> set[float]:
    """Numbers that stand in the databases or follow from them at once: sums, sizes, values."""
    found: set[float] = set()
    for database in (case.pair.first, case.pair.second):
        numbers = list(_numbers(database))
        if isinstance(database, list):
            found.add(float(len(database)))
        if numbers:
            found |= {*numbers, float(sum(numbers)), float(np.mean(numbers))}
    return found


def _numbers(data: Any) -> Iterator[float]:
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        for item in data:
            yield from _numbers(item)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield float(data)


_REACH = ("the least of ", "the largest of ")


def _whole_fields(case: Case) -> Iterator[tuple[str, FloatArray]]:
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
        yield f"{_REACH[0]}{name}", np.array([float(table[name].min()) for table in tables])
        yield f"{_REACH[1]}{name}", np.array([float(table[name].max()) for table in tables])


def _place(field: str) -> str:
    """Where a label stands, in a sentence."""
    if field.endswith(" keys"):
        return "among the keys of the output"
    kind, _, name = field.partition(" ")
    return f"in column {name}" if kind == "table" else "in the texts of the output"


def _field(field: str) -> str:
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


def _low_bits(case: Case) -> Cause | None:
    """Bits of floats far below the noise."""
    if case.rule is None:
        return None
    bits = name_bits(case.rule.score, 0.0)
    if not bits or not case.leaks_less_behind("low-bits"):
        return None
    rest = "less" if case.tells_behind("low-bits") else "nothing"
    return Cause(
        "low-bits",
        f"the low bits of {bits[0]} tell the databases apart, and behind a lattice of a thousandth "
        f"of its spread {rest} does (Mironov 2012)",
    )


def _scale(case: Case) -> Cause | None:
    """Noise that hides a shift too little: the outputs on B are those on A, moved."""
    moved = []
    for place, (field, values) in enumerate(_whole_fields(case)):
        if place == MOST_FIELDS:
            break
        first, second = values[~case.runs.coins], values[case.runs.coins]
        if min(len(first), len(second)) < CLEAR or len(np.unique(values)) < 3:
            continue
        apart = _shift(first, second)
        if apart is None:
            return None
        spread = float(np.mean(abs(first - np.median(first))))
        if apart and spread:
            moved.append((abs(apart) / spread, field, abs(apart)))
    if not moved:
        return _chances(case)
    ratio, field, apart = max(moved)
    times = f"; the floor is {case.factor:.2g} times the claim" if case.factor > 1 else ""
    return Cause(
        "small-scale",
        f"{_field(field)} is shifted by {apart:.3g}, {ratio:.2g} times the mean deviation of its "
        f"noise{times}",
    )


def _chances(case: Case) -> Cause | None:
    """Few outputs, all of which both databases give: their chances are too far apart."""
    codes, coins = case.runs.outcomes.codes(), case.runs.coins
    outputs = np.unique(codes)
    if len(outputs) > SEVERAL:
        return None
    counts = np.array([[np.count_nonzero(codes[coins == side] == one) for one in outputs]
                       for side in (False, True)])  # fmt: skip
    if counts.min() == 0:
        return None
    shares = counts / counts.sum(axis=1, keepdims=True)
    ratio = float(np.exp(abs(np.log(shares[0] / shares[1])).max()))
    times = f"; the floor is {case.factor:.2g} times the claim" if case.factor > 1 else ""
    return Cause(
        "small-scale",
        f"both databases give all {len(outputs)} outputs, one of them {ratio:.3g} times as often "
        f"on one as on the other{times}",
    )


def _shift(first: FloatArray, second: FloatArray) -> float | None:
    """How far one sample is moved to the other; None where they are no shifts of one another."""
    apart = float(np.median(second) - np.median(first))
    if not np.isfinite(apart) or ks_2samp(first + apart, second).pvalue < SHIFTED:
        return None
    same = ks_2samp(first, second).pvalue >= SHIFTED
    return 0.0 if same else apart


def _steady(case: Case) -> Cause | None:
    """One output on each database, which does not stand in the data: no fresh randomness."""
    if case.rule is not None:
        return None
    return Cause(
        "fixed-seed", "each database always gave one output, which is no number of the database"
    )


_LOOKS: tuple[Callable[[Case], Cause | None], ...] = (
    _failures,
    _size,
    _forms,
    _records_order,
    _labels,
    _values,
    _low_bits,
    _rows_order,
    _scale,
    _steady,
)
"""What is looked for, in this order: what is seen at once first."""
