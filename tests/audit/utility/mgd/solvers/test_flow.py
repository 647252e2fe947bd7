from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solvers.flow import flow
from audit.utility.mgd.solvers.four_layer import four_layer_flow
from synthesizers.errors import TooLargeError
from tests.audit.utility.mgd.exact_plans import matrix, optimum, problems


@given(problems())
@settings(max_examples=100)
def test_both_flows_and_the_linear_programme_find_the_optimum(problem: Problem) -> None:
    assert flow(problem).cost == four_layer_flow(problem, matrix(problem)).cost
    assert flow(problem).cost == optimum(problem)


@given(problems((1, 3), cells=200, top=40))
@settings(max_examples=40)
def test_the_compressed_flow_agrees_with_the_uncompressed_one(problem: Problem) -> None:
    assert flow(problem).cost == four_layer_flow(problem, matrix(problem)).cost


def test_tolerance_below_zero_records_does_not_lend_records_that_are_not_there() -> None:
    # Within its tolerance of 2 the first cell, empty in both tables, could give away -2 records.
    problem = Problem((Axis.line(2, 1),), np.array([0, 0]), np.array([0, 3]), 2, 5)
    assert flow(problem).cost == 5


def test_records_that_agree_may_still_leave_under_the_tolerance() -> None:
    # One of the three moves at cost 1, and one is added; if all three stayed, two would be added.
    problem = Problem((Axis.line(2, 1),), np.array([3, 0]), np.array([3, 3]), 1, 5)
    assert flow(problem).cost == 1 + 5


def test_half_a_record_of_tolerance_is_a_whole_one_of_doubled_counts() -> None:
    problem = Problem((Axis.line(1, 1),), np.array([0]), np.array([6]), 3, 1, scale=2)
    assert problem.value(flow(problem).cost) == Fraction(3 - Fraction(3, 2), 3)


@given(problems((1, 3)))
@settings(max_examples=40)
def test_counts_and_tolerance_times_three_cost_three_times_as_much(problem: Problem) -> None:
    tripled = replace(
        problem,
        synthetic=3 * problem.synthetic,
        real=3 * problem.real,
        tolerance=3 * problem.tolerance,
    )
    assert flow(tripled).cost == 3 * flow(problem).cost


@pytest.mark.parametrize("tables", [([], []), ([0], [0]), ([9], [0]), ([0], [9]), ([4], [9])])
def test_empty_and_single_cells(tables: tuple[list[int], list[int]]) -> None:
    synthetic, real = (np.array(table, dtype=np.int64) for table in tables)
    problem = Problem((Axis.line(len(real), 1),), synthetic, real, 2, 3)
    assert flow(problem).cost == 3 * sum(
        max(abs(p - q) - 2, 0) for p, q in zip(*tables, strict=True)
    )


def test_costs_and_amounts_that_64_bits_do_not_hold_are_refused() -> None:
    none, one = np.zeros(12, dtype=np.int64), np.ones(12, dtype=np.int64)
    with pytest.raises(TooLargeError, match="smaller denominators"):
        flow(Problem((Axis.line(12, 1),), one, none, 0, 2**58))
    with pytest.raises(TooLargeError, match="smaller denominators"):
        flow(Problem((Axis.line(12, 1),), one * 2**58, none, 0, 1))
    with pytest.raises(TooLargeError, match="smaller denominators"):
        four_layer_flow(Problem((None,), one, none, 0, 2**58), np.zeros((12, 12), dtype=np.int64))
