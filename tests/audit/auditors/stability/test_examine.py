"""Maps of transformations, compared with the distances of their outputs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.auditors.stability.distances import distance, measure
from audit.auditors.stability.examine import examine
from audit.auditors.stability.outputs import Asked, AskedHere
from audit.statements.evidence import Decision
from synthesizers.errors import InputError, ProtocolError
from tests.audit.auditors.stability import transformations

MODULE = "tests.audit.auditors.stability.transformations"


def look(name: str, apart: int = 1, **options):
    return examine(Asked(f"{MODULE}:{name}", 10.0, 4096), apart, examples=5, **options)


@pytest.mark.parametrize(
    "name",
    ["total", "rows", "histogram", "squares", "area", "bytes_of", "shares", "spoiling"],
)
def test_an_honest_map_is_not_accused(name):
    assert look(name, records=2).decision is Decision.KEPT


@pytest.mark.parametrize(
    ("name", "declared", "found", "first", "second"),
    [
        ("too_small", "9", "10", [], [10]),
        ("doubled", "1", "2", [], [0]),
        ("failing", "1", "inf", [0, 0], [0, 0, 0]),
        ("scalar", "2", "3", 0, 1),
        ("make_total", "9", "10", [], [10]),
    ],
)
def test_a_map_that_is_too_small_is_shown_by_the_smallest_pair(
    name, declared, found, first, second
):
    finding = look(name)
    assert (finding.decision, finding.declared, finding.found) == (
        Decision.EXCEEDED,
        declared,
        found,
    )
    assert (finding.pair.first, finding.pair.second) == (first, second)
    if name != "failing":
        # The line that shows the same again runs as it stands.
        exec(finding.again, {})


def test_a_float_sum_moves_by_more_than_its_bound():
    """Casacuberta, Shoemate, Vadhan & Wagaman (2022): rounding alone, shown exactly."""
    finding = look("floats", records=3)
    assert finding.decision is Decision.EXCEEDED
    assert 1 < Fraction(finding.found) < Fraction(11, 10)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("measured", "is a measurement"),
        ("drawn", "draws at random"),
        ("strange", "is not known here"),
        ("clamped", "has no map"),
        ("sets", "found set"),
        ("enormous", "more than 10000 bits"),
        ("nothing", "expected numbers, found NoneType"),
        ("one_number", "expected lists of numbers, found int"),
        ("no_table", "expected tables, which are lists of rows, found int"),
        ("words", "a metric of numbers; found 'a'"),
        ("unstated", "which is 0 or more; found nan"),
        ("negative", "which is 0 or more; found -1"),
        ("below_all", "which is 0 or more; found -inf"),
    ],
)
def test_what_can_not_be_examined_is_refused(name, complaint):
    with pytest.raises(InputError, match=complaint):
        look(name)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("total", [99]),
        ("total", [1.5]),
        ("total", [True]),
        ("total", ["a"]),
        ("total", [None]),
        ("total", [b"a"]),
        ("area", [11]),
        ("bytes_of", [-1]),
        ("floats", [float("nan")]),
        ("floats", [float("inf")]),
        ("words", [1]),
    ],
)
def test_a_value_that_the_domain_has_not_accuses_nobody(name, values):
    with pytest.raises(InputError, match="has no value"):
        examine(AskedHere(getattr(transformations, name)), values=values, examples=2)


def test_tables_lie_no_farther_apart_than_can_be_tried():
    with pytest.raises(InputError, match="at most 100 apart; found 1000000"):
        examine(AskedHere(transformations.total), 10**6)


def test_a_process_that_ends_is_no_output_that_differs():
    with pytest.raises(ProtocolError, match="gave no outputs of 100 inputs: its process ended"):
        look("ending")


def test_an_object_of_the_callers_keeps_its_inputs_and_has_no_line_to_run():
    finding = examine(AskedHere(transformations.spoiling), examples=5)
    assert finding.decision is Decision.KEPT
    assert finding.again == ""


@pytest.mark.parametrize(
    ("metric", "first", "second", "apart"),
    [
        ("AbsoluteDistance(f64)", 0.1, 0.3, Fraction(0.3) - Fraction(0.1)),
        ("AbsoluteDistance(f64)", float("nan"), float("nan"), 0),
        ("AbsoluteDistance(f64)", 1.0, float("inf"), float("inf")),
        ("L1Distance(i32)", [1, 2], [2, 0], 3),
        ("L1Distance(i32)", {"a": 1}, {"b": 1}, 2),
        ("L2Distance(f64)", [1, 2], [2, 0], 5),
        ("L2Distance(f64)", [1, 2], [1], float("inf")),
        ("LInfDistance(f64)", [1, 2], [2, 0], 2),
        ("SymmetricDistance()", [1, 1, 2], [1, 3], 3),
        ("InsertDeleteDistance()", [1, 2, 3], [2, 3, 1], 2),
        ("InsertDeleteDistance()", [5, 1, 2, 5], [5, 2, 1, 5], 2),
        ("ChangeOneDistance()", [1, 2, 3], [3, 1, 4], 1),
        ("ChangeOneDistance()", [1], [], float("inf")),
        ("HammingDistance()", [1, 2], [2, 1], 2),
        ("DiscreteDistance()", "a", "b", 1),
    ],
)
def test_distances_are_those_of_their_metrics(metric, first, second, apart):
    assert distance(metric, first, second) == apart
    assert distance(metric, second, first) == apart
    assert distance(metric, first, first) == 0


def test_bounds_are_measured_as_distances_are():
    assert measure("L2Distance(f64)", 3) == 9
    assert measure("AbsoluteDistance(f64)", float("inf")) == float("inf")
    with pytest.raises(InputError, match="gives a number"):
        measure("AbsoluteDistance(f64)", "1")
