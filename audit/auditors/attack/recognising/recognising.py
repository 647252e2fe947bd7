"""Recognising: what kind of leak a refuting rule shows, by what it still tells of less.

A facet is a part of every outcome, such as its form or which labels appear in it. A cause is named
where its facet alone would refute the claim, or where nothing refutes it behind its veil.
All is measured on runs that the rule was learned from, so that nothing here touches those that
tested it; the name stands beside the verdict, and may be wrong without making that wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns.fields import labels_by_field
from audit.auditors.attack.finding.clauses import describe_shape
from audit.auditors.attack.finding.sentences import name_bits
from audit.auditors.attack.learning.behind import draw_veils
from audit.auditors.attack.recognising.cases import CLEAR, QUICK, Case
from audit.auditors.attack.recognising.exact_numbers import name_exact_number
from audit.auditors.attack.recognising.small_scales import name_small_scale
from audit.auditors.attack.recognising.whole_fields import (
    describe_field,
    describe_place,
    list_whole_fields,
)
from audit.auditors.attack.searching.promise import promises_refutation
from audit.auditors.attack.veils.causes import UNRECOGNISED
from audit.auditors.attack.veils.form_veils import has_failed
from audit.auditors.attack.veils.row_veils import row_counts
from audit.statements.evidence import Cause
from audit.subjects.outcomes import Shape

FloatArray = NDArray[np.float64]


def recognise(case: Case) -> Cause:
    """The cause of a refutation, the first that fits; `UNRECOGNISED` where none does."""
    for look in _LOOKS:
        found = look(case)
        if found is not None:
            return found
    return Cause(UNRECOGNISED, "no cause that is known by name explains it")


def _name_failures(case: Case) -> Cause | None:
    """Exceptions and ends from outside."""
    shapes = case.runs.outcomes.shapes
    if not any(map(has_failed, shapes)):
        return None
    facet = [_describe_ending(shape) for shape in shapes]
    if not case.tells([facet[place] for place in case.runs.outcomes.of]):
        return None
    told = ", ".join(sorted({text for text in facet if text}))
    return _blame_tiny_tables(
        case, f"{told} on one database more often than on the other", "exceptions"
    )


def _describe_ending(shape: Shape) -> str:
    if not has_failed(shape):
        return ""
    return f"it raised {shape.detail}" if shape.kind == "raised" else f"ended ({shape.detail})"


def _blame_tiny_tables(case: Case, seen: str, otherwise: str) -> Cause:
    """Empty tables where a database holds hardly any record, else another cause."""
    if not case.tiny or case.sizes is None:
        return Cause(otherwise, seen)
    return Cause("empty-tables", f"{seen}; the databases hold {_list_sizes(case.sizes)} records")


def _list_sizes(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]} and {sizes[1]}"


def _name_size(case: Case) -> Cause | None:
    """How many rows there are, or a number that is the number of records."""
    counts = row_counts(case.runs.outcomes)
    told = _tell_exact_values(case, counts.astype(np.float64))
    if told and case.tells(counts.astype(str).tolist()):
        seen = f"the number of rows is {told}, without noise"
        if case.sizes is not None and set(np.unique(counts).tolist()) != set(case.sizes):
            return _blame_tiny_tables(case, seen, "exact-size")
        return Cause("exact-size", seen)
    if case.sizes is None or case.sizes[0] == case.sizes[1]:
        return None
    expected = np.where(case.runs.coins, case.sizes[1], case.sizes[0])
    for field, values in list_whole_fields(case):
        if np.array_equal(values, expected) and case.tells(values.astype(str).tolist()):
            return Cause("exact-size", f"{describe_field(field)} is the exact number of records")
    return None


def _tell_exact_values(case: Case, values: FloatArray) -> str:
    """As "3 on A and 4 on B", where each database has one value of its own; else nothing."""
    sides = [np.unique(values[case.runs.coins == side]) for side in (False, True)]
    if any(len(side) != 1 for side in sides) or sides[0][0] == sides[1][0]:
        return ""
    return f"{sides[0][0]:.6g} on A and {sides[1][0]:.6g} on B"


def _name_forms(case: Case) -> Cause | None:
    """What kind of thing the output is, its columns and their types."""
    shapes = case.runs.outcomes.shapes
    forms = [_spell_form(shape) for shape in shapes]
    if not case.tells([forms[place] for place in case.runs.outcomes.of]):
        return None
    shown = " or ".join(dict.fromkeys(describe_shape(shape)[:100] for shape in shapes))
    seen = f"the output is {shown}, by the database"
    several = len({shape.kind for shape in shapes}) > 1
    return _blame_tiny_tables(case, seen, "exact-threshold" if several else "schema")


def _spell_form(shape: Shape) -> str:
    """A shape without the lengths of numbers."""
    detail = shape.detail.rpartition(" ")[0] if shape.kind == "numbers" else shape.detail
    return f"{shape.kind} {detail}"


def _name_order_of_records(case: Case) -> Cause | None:
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


def _name_order_of_rows(case: Case) -> Cause | None:
    """The order of rows in what is put out."""
    _, veiled = draw_veils(case.runs, case.pair, ("order",))
    if np.array_equal(veiled.outcomes.codes(), case.runs.outcomes.codes()):
        return None
    if case.tells_behind("order") or not case.tells_plainly:
        return None
    return Cause("order", "the databases are told apart no longer once rows are sorted")


def _name_labels(case: Case) -> Cause | None:
    """A label that only outputs on one of the databases have."""
    held = labels_by_field(case.runs.outcomes)
    counts = Counter(entry for labels in held for entry in labels)
    for (field, text), count in counts.most_common():
        if count < CLEAR:
            break
        marks = np.array([(field, text) in labels for labels in held])
        side = case.one_sided(marks)
        number = _is_number(text)
        # Of a table's columns numbers are among the labels, too; of nested data texts alone.
        if number and field.startswith("table "):
            continue
        if side and case.tells(marks.astype(str).tolist()):
            seen = (
                f"category {text[:40]!r} appears {describe_place(field)} on database {side} alone"
            )
            # "3" stands in many a number, and as a value between quotation marks.
            shown = json.dumps(text) if number else json.dumps(text)[1:-1]
            both = all(shown in database for database in case.held)
            return Cause("exact-threshold" if both else "read-categories", seen)
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _name_low_bits(case: Case) -> Cause | None:
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


def _name_steady_outputs(case: Case) -> Cause | None:
    """One output on each database, which does not stand in the data: no fresh randomness."""
    if case.rule is not None:
        return None
    return Cause(
        "fixed-seed", "each database always gave one output, which is no number of the database"
    )


_LOOKS: tuple[Callable[[Case], Cause | None], ...] = (
    _name_failures,
    _name_size,
    _name_forms,
    _name_order_of_records,
    _name_labels,
    name_exact_number,
    _name_low_bits,
    _name_order_of_rows,
    name_small_scale,
    _name_steady_outputs,
)
"""What is looked for, in this order: what is seen at once first."""
